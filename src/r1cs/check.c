/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The checking mode: A, B and C of every row, and the name of the first that does not hold. */
#include "r1cs/eval_impl.h"

#include <stdatomic.h>
#include <string.h>

typedef struct {
    const R1cs *r;
    const Part *part;
    const Assignment *z;
    atomic_size_t first; /* lowest unsatisfied row so far, of the whole circuit */
} Check;

static void note_row(Check *check, size_t row)
{
    size_t lowest = atomic_load(&check->first);
    while (row < lowest && !atomic_compare_exchange_weak(&check->first, &lowest, row))
        ;
}

static Status check_windows(void *raw, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    Check *check = raw;
    for (size_t item = begin; item < end; item++) {
        Window w;
        Fr value[3][BLOCKS_AT_ONCE], product;
        window_make(&w, check->r, check->part, check->z, item);
        uint32_t at = row_start(check->r, check->part, w.first_row);
        for (size_t i = w.first_row; i < w.end_row; i++) {
            Row row;
            at = row_load(&row, check->r, check->part, i, at);
            for (int side = 0; side < 3; side++)
                window_sums(&w, side, &row, value[side]);
            for (size_t j = 0; j < w.n; j++) {
                fr_mul(&product, &value[0][j], &value[1][j]);
                if (!fr_eq(&product, &value[2][j]))
                    note_row(check, window_place(&w, i, j));
            }
        }
    }
    return OK;
}

/* Re-runs a part's recording, to learn the gadget that a row came from. */
typedef struct {
    size_t row, wanted;
    char path[CS_PATH_BYTES];
} RowFinder;

static void ignore_aux(Cs *cs, Var var, bool is_bit)
{
    (void)cs, (void)var, (void)is_bit;
}

static void find_row(Cs *cs, const Term *a, uint32_t na, const Term *b, uint32_t nb, const Term *c,
                     uint32_t nc)
{
    (void)a, (void)na, (void)b, (void)nb, (void)c, (void)nc;
    RowFinder *finder = cs->sink;
    if (finder->row++ == finder->wanted)
        memcpy(finder->path, cs->path, sizeof finder->path);
}

/* row: of the preamble when k is SIZE_MAX, else of block k. */
static Status find_path(RowFinder *out, const Circuit *circuit, size_t row, size_t k)
{
    Cs cs = {0};
    bool own = k != SIZE_MAX;
    RowFinder preamble = {.wanted = own ? SIZE_MAX : row}, block = {.wanted = row};
    Recorder recorder = {&preamble, ignore_aux, find_row};
    void *shared = calloc(1, circuit->shared_bytes + 1);
    Status status = shared ? OK : status_fail(ERR_MEMORY, "check: out of memory");
    if (status == OK)
        status = record_preamble(circuit, &recorder, &cs, shared);
    recorder.sink = &block;
    if (status == OK && own)
        status = record_block(circuit, &recorder, &cs, k, shared);
    cs_free(&cs);
    free(shared);
    *out = own ? block : preamble;
    return status;
}

static Status name_row(const R1cs *r, const Circuit *circuit, size_t row)
{
    RowFinder found;
    if (row < r->preamble.n_rows) {
        TRY(find_path(&found, circuit, row, SIZE_MAX));
        FAIL(ERR_UNSATISFIED, "circuit %s: row %zu is not satisfied: preamble, gadget %s", r->name,
             row, found.path);
    }
    size_t k = (row - r->preamble.n_rows) / r->block.n_rows;
    size_t own = (row - r->preamble.n_rows) % r->block.n_rows;
    TRY(find_path(&found, circuit, own, k));
    FAIL(ERR_UNSATISFIED, "circuit %s: row %zu is not satisfied: block %zu, row %zu, gadget %s",
         r->name, row, k, own, found.path);
}

Status r1cs_check(const R1cs *r, const Circuit *circuit, const Assignment *z, Pool *pool)
{
    CHECK(z->n_aux == r->shape.n_aux && z->n_fields == r->shape.n_fields &&
          z->n_inputs == r->shape.n_inputs);
    if (!fr_eq(&z->inputs[0], &FR_ONE))
        FAIL(ERR_UNSATISFIED, "circuit %s: input 0 is not 1", r->name);
    Check check = {.r = r, .z = z};
    atomic_init(&check.first, SIZE_MAX);
    const Part *parts[2] = {&r->preamble, &r->block};
    for (int i = 0; i < 2; i++) {
        check.part = parts[i];
        TRY(parallel_for(pool, window_count(r, check.part), 1, check_windows, &check));
    }
    size_t first = atomic_load(&check.first);
    return first == SIZE_MAX ? OK : name_row(r, circuit, first);
}
