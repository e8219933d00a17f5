/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Compiling a circuit: preamble and block recorded, the other blocks compared. */
#include "r1cs/r1cs_impl.h"

#include <string.h>

/* B rows meet few inputs (ONE, so far as circuits go); more than these are refused. */
enum { RECORDED_INPUT_WORDS = 64 };

/* Coefficient -> code: open addressing, twice as many slots as codes. */
typedef struct {
    uint32_t slots[2 * MOST_CODES]; /* code + 1; 0: free */
    Fr *codes;
    size_t n, room;
} Dictionary;

typedef struct {
    R1cs *r;
    Part *part; /* where rows and variables go */
    bool own;   /* part is the block */
    Dictionary *dictionary;
    size_t aux_base, input_base; /* absolute numbers of the part's first variables */
    size_t aux_room, field_room;
    uint32_t *rank[2]; /* [preamble, block]: of each aux, its rank if a field element */
    size_t rank_room[2];
    /* Comparison with the recorded block. */
    size_t row, aux;
    size_t k;
    bool differs;
} Recording;

static uint64_t hash_fr(const Fr *a)
{
    return (a->l[0] ^ a->l[1] * 0x9e3779b97f4a7c15ull ^ a->l[3]) * 0xd6e8feb86659fd93ull;
}

static Status find_code(Dictionary *d, const Fr *coefficient, uint16_t *code)
{
    size_t mask = 2 * MOST_CODES - 1, at = hash_fr(coefficient) >> 47 & mask;
    for (; d->slots[at]; at = (at + 1) & mask) {
        uint32_t found = d->slots[at] - 1;
        if (fr_eq(&d->codes[found], coefficient)) {
            *code = (uint16_t)found;
            return OK;
        }
    }
    if (d->n == MOST_CODES)
        FAIL(ERR_UNSUPPORTED, "more than %d different coefficients", MOST_CODES);
    if (d->n == d->room) {
        size_t room = d->room ? 2 * d->room : 1024;
        Fr *codes = realloc(d->codes, room * sizeof *codes);
        if (!codes)
            FAIL(ERR_MEMORY, "coefficients: out of memory");
        d->codes = codes;
        d->room = room;
    }
    d->codes[d->n] = *coefficient;
    *code = (uint16_t)d->n;
    d->slots[at] = (uint32_t)++d->n;
    return OK;
}

static Status grow(void **array, size_t *room, size_t need, size_t size)
{
    if (need <= *room)
        return OK;
    size_t more = *room ? *room + *room / 2 : 1024;
    if (more < need)
        more = need;
    void *larger = realloc(*array, more * size);
    if (!larger)
        FAIL(ERR_MEMORY, "rows: no memory for %zu entries", more);
    *array = larger;
    *room = more;
    return OK;
}

Status part_reserve_row(Part *part, const uint32_t n[3])
{
    size_t room = part->rows_room;
    for (int s = 0; s < 3; s++) {
        room = part->rows_room;
        TRY(grow((void **)&part->m[s].start, &room, part->n_rows + 2, sizeof(uint32_t)));
        if (part->n_rows == 0)
            part->m[s].start[0] = 0;
        Matrix *m = &part->m[s];
        size_t columns = m->room, codes = m->room;
        TRY(grow((void **)&m->column, &columns, m->n_entries + n[s], sizeof *m->column));
        TRY(grow((void **)&m->code, &codes, m->n_entries + n[s], sizeof *m->code));
        m->room = columns;
    }
    part->rows_room = room;
    return OK;
}

void part_free(Part *part)
{
    for (int s = 0; s < 3; s++) {
        free(part->m[s].start);
        free(part->m[s].column);
        free(part->m[s].code);
    }
    free(part->is_bit);
    free(part->a_density);
    free(part->b_density);
    free(part->b_inputs);
    free(part->field_aux);
    *part = (Part){0};
}

