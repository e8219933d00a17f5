/* SPDX-License-Identifier: MIT OR Apache-2.0
 * NTT in four steps: columns, twiddles, rows, transposition.
 *
 * DESIGN: n = R C, element j = r C + c of a row-major matrix. With k = k1 + R k2,
 *   X[k] = sum_c omega_C^(c k2) omega_n^(c k1) sum_r x[r][c] omega_R^(r k1).
 * Columns are transformed `lanes` at a time in a buffer that fits the L2 cache: one twiddle serves
 * all lanes, and the gather brings the rows in bit-reversed order for nothing. Rows are contiguous.
 * Each level of butterflies costs n/2 products in any radix (i is not a free factor in Fr); two
 * levels are fused to halve the loads, and products by 1 are skipped. */
#include "base/mem.h"
#include "ntt/ntt.h"

#include <string.h>

enum {
    DIRECT_LOG = 12, /* up to here one pass in cache */
    TABLE_LOG = 20,  /* up to here the twiddles between columns and rows are a table of n */
    MOST_LANES = 16,
    BUFFER_BYTES = 1 << 20,
    TILE = 16, /* of transpositions */
};

struct Domain {
    unsigned log_n, log_rows, log_cols; /* log_n = log_rows + log_cols; rows <= cols */
    size_t n;
    Fr omega, n_inv;
    Fr *stage;      /* [2^log_cols]: stage[m + j] = omega_(2m)^j for j < m, m = 1, 2, 4 .. */
    Fr *middle;     /* [n / lanes][lanes]: omega^(c k1) in the order of the column pass; or NULL: */
    Fr *low, *high; /* omega^e = low[e mod 2^split] * high[e >> split], split = log_cols */
    size_t stage_bytes, middle_bytes, low_bytes, high_bytes;
};

static void root_of_unity(Fr *out, unsigned log_n)
{
    Fr w = FR_ROOT_OF_UNITY;
    for (unsigned i = log_n; i < 32; i++)
        fr_sqr(&w, &w);
    *out = w;
}

static unsigned rows_log(unsigned log_n)
{
    return log_n <= DIRECT_LOG ? 0 : log_n / 2;
}

static size_t lanes_of(unsigned log_rows)
{
    size_t lanes = MOST_LANES;
    while (lanes > 2 && (lanes * sizeof(Fr) << log_rows) > BUFFER_BYTES)
        lanes /= 2;
    return lanes;
}

size_t domain_bytes(unsigned log_n)
{
    unsigned rows = rows_log(log_n), cols = log_n - rows;
    size_t elements = (size_t)1 << cols;
    if (rows && log_n <= TABLE_LOG)
        elements += (size_t)1 << log_n;
    else if (rows)
        elements += ((size_t)1 << cols) + ((size_t)1 << rows);
    return elements * sizeof(Fr);
}

/* out[i] = base^i, threaded: each range starts from a power of its own. */
typedef struct {
    Fr *out;
    Fr base;
} Powers;

static Status powers_range(void *raw, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    const Powers *job = raw;
    uint64_t exponent = begin;
    Fr power;
    fr_pow(&power, &job->base, &exponent, 1);
    for (size_t i = begin; i < end; i++) {
        job->out[i] = power;
        fr_mul(&power, &power, &job->base);
    }
    return OK;
}

static Status powers(Fr *out, size_t n, const Fr *base, Pool *pool)
{
    Powers job = {out, *base};
    return parallel_for(pool, n, 8192, powers_range, &job);
}

/* Column groups [begin, end): each row is the one before times omega^c. */
static Status middle_range(void *raw, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    const Domain *d = raw;
    size_t lanes = lanes_of(d->log_rows), rows = (size_t)1 << d->log_rows;
    for (size_t group = begin; group < end; group++) {
        Fr *row = d->middle + group * rows * lanes, *step = row + lanes;
        for (size_t l = 0; l < lanes; l++) {
            uint64_t column = group * lanes + l;
            row[l] = FR_ONE;
            fr_pow(&step[l], &d->omega, &column, 1);
        }
        for (size_t i = 2 * lanes; i < rows * lanes; i++)
            fr_mul(&row[i], &row[i - lanes], &step[i % lanes]);
    }
    return OK;
}

