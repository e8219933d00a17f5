/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Comparing the other blocks with the recorded one; slots for what may differ.
 *
 * DESIGN: blocks are re-run on the pool, each with counters of its own (block k's variables begin
 * where k blocks of the recorded size end). Where block k has another preamble variable of the
 * same kind in an entry, that is noted in a list of the block; any other difference is a failure.
 * Afterwards entries whose variables are the same ones in every block share a slot. */
#include "r1cs/r1cs_impl.h"

#include <string.h>

/* A block has another preamble variable in an entry of Part.column. */
typedef struct {
    uint32_t entry, place; /* column_place */
} Difference;

typedef struct {
    const R1cs *r;
    size_t k, row, aux;
    uint32_t at; /* first entry of row */
    Difference *list;
    size_t n, room;
} Comparison;

static const char SIDE[3] = {'A', 'B', 'C'};

static void compare_aux(Cs *cs, Var var, bool is_bit)
{
    Comparison *c = cs->sink;
    const Part *block = &c->r->block;
    (void)var;
    if (cs->status != OK)
        return;
    if (c->aux >= block->n_aux || bitmap_get(block->is_bit, c->aux) != is_bit)
        record_fail(cs, status_fail(ERR_INTERNAL,
                                    "block %zu, row %zu: variable %zu is not as in block 0", c->k,
                                    c->row, c->aux));
    c->aux++;
}

