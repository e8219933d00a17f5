/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Compiling a circuit: preamble and one block recorded. */
#include "r1cs/r1cs_impl.h"

#include <string.h>

/* Coefficient -> code: open addressing, twice as many slots as codes. */
enum { DICTIONARY_BITS = 17, DICTIONARY_SLOTS = 1 << DICTIONARY_BITS };
_Static_assert(DICTIONARY_SLOTS >= 2 * MOST_CODES, "half of the slots stay free");

typedef struct {
    uint32_t slots[DICTIONARY_SLOTS]; /* code + 1; 0: free */
    Fr *codes;
    size_t n, room;
} Dictionary;

typedef struct {
    R1cs *r;
    Part *part; /* where rows and variables go */
    bool own;   /* part is the block */
    Dictionary *dictionary;
    size_t aux_base, input_base; /* absolute numbers of the block's first variables */
    size_t words_room, rows_room, entries_room;
    size_t forms_room, form_codes_room, form_slots_room;
    uint32_t *form_slots; /* [form_slots_room] form + 1 by hash of its content; 0: free */
    uint32_t *rank[2];    /* [preamble, block]: of each aux, its rank if a field element */
    size_t rank_room[2];
} Recording;

static uint64_t hash_fr(const Fr *a)
{
    uint64_t mixed = a->l[0] ^ a->l[1] * 0x9e3779b97f4a7c15u ^ a->l[3];
    return (mixed ^ mixed >> 29) * 0xd6e8feb86659fd93u;
}

static Status add_code(Dictionary *d, const Fr *coefficient)
{
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
    d->codes[d->n++] = *coefficient;
    return OK;
}

static Status find_code(Dictionary *d, const Fr *coefficient, uint16_t *code)
{
    size_t at = hash_fr(coefficient) >> (64 - DICTIONARY_BITS);
    for (; d->slots[at]; at = (at + 1) % DICTIONARY_SLOTS) {
        uint32_t found = d->slots[at] - 1;
        if (fr_eq(&d->codes[found], coefficient)) {
            *code = (uint16_t)found;
            return OK;
        }
    }
    TRY(add_code(d, coefficient));
    *code = (uint16_t)(d->n - 1);
    d->slots[at] = (uint32_t)d->n;
    return OK;
}

/* Most coefficients are 1 and -1. */
static inline Status code_of(Dictionary *d, const Fr *coefficient, uint16_t *code)
{
    for (uint16_t i = 0; i < 2; i++) {
        if (d->n > i && fr_eq(&d->codes[i], coefficient)) {
            *code = i;
            return OK;
        }
    }
    return find_code(d, coefficient, code);
}

static Status grow(void *array, size_t room, size_t size)
{
    void *larger = realloc(*(void **)array, room * size);
    if (!larger)
        FAIL(ERR_MEMORY, "rows: no memory for %zu entries", room);
    *(void **)array = larger;
    return OK;
}

static size_t larger_room(size_t room, size_t need)
{
    size_t more = room + room / 2 + 1024;
    return more < need ? need : more;
}

/* A form's content: numbers of entries and the codes that follow at form->first. */
static uint64_t hash_form(const R1cs *r, const Form *form)
{
    uint64_t hash = form->n[0] + 31u * form->n[1] + 961u * form->n[2];
    const uint16_t *codes = r->form_codes + form->first;
    for (uint32_t i = 0; i < form_entries(form); i++)
        hash = (hash ^ codes[i]) * 0x9e3779b97f4a7c15u;
    return (hash ^ hash >> 29) * 0xd6e8feb86659fd93u >> 32;
}

static bool same_form(const R1cs *r, const Form *a, const Form *b)
{
    return memcmp(a->n, b->n, sizeof a->n) == 0 &&
           memcmp(r->form_codes + a->first, r->form_codes + b->first,
                  form_entries(a) * sizeof *r->form_codes) == 0;
}

/* The slot that has the form, or the free one where it belongs. */
static uint32_t *form_slot(const Recording *rec, const Form *form)
{
    const R1cs *r = rec->r;
    size_t mask = rec->form_slots_room - 1, at = hash_form(r, form) & mask;
    while (rec->form_slots[at] && !same_form(r, &r->forms[rec->form_slots[at] - 1], form))
        at = (at + 1) & mask;
    return &rec->form_slots[at];
}