static Status make_middle(Domain *d, Pool *pool)
{
    void *memory;
    d->middle_bytes = d->n * sizeof(Fr);
    TRY(mem_map(&memory, d->middle_bytes, "twiddles"));
    d->middle = memory;
    size_t groups = ((size_t)1 << d->log_cols) / lanes_of(d->log_rows);
    return parallel_for(pool, groups, 1, middle_range, d);
}

static Status make_split(Domain *d, Pool *pool)
{
    void *memory;
    Fr w;
    d->low_bytes = sizeof(Fr) << d->log_cols;
    TRY(mem_map(&memory, d->low_bytes, "twiddles"));
    d->low = memory;
    TRY(powers(d->low, (size_t)1 << d->log_cols, &d->omega, pool));
    d->high_bytes = sizeof(Fr) << d->log_rows;
    TRY(mem_map(&memory, d->high_bytes, "twiddles"));
    d->high = memory;
    root_of_unity(&w, d->log_rows);
    return powers(d->high, (size_t)1 << d->log_rows, &w, pool);
}

static Status make_tables(Domain *d, Pool *pool)
{
    void *memory;
    d->stage_bytes = sizeof(Fr) << d->log_cols;
    TRY(mem_map(&memory, d->stage_bytes, "twiddles"));
    d->stage = memory;
    for (unsigned level = 0; level < d->log_cols; level++) {
        Fr w;
        root_of_unity(&w, level + 1);
        TRY(powers(d->stage + ((size_t)1 << level), (size_t)1 << level, &w, pool));
    }
    if (d->log_rows == 0)
        return OK;
    return d->log_n <= TABLE_LOG ? make_middle(d, pool) : make_split(d, pool);
}

Status domain_new(Domain **out, unsigned log_n, Pool *pool)
{
    CHECK(log_n <= 32);
    Domain *d = calloc(1, sizeof *d);
    if (!d)
        FAIL(ERR_MEMORY, "domain 2^%u: out of memory", log_n);
    d->log_n = log_n;
    d->n = (size_t)1 << log_n;
    d->log_rows = rows_log(log_n);
    d->log_cols = log_n - d->log_rows;
    root_of_unity(&d->omega, log_n);
    fr_from_u64(&d->n_inv, d->n);
    fr_inv(&d->n_inv, &d->n_inv);
    Status status = make_tables(d, pool);
    if (status != OK) {
        domain_free(&d);
        return status;
    }
    *out = d;
    return OK;
}

void domain_free(Domain **domain)
{
    Domain *d = *domain;
    if (!d)
        return;
    mem_unmap(d->stage, d->stage_bytes);
    mem_unmap(d->middle, d->middle_bytes);
    mem_unmap(d->low, d->low_bytes);
    mem_unmap(d->high, d->high_bytes);
    free(d);
    *domain = NULL;
}

unsigned domain_log(const Domain *domain)
{
    return domain->log_n;
}

size_t domain_size(const Domain *domain)
{
    return domain->n;
}

const Fr *domain_omega(const Domain *domain)
{
    return &domain->omega;
}

static size_t reverse_bits(size_t x, unsigned bits)
{
    size_t r = 0;
    for (unsigned i = 0; i < bits; i++)
        r |= (x >> i & 1) << (bits - 1 - i);
    return r;
}

/* a, b <- a + b, a - b. The sum stays in registers: copying b by 16-byte moves right after 8-byte
 * stores stalls. */
static inline void butterfly(Fr *a, Fr *b)
{
    Fr sum;
    fr_add(&sum, a, b);
    fr_sub(b, a, b);
    for (int i = 0; i < 4; i++)
        a->l[i] = sum.l[i];
}