static void fail(Cs *cs, Status status)
{
    if (cs->status == OK && status != OK) {
        status_context(status, "%s", cs->path[0] ? cs->path : "circuit");
        cs->status = status;
    }
}

/* A variable as a column of the part being recorded. */
static Status make_column(const Recording *rec, Var var, Column *column)
{
    const R1cs *r = rec->r;
    size_t index = var & ~VAR_INPUT;
    if (var & VAR_INPUT) {
        if (index < r->preamble.n_inputs)
            *column = column_make(COLUMN_INPUT, (uint32_t)index);
        else if (rec->own && index >= rec->input_base)
            *column = column_make(COLUMN_OWN_INPUT, (uint32_t)(index - rec->input_base));
        else
            FAIL(ERR_INTERNAL, "row refers to input %zu of another block", index);
        return OK;
    }
    bool own = rec->own && index >= rec->aux_base;
    if (!own && index >= r->preamble.n_aux)
        FAIL(ERR_INTERNAL, "row refers to variable %zu of another block", index);
    const Part *part = own ? &r->block : &r->preamble;
    size_t relative = own ? index - rec->aux_base : index;
    if (relative >= part->n_aux)
        FAIL(ERR_INTERNAL, "row refers to variable %zu before it is allocated", index);
    bool bit = bitmap_get(part->is_bit, relative);
    uint32_t tag =
        own ? (bit ? COLUMN_OWN_BIT : COLUMN_OWN_FIELD) : (bit ? COLUMN_BIT : COLUMN_FIELD);
    *column = column_make(tag, bit ? (uint32_t)relative : rec->rank[own][relative]);
    return OK;
}

static Status new_aux(Recording *rec, bool is_bit)
{
    Part *part = rec->part;
    size_t index = part->n_aux;
    if (index >= COLUMN_MASK)
        FAIL(ERR_UNSUPPORTED, "more than %d variables in a block", COLUMN_MASK);
    if (index % 64 == 0) {
        uint64_t **maps[] = {&part->is_bit, &part->a_density, &part->b_density};
        size_t room = rec->aux_room;
        for (int i = 0; i < 3; i++) {
            room = rec->aux_room;
            TRY(grow((void **)maps[i], &room, index / 64 + 1, sizeof(uint64_t)));
            (*maps[i])[index / 64] = 0;
        }
        rec->aux_room = room;
    }
    TRY(grow((void **)&rec->rank[rec->own], &rec->rank_room[rec->own], index + 1,
             sizeof(uint32_t)));
    if (is_bit) {
        bitmap_set(part->is_bit, index);
    } else {
        TRY(grow((void **)&part->field_aux, &rec->field_room, part->n_fields + 1,
                 sizeof(uint32_t)));
        part->field_aux[part->n_fields] = (uint32_t)index;
        rec->rank[rec->own][index] = (uint32_t)part->n_fields++;
    }
    part->n_aux++;
    return OK;
}

static void record_aux(Cs *cs, Var var, bool is_bit)
{
    (void)var;
    fail(cs, new_aux(cs->sink, is_bit));
}

/* Density bits of one entry of A (side 0) or B (side 1). */
static Status set_density(Recording *rec, int side, Var var)
{
    size_t index = var & ~VAR_INPUT;
    R1cs *r = rec->r;
    if (var & VAR_INPUT) {
        if (side == 0)
            return OK; /* dense by the trailing rows */
        if (index >= 64 * RECORDED_INPUT_WORDS)
            FAIL(ERR_UNSUPPORTED, "B row refers to input %zu", index);
        bool own = rec->own && index >= rec->input_base;
        Part *part = own ? &r->block : &r->preamble;
        bitmap_set(part->b_inputs, own ? index - rec->input_base : index);
        return OK;
    }
    bool own = rec->own && index >= rec->aux_base;
    Part *part = own ? &r->block : &r->preamble;
    bitmap_set(side ? part->b_density : part->a_density, own ? index - rec->aux_base : index);
    return OK;
}

