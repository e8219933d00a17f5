/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Key generation from known randomness: for development and tests.
 *
 * DESIGN: the QAP polynomials are evaluated at tau through the Lagrange basis: variable v has
 * a_v(tau) = sum_k A[k][v] L_k(tau), a transposed product. Scalars are made in order by one thread
 * (nanoseconds each) and turned into points in runs of RUN by the pool (microseconds each). */
#include "base/random.h"
#include "groth16/groth16_impl.h"

#include <openssl/evp.h>
#include <string.h>

enum { RUN = 1 << 17, G2_COST = 3 };

typedef struct {
    Fr tau, alpha, beta, gamma, delta;
    Fr vanishing; /* tau^m - 1 */
    Fr inverse_gamma, inverse_delta;
} Toxic;

typedef struct {
    const R1cs *r1cs;
    const R1csShape *shape;
    const SetupSink *sink;
    Pool *pool;
    Toxic toxic;
    size_t n_variables;
    Fr *a, *b, *c; /* [n_variables] polynomials of A, B, C at tau; later c: scalars of ic and l */
    g1_table *g1;
    g2_table *g2;
    FrCanon *scalars; /* [RUN] waiting to become points */
    size_t waiting;
    void *points;    /* [RUN] G1Affine or G2Affine */
    Section section; /* now being written */
    size_t written;  /* points of it that are out */
    double done, total;
} Setup;

static void report(Setup *s, const char *what)
{
    if (s->sink->progress)
        s->sink->progress(s->sink->context, s->done / s->total, what);
}

/* SHA-256(seed || label || 0) || SHA-256(seed || label || 1), reduced. */
static Status derive(Fr *out, const uint8_t *seed, size_t seed_bytes, const char *label)
{
    uint8_t wide[64];
    Status status = OK;
    for (uint8_t half = 0; half < 2; half++) {
        EVP_MD_CTX *hash = EVP_MD_CTX_new();
        bool fine = hash && EVP_DigestInit_ex(hash, EVP_sha256(), NULL) &&
                    EVP_DigestUpdate(hash, seed, seed_bytes) &&
                    EVP_DigestUpdate(hash, label, strlen(label)) &&
                    EVP_DigestUpdate(hash, &half, 1) &&
                    EVP_DigestFinal_ex(hash, wide + 32 * half, NULL);
        EVP_MD_CTX_free(hash);
        if (!fine)
            status = status_fail(ERR_INTERNAL, "setup: SHA-256 failed");
    }
    fr_from_wide_le(out, wide);
    wipe(wide, sizeof wide);
    return status;
}

static Status draw(Fr *out, const uint8_t *seed, size_t seed_bytes, const char *label)
{
    if (seed)
        TRY(derive(out, seed, seed_bytes, label));
    else
        TRY(fr_random(out));
    if (fr_is_zero(out) || fr_eq(out, &FR_ONE))
        FAIL(ERR_INTERNAL, "setup: %s came out as 0 or 1", label);
    return OK;
}

static Status draw_toxic(Toxic *t, const uint8_t *seed, size_t seed_bytes, unsigned log_m)
{
    TRY(draw(&t->tau, seed, seed_bytes, "tau"));
    TRY(draw(&t->alpha, seed, seed_bytes, "alpha"));
    TRY(draw(&t->beta, seed, seed_bytes, "beta"));
    TRY(draw(&t->gamma, seed, seed_bytes, "gamma"));
    TRY(draw(&t->delta, seed, seed_bytes, "delta"));
    vanishing_at(&t->vanishing, &t->tau, log_m);
    if (fr_is_zero(&t->vanishing) || fr_eq(&t->gamma, &t->delta))
        FAIL(ERR_INTERNAL, "setup: tau lies in the domain, or gamma equals delta");
    fr_inv(&t->inverse_gamma, &t->gamma);
    fr_inv(&t->inverse_delta, &t->delta);
    return OK;
}

typedef struct {
    const Toxic *toxic;
    Fr omega, scale; /* scale = (tau^m - 1) / m */
    Fr *out;
} Lagrange;

