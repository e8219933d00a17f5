/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Times of field, curve, NTT, MSM and pairing kernels, as CSV. */
#include "bench_kernels.h"

#include "base/clock.h"
#include "base/mem.h"
#include "curve/pairing.h"
#include "msm/msm.h"
#include "ntt/ntt.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef CUZK_COMMIT
#define CUZK_COMMIT "unknown"
#endif

enum {
    LANES = 64, /* independent operands of an arithmetic kernel: throughput, in cache */
    SAMPLES = 15,
    FEWEST_SAMPLES = 3,
};
static const uint64_t SAMPLE_NS = 2000000, KERNEL_NS = 1500000000;

typedef struct {
    const char *filter;
    unsigned threads, max_log;
} Options;

/* Operands. The pairs p, q are distinct multiples of the generators. */
static struct {
    Fr fr[LANES], fr_b;
    Fp fp[LANES], fp_b;
    Fp2 fp2[LANES], fp2_b;
    G1Affine g1[LANES];
    G1Xyzz g1x[LANES];
    G2Affine g2[LANES];
    G2Xyzz g2x[LANES];
    uint8_t code1[G1_COMPRESSED], code2[G2_COMPRESSED];
    uint8_t plain1[G1_UNCOMPRESSED], plain2[G2_UNCOMPRESSED];
    FrCanon scalar;
    volatile bool sink;
} x;

#define FIELD_KERNELS(t)                                                                           \
    static void t##_mul_run(size_t n)                                                              \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            t##_mul(&x.t[i % LANES], &x.t[i % LANES], &x.t##_b);                                   \
    }                                                                                              \
    static void t##_sqr_run(size_t n)                                                              \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            t##_sqr(&x.t[i % LANES], &x.t[i % LANES]);                                             \
    }                                                                                              \
    static void t##_add_run(size_t n)                                                              \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            t##_add(&x.t[i % LANES], &x.t[i % LANES], &x.t##_b);                                   \
    }                                                                                              \
    static void t##_sub_run(size_t n)                                                              \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            t##_sub(&x.t[i % LANES], &x.t[i % LANES], &x.t##_b);                                   \
    }                                                                                              \
    static void t##_inv_run(size_t n)                                                              \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            t##_inv(&x.t[i % LANES], &x.t[i % LANES]);                                             \
            t##_add(&x.t[i % LANES], &x.t[i % LANES], &x.t##_b);                                   \
        }                                                                                          \
    }
FIELD_KERNELS(fr)
FIELD_KERNELS(fp)
FIELD_KERNELS(fp2)

#define CURVE_KERNELS(g, A, F, code, plain)                                                        \
    static void g##_add_affine_run(size_t n)                                                       \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            g##_add_affine(&x.g##x[i % LANES], &x.g##x[i % LANES], &x.g[(i + i / LANES) % LANES]); \
    }                                                                                              \
    static void g##_add_run(size_t n)                                                              \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            g##_add(&x.g##x[i % LANES], &x.g##x[i % LANES], &x.g##x[(i + 1) % LANES]);             \
    }                                                                                              \
    static void g##_dbl_run(size_t n)                                                              \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            g##_dbl(&x.g##x[i % LANES], &x.g##x[i % LANES]);                                       \
    }                                                                                              \
    static void g##_add_batch_run(size_t n)                                                        \
    {                                                                                              \
        enum { BATCH = 512 };                                                                      \
        A p[BATCH], q[BATCH];                                                                      \
        F scratch[2 * BATCH];                                                                      \
        for (size_t i = 0; i < BATCH; i++) {                                                       \
            p[i] = x.g[i % LANES];                                                                 \
            q[i] = x.g[(i + i / LANES + 1) % LANES];                                               \
        }                                                                                          \
        for (size_t at = 0; at < n; at += BATCH)                                                   \
            g##_add_batch(p, q, n - at < BATCH ? n - at : BATCH, scratch);                         \
    }                                                                                              \
    static void g##_mul_run(size_t n)                                                              \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            g##_mul_affine(&x.g##x[i % LANES], &x.g[i % LANES], &x.scalar);                        \
    }                                                                                              \
    static void g##_to_affine_run(size_t n)                                                        \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            g##_to_affine(&x.g[i % LANES], &x.g##x[i % LANES]);                                    \
    }                                                                                              \
    static void g##_decode_run(size_t n)                                                           \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            x.sink = g##_decode(&x.g[i % LANES], x.plain) == OK;                                   \
    }                                                                                              \
    static void g##_decode_compressed_run(size_t n)                                                \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            x.sink = g##_decode_compressed(&x.g[i % LANES], x.code) == OK;                         \
    }                                                                                              \
    static void g##_in_subgroup_run(size_t n)                                                      \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            x.sink = g##_in_subgroup(&x.g[i % LANES]);                                             \
    }