/* At most half of the slots are taken. */
static Status reserve_form(Recording *rec)
{
    R1cs *r = rec->r;
    if (r->n_forms == rec->forms_room) {
        rec->forms_room = larger_room(rec->forms_room, 0);
        TRY(grow(&r->forms, rec->forms_room, sizeof *r->forms));
    }
    if (2 * (r->n_forms + 1) <= rec->form_slots_room)
        return OK;
    size_t room = rec->form_slots_room ? 2 * rec->form_slots_room : 4096;
    free(rec->form_slots);
    rec->form_slots_room = room;
    rec->form_slots = calloc(room, sizeof *rec->form_slots);
    if (!rec->form_slots)
        FAIL(ERR_MEMORY, "rows: no memory for %zu forms", room);
    for (size_t i = 0; i < r->n_forms; i++)
        *form_slot(rec, &r->forms[i]) = (uint32_t)i + 1;
    return OK;
}

/* The form's codes stand past the known ones; they stay there if it is new. */
static Status find_form(Recording *rec, const Form *form, uint32_t *out)
{
    R1cs *r = rec->r;
    TRY(reserve_form(rec));
    uint32_t *slot = form_slot(rec, form);
    if (!*slot) {
        if ((size_t)form->first + form_entries(form) > UINT32_MAX)
            FAIL(ERR_UNSUPPORTED, "more than 2^32 coefficients in forms");
        r->forms[r->n_forms++] = *form;
        r->n_form_codes += form_entries(form);
        *slot = (uint32_t)r->n_forms;
    }
    *out = *slot - 1;
    return OK;
}

static Status reserve_row(Recording *rec, const uint32_t n[3])
{
    Part *part = rec->part;
    R1cs *r = rec->r;
    size_t more = (size_t)n[0] + n[1] + n[2];
    if (part->n_rows == rec->rows_room) {
        rec->rows_room = larger_room(rec->rows_room, 0);
        TRY(grow(&part->form, rec->rows_room, sizeof *part->form));
    }
    if (part->n_entries + more > UINT32_MAX)
        FAIL(ERR_UNSUPPORTED, "more than 2^32 entries in a block");
    if (part->n_entries + more > rec->entries_room) {
        rec->entries_room = larger_room(rec->entries_room, part->n_entries + more);
        TRY(grow(&part->column, rec->entries_room, sizeof *part->column));
    }
    if (r->n_form_codes + more > rec->form_codes_room) {
        rec->form_codes_room = larger_room(rec->form_codes_room, r->n_form_codes + more);
        TRY(grow(&r->form_codes, rec->form_codes_room, sizeof *r->form_codes));
    }
    return OK;
}

void record_fail(Cs *cs, Status status)
{
    if (cs->status != OK || status == OK)
        return;
    cs->status = status_context(status, "gadget %s", cs->path[0] ? cs->path : "(none)");
}

/* A variable as a column of the part being recorded. */
static Status make_column(const Recording *rec, const Cs *cs, Var var, Column *column)
{
    const R1cs *r = rec->r;
    size_t index = var & ~VAR_INPUT;
    if (index >= (var & VAR_INPUT ? cs->next_input : cs->next_aux))
        FAIL(ERR_INTERNAL, "row refers to %s %zu before it is allocated",
             var & VAR_INPUT ? "input" : "variable", index);
    if (var & VAR_INPUT) {
        bool own = rec->own && index >= rec->input_base;
        *column = column_make(own ? COLUMN_OWN_INPUT : COLUMN_INPUT,
                              (uint32_t)(own ? index - rec->input_base : index));
        return OK;
    }
    bool own = rec->own && index >= rec->aux_base;
    size_t relative = own ? index - rec->aux_base : index;
    bool bit = bitmap_get(own ? r->block.is_bit : r->preamble.is_bit, relative);
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
    if (index / 64 >= rec->words_room) {
        size_t room = larger_room(rec->words_room, 0);
        TRY(grow(&part->is_bit, room, sizeof(uint64_t)));
        TRY(grow(&rec->rank[rec->own], 64 * room, sizeof(uint32_t)));
        memset(part->is_bit + rec->words_room, 0, (room - rec->words_room) * sizeof(uint64_t));
        rec->words_room = room;
    }
    if (is_bit)
        bitmap_set(part->is_bit, index);
    else
        rec->rank[rec->own][index] = (uint32_t)part->n_fields++;
    part->n_aux++;
    return OK;
}

static void record_aux(Cs *cs, Var var, bool is_bit)
{
    (void)var;
    if (cs->status == OK)
        record_fail(cs, new_aux(cs->sink, is_bit));
}

static Status new_row(Recording *rec, const Cs *cs, const Term *const terms[3], const uint32_t n[3])
{
    Part *part = rec->part;
    R1cs *r = rec->r;
    TRY(reserve_row(rec, n));
    const Form form = {{n[0], n[1], n[2]}, (uint32_t)r->n_form_codes};
    Column *column = part->column + part->n_entries;
    uint16_t *code = r->form_codes + r->n_form_codes;
    for (int s = 0; s < 3; s++) {
        for (uint32_t i = 0; i < n[s]; i++) {
            TRY(make_column(rec, cs, terms[s][i].var, column++));
            TRY(code_of(rec->dictionary, &terms[s][i].coefficient, code++));
        }
    }
    TRY(find_form(rec, &form, &part->form[part->n_rows]));
    part->n_entries += form_entries(&form);
    part->n_rows++;
    return OK;
}