/* L_k(tau) = (tau^m - 1)/m * omega^k / (tau - omega^k) */
static Status lagrange_range(void *argument, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    enum { BATCH = 256 };
    const Lagrange *l = argument;
    Fr power, numerators[BATCH], scratch[BATCH];
    fr_pow(&power, &l->omega, (uint64_t[]){begin}, 1);
    for (size_t at = begin; at < end; at += BATCH) {
        size_t n = end - at < BATCH ? end - at : BATCH;
        for (size_t i = 0; i < n; i++) {
            fr_mul(&numerators[i], &power, &l->scale);
            fr_sub(&l->out[at + i], &l->toxic->tau, &power);
            fr_mul(&power, &power, &l->omega);
        }
        fr_inv_batch(l->out + at, n, scratch);
        for (size_t i = 0; i < n; i++)
            fr_mul(&l->out[at + i], &l->out[at + i], &numerators[i]);
    }
    return OK;
}

/* L_k(tau) for the rows that exist. */
static Status lagrange(Fr *out, const Setup *s, unsigned log_m)
{
    Lagrange l = {.toxic = &s->toxic, .omega = FR_ROOT_OF_UNITY, .out = out};
    for (unsigned i = log_m; i < 32; i++)
        fr_sqr(&l.omega, &l.omega);
    fr_from_u64(&l.scale, 1ull << log_m);
    fr_inv(&l.scale, &l.scale);
    fr_mul(&l.scale, &l.scale, &s->toxic.vanishing);
    return parallel_for(s->pool, s->shape->n_rows, 0, lagrange_range, &l);
}

/* c <- (beta a + alpha b + c) / (gamma for inputs, delta for aux) */
static Status combine_range(void *argument, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    Setup *s = argument;
    const Toxic *t = &s->toxic;
    for (size_t v = begin; v < end; v++) {
        Fr beta_a, alpha_b;
        fr_mul(&beta_a, &t->beta, &s->a[v]);
        fr_mul(&alpha_b, &t->alpha, &s->b[v]);
        fr_add(&s->c[v], &s->c[v], &beta_a);
        fr_add(&s->c[v], &s->c[v], &alpha_b);
        fr_mul(&s->c[v], &s->c[v], v < s->shape->n_inputs ? &t->inverse_gamma : &t->inverse_delta);
    }
    return OK;
}

static Status evaluate_polynomials(Setup *s)
{
    unsigned log_m = r1cs_log_domain(s->r1cs);
    size_t bytes = s->n_variables * sizeof(Fr), weight_bytes = s->shape->n_rows * sizeof(Fr);
    TRY(mem_map((void **)&s->a, bytes, "A at tau"));
    TRY(mem_map((void **)&s->b, bytes, "B at tau"));
    TRY(mem_map((void **)&s->c, bytes, "C at tau"));
    Fr *weight = NULL;
    TRY(mem_map((void **)&weight, weight_bytes, "Lagrange coefficients"));
    Status status = lagrange(weight, s, log_m);
    if (status == OK)
        status = r1cs_transpose_mul(s->r1cs, weight, s->a, s->b, s->c, s->pool);
    wipe(weight, weight_bytes);
    mem_unmap(weight, weight_bytes);
    TRY(status);
    return parallel_for(s->pool, s->n_variables, 0, combine_range, s);
}

static bool to_g2(const Setup *s)
{
    return s->section == SECTION_B_G2;
}

/* A zero scalar is the point at infinity, which no file may hold. */
static Status check_scalars(const Setup *s)
{
    static const char *const names[] = {"h", "l", "a", "b_g1", "b_g2"};
    for (size_t i = 0; i < s->waiting; i++) {
        const uint64_t *k = s->scalars[i].l;
        if (k[0] | k[1] | k[2] | k[3])
            continue;
        if (s->section == SECTION_L)
            FAIL(ERR_INVALID, "setup: aux variable %zu is in no row", s->written + i);
        FAIL(ERR_INTERNAL, "setup: point %zu of section %s is infinity", s->written + i,
             names[s->section]);
    }
    return OK;
}

