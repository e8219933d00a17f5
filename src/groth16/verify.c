/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Verification of one proof, and of many at once under random weights. */
#include "base/random.h"
#include "groth16/groth16_impl.h"

#include <string.h>

struct PreparedVk {
    Vk vk;
    Fp12 alpha_beta; /* e(alpha, beta) */
};

static Status check_subgroup_g1(const G1Affine *p, const char *name, size_t index)
{
    if (!g1_on_curve(p) || !g1_in_subgroup(p))
        FAIL(ERR_INVALID, "verifying key: %s %zu is not in the subgroup of order r", name, index);
    return OK;
}

static Status check_subgroup_g2(const G2Affine *p, const char *name)
{
    if (!g2_on_curve(p) || !g2_in_subgroup(p))
        FAIL(ERR_INVALID, "verifying key: %s is not in the subgroup of order r", name);
    return OK;
}

static Status check_points(const Vk *vk)
{
    TRY(check_subgroup_g1(&vk->alpha_g1, "alpha_g1", 0));
    TRY(check_subgroup_g1(&vk->beta_g1, "beta_g1", 0));
    TRY(check_subgroup_g1(&vk->delta_g1, "delta_g1", 0));
    TRY(check_subgroup_g2(&vk->beta_g2, "beta_g2"));
    TRY(check_subgroup_g2(&vk->gamma_g2, "gamma_g2"));
    TRY(check_subgroup_g2(&vk->delta_g2, "delta_g2"));
    for (size_t i = 0; i < vk->n_inputs; i++)
        TRY(check_subgroup_g1(&vk->ic[i], "ic", i));
    return OK;
}

Status vk_prepare(PreparedVk **out, const Vk *vk)
{
    if (vk->n_inputs == 0)
        FAIL(ERR_INVALID, "verifying key: no inputs, expected at least the one");
    TRY(vk_check(vk));
    TRY(check_points(vk));
    PreparedVk *prepared = malloc(sizeof *prepared);
    G1Affine *ic = malloc(vk->n_inputs * sizeof *ic);
    if (!prepared || !ic) {
        free(prepared);
        free(ic);
        FAIL(ERR_MEMORY, "verifying key: no memory for %zu inputs", vk->n_inputs);
    }
    memcpy(ic, vk->ic, vk->n_inputs * sizeof *ic);
    prepared->vk = *vk;
    prepared->vk.ic = ic;
    Status status = pairing_product(&prepared->alpha_beta, &vk->alpha_g1, &vk->beta_g2, 1);
    if (status != OK) {
        vk_prepared_free(&prepared);
        return status;
    }
    *out = prepared;
    return OK;
}

void vk_prepared_free(PreparedVk **vk)
{
    if (*vk)
        free((*vk)->vk.ic);
    free(*vk);
    *vk = NULL;
}

size_t vk_prepared_inputs(const PreparedVk *vk)
{
    return vk->vk.n_inputs;
}

/* a < r: Fr is always reduced unless a caller filled it with foreign bytes. */
static bool is_reduced(const Fr *a)
{
    static const uint64_t order[4] = FR_ORDER;
    for (int i = 3; i >= 0; i--)
        if (a->l[i] != order[i])
            return a->l[i] < order[i];
    return false;
}

static Status check_inputs(const PreparedVk *vk, const Fr *inputs, size_t n_inputs, size_t n)
{
    if (n_inputs != vk->vk.n_inputs - 1)
        FAIL(ERR_FORMAT, "verify: %zu public inputs, this key expects %zu", n_inputs,
             vk->vk.n_inputs - 1);
    for (size_t i = 0; i < n * n_inputs; i++)
        if (!is_reduced(&inputs[i]))
            FAIL(ERR_FORMAT, "verify: public input %zu is not reduced", i);
    return OK;
}

/* out = sum scalars[i] ic[i] */
static Status combine_ic(G1Affine *out, const PreparedVk *vk, const FrCanon *scalars)
{
    G1Xyzz sum;
    size_t n = vk->vk.n_inputs;
    TRY(msm_g1(&sum, vk->vk.ic, n, &(MsmScalars){.n_full = n, .full = scalars}, NULL));
    g1_to_affine(out, &sum);
    return OK;
}

/* e(A, B) e(-IC, gamma) e(-C, delta) = e(alpha, beta) */
static Status verify_scaled(const PreparedVk *vk, const Proof *proof, const Fr *inputs,
                            FrCanon *scalars)
{
    scalars[0] = (FrCanon){{1}};
    for (size_t i = 1; i < vk->vk.n_inputs; i++)
        fr_to_canon(&scalars[i], &inputs[i - 1]);
    G1Affine p[3] = {proof->a};
    G2Affine q[3] = {proof->b, vk->vk.gamma_g2, vk->vk.delta_g2};
    TRY(combine_ic(&p[1], vk, scalars));
    g1_affine_neg(&p[1], &p[1]);
    g1_affine_neg(&p[2], &proof->c);
    Fp12 product;
    TRY(pairing_product(&product, p, q, 3));
    if (!fp12_eq(&product, &vk->alpha_beta))
        FAIL(ERR_INVALID, "proof does not verify");
    return OK;
}

