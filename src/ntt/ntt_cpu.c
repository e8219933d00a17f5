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
    DIRECT_LOG = 12,     /* up to here one pass in cache */
    FULL_TABLE_LOG = 23, /* up to here omega^e is a table of n */
    MOST_LANES = 16,
    BUFFER_BYTES = 1 << 20,
    TILE = 16, /* of transpositions */
};

struct Domain {
    unsigned log_n, log_rows, log_cols; /* log_n = log_rows + log_cols; rows <= cols */
    size_t n;
    Fr omega, n_inv;
    Fr *stage;      /* [2^log_cols]: stage[m + j] = omega_(2m)^j for j < m, m = 1, 2, 4 .. */
    Fr *low, *high; /* omega^e = low[e mod 2^split] * high[e >> split]; high NULL: low is all */
    unsigned split;
    size_t stage_bytes, low_bytes, high_bytes;
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

static unsigned split_log(unsigned log_n)
{
    return log_n <= FULL_TABLE_LOG ? log_n : (log_n + 1) / 2;
}

size_t domain_bytes(unsigned log_n)
{
    unsigned cols = log_n - rows_log(log_n), split = split_log(log_n);
    size_t elements = (size_t)1 << cols;
    if (rows_log(log_n))
        elements += ((size_t)1 << split) + (split < log_n ? (size_t)1 << (log_n - split) : 0);
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
    d->low_bytes = sizeof(Fr) << d->split;
    TRY(mem_map(&memory, d->low_bytes, "twiddles"));
    d->low = memory;
    TRY(powers(d->low, (size_t)1 << d->split, &d->omega, pool));
    if (d->split == d->log_n)
        return OK;
    d->high_bytes = sizeof(Fr) << (d->log_n - d->split);
    TRY(mem_map(&memory, d->high_bytes, "twiddles"));
    d->high = memory;
    Fr w;
    root_of_unity(&w, d->log_n - d->split);
    return powers(d->high, (size_t)1 << (d->log_n - d->split), &w, pool);
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
    d->split = split_log(log_n);
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

/* a, b <- a + b, a - b */
static inline void butterfly(Fr *a, Fr *b)
{
    Fr t = *b;
    fr_sub(b, a, &t);
    fr_add(a, a, &t);
}

/* The last levels fused in pairs: groups of 4m rows, twiddles of 2m and 4m. w1 NULL: j = 0. */
static inline void radix4(Fr *x0, Fr *x1, Fr *x2, Fr *x3, const Fr *w1, const Fr *w2, const Fr *w3,
                          size_t lanes)
{
    for (size_t l = 0; l < lanes; l++) {
        if (w1) {
            fr_mul(&x1[l], &x1[l], w1);
            fr_mul(&x3[l], &x3[l], w1);
        }
        butterfly(&x0[l], &x1[l]);
        butterfly(&x2[l], &x3[l]);
        if (w2)
            fr_mul(&x2[l], &x2[l], w2);
        fr_mul(&x3[l], &x3[l], w3);
        butterfly(&x0[l], &x2[l]);
        butterfly(&x1[l], &x3[l]);
    }
}

/* In place, 2^log_m rows of `lanes` columns each, rows in bit-reversed order, result in natural
 * order. stage: as in Domain, for at least 2^log_m. */
static void transform(Fr *x, unsigned log_m, size_t lanes, const Fr *stage)
{
    size_t rows = (size_t)1 << log_m, m = 1;
    if (log_m & 1) {
        for (size_t r = 0; r < rows; r += 2)
            for (size_t l = 0; l < lanes; l++)
                butterfly(&x[r * lanes + l], &x[(r + 1) * lanes + l]);
        m = 2;
    }
    for (; m < rows; m *= 4) {
        const Fr *two = stage + m, *four = stage + 2 * m;
        size_t step = m * lanes;
        for (size_t r = 0; r < rows; r += 4 * m) {
            Fr *at = x + r * lanes;
            radix4(at, at + step, at + 2 * step, at + 3 * step, NULL, NULL, &four[m], lanes);
            for (size_t j = 1; j < m; j++) {
                at += lanes;
                radix4(at, at + step, at + 2 * step, at + 3 * step, &two[j], &four[j], &four[j + m],
                       lanes);
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

static size_t lanes_of(const Domain *d)
{
    size_t lanes = MOST_LANES;
    while (lanes > 2 && (lanes * sizeof(Fr) << d->log_rows) > BUFFER_BYTES)
        lanes /= 2;
    return lanes;
}

static inline void twiddle(Fr *x, const Domain *d, size_t e)
{
    Fr w;
    if (!d->high) {
        fr_mul(x, x, &d->low[e]);
        return;
    }
    fr_mul(&w, &d->low[e & (((size_t)1 << d->split) - 1)], &d->high[e >> d->split]);
    fr_mul(x, x, &w);
}

typedef struct {
    Fr *data, *to;
    const Domain *domain;
    Fr *buffers; /* [threads][rows * lanes] */
    size_t lanes;
} Pass;

/* Columns [begin * lanes, end * lanes): transform and multiply by omega^(c k1). */
static Status column_pass(void *raw, size_t begin, size_t end, unsigned worker)
{
    const Pass *pass = raw;
    const Domain *d = pass->domain;
    size_t rows = (size_t)1 << d->log_rows, cols = (size_t)1 << d->log_cols, lanes = pass->lanes;
    Fr *buffer = pass->buffers + worker * rows * lanes;
    for (size_t group = begin; group < end; group++) {
        size_t first = group * lanes;
        for (size_t r = 0; r < rows; r++)
            memcpy(buffer + reverse_bits(r, d->log_rows) * lanes, pass->data + r * cols + first,
                   lanes * sizeof(Fr));
        transform(buffer, d->log_rows, lanes, d->stage);
        for (size_t k1 = 0; k1 < rows; k1++) {
            Fr *row = pass->data + k1 * cols + first;
            memcpy(row, buffer + k1 * lanes, lanes * sizeof(Fr));
            for (size_t l = 0; k1 && l < lanes; l++)
                twiddle(&row[l], d, (first + l) * k1);
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

/* Square: swap tile rows [begin, end) with their mirror images. */
static Status transpose_square(void *raw, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    const Pass *pass = raw;
    size_t side = (size_t)1 << pass->domain->log_rows;
    Fr *x = pass->data;
    for (size_t tr = begin; tr < end; tr++) {
        for (size_t tc = tr; tc < side / TILE; tc++) {
            for (size_t i = 0; i < TILE; i++) {
                for (size_t j = tc == tr ? i + 1 : 0; j < TILE; j++) {
                    Fr *a = &x[(tr * TILE + i) * side + tc * TILE + j];
                    Fr *b = &x[(tc * TILE + j) * side + tr * TILE + i];
                    Fr t = *a;
                    *a = *b;
                    *b = t;
                }
            }
        }
    }
    return OK;
}

/* to[c][r] = data[r][c] for tile rows of r. */
static Status transpose_to(void *raw, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    const Pass *pass = raw;
    size_t rows = (size_t)1 << pass->domain->log_rows, cols = (size_t)1 << pass->domain->log_cols;
    for (size_t tr = begin; tr < end; tr++)
        for (size_t tc = 0; tc < cols / TILE; tc++)
            for (size_t j = 0; j < TILE; j++)
                for (size_t i = 0; i < TILE; i++)
                    pass->to[(tc * TILE + j) * rows + tr * TILE + i] =
                        pass->data[(tr * TILE + i) * cols + tc * TILE + j];
    return OK;
}

static Status copy_back(void *raw, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    const Pass *pass = raw;
    memcpy(pass->data + begin, pass->to + begin, (end - begin) * sizeof(Fr));
    return OK;
}

static Status transpose(Pass *pass, Pool *pool)
{
    const Domain *d = pass->domain;
    size_t tiles = ((size_t)1 << d->log_rows) / TILE;
    if (d->log_rows == d->log_cols)
        return parallel_for(pool, tiles, 1, transpose_square, pass);
    void *memory;
    TRY(mem_map(&memory, d->n * sizeof(Fr), "transposition"));
    pass->to = memory;
    Status status = parallel_for(pool, tiles, 1, transpose_to, pass);
    if (status == OK)
        status = parallel_for(pool, d->n, 0, copy_back, pass);
    mem_unmap(memory, d->n * sizeof(Fr));
    return status;
}

size_t ntt_scratch_bytes(unsigned log_n, unsigned threads)
{
    if (log_n <= DIRECT_LOG)
        return 0;
    Domain shape = {.log_rows = rows_log(log_n)};
    size_t buffers = threads * lanes_of(&shape) * sizeof(Fr) << shape.log_rows;
    size_t copy = log_n & 1 ? sizeof(Fr) << log_n : 0;
    return buffers > copy ? buffers : copy; /* one after the other */
}

Status ntt_forward(Fr *data, const Domain *d, Pool *pool)
{
    if (d->log_rows == 0) {
        transform_row(data, d->log_n, d->stage);
        return OK;
    }
    Pass pass = {.data = data, .domain = d, .lanes = lanes_of(d)};
    size_t bytes = (pool_threads(pool) * pass.lanes * sizeof(Fr)) << d->log_rows;
    void *memory;
    TRY(mem_map(&memory, bytes, "column buffers"));
    pass.buffers = memory;
    size_t groups = ((size_t)1 << d->log_cols) / pass.lanes;
    Status status = parallel_for(pool, groups, 1, column_pass, &pass);
    mem_unmap(memory, bytes);
    TRY(status);
    TRY(parallel_for(pool, (size_t)1 << d->log_rows, 0, row_pass, &pass));
    return transpose(&pass, pool);
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
        Fr t;
        fr_mul(&t, &job->data[i], &job->scale);
        fr_mul(&job->data[i], &job->data[job->n - i], &job->scale);
        job->data[job->n - i] = t;
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