static Status new_row(Recording *rec, const Term *const terms[3], const uint32_t n[3])
{
    Part *part = rec->part;
    TRY(part_reserve_row(part, n));
    for (int s = 0; s < 3; s++) {
        Matrix *m = &part->m[s];
        for (uint32_t i = 0; i < n[s]; i++) {
            size_t at = m->n_entries + i;
            TRY(make_column(rec, terms[s][i].var, &m->column[at]));
            TRY(find_code(rec->dictionary, &terms[s][i].coefficient, &m->code[at]));
            if (s < 2)
                TRY(set_density(rec, s, terms[s][i].var));
        }
        m->n_entries += n[s];
        if (m->n_entries > UINT32_MAX)
            FAIL(ERR_UNSUPPORTED, "more than 2^32 entries in a block");
        m->start[part->n_rows + 1] = (uint32_t)m->n_entries;
    }
    part->n_rows++;
    return OK;
}

static void record_row(Cs *cs, const Term *a, uint32_t na, const Term *b, uint32_t nb,
                       const Term *c, uint32_t nc)
{
    const Term *const terms[3] = {a, b, c};
    const uint32_t n[3] = {na, nb, nc};
    if (cs->status == OK)
        fail(cs, new_row(cs->sink, terms, n));
}

static void compare_aux(Cs *cs, Var var, bool is_bit)
{
    Recording *rec = cs->sink;
    (void)var;
    const Part *block = &rec->r->block;
    bool same = rec->aux < block->n_aux && bitmap_get(block->is_bit, rec->aux) == is_bit;
    if (!same && cs->status == OK)
        fail(cs, status_fail(ERR_INTERNAL, "block %zu: variable %zu is not as in block 0", rec->k,
                             rec->aux));
    rec->aux++;
}

static Status compare_terms(Recording *rec, const Matrix *m, const Term *terms, uint32_t n)
{
    size_t first = m->start[rec->row];
    if (m->start[rec->row + 1] - first != n)
        FAIL(ERR_INTERNAL, "block %zu: row %zu has %u terms, %zu in block 0", rec->k, rec->row, n,
             m->start[rec->row + 1] - first);
    for (uint32_t i = 0; i < n; i++) {
        Column column = 0;
        TRY(make_column(rec, terms[i].var, &column));
        bool same = column == m->column[first + i] &&
                    fr_eq(&rec->dictionary->codes[m->code[first + i]], &terms[i].coefficient);
        if (!same)
            FAIL(ERR_INTERNAL, "block %zu: row %zu differs from block 0 in term %u", rec->k,
                 rec->row, i);
    }
    return OK;
}

static Status compare_row(Recording *rec, const Term *const terms[3], const uint32_t n[3])
{
    const Part *block = &rec->r->block;
    if (rec->row >= block->n_rows)
        FAIL(ERR_INTERNAL, "block %zu: more than the %zu rows of block 0", rec->k, block->n_rows);
    for (int s = 0; s < 3; s++)
        TRY(compare_terms(rec, &block->m[s], terms[s], n[s]));
    rec->row++;
    return OK;
}

static void check_row(Cs *cs, const Term *a, uint32_t na, const Term *b, uint32_t nb, const Term *c,
                      uint32_t nc)
{
    const Term *const terms[3] = {a, b, c};
    const uint32_t n[3] = {na, nb, nc};
    if (cs->status == OK)
        fail(cs, compare_row(cs->sink, terms, n));
}

static void attach(Cs *cs, const Recorder *recorder)
{
    cs->mode = CS_RECORD;
    cs->sink = recorder->sink;
    cs->on_aux = recorder->on_aux;
    cs->on_row = recorder->on_row;
    cs->path[0] = '\0';
}

