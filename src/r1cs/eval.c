/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Products of A, B and C with an assignment.
 *
 * An entry is decoded once for up to eight blocks. Values of bits are masks, so that nothing
 * branches on the witness. Short rows are added modulo r; long ones (carries of SHA-256, packed
 * numbers, Poseidon) in 32-bit lanes of 64, reduced once at the end. */
#include "r1cs/eval_impl.h"

#include <string.h>

size_t window_count(const R1cs *r, const Part *part)
{
    size_t blocks = part == &r->block ? r->n_blocks : 1;
    size_t runs = (part->n_rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
    return runs * ((blocks + BLOCKS_AT_ONCE - 1) / BLOCKS_AT_ONCE);
}

void window_make(Window *w, const R1cs *r, const Part *part, const Assignment *z, size_t item)
{
    size_t blocks = part == &r->block ? r->n_blocks : 1;
    size_t groups = (blocks + BLOCKS_AT_ONCE - 1) / BLOCKS_AT_ONCE;
    size_t group = item % groups, run = item / groups;
    size_t from = group * blocks / groups, to = (group + 1) * blocks / groups;
    size_t end = (run + 1) * ROWS_AT_ONCE;
    *w = (Window){.r = r,
                  .part = part,
                  .z = z,
                  .first_row = run * ROWS_AT_ONCE,
                  .end_row = end < part->n_rows ? end : part->n_rows,
                  .first = from,
                  .n = to - from};
}

/* Sum of values below r, lane by lane: sum of even[i] * 2^(64 i) + odd[i] * 2^(64 i + 32). */
typedef struct {
    uint64_t even[4], odd[4];
} Wide;

static inline void wide_add(Wide *w, const Fr *a, uint64_t mask)
{
    for (int i = 0; i < 4; i++) {
        uint64_t limb = a->l[i] & mask;
        w->even[i] += limb & UINT32_MAX;
        w->odd[i] += limb >> 32;
    }
}

/* With top = r >> 192 and sum = s * 2^192 + ..., q = s / (top + 1) is at most sum / r and at most
 * a few 2^192 too small: sum - q r < 2 r while there are fewer than 2^32 terms. */
static void wide_reduce(Fr *out, const Wide *w)
{
    static const uint64_t m[4] = FR_MODULUS;
    uint64_t t[4];
    unsigned __int128 carry = 0;
    for (int i = 0; i < 4; i++) {
        carry += w->even[i];
        carry += (unsigned __int128)w->odd[i] << 32;
        t[i] = (uint64_t)carry;
        carry >>= 64;
    }
    uint64_t q = (uint64_t)((carry << 64 | t[3]) / (m[3] + 1));
    unsigned __int128 product = 0;
    uint64_t borrow = 0;
    for (int i = 0; i < 4; i++) {
        product += (unsigned __int128)q * m[i];
        unsigned __int128 d = (unsigned __int128)t[i] - (uint64_t)product - borrow;
        t[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
        product >>= 64;
    }
    fr_reduce_once(out, t);
}

typedef struct {
    const Fr *coefficient;
    bool one, minus_one, is_bit;
    uint64_t mask[BLOCKS_AT_ONCE];   /* of bits: all ones or 0 */
    const Fr *value[BLOCKS_AT_ONCE]; /* of field elements */
} Entry;

static inline void load_entry(Entry *e, const Window *w, Column column, uint16_t code)
{
    const Assignment *z = w->z;
    uint32_t tag = column_tag(column);
    e->coefficient = &w->r->dictionary[code];
    e->one = code == CODE_ONE;
    e->minus_one = code == CODE_MINUS_ONE;
    e->is_bit = column == COLUMN_INPUT || tag == COLUMN_BIT || tag == COLUMN_OWN_BIT ||
                tag == COLUMN_SLOT_BIT;
    const Fr *values = tag == COLUMN_INPUT || tag == COLUMN_OWN_INPUT ? z->inputs : z->fields;
    for (size_t j = 0; j < w->n; j++) {
        size_t place = column_place(w->r, column, w->first + j);
        if (column == COLUMN_INPUT) // ONE
            e->mask[j] = UINT64_MAX;
        else if (e->is_bit)
            e->mask[j] = 0 - (z->bits[place / 64] >> (place % 64) & 1);
        else
            e->value[j] = &values[place];
    }
}

static inline void product(Fr *out, const Entry *e, size_t j)
{
    if (e->one)
        *out = *e->value[j];
    else if (e->minus_one)
        fr_neg(out, e->value[j]);
    else
        fr_mul(out, e->coefficient, e->value[j]);
}

static void short_row(const Window *w, const Row *row, int side, Fr *sum)
{
    memset(sum, 0, w->n * sizeof *sum);
    for (uint32_t i = 0; i < row->n[side]; i++) {
        Entry e;
        load_entry(&e, w, row->column[side][i], row->code[side][i]);
        for (size_t j = 0; j < w->n; j++) {
            Fr term;
            if (e.is_bit)
                for (int l = 0; l < 4; l++)
                    term.l[l] = e.coefficient->l[l] & e.mask[j];
            else
                product(&term, &e, j);
            if (i == 0)
                sum[j] = term;
            else
                fr_add(&sum[j], &sum[j], &term);
        }
    }
}

static void long_row(const Window *w, const Row *row, int side, Fr *sum)
{
    Wide wide[BLOCKS_AT_ONCE];
    memset(wide, 0, w->n * sizeof *wide);
    for (uint32_t i = 0; i < row->n[side]; i++) {
        Entry e;
        load_entry(&e, w, row->column[side][i], row->code[side][i]);
        for (size_t j = 0; j < w->n; j++) {
            Fr term;
            if (e.is_bit) {
                wide_add(&wide[j], e.coefficient, e.mask[j]);
            } else {
                product(&term, &e, j);
                wide_add(&wide[j], &term, UINT64_MAX);
            }
        }
    }
    for (size_t j = 0; j < w->n; j++)
        wide_reduce(&sum[j], &wide[j]);
}

void window_sums(const Window *w, int side, const Row *row, Fr sum[BLOCKS_AT_ONCE])
{
    enum { SHORT = 6 };
    if (row->n[side] <= SHORT)
        short_row(w, row, side, sum);
    else
        long_row(w, row, side, sum);
}

typedef struct {
    const R1cs *r;
    const Part *part;
    const Assignment *z;
    Fr *out[2]; /* a, b; by row */
} Eval;

static Status eval_windows(void *raw, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    const Eval *e = raw;
    for (size_t item = begin; item < end; item++) {
        Window w;
        Fr sum[BLOCKS_AT_ONCE];
        window_make(&w, e->r, e->part, e->z, item);
        uint32_t at = row_start(e->r, e->part, w.first_row);
        for (size_t i = w.first_row; i < w.end_row; i++) {
            Row row;
            at = row_load(&row, e->r, e->part, i, at);
            for (int side = 0; side < 2; side++) {
                if (!e->out[side])
                    continue;
                window_sums(&w, side, &row, sum);
                for (size_t j = 0; j < w.n; j++)
                    e->out[side][window_place(&w, i, j)] = sum[j];
            }
        }
    }
    return OK;
}

Status r1cs_eval(const R1cs *r, const Assignment *z, Fr *a, Fr *b, size_t n, Pool *pool)
{
    CHECK(n >= r->shape.n_rows && z->n_aux == r->shape.n_aux && z->n_fields == r->shape.n_fields &&
          z->n_inputs == r->shape.n_inputs);
    Eval e = {.r = r, .z = z, .out = {a, b}};
    e.part = &r->preamble;
    TRY(parallel_for(pool, window_count(r, e.part), 1, eval_windows, &e));
    e.part = &r->block;
    TRY(parallel_for(pool, window_count(r, e.part), 1, eval_windows, &e));
    size_t rows = r->shape.n_circuit_rows, inputs = a ? z->n_inputs : 0;
    if (a) { // Input(i) * 0 = 0
        memcpy(a + rows, z->inputs, inputs * sizeof(Fr));
        memset(a + rows + inputs, 0, (n - rows - inputs) * sizeof(Fr));
    }
    if (b)
        memset(b + rows, 0, (n - rows) * sizeof(Fr));
    return OK;
}
