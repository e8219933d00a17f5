/* SPDX-License-Identifier: MIT OR Apache-2.0
 * How a block-coded R1CS lies in memory; shared by the files of this folder. */
#ifndef CUZK_R1CS_R1CS_IMPL_H
#define CUZK_R1CS_R1CS_IMPL_H

#include "r1cs/r1cs.h"

/* A column: tag in the top three bits, index below. Bits are named by their aux index, field
 * elements by their rank among the field elements of their part, so that evaluation looks nothing
 * up; Part.field_aux leads back. "Shared" is the preamble, "own" the block that the row is in. A
 * slot is a shared variable that differs from block to block: row k of R1cs.slots has its index. */
enum {
    COLUMN_INPUT = 0,     /* shared input, absolute */
    COLUMN_OWN_INPUT = 1, /* of this block, relative */
    COLUMN_BIT = 2,
    COLUMN_FIELD = 3,
    COLUMN_OWN_BIT = 4,
    COLUMN_OWN_FIELD = 5,
    COLUMN_SLOT_BIT = 6,
    COLUMN_SLOT_FIELD = 7,
    COLUMN_SHIFT = 29,
    COLUMN_MASK = (1 << COLUMN_SHIFT) - 1,
};

typedef uint32_t Column;

/* What rows have in common, of all but their variables: the numbers of entries in A, B and C,
 * and their coefficients, form_codes[first] and on, A's, B's, then C's. Circuits have few forms:
 * gadgets make the same rows again and again. */
typedef struct {
    uint32_t n[3], first;
} Form;

/* The preamble, or the block. Counts are of this part alone; ONE belongs to the preamble. */
typedef struct {
    size_t n_inputs, n_aux, n_fields, n_rows, n_entries;
    uint32_t *form;   /* [n_rows] of R1cs.forms */
    Column *column;   /* [n_entries] A, B, C of row 0, A, B, C of row 1, ...; each sorted: inputs by
                       * index, then aux by index */
    uint64_t *is_bit; /* bitmap over this part's aux */
    /* Made by part_index. */
    uint32_t *mark;      /* [n_rows / MARK + 1] first entry of every MARK-th row */
    uint32_t *field_aux; /* [n_fields] aux index of each field element */
    /* Made by r1cs_finish. The preamble's densities count what blocks refer to. */
    uint64_t *a_density, *b_density; /* bitmaps over this part's aux */
    uint64_t *b_inputs;              /* bitmap over this part's inputs */
} Part;

enum { MARK = 64, CODE_ONE = 0, CODE_MINUS_ONE = 1, MOST_CODES = 65536 };

struct R1cs {
    char name[64];
    uint32_t version;
    Part preamble, block;
    size_t n_blocks;
    Fr *dictionary; /* [n_codes]; 0 is 1, 1 is -1 */
    size_t n_codes;
    Form *forms;
    uint16_t *form_codes; /* [n_form_codes] into the dictionary */
    size_t n_forms, n_form_codes;
    uint32_t *slots; /* [n_blocks * n_slots]: preamble aux of a bit, rank of a field element */
    size_t n_slots;
    R1csShape shape;
};

static inline Column column_make(uint32_t tag, uint32_t index)
{
    return tag << COLUMN_SHIFT | index;
}
static inline uint32_t column_tag(Column c)
{
    return c >> COLUMN_SHIFT;
}
static inline uint32_t column_index(Column c)
{
    return c & COLUMN_MASK;
}
static inline bool bitmap_get(const uint64_t *bitmap, size_t i)
{
    return bitmap[i / 64] >> (i % 64) & 1;
}
static inline void bitmap_set(uint64_t *bitmap, size_t i)
{
    bitmap[i / 64] |= 1ull << (i % 64);
}
static inline size_t bitmap_words(size_t bits)
{
    return (bits + 63) / 64;
}