/* Rank of a field element of the preamble. */
static uint32_t rank_of(const Part *part, uint32_t aux)
{
    size_t low = 0, high = part->n_fields;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (part->field_aux[middle] <= aux)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static Status note_difference(Comparison *c, int side, const Column *column, Var var)
{
    const Part *preamble = &c->r->preamble;
    uint32_t tag = column_tag(*column);
    bool shared = !(var & VAR_INPUT) && var < preamble->n_aux;
    bool bit = shared && bitmap_get(preamble->is_bit, var);
    if (!shared || tag != (bit ? COLUMN_BIT : COLUMN_FIELD))
        FAIL(ERR_INTERNAL, "block %zu, row %zu: %c has %s %u where block 0 has another variable",
             c->k, c->row, SIDE[side], var & VAR_INPUT ? "input" : "variable", var & ~VAR_INPUT);
    if (c->n == c->room) {
        size_t room = c->room ? 2 * c->room : 256;
        Difference *list = realloc(c->list, room * sizeof *list);
        if (!list)
            FAIL(ERR_MEMORY, "slots: out of memory");
        c->list = list;
        c->room = room;
    }
    uint32_t entry = (uint32_t)(column - c->r->block.column);
    c->list[c->n++] = (Difference){entry, bit ? var : rank_of(preamble, var)};
    return OK;
}

static Status compare_side(Comparison *c, int side, const Row *row, const Term *terms, uint32_t n)
{
    if (row->n[side] != n)
        FAIL(ERR_INTERNAL, "block %zu, row %zu: %u terms in %c, block 0 has %u", c->k, c->row, n,
             SIDE[side], row->n[side]);
    for (uint32_t i = 0; i < n; i++) {
        const Column *column = &row->column[side][i];
        if (!fr_eq(&c->r->dictionary[row->code[side][i]], &terms[i].coefficient))
            FAIL(ERR_INTERNAL, "block %zu, row %zu: term %u of %c has another coefficient", c->k,
                 c->row, i, SIDE[side]);
        if (column_variable(c->r, *column, c->k) != terms[i].var)
            TRY(note_difference(c, side, column, terms[i].var));
    }
    return OK;
}

static Status compare_row(Comparison *c, const Term *const terms[3], const uint32_t n[3])
{
    const Part *block = &c->r->block;
    if (c->row >= block->n_rows)
        FAIL(ERR_INTERNAL, "block %zu, row %zu: more than the %zu rows of block 0", c->k, c->row,
             block->n_rows);
    Row row;
    c->at = row_load(&row, c->r, block, c->row, c->at);
    for (int side = 0; side < 3; side++)
        TRY(compare_side(c, side, &row, terms[side], n[side]));
    c->row++;
    return OK;
}

static void on_row(Cs *cs, const Term *a, uint32_t na, const Term *b, uint32_t nb, const Term *c,
                   uint32_t nc)
{
    const Term *const terms[3] = {a, b, c};
    const uint32_t n[3] = {na, nb, nc};
    if (cs->status == OK)
        record_fail(cs, compare_row(cs->sink, terms, n));
}

typedef struct {
    const R1cs *r;
    const Circuit *circuit;
    const void *shared;
    Comparison *blocks; /* [n_blocks] */
} Job;

static Status compare_block(const Job *job, Cs *cs, size_t k)
{
    const R1cs *r = job->r;
    Comparison *c = &job->blocks[k];
    *c = (Comparison){.r = r, .k = k};
    cs->next_aux = (uint32_t)block_aux(r, k);
    cs->next_input = (uint32_t)block_input(r, k);
    const Recorder recorder = {c, compare_aux, on_row};
    TRY(record_block(job->circuit, &recorder, cs, k, job->shared));
    size_t inputs = cs->next_input - block_input(r, k);
    if (c->row != r->block.n_rows || c->aux != r->block.n_aux || inputs != r->block.n_inputs)
        FAIL(ERR_INTERNAL,
             "block %zu: %zu rows, %zu variables, %zu inputs; block 0 has %zu, %zu, %zu", k, c->row,
             c->aux, inputs, r->block.n_rows, r->block.n_aux, r->block.n_inputs);
    return OK;
}

static Status compare_blocks(void *raw, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    Cs cs = {0};
    Status status = OK;
    for (size_t i = begin; i < end && status == OK; i++)
        status = compare_block(raw, &cs, i + 1);
    cs_free(&cs);
    return status;
}

/* The entries that some block has differently, and their places in every block. */
typedef struct {
    size_t n, n_blocks;
    uint32_t *entry;  /* [n] sorted */
    uint32_t *places; /* [n][n_blocks] */
    uint32_t *order;  /* [n] by kind, then by places */
} Varying;

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static Column *column_at(const R1cs *r, uint32_t entry)
{
    return &r->block.column[entry];
}

static Status list_entries(Varying *v, const Comparison *blocks)
{
    size_t total = 0, n = 0;
    for (size_t k = 1; k < v->n_blocks; k++)
        total += blocks[k].n;
    v->entry = malloc((total + 1) * sizeof *v->entry);
    if (!v->entry)
        FAIL(ERR_MEMORY, "slots: out of memory");
    for (size_t k = 1; k < v->n_blocks; k++)
        for (size_t i = 0; i < blocks[k].n; i++)
            v->entry[n++] = blocks[k].list[i].entry;
    qsort(v->entry, total, sizeof *v->entry, compare_u32);
    for (size_t i = 0; i < total; i++)
        if (v->n == 0 || v->entry[v->n - 1] != v->entry[i])
            v->entry[v->n++] = v->entry[i];
    return OK;
}

static Status list_places(Varying *v, const R1cs *r, const Comparison *blocks)
{
    v->places = calloc(v->n * v->n_blocks, sizeof *v->places);
    v->order = calloc(v->n, sizeof *v->order);
    if (!v->places || !v->order)
        FAIL(ERR_MEMORY, "slots: no memory for %zu entries of %zu blocks", v->n, v->n_blocks);
    for (size_t i = 0; i < v->n; i++)
        for (size_t k = 0; k < v->n_blocks; k++)
            v->places[i * v->n_blocks + k] = column_index(*column_at(r, v->entry[i]));
    for (size_t k = 1; k < v->n_blocks; k++) {
        for (size_t i = 0; i < blocks[k].n; i++) {
            const Difference *d = &blocks[k].list[i];
            uint32_t *found = bsearch(&d->entry, v->entry, v->n, sizeof *v->entry, compare_u32);
            v->places[(size_t)(found - v->entry) * v->n_blocks + k] = d->place;
        }
    }
    return OK;
}

typedef struct {
    const R1cs *r;
    const Varying *v;
} OrderContext;

static int compare_places(const void *a, const void *b, void *raw)
{
    const OrderContext *context = raw;
    const Varying *v = context->v;
    size_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint32_t kind_x = column_tag(*column_at(context->r, v->entry[x]));
    uint32_t kind_y = column_tag(*column_at(context->r, v->entry[y]));
    if (kind_x != kind_y)
        return (kind_x > kind_y) - (kind_x < kind_y);
    return memcmp(v->places + x * v->n_blocks, v->places + y * v->n_blocks,
                  v->n_blocks * sizeof *v->places);
}

/* Entries in order; each that equals its predecessor shares its slot. */
static Status assign_slots(R1cs *r, const Varying *v)
{
    OrderContext context = {r, v};
    uint32_t *slot = calloc(v->n, sizeof *slot);
    if (!slot)
        FAIL(ERR_MEMORY, "slots: out of memory");
    for (size_t i = 0; i < v->n; i++) {
        bool same = i && compare_places(&v->order[i - 1], &v->order[i], &context) == 0;
        r->n_slots += !same;
        slot[v->order[i]] = (uint32_t)r->n_slots - 1;
    }
    r->slots = calloc(r->n_slots * v->n_blocks, sizeof *r->slots);
    for (size_t i = 0; i < v->n && r->slots; i++) {
        Column *column = column_at(r, v->entry[i]);
        uint32_t tag = column_tag(*column) == COLUMN_BIT ? COLUMN_SLOT_BIT : COLUMN_SLOT_FIELD;
        *column = column_make(tag, slot[i]);
        for (size_t k = 0; k < v->n_blocks; k++)
            r->slots[k * r->n_slots + slot[i]] = v->places[i * v->n_blocks + k];
    }
    free(slot);
    if (!r->slots)
        FAIL(ERR_MEMORY, "slots: out of memory");
    return OK;
}

static Status make_slots(R1cs *r, const Comparison *blocks)
{
    Varying v = {.n_blocks = r->n_blocks};
    Status status = list_entries(&v, blocks);
    if (status == OK && v.n) {
        status = list_places(&v, r, blocks);
        if (status == OK) {
            OrderContext context = {r, &v};
            for (size_t i = 0; i < v.n; i++)
                v.order[i] = (uint32_t)i;
            qsort_r(v.order, v.n, sizeof *v.order, compare_places, &context);
            status = assign_slots(r, &v);
        }
    }
    free(v.entry);
    free(v.places);
    free(v.order);
    return status;
}

Status r1cs_compare_blocks(R1cs *r, const Circuit *circuit, const void *shared, Pool *pool)
{
    if (r->n_blocks < 2)
        return OK;
    if (block_aux(r, r->n_blocks) >= VAR_INPUT || block_input(r, r->n_blocks) >= VAR_INPUT)
        FAIL(ERR_UNSUPPORTED, "%zu blocks have more than 2^31 variables", r->n_blocks);
    Comparison *blocks = calloc(r->n_blocks, sizeof *blocks);
    if (!blocks)
        FAIL(ERR_MEMORY, "out of memory");
    Job job = {r, circuit, shared, blocks};
    Status status = parallel_for(pool, r->n_blocks - 1, 1, compare_blocks, &job);
    if (status == OK)
        status = make_slots(r, blocks);
    for (size_t k = 0; k < r->n_blocks; k++)
        free(blocks[k].list);
    free(blocks);
    return status;
}
