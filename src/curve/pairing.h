/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The optimal ate pairing of BLS12-381 and the product check that verification needs. */
#ifndef CUZK_CURVE_PAIRING_H
#define CUZK_CURVE_PAIRING_H

#include "curve/curve.h"

/* Fp12 = Fp6[w]/(w^2 - v), Fp6 = Fp2[v]/(v^3 - (1 + u)) */
typedef struct {
    Fp2 c0, c1, c2;
} Fp6;
typedef struct {
    Fp6 c0, c1;
} Fp12;

void fp12_one(Fp12 *out);
bool fp12_eq(const Fp12 *a, const Fp12 *b);
void fp12_mul(Fp12 *out, const Fp12 *a, const Fp12 *b);
void fp12_conj(Fp12 *out, const Fp12 *a); /* the inverse in the cyclotomic subgroup */
void fp12_pow(Fp12 *out, const Fp12 *a, const FrCanon *e);

/* Product of Miller loops over n pairs (infinity on either side contributes 1), one shared
 * squaring chain. Points must be in their subgroups. */
Status pairing_miller(Fp12 *out, const G1Affine *p, const G2Affine *q, size_t n);
void pairing_final_exp(Fp12 *out, const Fp12 *f);
/* out = product of e(p[i], q[i]). */
Status pairing_product(Fp12 *out, const G1Affine *p, const G2Affine *q, size_t n);

#endif