/* a[i], b[i] <- a[i] + w b[i], a[i] - w b[i]; w NULL: 1. step 1: a twiddle each, 0: one for all.
 * Neighbours are independent, which is what keeps the multiplier busy. */
static inline void level(Fr *a, Fr *b, const Fr *w, size_t step, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (w)
            fr_mul(&b[i], &b[i], &w[i * step]);
        butterfly(&a[i], &b[i]);
    }
}

/* Two levels fused, on four runs of count elements: twiddles w1, w1; w2, w3. */
static inline void radix4(Fr *x, size_t stride, const Fr *w1, const Fr *w2, const Fr *w3,
                          size_t step, size_t count)
{
    level(x, x + stride, w1, step, count);
    level(x + 2 * stride, x + 3 * stride, w1, step, count);
    level(x, x + 2 * stride, w2, step, count);
    level(x + stride, x + 3 * stride, w3, step, count);
}

/* In place, 2^log_m rows of `lanes` columns each, rows in bit-reversed order, result in natural
 * order. stage: as in Domain, for at least 2^log_m. */
static void transform(Fr *x, unsigned log_m, size_t lanes, const Fr *stage)
{
    enum { RUN = 16 };
    size_t rows = (size_t)1 << log_m, m = 1;
    if (log_m & 1) {
        for (size_t r = 0; r < rows; r += 2)
            level(x + r * lanes, x + (r + 1) * lanes, NULL, 0, lanes);
        m = 2;
    }
    for (; m < rows; m *= 4) {
        const Fr *two = stage + m, *four = stage + 2 * m;
        size_t stride = m * lanes;
        for (size_t r = 0; r < rows; r += 4 * m) {
            Fr *at = x + r * lanes;
            radix4(at, stride, NULL, NULL, &four[m], 0, lanes);
            for (size_t j = 1; j < m;) {
                size_t run = lanes > 1 ? 1 : m - j < RUN ? m - j : RUN;
                radix4(at + j * lanes, stride, &two[j], &four[j], &four[j + m], lanes == 1,
                       run * lanes);
                j += run;
            }
        }
    }
}

/* One contiguous row: permute, then transform. */
static void transform_row(Fr *x, unsigned log_m, const Fr *stage)
{
    size_t m = (size_t)1 << log_m;
    for (size_t i = 0, r = 0; i < m; i++) {
        if (i < r) {
            Fr t = x[i];
            x[i] = x[r];
            x[r] = t;
        }
        size_t bit = m >> 1; /* r: i reversed, incremented from the top */
        for (; r & bit; bit >>= 1)
            r ^= bit;
        r |= bit;
    }
    transform(x, log_m, 1, stage);
}

/* out[l] = x[l] omega^((first + l) k1), l < lanes */
static inline void twiddle(Fr *out, const Fr *x, const Domain *d, size_t first, size_t k1,
                           size_t lanes)
{
    if (d->middle) {
        const Fr *w = d->middle + (first << d->log_rows) + k1 * lanes;
        for (size_t l = 0; l < lanes; l++)
            fr_mul(&out[l], &x[l], &w[l]);
        return;
    }
    size_t mask = ((size_t)1 << d->log_cols) - 1, e = first * k1;
    for (size_t l = 0; l < lanes; l++, e += k1) {
        Fr w;
        fr_mul(&w, &d->low[e & mask], &d->high[e >> d->log_cols]);
        fr_mul(&out[l], &x[l], &w);
    }
}

typedef struct {
    Fr *data;
    const Domain *domain;
    Fr *buffers; /* [threads][rows * lanes] */
    size_t lanes;
} Pass;

static inline void prefetch(const Fr *row, size_t lanes)
{
    for (size_t l = 0; l < lanes; l += 2)
        __builtin_prefetch(row + l);
}

