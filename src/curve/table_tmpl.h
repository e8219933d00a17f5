/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Fixed-base multiplication: a table of multiples a window, additions batched over many scalars.
 *
 * A template: define TABLE_G (g1 or g2), TABLE_AFFINE, TABLE_XYZZ, TABLE_FIELD; no guard. */
#define TABLE_JOIN2(a, b) a##_##b
#define TABLE_JOIN(a, b) TABLE_JOIN2(a, b)
#define TABLE_NAME(op) TABLE_JOIN(TABLE_G, op)

struct TABLE_NAME(table) {
    unsigned window, n_windows;
    size_t bytes;
    TABLE_AFFINE *multiples; /* [n_windows][2^window - 1]: (d + 1) 2^(window k) base */
};

typedef struct {
    struct TABLE_NAME(table) * table;
    TABLE_XYZZ *start; /* [n_windows] 2^(window k) base */
} TABLE_NAME(table_fill);

/* One window: (d + 1) B for consecutive d, in runs with a shared inversion. */
static Status TABLE_NAME(table_fill_windows)(void *raw, size_t begin, size_t end, unsigned worker)
{
    enum { RUN = 256 };
    (void)worker;
    const TABLE_NAME(table_fill) *fill = raw;
    size_t row = ((size_t)1 << fill->table->window) - 1;
    TABLE_XYZZ run[RUN], sum;
    for (size_t k = begin; k < end; k++) {
        TABLE_AFFINE *out = fill->table->multiples + k * row, step;
        TABLE_NAME(to_affine)(&step, &fill->start[k]);
        TABLE_NAME(xyzz_set_infinity)(&sum);
        for (size_t at = 0; at < row; at += RUN) {
            size_t n = row - at < RUN ? row - at : RUN;
            for (size_t i = 0; i < n; i++) {
                TABLE_NAME(add_affine)(&sum, &sum, &step);
                run[i] = sum;
            }
            TRY(TABLE_NAME(to_affine_batch)(out + at, run, n));
        }
    }
    return OK;
}

Status TABLE_NAME(table_new)(struct TABLE_NAME(table) * *out, const TABLE_AFFINE *base,
                             unsigned window, Pool *pool)
{
    CHECK(window >= 1 && window <= 20);
    struct TABLE_NAME(table) *table = calloc(1, sizeof *table);
    if (!table)
        FAIL(ERR_MEMORY, "fixed-base table: out of memory");
    table->window = window;
    table->n_windows = (255 + window - 1) / window;
    size_t row = ((size_t)1 << window) - 1;
    table->bytes = table->n_windows * row * sizeof *table->multiples;
    void *memory;
    Status status = mem_map(&memory, table->bytes, "fixed-base table");
    TABLE_XYZZ *start = malloc(table->n_windows * sizeof *start);
    if (status == OK && !start)
        status = status_fail(ERR_MEMORY, "fixed-base table: out of memory");
    if (status == OK) {
        table->multiples = memory;
        TABLE_NAME(from_affine)(&start[0], base);
        for (unsigned k = 1; k < table->n_windows; k++)
            TABLE_NAME(dbl_n)(&start[k], &start[k - 1], window);
        TABLE_NAME(table_fill) fill = {table, start};
        status = parallel_for(pool, table->n_windows, 1, TABLE_NAME(table_fill_windows), &fill);
    }
    free(start);
    if (status != OK) {
        TABLE_NAME(table_free)(&table);
        return status;
    }
    *out = table;
    return OK;
}

void TABLE_NAME(table_free)(struct TABLE_NAME(table) * *table)
{
    if (!*table)
        return;
    mem_unmap((*table)->multiples, (*table)->bytes);
    free(*table);
    *table = NULL;
}

typedef struct {
    const struct TABLE_NAME(table) * table;
    TABLE_AFFINE *out;
    const FrCanon *k;
} TABLE_NAME(table_job);

/* `window` bits of k from bit `at`. */
static size_t TABLE_NAME(table_digit)(const FrCanon *k, unsigned at, unsigned window)
{
    uint64_t bits = k->l[at / 64] >> (at % 64);
    if (at % 64 && at / 64 + 1 < 4)
        bits |= k->l[at / 64 + 1] << (64 - at % 64);
    return bits & (((uint64_t)1 << window) - 1);
}

static Status TABLE_NAME(table_mul_range)(void *raw, size_t begin, size_t end, unsigned worker)
{
    enum { RUN = 256 };
    (void)worker;
    const TABLE_NAME(table_job) *job = raw;
    const struct TABLE_NAME(table) *table = job->table;
    size_t row = ((size_t)1 << table->window) - 1;
    static const TABLE_AFFINE infinity;
    TABLE_AFFINE addend[RUN];
    TABLE_FIELD scratch[2 * RUN];
    for (size_t at = begin; at < end; at += RUN) {
        size_t n = end - at < RUN ? end - at : RUN;
        memset(job->out + at, 0, n * sizeof *job->out);
        for (unsigned w = 0; w < table->n_windows; w++) {
            for (size_t i = 0; i < n; i++) {
                size_t d =
                    TABLE_NAME(table_digit)(&job->k[at + i], w * table->window, table->window);
                addend[i] = d ? table->multiples[w * row + d - 1] : infinity;
            }
            TABLE_NAME(add_batch)(job->out + at, addend, n, scratch);
        }
    }
    return OK;
}

Status TABLE_NAME(table_mul)(const struct TABLE_NAME(table) * table, TABLE_AFFINE *out,
                             const FrCanon *k, size_t n, Pool *pool)
{
    TABLE_NAME(table_job) job = {table, out, k};
    return parallel_for(pool, n, 4096, TABLE_NAME(table_mul_range), &job);
}

#undef TABLE_G
#undef TABLE_AFFINE
#undef TABLE_XYZZ
#undef TABLE_FIELD
#undef TABLE_JOIN2
#undef TABLE_JOIN
#undef TABLE_NAME
