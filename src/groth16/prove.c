/* SPDX-License-Identifier: MIT OR Apache-2.0
 * A proof on the CPU: evaluation, quotient, five sums, assembly.
 *
 * DESIGN: everything a call needs lives in its own Job; several calls may run at the same time on
 * one pool (their loops take turns). Three domain vectors at most: a, b and c = a * b before the
 * transforms; two are released before the sums begin. */
#include "base/clock.h"
#include "base/random.h"
#include "groth16/groth16_impl.h"

#include <string.h>

/* Bucket scalars that are materialised at once. */
enum { CHUNK_FULL = 1 << 23 };

typedef struct {
    const R1cs *r1cs;
    const PkView *pk;
    const Assignment *z;
    const volatile bool *cancel;
    Pool *pool;
    ProveTimes *times;
    Domain *domain;
    size_t n; /* domain size */
    Fr *a, *b, *c;
    QueryScalars scalars;
    Sums sums;
} Job;

static Status poll_cancel(const Job *job)
{
    if (job->cancel && *job->cancel)
        FAIL(ERR_CANCELLED, "prove: cancelled");
    return OK;
}

static size_t vector_bytes(const Job *job)
{
    return job->n * sizeof(Fr);
}

static void release(const Job *job, Fr **vector)
{
    mem_unmap(*vector, vector_bytes(job));
    *vector = NULL;
}

static Status multiply_range(void *argument, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    Job *job = argument;
    for (size_t i = begin; i < end; i++)
        fr_mul(&job->c[i], &job->a[i], &job->b[i]);
    return OK;
}

/* a, b: row values over the domain; c: their product, which is C z for a satisfied instance. */
static Status evaluate(Job *job)
{
    TRY(mem_map((void **)&job->a, vector_bytes(job), "a over the domain"));
    TRY(mem_map((void **)&job->b, vector_bytes(job), "b over the domain"));
    TRY(r1cs_eval(job->r1cs, job->z, job->a, job->b, job->n, job->pool));
    TRY(poll_cancel(job));
    TRY(mem_map((void **)&job->c, vector_bytes(job), "c over the domain"));
    return parallel_for(job->pool, job->n, 0, multiply_range, job);
}

static Status multiply_into_a(void *argument, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    Job *job = argument;
    for (size_t i = begin; i < end; i++)
        fr_mul(&job->a[i], &job->a[i], &job->b[i]);
    return OK;
}

typedef struct {
    Job *job;
    Fr inverse; /* 1 / (7^n - 1) */
} Divide;

/* (a - c) / (7^n - 1), left in a as canonical integers. The value is copied, not written through
 * a pointer of the other type, so that the vector may be read as FrCanon from here on. */
static Status divide_range(void *argument, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    Divide *divide = argument;
    Fr *a = divide->job->a;
    const Fr *c = divide->job->c;
    for (size_t i = begin; i < end; i++) {
        Fr h;
        FrCanon canon;
        fr_sub(&h, &a[i], &c[i]);
        fr_mul(&h, &h, &divide->inverse);
        fr_to_canon(&canon, &h);
        memcpy(&a[i], &canon, sizeof canon);
    }
    return OK;
}

/* On the coset 7 <omega> the vanishing polynomial is the constant 7^n - 1, and taking coefficients
 * is linear: h = (coefficients of a b on the coset - coefficients of c) / (7^n - 1). So c needs no
 * transform to the coset and back: six transforms in all. */
static Status quotient(Job *job)
{
    Pool *pool = job->pool;
    const Domain *domain = job->domain;
    TRY(ntt_inverse(job->c, domain, pool));
    TRY(ntt_inverse(job->a, domain, pool));
    TRY(ntt_coset_forward(job->a, domain, pool));
    TRY(poll_cancel(job));
    TRY(ntt_inverse(job->b, domain, pool));
    TRY(ntt_coset_forward(job->b, domain, pool));
    TRY(parallel_for(pool, job->n, 0, multiply_into_a, job));
    release(job, &job->b);
    TRY(poll_cancel(job));
    TRY(ntt_coset_inverse(job->a, domain, pool));

    const Fr seven = FR_GENERATOR;
    Divide divide = {.job = job};
    vanishing_at(&divide.inverse, &seven, domain_log(domain));
    fr_inv(&divide.inverse, &divide.inverse);
    TRY(parallel_for(pool, job->n, 0, divide_range, &divide));
    release(job, &job->c);
    return OK;
}