static void record_row(Cs *cs, const Term *a, uint32_t na, const Term *b, uint32_t nb,
                       const Term *c, uint32_t nc)
{
    const Term *const terms[3] = {a, b, c};
    const uint32_t n[3] = {na, nb, nc};
    if (cs->status == OK)
        record_fail(cs, new_row(cs->sink, cs, terms, n));
}

static void attach(Cs *cs, const Recorder *recorder)
{
    cs->mode = CS_RECORD;
    cs->sink = recorder->sink;
    cs->on_aux = recorder->on_aux;
    cs->on_row = recorder->on_row;
    cs->path[0] = '\0';
    cs->path_depth = 0;
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

/* Give back the room that growing left; what is empty gets its arrays too. */
static Status fit_part(Part *part)
{
    TRY(grow(&part->form, part->n_rows + 1, sizeof *part->form));
    TRY(grow(&part->column, part->n_entries + 1, sizeof *part->column));
    return grow(&part->is_bit, bitmap_words(part->n_aux) + 1, sizeof *part->is_bit);
}

static Status fit_forms(R1cs *r)
{
    TRY(grow(&r->forms, r->n_forms + 1, sizeof *r->forms));
    return grow(&r->form_codes, r->n_form_codes + 1, sizeof *r->form_codes);
}

static Status record_block_0(R1cs *r, const Circuit *circuit, Recording *rec, Cs *cs,
                             const void *shared)
{
    const Recorder recorder = {rec, record_aux, record_row};
    rec->part = &r->block;
    rec->own = true;
    rec->words_room = rec->rows_room = rec->entries_room = 0;
    rec->aux_base = cs->next_aux;
    rec->input_base = cs->next_input;
    TRY(record_block(circuit, &recorder, cs, 0, shared));
    r->block.n_inputs = cs->next_input - rec->input_base;
    return OK;
}

static Status record_all(R1cs *r, const Circuit *circuit, Recording *rec, void *shared)
{
    const Recorder recorder = {rec, record_aux, record_row};
    Cs cs = {0};
    uint16_t code;
    Fr minus_one;
    fr_neg(&minus_one, &FR_ONE);
    TRY(find_code(rec->dictionary, &FR_ONE, &code));
    TRY(find_code(rec->dictionary, &minus_one, &code));
    rec->part = &r->preamble;
    Status status = record_preamble(circuit, &recorder, &cs, shared);
    r->preamble.n_inputs = cs.next_input;
    if (status == OK && r->n_blocks)
        status = record_block_0(r, circuit, rec, &cs, shared);
    cs_free(&cs);
    TRY(status);
    TRY(fit_part(&r->preamble));
    TRY(fit_part(&r->block));
    TRY(fit_forms(r));
    r->n_codes = rec->dictionary->n;
    r->dictionary = rec->dictionary->codes;
    rec->dictionary->codes = NULL;
    return OK;
}

static Status compile(R1cs *r, const Circuit *circuit, Pool *pool)
{
    Dictionary *dictionary = calloc(1, sizeof *dictionary);
    void *shared = calloc(1, circuit->shared_bytes + 1);
    Recording rec = {.r = r, .dictionary = dictionary};
    Status status = OK;
    if (!dictionary || !shared)
        status = status_fail(ERR_MEMORY, "out of memory");
    if (status == OK)
        status = record_all(r, circuit, &rec, shared);
    free(rec.rank[0]);
    free(rec.rank[1]);
    free(rec.form_slots);
    if (dictionary)
        free(dictionary->codes);
    free(dictionary);
    if (status == OK)
        status = part_index(r, &r->preamble);
    if (status == OK)
        status = part_index(r, &r->block);
    if (status == OK)
        status = r1cs_compare_blocks(r, circuit, shared, pool);
    free(shared);
    TRY(status);
    return r1cs_finish(r);
}

Status r1cs_compile(R1cs **out, const Circuit *circuit, Pool *pool)
{
    CHECK(memchr(circuit->name, 0, sizeof circuit->name));
    R1cs *r = calloc(1, sizeof *r);
    if (!r)
        FAIL(ERR_MEMORY, "circuit %s: out of memory", circuit->name);
    memcpy(r->name, circuit->name, strlen(circuit->name));
    r->version = circuit->version;
    r->n_blocks = circuit->n_blocks;
    Status status = compile(r, circuit, pool);
    if (status != OK) {
        r1cs_free(&r);
        return status_context(status, "circuit %s", circuit->name);
    }
    *out = r;
    return OK;
}
