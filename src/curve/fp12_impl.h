/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Tower operations shared by fp12.c and pairing.c. Results may alias operands. */
#ifndef CUZK_CURVE_FP12_IMPL_H
#define CUZK_CURVE_FP12_IMPL_H

#include "curve/pairing.h"

void fp6_add(Fp6 *out, const Fp6 *a, const Fp6 *b);
void fp6_sub(Fp6 *out, const Fp6 *a, const Fp6 *b);
void fp6_neg(Fp6 *out, const Fp6 *a);
void fp6_mul_v(Fp6 *out, const Fp6 *a);
void fp6_mul(Fp6 *out, const Fp6 *a, const Fp6 *b);
void fp6_inv(Fp6 *out, const Fp6 *a);
void fp12_sqr(Fp12 *out, const Fp12 *a);
void fp12_inv(Fp12 *out, const Fp12 *a);
void fp12_frobenius(Fp12 *out, const Fp12 *a);

#endif
