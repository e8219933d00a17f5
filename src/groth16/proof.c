/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Proofs as bytes, keys against circuits, and the last step of a proof. */
#include "groth16/groth16_impl.h"

#include "base/random.h"

void proof_encode(uint8_t bytes[PROOF_BYTES], const Proof *proof)
{
    g1_encode_compressed(bytes, &proof->a);
    g2_encode_compressed(bytes + G1_COMPRESSED, &proof->b);
    g1_encode_compressed(bytes + G1_COMPRESSED + G2_COMPRESSED, &proof->c);
}

static Status check_g1(const G1Affine *p, const char *name)
{
    if (g1_affine_is_infinity(p))
        FAIL(ERR_FORMAT, "proof: %s is the point at infinity", name);
    if (!g1_on_curve(p) || !g1_in_subgroup(p))
        FAIL(ERR_FORMAT, "proof: %s is not in the subgroup of order r", name);
    return OK;
}

Status proof_check(const Proof *proof)
{
    TRY(check_g1(&proof->a, "A"));
    if (g2_affine_is_infinity(&proof->b))
        FAIL(ERR_FORMAT, "proof: B is the point at infinity");
    if (!g2_on_curve(&proof->b) || !g2_in_subgroup(&proof->b))
        FAIL(ERR_FORMAT, "proof: B is not in the subgroup of order r");
    return check_g1(&proof->c, "C");
}

Status proof_decode(Proof *out, const uint8_t bytes[PROOF_BYTES])
{
    Proof proof;
    Status status = g1_decode_compressed(&proof.a, bytes);
    if (status != OK)
        return status_context(status, "proof: A");
    status = g2_decode_compressed(&proof.b, bytes + G1_COMPRESSED);
    if (status != OK)
        return status_context(status, "proof: B");
    status = g1_decode_compressed(&proof.c, bytes + G1_COMPRESSED + G2_COMPRESSED);
    if (status != OK)
        return status_context(status, "proof: C");
    TRY(proof_check(&proof));
    *out = proof;
    return OK;
}

Status pk_matches(const PkView *pk, const R1cs *r1cs)
{
    const R1csShape *shape = r1cs_shape(r1cs);
    const struct {
        const char *name;
        size_t have, want;
    } sections[] = {
        {"ic", pk->vk->n_inputs, shape->n_inputs},
        {"h", pk->n_h, ((size_t)1 << r1cs_log_domain(r1cs)) - 1},
        {"l", pk->n_l, shape->n_aux},
        {"a", pk->n_a, shape->n_inputs + shape->a_aux_density},
        {"b", pk->n_b, shape->b_input_density + shape->b_aux_density},
    };
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (sections[i].have != sections[i].want)
            FAIL(ERR_INVALID,
                 "key does not belong to this circuit: section %s has %zu points, "
                 "expected %zu",
                 sections[i].name, sections[i].have, sections[i].want);
    return OK;
}

Status vk_check(const Vk *vk)
{
    if (g1_affine_is_infinity(&vk->delta_g1) || g2_affine_is_infinity(&vk->delta_g2))
        FAIL(ERR_INVALID, "verifying key: delta is the point at infinity");
    if (g2_affine_is_infinity(&vk->gamma_g2))
        FAIL(ERR_INVALID, "verifying key: gamma is the point at infinity");
    if (g2_affine_eq(&vk->gamma_g2, &vk->delta_g2))
        FAIL(ERR_INVALID, "verifying key: gamma equals delta");
    if (g1_affine_eq(&vk->delta_g1, &G1_GENERATOR) || g2_affine_eq(&vk->delta_g2, &G2_GENERATOR))
        FAIL(ERR_INVALID, "verifying key: delta is the generator, the key had no setup of its own");
    if (g1_affine_is_infinity(&vk->alpha_g1) || g1_affine_is_infinity(&vk->beta_g1) ||
        g2_affine_is_infinity(&vk->beta_g2))
        FAIL(ERR_INVALID, "verifying key: alpha or beta is the point at infinity");
    return OK;
}

void vanishing_at(Fr *out, const Fr *a, unsigned log_m)
{
    Fr power = *a;
    for (unsigned i = 0; i < log_m; i++)
        fr_sqr(&power, &power);
    fr_sub(out, &power, &FR_ONE);
}

/* out += k p */
static void g1_add_product(G1Xyzz *out, const G1Xyzz *p, const FrCanon *k)
{
    G1Xyzz product;
    g1_mul(&product, p, k);
    g1_add(out, out, &product);
}

void proof_assemble(Proof *out, const Vk *vk, const Sums *sums, const Fr *r, const Fr *s)
{
    Fr minus_rs;
    fr_mul(&minus_rs, r, s);
    fr_neg(&minus_rs, &minus_rs);
    FrCanon kr, ks, kmrs;
    fr_to_canon(&kr, r);
    fr_to_canon(&ks, s);
    fr_to_canon(&kmrs, &minus_rs);

    G1Xyzz delta, a, b1, c;
    g1_from_affine(&delta, &vk->delta_g1);
    g1_add_affine(&a, &sums->a, &vk->alpha_g1);
    g1_add_product(&a, &delta, &kr);
    g1_add_affine(&b1, &sums->b1, &vk->beta_g1);
    g1_add_product(&b1, &delta, &ks);
    g1_add(&c, &sums->h, &sums->l);
    g1_add_product(&c, &a, &ks);
    g1_add_product(&c, &b1, &kr);
    g1_add_product(&c, &delta, &kmrs);

    G2Xyzz b2, s_delta;
    g2_mul_affine(&s_delta, &vk->delta_g2, &ks);
    g2_add_affine(&b2, &sums->b2, &vk->beta_g2);
    g2_add(&b2, &b2, &s_delta);

    g1_to_affine(&out->a, &a);
    g1_to_affine(&out->c, &c);
    g2_to_affine(&out->b, &b2);
    wipe(&kr, sizeof kr);
    wipe(&ks, sizeof ks);
    wipe(&kmrs, sizeof kmrs);
    wipe(&minus_rs, sizeof minus_rs);
}