Status verify(const PreparedVk *vk, const Proof *proof, const Fr *inputs, size_t n_inputs)
{
    TRY(check_inputs(vk, inputs, n_inputs, 1));
    TRY(proof_check(proof));
    FrCanon *scalars = malloc(vk->vk.n_inputs * sizeof *scalars);
    if (!scalars)
        FAIL(ERR_MEMORY, "verify: no memory for %zu inputs", n_inputs);
    Status status = verify_scaled(vk, proof, inputs, scalars);
    free(scalars);
    return status;
}

/* A non-zero weight of 128 bits. */
static Status draw_weight(FrCanon *out)
{
    do {
        *out = (FrCanon){0};
        TRY(random_bytes(out->l, 16));
    } while (!(out->l[0] | out->l[1]));
    return OK;
}

typedef struct {
    const PreparedVk *vk;
    const Proof *proofs;
    const Fr *inputs;
    size_t n;
    FrCanon *weights; /* [n] */
    FrCanon *scalars; /* [n_inputs] of ic */
    G1Affine *p;      /* [n + 2] */
    G2Affine *q;      /* [n + 2] */
} Batch;

static void batch_free(Batch *b)
{
    free(b->weights);
    free(b->scalars);
    free(b->p);
    free(b->q);
}

static Status batch_new(Batch *b)
{
    b->weights = malloc(b->n * sizeof *b->weights);
    b->scalars = malloc(b->vk->vk.n_inputs * sizeof *b->scalars);
    b->p = malloc((b->n + 2) * sizeof *b->p);
    b->q = malloc((b->n + 2) * sizeof *b->q);
    if (b->weights && b->scalars && b->p && b->q)
        return OK;
    batch_free(b);
    FAIL(ERR_MEMORY, "verify: no memory for a batch of %zu", b->n);
}

/* The scalars of ic: sum of weights for ONE, weighted sums of the inputs for the others. total:
 * the sum of weights. */
static void weigh_inputs(Batch *b, FrCanon *total)
{
    size_t n_inputs = b->vk->vk.n_inputs - 1;
    Fr sum = FR_ZERO;
    for (size_t j = 0; j < b->n; j++) {
        Fr weight;
        fr_from_canon(&weight, &b->weights[j]);
        fr_add(&sum, &sum, &weight);
    }
    fr_to_canon(total, &sum);
    b->scalars[0] = *total;
    for (size_t i = 0; i < n_inputs; i++) {
        sum = FR_ZERO;
        for (size_t j = 0; j < b->n; j++) {
            Fr term;
            fr_from_canon(&term, &b->weights[j]);
            fr_mul(&term, &term, &b->inputs[j * n_inputs + i]);
            fr_add(&sum, &sum, &term);
        }
        fr_to_canon(&b->scalars[i + 1], &sum);
    }
}

/* prod e(z_j A_j, B_j) e(-sum z_j C_j, delta) e(-sum z_j IC_j, gamma) = e(alpha, beta)^(sum z_j) */
static Status verify_weighted(Batch *b)
{
    size_t n = b->n;
    G1Xyzz sum_c, term;
    g1_xyzz_set_infinity(&sum_c);
    for (size_t j = 0; j < n; j++) {
        TRY(proof_check(&b->proofs[j]));
        TRY(draw_weight(&b->weights[j]));
        g1_mul_affine(&term, &b->proofs[j].c, &b->weights[j]);
        g1_add(&sum_c, &sum_c, &term);
        g1_mul_affine(&term, &b->proofs[j].a, &b->weights[j]);
        g1_to_affine(&b->p[j], &term);
        b->q[j] = b->proofs[j].b;
    }
    FrCanon total;
    weigh_inputs(b, &total);
    TRY(combine_ic(&b->p[n], b->vk, b->scalars));
    g1_affine_neg(&b->p[n], &b->p[n]);
    b->q[n] = b->vk->vk.gamma_g2;
    g1_neg(&sum_c, &sum_c);
    g1_to_affine(&b->p[n + 1], &sum_c);
    b->q[n + 1] = b->vk->vk.delta_g2;

    Fp12 product, expected;
    TRY(pairing_product(&product, b->p, b->q, n + 2));
    fp12_pow(&expected, &b->vk->alpha_beta, &total);
    if (!fp12_eq(&product, &expected))
        FAIL(ERR_INVALID, "at least one of %zu proofs does not verify", n);
    return OK;
}

Status verify_batch(const PreparedVk *vk, const Proof *proofs, const Fr *inputs, size_t n_inputs,
                    size_t n)
{
    if (n == 0)
        return OK;
    if (n == 1)
        return verify(vk, proofs, inputs, n_inputs);
    TRY(check_inputs(vk, inputs, n_inputs, n));
    Batch batch = {.vk = vk, .proofs = proofs, .inputs = inputs, .n = n};
    TRY(batch_new(&batch));
    Status status = verify_weighted(&batch);
    batch_free(&batch);
    return status;
}