Status record_preamble(const Circuit *circuit, const Recorder *recorder, Cs *cs, void *shared)
{
    attach(cs, recorder);
    cs_alloc_input(cs, NULL); /* ONE */
    TRY(circuit->preamble(circuit, cs, NULL, shared));
    return cs->status;
}

Status record_block(const Circuit *circuit, const Recorder *recorder, Cs *cs, size_t k,
                    const void *shared)
{
    attach(cs, recorder);
    TRY(circuit->block(circuit, cs, k, NULL, shared));
    return cs->status;
}

static Status compare_blocks(R1cs *r, const Circuit *circuit, Recording *rec, Cs *cs,
                             const void *shared)
{
    const Recorder recorder = {rec, compare_aux, check_row};
    for (size_t k = 1; k < r->n_blocks; k++) {
        rec->k = k;
        rec->row = rec->aux = 0;
        rec->aux_base = cs->next_aux;
        rec->input_base = cs->next_input;
        TRY(record_block(circuit, &recorder, cs, k, shared));
        size_t inputs = cs->next_input - rec->input_base;
        if (rec->row != r->block.n_rows || rec->aux != r->block.n_aux ||
            inputs != r->block.n_inputs)
            FAIL(ERR_INTERNAL,
                 "block %zu: %zu rows, %zu variables, %zu inputs; block 0 has %zu, "
                 "%zu, %zu",
                 k, rec->row, rec->aux, inputs, r->block.n_rows, r->block.n_aux, r->block.n_inputs);
    }
    return OK;
}

static Status input_bitmap(Part *part)
{
    part->b_inputs = calloc(RECORDED_INPUT_WORDS, sizeof *part->b_inputs);
    if (!part->b_inputs)
        FAIL(ERR_MEMORY, "inputs: out of memory");
    return OK;
}

/* From the recorded size to what the part's inputs need. */
static Status fit_inputs(Part *part)
{
    size_t words = bitmap_words(part->n_inputs) + 1;
    if (words <= RECORDED_INPUT_WORDS)
        return OK;
    uint64_t *larger = realloc(part->b_inputs, words * sizeof *larger);
    if (!larger)
        FAIL(ERR_MEMORY, "inputs: out of memory");
    memset(larger + RECORDED_INPUT_WORDS, 0, (words - RECORDED_INPUT_WORDS) * sizeof *larger);
    part->b_inputs = larger;
    return OK;
}

/* While the preamble is recorded its own input count is not known: columns of inputs compare with
 * "all so far". */
static Status record_all(R1cs *r, const Circuit *circuit, Recording *rec, Cs *cs, void *shared)
{
    const Recorder recorder = {rec, record_aux, record_row};
    TRY(input_bitmap(&r->preamble));
    TRY(input_bitmap(&r->block));
    rec->part = &r->preamble;
    r->preamble.n_inputs = SIZE_MAX;
    TRY(record_preamble(circuit, &recorder, cs, shared));
    r->preamble.n_inputs = cs->next_input;
    TRY(fit_inputs(&r->preamble));
    if (r->n_blocks == 0)
        return OK;
    rec->part = &r->block;
    rec->own = true;
    rec->aux_room = rec->field_room = 0;
    rec->aux_base = cs->next_aux;
    rec->input_base = cs->next_input;
    TRY(record_block(circuit, &recorder, cs, 0, shared));
    r->block.n_inputs = cs->next_input - rec->input_base;
    TRY(fit_inputs(&r->block));
    return compare_blocks(r, circuit, rec, cs, shared);
}

static size_t count_bits(const uint64_t *bitmap, size_t bits)
{
    size_t count = 0;
    for (size_t w = 0; w < bitmap_words(bits); w++)
        count += (size_t)__builtin_popcountll(bitmap[w]);
    return count;
}