/* First aux, field element, input and row of block k. */
static inline size_t block_aux(const R1cs *r, size_t k)
{
    return r->preamble.n_aux + k * r->block.n_aux;
}
static inline size_t block_field(const R1cs *r, size_t k)
{
    return r->preamble.n_fields + k * r->block.n_fields;
}
static inline size_t block_input(const R1cs *r, size_t k)
{
    return r->preamble.n_inputs + k * r->block.n_inputs;
}
static inline size_t block_row(const R1cs *r, size_t k)
{
    return r->preamble.n_rows + k * r->block.n_rows;
}

/* A row as rows are read: entries of A, B and C. */
typedef struct {
    uint32_t n[3];
    const Column *column[3];
    const uint16_t *code[3];
} Row;

static inline uint32_t form_entries(const Form *form)
{
    return form->n[0] + form->n[1] + form->n[2];
}

/* The row whose entries begin at `at`; returns where the next row's begin. */
static inline uint32_t row_load(Row *out, const R1cs *r, const Part *part, size_t row, uint32_t at)
{
    const Form *form = &r->forms[part->form[row]];
    const Column *column = part->column + at;
    const uint16_t *code = r->form_codes + form->first;
    for (int s = 0; s < 3; s++) {
        out->n[s] = form->n[s];
        out->column[s] = column;
        out->code[s] = code;
        column += form->n[s];
        code += form->n[s];
    }
    return at + form_entries(form);
}

/* Where a row's entries begin, for reading on from there. */
static inline uint32_t row_start(const R1cs *r, const Part *part, size_t row)
{
    uint32_t at = part->mark[row / MARK];
    for (size_t i = row / MARK * MARK; i < row; i++)
        at += form_entries(&r->forms[part->form[i]]);
    return at;
}

/* Where a column of block k (any k for the preamble's rows) stands in the packed assignment:
 * an input, a bit's aux index or a field element's rank, all of the whole circuit. */
static inline size_t column_place(const R1cs *r, Column column, size_t k)
{
    size_t index = column_index(column);
    switch (column_tag(column)) {
    case COLUMN_OWN_INPUT:
        return block_input(r, k) + index;
    case COLUMN_OWN_BIT:
        return block_aux(r, k) + index;
    case COLUMN_OWN_FIELD:
        return block_field(r, k) + index;
    case COLUMN_SLOT_BIT:
    case COLUMN_SLOT_FIELD:
        return r->slots[k * r->n_slots + index];
    default:
        return index;
    }
}

/* The variable that a column of block k names. */
static inline Var column_variable(const R1cs *r, Column column, size_t k)
{
    switch (column_tag(column)) {
    case COLUMN_INPUT:
    case COLUMN_OWN_INPUT:
        return VAR_INPUT | (Var)column_place(r, column, k);
    case COLUMN_FIELD:
    case COLUMN_SLOT_FIELD:
        return r->preamble.field_aux[column_place(r, column, k)];
    case COLUMN_OWN_FIELD:
        return (Var)(block_aux(r, k) + r->block.field_aux[column_index(column)]);
    default:
        return (Var)column_place(r, column, k);
    }
}

/* From recorded or loaded parts (rows, is_bit, counts of rows, inputs and aux): marks and field
 * elements of a part; then densities and shape, checking that indices fit their types. */
Status part_index(const R1cs *r, Part *part);
Status r1cs_finish(R1cs *r);
void part_free(Part *part);

/* Compare blocks 1 .. n_blocks-1 with the recorded one and make slots of what differs. */
Status r1cs_compare_blocks(R1cs *r, const Circuit *circuit, const void *shared, Pool *pool);

/* Run preamble or block k in recording mode with the given callbacks. The variables of block k
 * are numbered from cs->next_aux, cs->next_input on. */
typedef struct {
    void *sink;
    void (*on_aux)(Cs *cs, Var var, bool is_bit);
    void (*on_row)(Cs *cs, const Term *a, uint32_t na, const Term *b, uint32_t nb, const Term *c,
                   uint32_t nc);
} Recorder;
Status record_preamble(const Circuit *circuit, const Recorder *recorder, Cs *cs, void *shared);
Status record_block(const Circuit *circuit, const Recorder *recorder, Cs *cs, size_t k,
                    const void *shared);
/* A failure in a callback: the first one goes to cs->status, with the gadget's path. */
void record_fail(Cs *cs, Status status);

#endif
