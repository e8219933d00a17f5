/* SPDX-License-Identifier: MIT OR Apache-2.0
 * How a block-coded R1CS lies in memory; shared by the files of this folder. */
#ifndef CUZK_R1CS_R1CS_IMPL_H
#define CUZK_R1CS_R1CS_IMPL_H

#include "r1cs/r1cs.h"

/* A column: tag in the top three bits, index below. Bits are named by their aux index, field
 * elements by their rank among the field elements of their part, so that evaluation looks nothing
 * up; Part.field_aux leads back. "Shared" is the preamble, "own" the block that the row is in. */
enum {
    COLUMN_INPUT = 0,     /* shared input, absolute */
    COLUMN_OWN_INPUT = 1, /* of this block, relative */
    COLUMN_BIT = 2,
    COLUMN_FIELD = 3,
    COLUMN_OWN_BIT = 4,
    COLUMN_OWN_FIELD = 5,
    COLUMN_SHIFT = 29,
    COLUMN_MASK = (1 << COLUMN_SHIFT) - 1,
};

typedef uint32_t Column;

/* Rows of one of A, B, C: row i is entries start[i] .. start[i+1]. */
typedef struct {
    uint32_t *start; /* [n_rows + 1] */
    Column *column;  /* [n_entries] sorted: inputs by index, then aux by index */
    uint16_t *code;  /* [n_entries] into the dictionary */
    size_t n_entries, room;
} Matrix;

/* The preamble, or the block. Counts are of this part alone; ONE belongs to the preamble. */
typedef struct {
    size_t n_inputs, n_aux, n_fields, n_rows, rows_room;
    Matrix m[3];
    uint64_t *is_bit, *a_density, *b_density; /* bitmaps over this part's aux */
    uint64_t *b_inputs;                       /* bitmap over this part's inputs */
    uint32_t *field_aux;                      /* [n_fields] aux index of each field element */
} Part;

enum { CODE_ONE = 0, CODE_MINUS_ONE = 1, MOST_CODES = 65536 };

struct R1cs {
    char name[64];
    uint32_t version;
    Part preamble, block;
    size_t n_blocks;
    Fr *dictionary; /* [n_codes]; 0 is 1, 1 is -1 */
    size_t n_codes;
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

/* The variable that a column of block k (any k for the preamble) names. */
Var r1cs_variable(const R1cs *r, Column column, size_t k);

/* Derive shape from the parts; checks that indices fit their types. */
Status r1cs_finish(R1cs *r);
Status part_reserve_row(Part *part, const uint32_t n[3]);
void part_free(Part *part);

/* Run preamble or block k in recording mode with the given callbacks. */
typedef struct {
    void *sink;
    void (*on_aux)(Cs *cs, Var var, bool is_bit);
    void (*on_row)(Cs *cs, const Term *a, uint32_t na, const Term *b, uint32_t nb, const Term *c,
                   uint32_t nc);
} Recorder;
Status record_preamble(const Circuit *circuit, const Recorder *recorder, Cs *cs, void *shared);
Status record_block(const Circuit *circuit, const Recorder *recorder, Cs *cs, size_t k,
                    const void *shared);

#endif