/* sum += the MSM of n points with plain scalars */
static Status add_plain_g1(G1Xyzz *sum, const G1Affine *points, const FrCanon *scalars, size_t n,
                           Pool *pool)
{
    G1Xyzz part;
    TRY(msm_g1(&part, points, n, &(MsmScalars){.n_full = n, .full = scalars}, pool));
    g1_add(sum, sum, &part);
    return OK;
}

static Status sum_h(Job *job)
{
    const FrCanon *h = (const FrCanon *)(const void *)job->a;
    size_t n = job->n - 1; // the top coefficient of a satisfied instance is zero
    for (size_t at = 0; at < n; at += CHUNK_FULL) {
        size_t part = n - at < CHUNK_FULL ? n - at : CHUNK_FULL;
        TRY(poll_cancel(job));
        TRY(add_plain_g1(&job->sums.h, job->pk->h + at, h + at, part, job->pool));
    }
    return OK;
}

/* The end of the longest run of blocks from first whose bucket scalars fit one chunk. */
static size_t chunk_end(const QueryScalars *q, size_t first)
{
    size_t end = first + 1;
    while (end < q->n_blocks && q->starts[end + 1].full - q->starts[first].full <= CHUNK_FULL)
        end++;
    return end;
}

typedef Status (*ChunkSum)(Job *job, const ScalarChunk *chunk, const MsmScalars *scalars);

/* Feed the scalars of a query to sum, chunk after chunk. */
static Status for_chunks(Job *job, Query query, ChunkSum sum)
{
    QueryScalars *q = &job->scalars;
    TRY(query_scalars_select(q, query, job->pool));
    for (size_t first = 0, end; first < q->n_blocks; first = end) {
        end = chunk_end(q, first);
        ScalarChunk chunk;
        TRY(poll_cancel(job));
        TRY(scalar_chunk_fill(&chunk, q, first, end, job->pool));
        MsmScalars scalars = {chunk.ones, chunk.n_full, chunk.index, chunk.full};
        Status status = sum(job, &chunk, &scalars);
        scalar_chunk_free(&chunk);
        TRY(status);
    }
    return OK;
}

static Status add_chunk_g1(Job *job, G1Xyzz *sum, const G1Affine *points, const ScalarChunk *chunk,
                           const MsmScalars *scalars)
{
    G1Xyzz part;
    TRY(msm_g1(&part, points + chunk->first_point, chunk->n_points, scalars, job->pool));
    g1_add(sum, sum, &part);
    return OK;
}

static Status chunk_l(Job *job, const ScalarChunk *chunk, const MsmScalars *scalars)
{
    return add_chunk_g1(job, &job->sums.l, job->pk->l, chunk, scalars);
}

static Status chunk_a(Job *job, const ScalarChunk *chunk, const MsmScalars *scalars)
{
    return add_chunk_g1(job, &job->sums.a, job->pk->a + job->z->n_inputs, chunk, scalars);
}

/* The same scalars for B in both groups. */
static Status chunk_b(Job *job, const ScalarChunk *chunk, const MsmScalars *scalars)
{
    size_t first = r1cs_shape(job->r1cs)->b_input_density;
    uint64_t begin = clock_ns();
    TRY(add_chunk_g1(job, &job->sums.b1, job->pk->b_g1 + first, chunk, scalars));
    uint64_t middle = clock_ns();
    G2Xyzz part;
    TRY(msm_g2(&part, job->pk->b_g2 + first + chunk->first_point, chunk->n_points, scalars,
               job->pool));
    g2_add(&job->sums.b2, &job->sums.b2, &part);
    job->times->msm_b1_ns += middle - begin;
    job->times->msm_b2_ns += clock_ns() - middle;
    return OK;
}

/* All inputs under a, those of density 1 under b. */
static Status sum_inputs(Job *job, FrCanon *scalars)
{
    const Assignment *z = job->z;
    size_t dense = 0;
    for (size_t i = 0; i < z->n_inputs; i++)
        fr_to_canon(&scalars[i], &z->inputs[i]);
    TRY(add_plain_g1(&job->sums.a, job->pk->a, scalars, z->n_inputs, job->pool));
    for (size_t i = 0; i < z->n_inputs; i++)
        if (r1cs_b_input_density(job->r1cs, i))
            scalars[dense++] = scalars[i];
    TRY(add_plain_g1(&job->sums.b1, job->pk->b_g1, scalars, dense, job->pool));
    G2Xyzz part;
    TRY(msm_g2(&part, job->pk->b_g2, dense, &(MsmScalars){.n_full = dense, .full = scalars},
               job->pool));
    g2_add(&job->sums.b2, &job->sums.b2, &part);
    return OK;
}