/* Columns [begin * lanes, end * lanes): transform and multiply by omega^(c k1). */
static Status column_pass(void *raw, size_t begin, size_t end, unsigned worker)
{
    enum { AHEAD = 8 };
    const Pass *pass = raw;
    const Domain *d = pass->domain;
    size_t rows = (size_t)1 << d->log_rows, cols = (size_t)1 << d->log_cols, lanes = pass->lanes;
    Fr *buffer = pass->buffers + worker * rows * lanes;
    for (size_t group = begin; group < end; group++) {
        size_t first = group * lanes;
        for (size_t r = 0; r < rows; r++) {
            prefetch(pass->data + ((r + AHEAD) & (rows - 1)) * cols + first, lanes);
            memcpy(buffer + reverse_bits(r, d->log_rows) * lanes, pass->data + r * cols + first,
                   lanes * sizeof(Fr));
        }
        transform(buffer, d->log_rows, lanes, d->stage);
        memcpy(pass->data + first, buffer, lanes * sizeof(Fr));
        for (size_t k1 = 1; k1 < rows; k1++) {
            prefetch(pass->data + ((k1 + AHEAD) & (rows - 1)) * cols + first, lanes);
            twiddle(pass->data + k1 * cols + first, buffer + k1 * lanes, d, first, k1, lanes);
        }
    }
    return OK;
}

static Status row_pass(void *raw, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    const Pass *pass = raw;
    const Domain *d = pass->domain;
    for (size_t r = begin; r < end; r++)
        transform_row(pass->data + (r << d->log_cols), d->log_cols, d->stage);
    return OK;
}

/* The matrix is one square of R x R, or two side by side (rows of 2R): swap tile rows
 * [begin, end) of each square with their mirror images. */
static Status transpose_squares(void *raw, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    const Pass *pass = raw;
    size_t side = (size_t)1 << pass->domain->log_rows, stride = (size_t)1 << pass->domain->log_cols;
    size_t rows = side / TILE;
    for (size_t turn = begin; turn < end; turn++) {
        size_t tr = turn % rows;
        Fr *x = pass->data + turn / rows * side;
        for (size_t tc = tr; tc < rows; tc++) {
            for (size_t i = 0; i < TILE; i++) {
                for (size_t j = tc == tr ? i + 1 : 0; j < TILE; j++) {
                    Fr *a = &x[(tr * TILE + i) * stride + tc * TILE + j];
                    Fr *b = &x[(tc * TILE + j) * stride + tr * TILE + i];
                    Fr t = *a;
                    *a = *b;
                    *b = t;
                }
            }
        }
    }
    return OK;
}

/* Two transposed squares side by side are runs of R elements: run (row, square) belongs at
 * (square, row), which rotates the bits of the run's number to the right. Follow the cycles whose
 * least member lies in [begin, end). */
static Status interleave_squares(void *raw, size_t begin, size_t end, unsigned worker)
{
    const Pass *pass = raw;
    const Domain *d = pass->domain;
    size_t run = (size_t)1 << d->log_rows;
    Fr *spare = pass->buffers + worker * run;
    for (size_t first = begin; first < end; first++) {
        size_t least = first, at = first;
        do {
            at = at >> 1 | (at & 1) << d->log_rows;
            least = at < least ? at : least;
        } while (at != first);
        if (least != first)
            continue;
        memcpy(spare, pass->data + first * run, run * sizeof(Fr));
        for (;;) { /* the run that belongs at `at` is at its bits rotated to the left */
            size_t from = (at << 1 & (2 * run - 1)) | at >> d->log_rows;
            if (from == first)
                break;
            memcpy(pass->data + at * run, pass->data + from * run, run * sizeof(Fr));
            at = from;
        }
        memcpy(pass->data + at * run, spare, run * sizeof(Fr));
    }
    return OK;
}

