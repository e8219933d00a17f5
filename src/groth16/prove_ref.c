/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The slow twin of prove: serial, polynomials by their defining sums, sums by double-and-add. */
#include "groth16/groth16_impl.h"

#include <string.h>

/* Plain vectors of a small circuit. c is computed from a and b like in any satisfied instance. */
typedef struct {
    size_t n;            /* domain */
    Fr *a, *b, *c;       /* coefficients */
    Fr *product, *spare; /* [2n] */
    FrCanon *scalars;    /* [max(n, inputs + aux)] */
} Plain;

static void plain_free(Plain *p)
{
    free(p->a);
    free(p->b);
    free(p->c);
    free(p->product);
    free(p->spare);
    free(p->scalars);
}

static Status plain_new(Plain *p, size_t n, size_t variables)
{
    *p = (Plain){.n = n};
    p->a = calloc(n, sizeof(Fr));
    p->b = calloc(n, sizeof(Fr));
    p->c = calloc(n, sizeof(Fr));
    p->product = calloc(2 * n, sizeof(Fr));
    p->spare = calloc(2 * n, sizeof(Fr));
    p->scalars = calloc(n > variables ? n : variables, sizeof(FrCanon));
    if (p->a && p->b && p->c && p->product && p->spare && p->scalars)
        return OK;
    plain_free(p);
    FAIL(ERR_MEMORY, "prove_ref: no memory for a domain of %zu", n);
}

/* omega = 7^((r-1)/2^32 * 2^(32-log)): the root of unity, squared down. */
static void domain_root(Fr *omega, size_t n)
{
    *omega = (Fr)FR_ROOT_OF_UNITY;
    for (size_t m = (size_t)1 << 32; m > n; m /= 2)
        fr_sqr(omega, omega);
}

/* Values on the domain to coefficients, in place: (1/n) sum_k v[k] omega^(-jk). */
static void interpolate(Fr *values, Fr *spare, size_t n)
{
    Fr omega, inverse_n;
    domain_root(&omega, n);
    fr_inv(&omega, &omega);
    fr_from_u64(&inverse_n, n);
    fr_inv(&inverse_n, &inverse_n);
    memcpy(spare, values, n * sizeof *values);
    ntt_ref_dft(values, spare, n, &omega);
    for (size_t j = 0; j < n; j++)
        fr_mul(&values[j], &values[j], &inverse_n);
}

/* h = (a b - c) / (x^n - 1) by long division; the remainder must vanish. */
static Status plain_quotient(Plain *p)
{
    size_t n = p->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            Fr term;
            fr_mul(&term, &p->a[i], &p->b[j]);
            fr_add(&p->product[i + j], &p->product[i + j], &term);
        }
    for (size_t i = 0; i < n; i++)
        fr_sub(&p->product[i], &p->product[i], &p->c[i]);
    for (size_t i = 2 * n - 1; i >= n; i--)
        fr_add(&p->product[i - n], &p->product[i - n], &p->product[i]);
    for (size_t i = 0; i < n; i++)
        if (!fr_is_zero(&p->product[i]))
            FAIL(ERR_INTERNAL, "prove_ref: a b - c is not divisible by x^n - 1");
    for (size_t i = 0; i + 1 < n; i++)
        fr_to_canon(&p->scalars[i], &p->product[n + i]);
    return OK;
}

static bool is_bit(const R1cs *r1cs, size_t j)
{
    uint64_t word;
    r1cs_is_bit(r1cs, &word, j / 64, 1);
    return word >> (j % 64) & 1;
}

/* Canonical values of all aux, unpacked one by one. */
static void unpack(FrCanon *out, const R1cs *r1cs, const Assignment *z)
{
    const Fr *next = z->fields;
    for (size_t j = 0; j < z->n_aux; j++) {
        if (is_bit(r1cs, j))
            out[j] = (FrCanon){{z->bits[j / 64] >> (j % 64) & 1}};
        else
            fr_to_canon(&out[j], next++);
    }
}

/* Scalars of a or b in file order: inputs (all, or the dense ones), then dense aux. */
static size_t select_dense(FrCanon *out, const R1cs *r1cs, const Assignment *z, const FrCanon *aux,
                           bool b)
{
    size_t n = 0;
    for (size_t i = 0; i < z->n_inputs; i++)
        if (!b || r1cs_b_input_density(r1cs, i))
            fr_to_canon(&out[n++], &z->inputs[i]);
    for (size_t j = 0; j < z->n_aux; j++) {
        uint64_t word;
        if (b)
            r1cs_b_density(r1cs, &word, j / 64, 1);
        else
            r1cs_a_density(r1cs, &word, j / 64, 1);
        if (word >> (j % 64) & 1)
            out[n++] = aux[j];
    }
    return n;
}

static Status plain_sums(Sums *sums, Plain *p, const R1cs *r1cs, const PkView *pk,
                         const Assignment *z)
{
    TRY(r1cs_eval(r1cs, z, p->a, p->b, p->n, NULL));
    for (size_t i = 0; i < p->n; i++)
        fr_mul(&p->c[i], &p->a[i], &p->b[i]);
    interpolate(p->a, p->spare, p->n);
    interpolate(p->b, p->spare, p->n);
    interpolate(p->c, p->spare, p->n);
    TRY(plain_quotient(p));
    msm_g1_ref(&sums->h, pk->h, p->scalars, p->n - 1);

    FrCanon *aux = calloc(z->n_aux + 1, sizeof *aux);
    if (!aux)
        FAIL(ERR_MEMORY, "prove_ref: no memory for %zu aux", z->n_aux);
    unpack(aux, r1cs, z);
    msm_g1_ref(&sums->l, pk->l, aux, z->n_aux);
    size_t n = select_dense(p->scalars, r1cs, z, aux, false);
    msm_g1_ref(&sums->a, pk->a, p->scalars, n);
    n = select_dense(p->scalars, r1cs, z, aux, true);
    msm_g1_ref(&sums->b1, pk->b_g1, p->scalars, n);
    msm_g2_ref(&sums->b2, pk->b_g2, p->scalars, n);
    free(aux);
    return OK;
}

Status prove_ref(Proof *out, const R1cs *r1cs, const PkView *pk, const Assignment *z,
                 const Randomisers *fixed)
{
    size_t n = (size_t)1 << r1cs_log_domain(r1cs);
    CHECK(n <= 1 << 16);
    TRY(pk_matches(pk, r1cs));
    Plain plain;
    Sums sums;
    TRY(plain_new(&plain, n, z->n_inputs + z->n_aux));
    Status status = plain_sums(&sums, &plain, r1cs, pk, z);
    plain_free(&plain);
    TRY(status);
    proof_assemble(out, pk->vk, &sums, &fixed->r, &fixed->s);
    return OK;
}