/* A part without rows or variables still needs its arrays. */
static Status complete_part(Part *part)
{
    for (int s = 0; s < 3; s++)
        if (!part->m[s].start && !(part->m[s].start = calloc(1, sizeof(uint32_t))))
            FAIL(ERR_MEMORY, "rows: out of memory");
    uint64_t **maps[] = {&part->is_bit, &part->a_density, &part->b_density};
    for (int i = 0; i < 3; i++)
        if (!*maps[i] && !(*maps[i] = calloc(1, sizeof(uint64_t))))
            FAIL(ERR_MEMORY, "rows: out of memory");
    return OK;
}

Status r1cs_finish(R1cs *r)
{
    const Part *p = &r->preamble, *b = &r->block;
    size_t n = r->n_blocks;
    TRY(complete_part(&r->preamble));
    TRY(complete_part(&r->block));
    R1csShape *s = &r->shape;
    *s = (R1csShape){.n_inputs = p->n_inputs + n * b->n_inputs,
                     .n_aux = p->n_aux + n * b->n_aux,
                     .n_circuit_rows = p->n_rows + n * b->n_rows,
                     .n_fields = p->n_fields + n * b->n_fields,
                     .n_blocks = n,
                     .block_aux = b->n_aux,
                     .block_inputs = b->n_inputs,
                     .block_rows = b->n_rows,
                     .preamble_aux = p->n_aux,
                     .preamble_inputs = p->n_inputs,
                     .preamble_rows = p->n_rows};
    s->n_rows = s->n_circuit_rows + s->n_inputs;
    for (int m = 0; m < 3; m++)
        s->nnz[m] = p->m[m].n_entries + n * b->m[m].n_entries;
    s->nnz[0] += s->n_inputs;
    s->a_aux_density = count_bits(p->a_density, p->n_aux) + n * count_bits(b->a_density, b->n_aux);
    s->b_aux_density = count_bits(p->b_density, p->n_aux) + n * count_bits(b->b_density, b->n_aux);
    s->b_input_density =
        count_bits(p->b_inputs, p->n_inputs) + n * count_bits(b->b_inputs, b->n_inputs);
    if (s->n_aux >= VAR_INPUT || s->n_rows > (size_t)1 << 32)
        FAIL(ERR_UNSUPPORTED, "circuit %s: too many variables or rows", r->name);
    return OK;
}

static Status compile(R1cs *r, const Circuit *circuit, Recording *rec, void *shared)
{
    Cs cs = {0};
    uint16_t code;
    Fr minus_one;
    fr_neg(&minus_one, &FR_ONE);
    Status status = find_code(rec->dictionary, &FR_ONE, &code);
    if (status == OK)
        status = find_code(rec->dictionary, &minus_one, &code);
    if (status == OK)
        status = record_all(r, circuit, rec, &cs, shared);
    cs_free(&cs);
    TRY(status);
    r->dictionary = rec->dictionary->codes;
    r->n_codes = rec->dictionary->n;
    rec->dictionary->codes = NULL;
    return r1cs_finish(r);
}

Status r1cs_compile(R1cs **out, const Circuit *circuit, Pool *pool)
{
    (void)pool; /* blocks share allocation counters: serial */
    R1cs *r = calloc(1, sizeof *r);
    Dictionary *dictionary = calloc(1, sizeof *dictionary);
    void *shared = calloc(1, circuit->shared_bytes + 1);
    Recording rec = {.r = r, .dictionary = dictionary};
    Status status = OK;
    if (!r || !dictionary || !shared) {
        status = status_fail(ERR_MEMORY, "circuit %s: out of memory", circuit->name);
    } else {
        memcpy(r->name, circuit->name, sizeof r->name);
        r->version = circuit->version;
        r->n_blocks = circuit->n_blocks;
        status = compile(r, circuit, &rec, shared);
        if (status != OK)
            status_context(status, "circuit %s", circuit->name);
        free(dictionary->codes);
    }
    free(rec.rank[0]);
    free(rec.rank[1]);
    free(dictionary);
    free(shared);
    if (status != OK) {
        r1cs_free(&r);
        return status;
    }
    *out = r;
    return OK;
}