static Status transpose(Pass *pass, Pool *pool)
{
    const Domain *d = pass->domain;
    size_t tiles = ((size_t)1 << d->log_cols) / TILE;
    TRY(parallel_for(pool, tiles, 1, transpose_squares, pass));
    if (d->log_rows == d->log_cols)
        return OK;
    return parallel_for(pool, (size_t)1 << d->log_cols, 0, interleave_squares, pass);
}

static size_t buffer_bytes(unsigned log_rows, size_t lanes, unsigned threads)
{
    return threads * lanes * sizeof(Fr) << log_rows;
}

size_t ntt_scratch_bytes(unsigned log_n, unsigned threads)
{
    if (log_n <= DIRECT_LOG)
        return 0;
    return buffer_bytes(rows_log(log_n), lanes_of(rows_log(log_n)), threads);
}

static Status four_steps(Pass *pass, Pool *pool)
{
    const Domain *d = pass->domain;
    TRY(parallel_for(pool, ((size_t)1 << d->log_cols) / pass->lanes, 1, column_pass, pass));
    TRY(parallel_for(pool, (size_t)1 << d->log_rows, 0, row_pass, pass));
    return transpose(pass, pool);
}

Status ntt_forward(Fr *data, const Domain *d, Pool *pool)
{
    if (d->log_rows == 0) {
        transform_row(data, d->log_n, d->stage);
        return OK;
    }
    Pass pass = {.data = data, .domain = d, .lanes = lanes_of(d->log_rows)};
    size_t bytes = buffer_bytes(d->log_rows, pass.lanes, pool_threads(pool));
    void *memory;
    TRY(mem_map(&memory, bytes, "column buffers"));
    pass.buffers = memory;
    Status status = four_steps(&pass, pool);
    mem_unmap(memory, bytes);
    return status;
}

/* data[i] <- scale base^i data[i] */
typedef struct {
    Fr *data;
    size_t n;
    Fr base, scale;
} Scaling;

static Status scale_range(void *raw, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    const Scaling *job = raw;
    uint64_t exponent = begin;
    Fr power;
    fr_pow(&power, &job->base, &exponent, 1);
    fr_mul(&power, &power, &job->scale);
    for (size_t i = begin; i < end; i++) {
        fr_mul(&job->data[i], &job->data[i], &power);
        fr_mul(&power, &power, &job->base);
    }
    return OK;
}

/* The inverse DFT is the DFT with k -> -k, over n: swap i and n - i, i in [begin, end) + 1. */
static Status mirror_range(void *raw, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    const Scaling *job = raw;
    for (size_t i = begin + 1; i <= end; i++) {
        Fr *a = &job->data[i], *b = &job->data[job->n - i], t;
        fr_mul(&t, a, &job->scale);
        fr_mul(a, b, &job->scale);
        *b = t;
    }
    return OK;
}

static Status mirror(Fr *data, const Domain *d, const Fr *scale, Pool *pool)
{
    Scaling job = {data, d->n, FR_ONE, *scale};
    fr_mul(&data[0], &data[0], scale);
    if (d->n == 1)
        return OK;
    fr_mul(&data[d->n / 2], &data[d->n / 2], scale);
    return parallel_for(pool, d->n / 2 - 1, 4096, mirror_range, &job);
}

Status ntt_inverse(Fr *data, const Domain *d, Pool *pool)
{
    TRY(ntt_forward(data, d, pool));
    return mirror(data, d, &d->n_inv, pool);
}

Status ntt_coset_forward(Fr *data, const Domain *d, Pool *pool)
{
    Scaling job = {data, d->n, FR_GENERATOR, FR_ONE};
    TRY(parallel_for(pool, d->n, 4096, scale_range, &job));
    return ntt_forward(data, d, pool);
}

Status ntt_coset_inverse(Fr *data, const Domain *d, Pool *pool)
{
    Scaling job = {data, d->n, FR_GENERATOR_INV, FR_ONE};
    TRY(ntt_inverse(data, d, pool));
    return parallel_for(pool, d->n, 4096, scale_range, &job);
}