CURVE_KERNELS(g1, G1Affine, Fp, code1, plain1)
CURVE_KERNELS(g2, G2Affine, Fp2, code2, plain2)

static void pairing_of(size_t pairs, size_t n)
{
    Fp12 f;
    for (size_t i = 0; i < n; i++)
        x.sink = pairing_product(&f, x.g1, x.g2, pairs) == OK;
}

static void pairing_1_run(size_t n)
{
    pairing_of(1, n);
}

static void pairing_3_run(size_t n)
{
    pairing_of(3, n);
}

static void miller_1_run(size_t n)
{
    Fp12 f;
    for (size_t i = 0; i < n; i++)
        x.sink = pairing_miller(&f, x.g1, x.g2, 1) == OK;
}

static void final_exp_run(size_t n)
{
    static Fp12 f;
    fp12_one(&f);
    f.c1.c2 = x.fp2[0];
    Fp12 out;
    for (size_t i = 0; i < n; i++)
        pairing_final_exp(&out, &f);
    x.sink = out.c0.c0.c0.l[0] & 1;
}

typedef struct {
    const char *name;
    void (*run)(size_t n);
} Kernel;

#define ROW(name)                                                                                  \
    {                                                                                              \
#name, name##_run                                                                          \
    }
#define FIELD_ROWS(t) ROW(t##_mul), ROW(t##_sqr), ROW(t##_add), ROW(t##_sub), ROW(t##_inv)
#define CURVE_ROWS(g)                                                                              \
    ROW(g##_add_affine), ROW(g##_add), ROW(g##_dbl), ROW(g##_add_batch), ROW(g##_mul),             \
        ROW(g##_to_affine), ROW(g##_decode), ROW(g##_decode_compressed), ROW(g##_in_subgroup)

static const Kernel KERNELS[] = {
    FIELD_ROWS(fr), FIELD_ROWS(fp), FIELD_ROWS(fp2), CURVE_ROWS(g1), CURVE_ROWS(g2),
    ROW(miller_1),  ROW(final_exp), ROW(pairing_1),  ROW(pairing_3),
};

static bool wanted(const Options *options, const char *name)
{
    return !options->filter || strstr(name, options->filter);
}

static int by_value(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static void print_row(const char *name, size_t size, double *ns, size_t samples)
{
    qsort(ns, samples, sizeof *ns, by_value);
    printf("ours,%s,%zu,%.1f,%.1f,%.1f\n", name, size, ns[0], ns[samples / 2], ns[samples - 1]);
    fflush(stdout);
}

static void time_kernel(const Kernel *kernel)
{
    double ns[SAMPLES];
    size_t n = 1;
    uint64_t spent = 0;
    for (;; n *= 2) { /* as many as fill a sample */
        uint64_t begin = clock_ns();
        kernel->run(n);
        spent = clock_ns() - begin;
        if (spent >= SAMPLE_NS)
            break;
    }
    for (size_t s = 0; s < SAMPLES; s++) {
        uint64_t begin = clock_ns();
        kernel->run(n);
        ns[s] = (double)(clock_ns() - begin) / (double)n;
    }
    print_row(kernel->name, 1, ns, SAMPLES);
}

static Status random_canon(FrCanon *out)
{
    Fr k;
    TRY(fr_random(&k));
    fr_to_canon(out, &k);
    return OK;
}

static Status make_operands(void)
{
    FrCanon k;
    for (size_t i = 0; i < LANES; i++) {
        TRY(random_canon(&k));
        g1_mul_affine(&x.g1x[i], &G1_GENERATOR, &k);
        g2_mul_affine(&x.g2x[i], &G2_GENERATOR, &k);
        g1_to_affine(&x.g1[i], &x.g1x[i]);
        g2_to_affine(&x.g2[i], &x.g2x[i]);
        x.fp[i] = x.g1[i].x;
        x.fp2[i] = x.g2[i].x;
        TRY(fr_random(&x.fr[i]));
    }
    TRY(fr_random(&x.fr_b));
    x.fp_b = x.g1[0].y;
    x.fp2_b = x.g2[0].y;
    x.scalar = k;
    g1_encode(x.plain1, &x.g1[1]);
    g2_encode(x.plain2, &x.g2[1]);
    g1_encode_compressed(x.code1, &x.g1[1]);
    g2_encode_compressed(x.code2, &x.g2[1]);
    return OK;
}

static void time_kernels(const Options *options)
{
    for (size_t i = 0; i < sizeof KERNELS / sizeof *KERNELS; i++)
        if (wanted(options, KERNELS[i].name))
            time_kernel(&KERNELS[i]);
}

/* Call repeatedly, the first time untimed. */
static Status time_calls(const char *name, size_t size, Status (*call)(void *), void *argument)
{
    double ns[SAMPLES];
    size_t samples = 0;
    uint64_t total = 0;
    TRY(call(argument));
    while (samples < SAMPLES && (samples < FEWEST_SAMPLES || total < KERNEL_NS)) {
        uint64_t begin = clock_ns();
        TRY(call(argument));
        uint64_t spent = clock_ns() - begin;
        total += spent;
        ns[samples++] = (double)spent;
    }
    print_row(name, size, ns, samples);
    return OK;
}

typedef struct {
    Fr *data;
    Domain *domain;
    Pool *pool;
    Status (*transform)(Fr *data, const Domain *domain, Pool *pool);
} NttCall;

static Status ntt_call(void *raw)
{
    NttCall *c = raw;
    return c->transform(c->data, c->domain, c->pool);
}

static Status time_ntt_size(const Options *options, unsigned log_n, NttCall *c)
{
    static const struct {
        const char *name;
        Status (*transform)(Fr *data, const Domain *domain, Pool *pool);
    } forms[] = {{"ntt_forward", ntt_forward},
                 {"ntt_inverse", ntt_inverse},
                 {"ntt_coset_forward", ntt_coset_forward},
                 {"ntt_coset_inverse", ntt_coset_inverse}};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        c->transform = forms[f].transform;
        if (wanted(options, forms[f].name))
            TRY(time_calls(forms[f].name, (size_t)1 << log_n, ntt_call, c));
    }
    return OK;
}

static Status time_ntt(const Options *options, Pool *pool)
{
    for (unsigned log_n = 16; log_n <= 22 && log_n <= options->max_log; log_n++) {
        size_t n = (size_t)1 << log_n;
        NttCall c = {.pool = pool};
        void *memory;
        TRY(mem_map(&memory, n * sizeof(Fr), "benchmark data"));
        c.data = memory;
        for (size_t i = 0; i < n; i++)
            c.data[i] = x.fr[i % LANES];
        Status status = domain_new(&c.domain, log_n, pool);
        if (status == OK)
            status = time_ntt_size(options, log_n, &c);
        domain_free(&c.domain);
        mem_unmap(memory, n * sizeof(Fr));
        TRY(status);
    }
    return OK;
}

/* Points of 48-bit scalars: distinct, without structure, cheap to make. */
static void short_scalars(FrCanon *k, size_t n)
{
    uint64_t state = 0x9e3779b97f4a7c15;
    for (size_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        k[i] = (FrCanon){{state >> 16}};
    }
}

#define MSM_BENCH(g, A, X, GENERATOR)                                                              \
    typedef struct {                                                                               \
        A *points;                                                                                 \
        MsmScalars scalars;                                                                        \
        size_t n;                                                                                  \
        Pool *pool;                                                                                \
    } g##_MsmCall;                                                                                 \
    static Status g##_msm_call(void *raw)                                                          \
    {                                                                                              \
        g##_MsmCall *c = raw;                                                                      \
        X sum;                                                                                     \
        return msm_##g(&sum, c->points, c->n, &c->scalars, c->pool);                               \
    }                                                                                              \
    static Status g##_make_points(A *points, FrCanon *k, size_t n, Pool *pool)                     \
    {                                                                                              \
        g##_table *table;                                                                          \
        TRY(g##_table_new(&table, &GENERATOR, 12, pool));                                          \
        short_scalars(k, n);                                                                       \
        Status status = g##_table_mul(table, points, k, n, pool);                                  \
        g##_table_free(&table);                                                                    \
        return status;                                                                             \
    }                                                                                              \
    static Status g##_msm_sizes(const Options *options, g##_MsmCall *c, FrCanon *k,                \
                                uint64_t *ones, unsigned most)                                     \
    {                                                                                              \
        TRY(g##_make_points(c->points, k, (size_t)1 << most, c->pool));                            \
        for (size_t i = 0; i < (size_t)1 << most; i++)                                             \
            TRY(random_canon(&k[i]));                                                              \
        for (unsigned log_n = 12; log_n <= most; log_n += 2) {                                     \
            c->n = (size_t)1 << log_n;                                                             \
            c->scalars = (MsmScalars){.n_full = c->n, .full = k};                                  \
            if (wanted(options, "msm_" #g))                                                        \
                TRY(time_calls("msm_" #g, c->n, g##_msm_call, c));                                 \
            c->scalars = (MsmScalars){.ones = ones};                                               \
            if (wanted(options, "msm_" #g "_ones"))                                                \
                TRY(time_calls("msm_" #g "_ones", c->n, g##_msm_call, c));                         \
        }                                                                                          \
        return OK;                                                                                 \
    }                                                                                              \
    static Status time_msm_##g(const Options *options, Pool *pool, unsigned most)                  \
    {                                                                                              \
        most = most < options->max_log ? most : options->max_log;                                  \
        if (most < 12 || (!wanted(options, "msm_" #g) && !wanted(options, "msm_" #g "_ones")))     \
            return OK;                                                                             \
        size_t n = (size_t)1 << most, bytes = n * (sizeof(A) + sizeof(FrCanon)) + n / 8;           \
        void *memory;                                                                              \
        TRY(mem_map(&memory, bytes, "benchmark points"));                                          \
        g##_MsmCall c = {.points = memory, .pool = pool};                                          \
        FrCanon *k = (FrCanon *)(void *)(c.points + n);                                            \
        memset(k + n, 0xff, n / 8);                                                                \
        Status status = g##_msm_sizes(options, &c, k, (uint64_t *)(void *)(k + n), most);          \
        mem_unmap(memory, bytes);                                                                  \
        return status;                                                                             \
    }
MSM_BENCH(g1, G1Affine, G1Xyzz, G1_GENERATOR)
MSM_BENCH(g2, G2Affine, G2Xyzz, G2_GENERATOR)

static void print_header(unsigned threads)
{
    struct utsname machine;
    char line[256], *cpu = NULL;
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && (cpu = strchr(line, ':')))
            break;
    if (file)
        fclose(file);
    if (cpu)
        cpu[strcspn(cpu, "\n")] = 0;
    if (uname(&machine) == 0)
        printf("# machine,%s %s %s %ld CPUs\n", machine.sysname, machine.release, machine.machine,
               sysconf(_SC_NPROCESSORS_ONLN));
    printf("# cpu,%s\n", cpu ? cpu + 2 : "unknown");
    printf("# commit,%s\n# threads,%u\n", CUZK_COMMIT, threads);
    printf("# who,kernel,size,min_ns,median_ns,max_ns\n");
}

static bool parse(Options *options, int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        char *end = NULL;
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!value)
            return false;
        unsigned long number = strtoul(value, &end, 10);
        bool numeric = *value >= '0' && *value <= '9' && *end == 0 && number <= 1024;
        if (strcmp(argv[i], "--filter") == 0)
            options->filter = value;
        else if (strcmp(argv[i], "--threads") == 0 && numeric)
            options->threads = (unsigned)number;
        else if (strcmp(argv[i], "--max-log") == 0 && numeric)
            options->max_log = (unsigned)number;
        else
            return false;
    }
    return true;
}

int bench_kernels(int argc, char **argv)
{
    Options options = {.threads = 1, .max_log = 22};
    if (!parse(&options, argc, argv)) {
        fprintf(stderr, "usage: %s [--filter TEXT] [--threads N] [--max-log K]\n", argv[0]);
        return 2;
    }
    Pool *pool = NULL;
    Status status = pool_new(&pool, options.threads);
    if (status == OK)
        status = make_operands();
    if (status == OK) {
        print_header(pool_threads(pool));
        time_kernels(&options);
        status = time_ntt(&options, pool);
    }
    if (status == OK)
        status = time_msm_g1(&options, pool, 20);
    if (status == OK)
        status = time_msm_g2(&options, pool, 16);
    pool_free(&pool);
    if (status != OK)
        fprintf(stderr, "%s: %s\n", argv[0], status_message());
    return status == OK ? 0 : 1;
}
