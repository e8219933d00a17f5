/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Transposed products: what key generation needs of the rows.
 *
 * DESIGN: a task is one matrix of one block. A block's own variables are summed in place, nobody
 * else writes them. What blocks refer to in the preamble is few variables (ports); each task sums
 * them aside, and they are added together at the end. The preamble is a task a matrix as well,
 * since blocks do not write its variables. */
#include "r1cs/r1cs_impl.h"

#include <string.h>

typedef struct {
    const R1cs *r;
    const Fr *weight;
    Fr *out[3];        /* inputs, then aux */
    uint32_t *port_of; /* [preamble inputs + aux] of ports: which */
    uint32_t *port;    /* [n_ports] where in out */
    size_t n_ports;
    Fr *sums; /* [n_blocks][3][n_ports] */
} Transpose;

/* to += coefficient * weight */
static inline void add_weighted(Fr *to, const Fr *coefficient, uint16_t code, const Fr *weight)
{
    Fr product;
    if (code == CODE_ONE) {
        fr_add(to, to, weight);
    } else if (code == CODE_MINUS_ONE) {
        fr_sub(to, to, weight);
    } else {
        fr_mul(&product, coefficient, weight);
        fr_add(to, to, &product);
    }
}

static bool is_own(Column column)
{
    uint32_t tag = column_tag(column);
    return tag == COLUMN_OWN_INPUT || tag == COLUMN_OWN_BIT || tag == COLUMN_OWN_FIELD;
}

static size_t out_index(const R1cs *r, Var var)
{
    return var & VAR_INPUT ? var & ~VAR_INPUT : r->shape.n_inputs + var;
}

/* Number of a preamble variable: inputs, then aux. */
static size_t shared_index(const R1cs *r, Var var)
{
    return var & VAR_INPUT ? var & ~VAR_INPUT : r->preamble.n_inputs + var;
}

static void add_port(Transpose *t, Var var)
{
    uint32_t *port_of = &t->port_of[shared_index(t->r, var)];
    if (*port_of == UINT32_MAX)
        *port_of = (uint32_t)t->n_ports++;
}

static Status list_ports(Transpose *t)
{
    const R1cs *r = t->r;
    size_t shared = r->preamble.n_inputs + r->preamble.n_aux;
    t->port_of = malloc(shared * sizeof *t->port_of);
    if (!t->port_of)
        FAIL(ERR_MEMORY, "transposed products: out of memory");
    memset(t->port_of, 0xff, shared * sizeof *t->port_of);
    for (size_t i = 0; i < r->block.n_entries; i++) {
        Column column = r->block.column[i];
        bool slot = column_tag(column) >= COLUMN_SLOT_BIT;
        for (size_t k = 0; k < (slot ? r->n_blocks : 1) && !is_own(column); k++)
            add_port(t, column_variable(r, column, k));
    }
    t->port = malloc((t->n_ports + 1) * sizeof *t->port);
    if (!t->port)
        FAIL(ERR_MEMORY, "transposed products: out of memory");
    for (size_t v = 0; v < shared; v++)
        if (t->port_of[v] != UINT32_MAX)
            t->port[t->port_of[v]] =
                (uint32_t)(v < r->preamble.n_inputs ? v
                                                    : r->shape.n_inputs + v - r->preamble.n_inputs);
    return OK;
}

static void add_block(const Transpose *t, int side, size_t k)
{
    const R1cs *r = t->r;
    const Fr *weight = t->weight + block_row(r, k);
    Fr *sums = t->sums + (3 * k + (size_t)side) * t->n_ports;
    uint32_t at = 0;
    for (size_t i = 0; i < r->block.n_rows; i++) {
        Row row;
        at = row_load(&row, r, &r->block, i, at);
        for (uint32_t j = 0; j < row.n[side]; j++) {
            Column column = row.column[side][j];
            uint16_t code = row.code[side][j];
            Var var = column_variable(r, column, k);
            Fr *to = is_own(column) ? &t->out[side][out_index(r, var)]
                                    : &sums[t->port_of[shared_index(r, var)]];
            add_weighted(to, &r->dictionary[code], code, &weight[i]);
        }
    }
}

static void add_preamble(const Transpose *t, int side)
{
    const R1cs *r = t->r;
    uint32_t at = 0;
    for (size_t i = 0; i < r->preamble.n_rows; i++) {
        Row row;
        at = row_load(&row, r, &r->preamble, i, at);
        for (uint32_t j = 0; j < row.n[side]; j++) {
            uint16_t code = row.code[side][j];
            Var var = column_variable(r, row.column[side][j], 0);
            add_weighted(&t->out[side][out_index(r, var)], &r->dictionary[code], code,
                         &t->weight[i]);
        }
    }
}

static Status run_tasks(void *raw, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    const Transpose *t = raw;
    for (size_t task = begin; task < end; task++) {
        int side = (int)(task % 3);
        size_t k = task / 3;
        if (k < t->r->n_blocks)
            add_block(t, side, k);
        else
            add_preamble(t, side);
    }
    return OK;
}

static Status add_ports(void *raw, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    const Transpose *t = raw;
    for (size_t k = 0; k < t->r->n_blocks; k++)
        for (int side = 0; side < 3; side++) {
            const Fr *sums = t->sums + (3 * k + (size_t)side) * t->n_ports;
            for (size_t i = begin; i < end; i++) {
                Fr *to = &t->out[side][t->port[i]];
                fr_add(to, to, &sums[i]);
            }
        }
    return OK;
}

static Status multiply(Transpose *t, Pool *pool)
{
    const R1cs *r = t->r;
    void *sums;
    TRY(list_ports(t));
    size_t bytes = r->n_blocks * 3 * t->n_ports * sizeof(Fr);
    TRY(mem_map(&sums, bytes, "transposed products"));
    t->sums = sums;
    Status status = parallel_for(pool, 3 * (r->n_blocks + 1), 1, run_tasks, t);
    if (status == OK)
        status = parallel_for(pool, t->n_ports, 0, add_ports, t);
    mem_unmap(sums, bytes);
    return status;
}

Status r1cs_transpose_mul(const R1cs *r, const Fr *weight, Fr *a_out, Fr *b_out, Fr *c_out,
                          Pool *pool)
{
    Transpose t = {.r = r, .weight = weight, .out = {a_out, b_out, c_out}};
    Status status = multiply(&t, pool);
    free(t.port_of);
    free(t.port);
    TRY(status);
    for (size_t i = 0; i < r->shape.n_inputs; i++)
        fr_add(&a_out[i], &a_out[i], &weight[r->shape.n_circuit_rows + i]);
    return OK;
}
