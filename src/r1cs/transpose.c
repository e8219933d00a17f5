/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Transposed products: what key generation needs of the rows. */
#include "r1cs/r1cs_impl.h"

#include <string.h>

typedef struct {
    const R1cs *r;
    const Fr *weight;
    Fr *out[3]; /* inputs, then aux */
    Fr *shared; /* [n_blocks][3][preamble inputs + aux]: a block's part of the shared variables */
} Transpose;

static size_t shared_count(const R1cs *r)
{
    return r->preamble.n_inputs + r->preamble.n_aux;
}

/* to += coefficient * weight */
static void add_weighted(const R1cs *r, Fr *to, uint16_t code, const Fr *weight)
{
    Fr t;
    if (code == CODE_ONE) {
        fr_add(to, to, weight);
    } else if (code == CODE_MINUS_ONE) {
        fr_sub(to, to, weight);
    } else {
        fr_mul(&t, &r->dictionary[code], weight);
        fr_add(to, to, &t);
    }
}

/* Where a column of block k is summed: its own variables in place, shared ones aside. */
static Fr *target(const Transpose *t, int side, Column column, size_t k, Fr *shared)
{
    const R1cs *r = t->r;
    Var var = r1cs_variable(r, column, k);
    size_t index = var & ~VAR_INPUT;
    bool input = var & VAR_INPUT;
    uint32_t tag = column_tag(column);
    bool own = tag == COLUMN_OWN_INPUT || tag == COLUMN_OWN_BIT || tag == COLUMN_OWN_FIELD;
    if (own)
        return &t->out[side][input ? index : r->shape.n_inputs + index];
    return &shared[(size_t)side * shared_count(r) + (input ? index : r->preamble.n_inputs + index)];
}

static void add_part(const Transpose *t, const Part *part, size_t first_row, size_t k, Fr *shared)
{
    for (size_t row = 0; row < part->n_rows; row++) {
        const Fr *weight = &t->weight[first_row + row];
        for (int side = 0; side < 3; side++) {
            const Matrix *m = &part->m[side];
            for (uint32_t i = m->start[row]; i < m->start[row + 1]; i++)
                add_weighted(t->r, target(t, side, m->column[i], k, shared), m->code[i], weight);
        }
    }
}

static Status transpose_blocks(void *raw, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    const Transpose *t = raw;
    for (size_t k = begin; k < end; k++)
        add_part(t, &t->r->block, block_row(t->r, k), k, t->shared + k * 3 * shared_count(t->r));
    return OK;
}

Status r1cs_transpose_mul(const R1cs *r, const Fr *weight, Fr *a_out, Fr *b_out, Fr *c_out,
                          Pool *pool)
{
    Transpose t = {.r = r, .weight = weight, .out = {a_out, b_out, c_out}};
    size_t count = shared_count(r), sets = r->n_blocks + 1;
    void *memory;
    TRY(mem_map(&memory, sets * 3 * count * sizeof(Fr), "transposed products"));
    t.shared = memory;
    Status status = parallel_for(pool, r->n_blocks, 1, transpose_blocks, &t);
    if (status == OK)
        add_part(&t, &r->preamble, 0, 0, t.shared + r->n_blocks * 3 * count);
    for (size_t set = 0; set < sets && status == OK; set++) {
        for (int side = 0; side < 3; side++) {
            const Fr *from = t.shared + (3 * set + (size_t)side) * count;
            for (size_t v = 0; v < count; v++) {
                size_t to =
                    v < r->preamble.n_inputs ? v : r->shape.n_inputs + v - r->preamble.n_inputs;
                fr_add(&t.out[side][to], &t.out[side][to], &from[v]);
            }
        }
    }
    for (size_t i = 0; i < r->shape.n_inputs && status == OK; i++)
        fr_add(&a_out[i], &a_out[i], &weight[r->shape.n_circuit_rows + i]);
    mem_unmap(memory, sets * 3 * count * sizeof(Fr));
    return status;
}