static Status sum_all(Job *job)
{
    ProveTimes *times = job->times;
    g1_xyzz_set_infinity(&job->sums.h);
    g1_xyzz_set_infinity(&job->sums.l);
    g1_xyzz_set_infinity(&job->sums.a);
    g1_xyzz_set_infinity(&job->sums.b1);
    g2_xyzz_set_infinity(&job->sums.b2);
    uint64_t begin = clock_ns();
    TRY(sum_h(job));
    release(job, &job->a);
    times->msm_h_ns = clock_ns() - begin;

    begin = clock_ns();
    TRY(query_scalars_new(&job->scalars, job->r1cs, job->z, job->pool));
    TRY(for_chunks(job, QUERY_L, chunk_l));
    times->msm_l_ns = clock_ns() - begin;

    begin = clock_ns();
    FrCanon *inputs = malloc(job->z->n_inputs * sizeof *inputs);
    if (!inputs)
        FAIL(ERR_MEMORY, "prove: no memory for %zu inputs", job->z->n_inputs);
    Status status = sum_inputs(job, inputs);
    free(inputs);
    TRY(status);
    TRY(for_chunks(job, QUERY_A, chunk_a));
    times->msm_a_ns = clock_ns() - begin;
    return for_chunks(job, QUERY_B, chunk_b);
}

static Status assemble(Job *job, Proof *out, const Randomisers *fixed)
{
    uint64_t begin = clock_ns();
    Randomisers zk;
    if (fixed) {
        zk = *fixed;
    } else {
        TRY(fr_random(&zk.r));
        TRY(fr_random(&zk.s));
    }
    proof_assemble(out, job->pk->vk, &job->sums, &zk.r, &zk.s);
    wipe(&zk, sizeof zk);
    job->times->assemble_ns = clock_ns() - begin;
    return OK;
}

static Status run(Job *job, Proof *out, const Randomisers *fixed)
{
    uint64_t begin = clock_ns();
    TRY(evaluate(job));
    uint64_t evaluated = clock_ns();
    job->times->eval_ns = evaluated - begin;
    TRY(poll_cancel(job));
    TRY(domain_new(&job->domain, r1cs_log_domain(job->r1cs), job->pool));
    TRY(quotient(job));
    domain_free(&job->domain);
    job->times->quotient_ns = clock_ns() - evaluated;
    TRY(sum_all(job));
    return assemble(job, out, fixed);
}

Status prove(Proof *out, const R1cs *r1cs, const PkView *pk, const Assignment *z,
             const Randomisers *fixed, const volatile bool *cancel, Pool *pool, ProveTimes *times)
{
    const R1csShape *shape = r1cs_shape(r1cs);
    CHECK(z->n_inputs == shape->n_inputs && z->n_aux == shape->n_aux);
    TRY(pk_matches(pk, r1cs));
    ProveTimes unused = {0};
    Job job = {
        .r1cs = r1cs,
        .pk = pk,
        .z = z,
        .cancel = cancel,
        .pool = pool,
        .times = times ? times : &unused,
        .n = (size_t)1 << r1cs_log_domain(r1cs),
    };
    job.times->msm_b1_ns = job.times->msm_b2_ns = 0;
    Proof proof;
    Status status = run(&job, &proof, fixed);
    release(&job, &job.a);
    release(&job, &job.b);
    release(&job, &job.c);
    domain_free(&job.domain);
    query_scalars_free(&job.scalars);
    if (status == OK)
        *out = proof;
    return status;
}

uint64_t prove_bytes(unsigned log_domain, size_t n_aux, size_t n_fields, unsigned threads)
{
    uint64_t n = 1ull << log_domain;
    uint64_t full = n_fields < CHUNK_FULL ? n_fields : CHUNK_FULL;
    uint64_t full_h = n < CHUNK_FULL ? n : CHUNK_FULL;
    uint64_t transforms =
        3 * n * sizeof(Fr) + domain_bytes(log_domain) + ntt_scratch_bytes(log_domain, threads);
    uint64_t sum_of_h = n * sizeof(Fr) + msm_g1_scratch_bytes(full_h, threads);
    uint64_t scalars = n_aux / 8 + full * (sizeof(FrCanon) + sizeof(uint32_t));
    uint64_t sum_of_b = scalars + msm_g2_scratch_bytes(full, threads);
    uint64_t peak = transforms > sum_of_h ? transforms : sum_of_h;
    uint64_t assignment = n_aux / 8 + 8 + n_fields * sizeof(Fr);
    return assignment + (peak > sum_of_b ? peak : sum_of_b);
}