static Status flush(Setup *s)
{
    if (s->waiting == 0)
        return OK;
    TRY(check_scalars(s));
    if (to_g2(s)) {
        TRY(g2_table_mul(s->g2, s->points, s->scalars, s->waiting, s->pool));
        TRY(s->sink->g2(s->sink->context, s->points, s->waiting));
    } else {
        TRY(g1_table_mul(s->g1, s->points, s->scalars, s->waiting, s->pool));
        TRY(s->sink->g1(s->sink->context, s->points, s->waiting));
    }
    s->written += s->waiting;
    s->done += (double)s->waiting * (to_g2(s) ? G2_COST : 1);
    s->waiting = 0;
    return OK;
}

static Status push(Setup *s, const Fr *scalar)
{
    fr_to_canon(&s->scalars[s->waiting++], scalar);
    if (s->waiting < RUN)
        return OK;
    TRY(flush(s));
    report(s, "points");
    return OK;
}

static Status begin_section(Setup *s, Section section, size_t n)
{
    static const char *const what[] = {"h", "l", "a", "b in G1", "b in G2"};
    s->section = section;
    s->written = 0;
    report(s, what[section]);
    return s->sink->begin(s->sink->context, section, n);
}

/* h_i = tau^i (tau^m - 1) / delta, i = 0 .. m-2 */
static Status write_h(Setup *s)
{
    size_t n = ((size_t)1 << r1cs_log_domain(s->r1cs)) - 1;
    Fr scalar;
    fr_mul(&scalar, &s->toxic.vanishing, &s->toxic.inverse_delta);
    TRY(begin_section(s, SECTION_H, n));
    for (size_t i = 0; i < n; i++) {
        TRY(push(s, &scalar));
        fr_mul(&scalar, &scalar, &s->toxic.tau);
    }
    return flush(s);
}

static Status write_l(Setup *s)
{
    TRY(begin_section(s, SECTION_L, s->shape->n_aux));
    for (size_t j = 0; j < s->shape->n_aux; j++)
        TRY(push(s, &s->c[s->shape->n_inputs + j]));
    return flush(s);
}

static Status push_dense_aux(Setup *s, const Fr *values, bool b)
{
    enum { WORDS = 64 };
    size_t n_words = (s->shape->n_aux + 63) / 64;
    uint64_t words[WORDS];
    for (size_t first = 0; first < n_words; first += WORDS) {
        size_t n = n_words - first < WORDS ? n_words - first : WORDS;
        if (b)
            r1cs_b_density(s->r1cs, words, first, n);
        else
            r1cs_a_density(s->r1cs, words, first, n);
        for (size_t w = 0; w < n; w++)
            for (uint64_t left = words[w]; left; left &= left - 1)
                TRY(push(s, &values[(first + w) * 64 + (size_t)__builtin_ctzll(left)]));
    }
    return OK;
}

static Status write_a(Setup *s)
{
    TRY(begin_section(s, SECTION_A, s->shape->n_inputs + s->shape->a_aux_density));
    for (size_t i = 0; i < s->shape->n_inputs; i++)
        TRY(push(s, &s->a[i]));
    TRY(push_dense_aux(s, s->a + s->shape->n_inputs, false));
    return flush(s);
}

static Status write_b(Setup *s, Section section)
{
    TRY(begin_section(s, section, s->shape->b_input_density + s->shape->b_aux_density));
    for (size_t i = 0; i < s->shape->n_inputs; i++)
        if (r1cs_b_input_density(s->r1cs, i))
            TRY(push(s, &s->b[i]));
    TRY(push_dense_aux(s, s->b + s->shape->n_inputs, true));
    return flush(s);
}

static void times_g1(G1Affine *out, const Fr *k)
{
    FrCanon canon;
    G1Xyzz product;
    fr_to_canon(&canon, k);
    g1_mul_affine(&product, &G1_GENERATOR, &canon);
    g1_to_affine(out, &product);
    wipe(&canon, sizeof canon);
}

static void times_g2(G2Affine *out, const Fr *k)
{
    FrCanon canon;
    G2Xyzz product;
    fr_to_canon(&canon, k);
    g2_mul_affine(&product, &G2_GENERATOR, &canon);
    g2_to_affine(out, &product);
    wipe(&canon, sizeof canon);
}

