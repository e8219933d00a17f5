/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Double-and-add: the referee of the fast sums. */
#include "msm/msm.h"

void msm_g1_ref(G1Xyzz *out, const G1Affine *points, const FrCanon *scalars, size_t n)
{
    G1Xyzz sum, term;
    g1_xyzz_set_infinity(&sum);
    for (size_t i = 0; i < n; i++) {
        g1_mul_affine(&term, &points[i], &scalars[i]);
        g1_add(&sum, &sum, &term);
    }
    *out = sum;
}

void msm_g2_ref(G2Xyzz *out, const G2Affine *points, const FrCanon *scalars, size_t n)
{
    G2Xyzz sum, term;
    g2_xyzz_set_infinity(&sum);
    for (size_t i = 0; i < n; i++) {
        g2_mul_affine(&term, &points[i], &scalars[i]);
        g2_add(&sum, &sum, &term);
    }
    *out = sum;
}
