/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Products with a witness: evaluation and the checking mode. */
#include "r1cs/r1cs_impl.h"

#include <stdatomic.h>
#include <string.h>

enum { BLOCKS_AT_ONCE = 8, ROWS_AT_ONCE = 4096 };

typedef struct {
    const R1cs *r;
    const Assignment *z;
    const Part *part;
    bool own;
    Fr *out[3];    /* a, b and, when checking, c; by row */
    size_t groups; /* of blocks */
} Eval;

/* sum += coefficient * value. */
static inline void add_product(Fr *sum, const Fr *coefficient, uint16_t code, const Fr *value)
{
    Fr t;
    if (code == CODE_ONE) {
        fr_add(sum, sum, value);
    } else if (code == CODE_MINUS_ONE) {
        fr_sub(sum, sum, value);
    } else {
        fr_mul(&t, coefficient, value);
        fr_add(sum, sum, &t);
    }
}

static inline void add_bit(Fr *sum, const Fr *coefficient, const uint64_t *bits, size_t at)
{
    if (bitmap_get(bits, at))
        fr_add(sum, sum, coefficient);
}

/* One entry for blocks first .. first + n - 1. */
static inline void add_entry(const Eval *e, Column column, uint16_t code, size_t first, size_t n,
                             Fr *sum)
{
    const R1cs *r = e->r;
    const Assignment *z = e->z;
    const Fr *coefficient = &r->dictionary[code];
    uint32_t index = column_index(column);
    uint32_t tag = column_tag(column);
    for (size_t j = 0; j < n; j++) {
        switch (tag) {
        case COLUMN_INPUT:
            if (index == 0)
                fr_add(&sum[j], &sum[j], coefficient);
            else
                add_product(&sum[j], coefficient, code, &z->inputs[index]);
            break;
        case COLUMN_OWN_INPUT:
            add_product(&sum[j], coefficient, code, &z->inputs[block_input(r, first + j) + index]);
            break;
        case COLUMN_BIT:
            add_bit(&sum[j], coefficient, z->bits, index);
            break;
        case COLUMN_FIELD:
            add_product(&sum[j], coefficient, code, &z->fields[index]);
            break;
        case COLUMN_OWN_BIT:
            add_bit(&sum[j], coefficient, z->bits, block_aux(r, first + j) + index);
            break;
        default:
            add_product(&sum[j], coefficient, code, &z->fields[block_field(r, first + j) + index]);
            break;
        }
    }
}

static void eval_row(const Eval *e, int side, size_t row, size_t first, size_t n)
{
    const Matrix *m = &e->part->m[side];
    Fr sum[BLOCKS_AT_ONCE];
    memset(sum, 0, n * sizeof *sum);
    for (uint32_t i = m->start[row]; i < m->start[row + 1]; i++)
        add_entry(e, m->column[i], m->code[i], first, n, sum);
    for (size_t j = 0; j < n; j++)
        e->out[side][(e->own ? block_row(e->r, first + j) : 0) + row] = sum[j];
}

/* Item: a run of rows for a group of blocks. */
static Status eval_items(void *raw, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    const Eval *e = raw;
    size_t blocks = e->own ? e->r->n_blocks : 1;
    for (size_t item = begin; item < end; item++) {
        size_t group = item % e->groups, run = item / e->groups;
        size_t first = group * BLOCKS_AT_ONCE, from = run * ROWS_AT_ONCE;
        size_t n = blocks - first < BLOCKS_AT_ONCE ? blocks - first : BLOCKS_AT_ONCE;
        size_t to = from + ROWS_AT_ONCE < e->part->n_rows ? from + ROWS_AT_ONCE : e->part->n_rows;
        for (size_t row = from; row < to; row++)
            for (int side = 0; side < 3; side++)
                if (e->out[side])
                    eval_row(e, side, row, first, n);
    }
    return OK;
}