static Status write_vk(Setup *s)
{
    size_t n = s->shape->n_inputs;
    Vk vk = {.n_inputs = n, .ic = malloc(n * sizeof *vk.ic)};
    FrCanon *scalars = malloc(n * sizeof *scalars);
    Status status = OK;
    if (!vk.ic || !scalars)
        status = status_fail(ERR_MEMORY, "setup: no memory for %zu inputs", n);
    if (status == OK) {
        const Toxic *t = &s->toxic;
        times_g1(&vk.alpha_g1, &t->alpha);
        times_g1(&vk.beta_g1, &t->beta);
        times_g1(&vk.delta_g1, &t->delta);
        times_g2(&vk.beta_g2, &t->beta);
        times_g2(&vk.gamma_g2, &t->gamma);
        times_g2(&vk.delta_g2, &t->delta);
        for (size_t i = 0; i < n; i++)
            fr_to_canon(&scalars[i], &s->c[i]);
        status = g1_table_mul(s->g1, vk.ic, scalars, n, s->pool);
    }
    for (size_t i = 0; status == OK && i < n; i++)
        if (g1_affine_is_infinity(&vk.ic[i]))
            status = status_fail(ERR_INTERNAL, "setup: ic %zu is the point at infinity", i);
    if (status == OK)
        status = s->sink->vk(s->sink->context, &vk);
    free(vk.ic);
    free(scalars);
    return status;
}

/* Windows for n multiplications: a table of (255/w) 2^w points pays while 2^w is well below n. */
static unsigned window_for(size_t n, unsigned most)
{
    unsigned window = 4;
    while (window < most && n >> (window + 3))
        window++;
    return window;
}

static Status write_all(Setup *s)
{
    const R1csShape *shape = s->shape;
    size_t n_h = (size_t)1 << r1cs_log_domain(s->r1cs);
    size_t n_g2 = shape->b_input_density + shape->b_aux_density;
    size_t n_g1 = n_h + s->n_variables + shape->n_inputs + shape->a_aux_density + n_g2;
    // The rows at tau cost about as much as a tenth of the points.
    double points = (double)n_g1 + (double)n_g2 * G2_COST;
    s->total = points * 1.1;
    report(s, "rows at tau");
    TRY(evaluate_polynomials(s));
    s->done = points * 0.1;
    TRY(g1_table_new(&s->g1, &G1_GENERATOR, window_for(n_g1, 16), s->pool));
    TRY(write_vk(s));
    TRY(write_h(s));
    TRY(write_l(s));
    TRY(write_a(s));
    TRY(write_b(s, SECTION_B_G1));
    TRY(g2_table_new(&s->g2, &G2_GENERATOR, window_for(n_g2, 15), s->pool));
    TRY(write_b(s, SECTION_B_G2));
    s->done = s->total;
    report(s, "written");
    return OK;
}

static void setup_free(Setup *s)
{
    size_t bytes = s->n_variables * sizeof(Fr);
    mem_unmap(s->a, bytes);
    mem_unmap(s->b, bytes);
    mem_unmap(s->c, bytes);
    if (s->scalars)
        wipe(s->scalars, RUN * sizeof *s->scalars);
    free(s->scalars);
    free(s->points);
    g1_table_free(&s->g1);
    g2_table_free(&s->g2);
    wipe(&s->toxic, sizeof s->toxic);
}

Status setup(const R1cs *r1cs, const uint8_t *seed, size_t seed_bytes, const SetupSink *sink,
             Pool *pool)
{
    CHECK(sink->vk && sink->begin && sink->g1 && sink->g2);
    Setup s = {.r1cs = r1cs, .shape = r1cs_shape(r1cs), .sink = sink, .pool = pool};
    s.n_variables = s.shape->n_inputs + s.shape->n_aux;
    s.scalars = malloc(RUN * sizeof *s.scalars);
    s.points = malloc(RUN * sizeof(G2Affine));
    Status status = OK;
    if (!s.scalars || !s.points)
        status = status_fail(ERR_MEMORY, "setup: no memory for %d points", RUN);
    if (status == OK)
        status = draw_toxic(&s.toxic, seed, seed_bytes, r1cs_log_domain(r1cs));
    if (status == OK)
        status = write_all(&s);
    setup_free(&s);
    return status;
}
