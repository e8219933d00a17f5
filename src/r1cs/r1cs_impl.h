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

/* Rows of one of A, B, C: row i is entries start[i] .. start[i+1]. */
typedef struct {
    uint32_t *start; /* [n_rows + 1] */
    Column *column;  /* [n_entries] sorted: inputs by index, then aux by index */
    uint16_t *code;  /* [n_entries] into the dictionary */
    size_t n_entries;
} Matrix;

/* The preamble, or the block. Counts are of this part alone; ONE belongs to the preamble. */
typedef struct {
    size_t n_inputs, n_aux, n_fields, n_rows;
    Matrix m[3];
    uint64_t *is_bit; /* bitmap over this part's aux */
    /* Made by r1cs_finish. The preamble's densities count what blocks refer to. */
    uint64_t *a_density, *b_density; /* bitmaps over this part's aux */
    uint64_t *b_inputs;              /* bitmap over this part's inputs */
    uint32_t *field_aux;             /* [n_fields] aux index of each field element */
} Part;

enum { CODE_ONE = 0, CODE_MINUS_ONE = 1, MOST_CODES = 65536 };

struct R1cs {
    char name[64];
    uint32_t version;
    Part preamble, block;
    size_t n_blocks;
    Fr *dictionary; /* [n_codes]; 0 is 1, 1 is -1 */
    size_t n_codes;
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

/* From recorded or loaded parts (rows, is_bit, counts of rows and inputs and aux): field elements
 * of a part; then densities and shape, checking that indices fit their types. */
Status part_list_fields(Part *part);
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