static Status eval_part(Eval *e, const Part *part, bool own, Pool *pool)
{
    e->part = part;
    e->own = own;
    size_t blocks = own ? e->r->n_blocks : 1;
    e->groups = (blocks + BLOCKS_AT_ONCE - 1) / BLOCKS_AT_ONCE;
    size_t runs = (part->n_rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
    return parallel_for(pool, runs * e->groups, 1, eval_items, e);
}

static Status eval(const R1cs *r, const Assignment *z, Fr *const out[3], size_t n, Pool *pool)
{
    CHECK(n >= r->shape.n_rows && z->n_aux == r->shape.n_aux && z->n_fields == r->shape.n_fields &&
          z->n_inputs == r->shape.n_inputs);
    Eval e = {.r = r, .z = z, .out = {out[0], out[1], out[2]}};
    TRY(eval_part(&e, &r->preamble, false, pool));
    TRY(eval_part(&e, &r->block, true, pool));
    size_t rows = r->shape.n_circuit_rows;
    for (int side = 0; side < 3; side++)
        if (out[side])
            memset(out[side] + rows, 0, (n - rows) * sizeof(Fr));
    if (out[0])
        memcpy(out[0] + rows, z->inputs, z->n_inputs * sizeof(Fr)); /* Input(i) * 0 = 0 */
    return OK;
}

Status r1cs_eval(const R1cs *r, const Assignment *z, Fr *a, Fr *b, size_t n, Pool *pool)
{
    Fr *const out[3] = {a, b, NULL};
    return eval(r, z, out, n, pool);
}

/* Re-runs the recording up to a row, to learn the gadget it came from. */
typedef struct {
    size_t row, wanted;
    char path[256];
} RowFinder;

static void ignore_aux(Cs *cs, Var var, bool is_bit)
{
    (void)cs;
    (void)var;
    (void)is_bit;
}

static void find_row(Cs *cs, const Term *a, uint32_t na, const Term *b, uint32_t nb, const Term *c,
                     uint32_t nc)
{
    (void)a, (void)na, (void)b, (void)nb, (void)c, (void)nc;
    RowFinder *finder = cs->sink;
    if (finder->row++ == finder->wanted)
        memcpy(finder->path, cs->path, sizeof finder->path);
}

static Status name_row(const R1cs *r, const Circuit *circuit, size_t row)
{
    bool own = row >= r->preamble.n_rows;
    size_t k = own ? (row - r->preamble.n_rows) / r->block.n_rows : 0;
    RowFinder finder = {.wanted = own ? (row - r->preamble.n_rows) % r->block.n_rows : row};
    if (!own)
        finder.wanted = row;
    Cs cs = {0};
    RowFinder preamble = {.wanted = own ? SIZE_MAX : row};
    void *shared = calloc(1, circuit->shared_bytes + 1);
    Status status = OK;
    if (!shared)
        status = status_fail(ERR_MEMORY, "check: out of memory");
    Recorder recorder = {&preamble, ignore_aux, find_row};
    if (status == OK)
        status = record_preamble(circuit, &recorder, &cs, shared);
    if (status == OK && own) {
        recorder.sink = &finder;
        status = record_block(circuit, &recorder, &cs, k, shared);
    }
    cs_free(&cs);
    free(shared);
    TRY(status);
    const char *path = own ? finder.path : preamble.path;
    if (own)
        FAIL(ERR_UNSATISFIED, "circuit %s: row %zu is not satisfied: block %zu, row %zu, gadget %s",
             r->name, row, k, finder.wanted, path);
    FAIL(ERR_UNSATISFIED, "circuit %s: row %zu is not satisfied: preamble, gadget %s", r->name, row,
         path);
}

typedef struct {
    Fr *const *abc;
    atomic_size_t first; /* lowest unsatisfied row */
} Check;

static Status check_rows(void *raw, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    Check *check = raw;
    for (size_t row = begin; row < end; row++) {
        Fr product;
        fr_mul(&product, &check->abc[0][row], &check->abc[1][row]);
        if (fr_eq(&product, &check->abc[2][row]))
            continue;
        size_t lowest = atomic_load(&check->first);
        while (row < lowest && !atomic_compare_exchange_weak(&check->first, &lowest, row))
            ;
        break;
    }
    return OK;
}

Status r1cs_check(const R1cs *r, const Circuit *circuit, const Assignment *z, Pool *pool)
{
    size_t n = r->shape.n_rows, bytes = 3 * n * sizeof(Fr);
    void *memory;
    TRY(mem_map(&memory, bytes, "check"));
    Fr *const abc[3] = {memory, (Fr *)memory + n, (Fr *)memory + 2 * n};
    Check check = {.abc = abc};
    atomic_init(&check.first, SIZE_MAX);
    Status status = eval(r, z, abc, n, pool);
    if (status == OK)
        status = parallel_for(pool, n, 0, check_rows, &check);
    mem_unmap(memory, bytes);
    TRY(status);
    size_t first = atomic_load(&check.first);
    return first == SIZE_MAX ? OK : name_row(r, circuit, first);
}
