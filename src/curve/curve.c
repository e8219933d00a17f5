/* SPDX-License-Identifier: MIT OR Apache-2.0
 * G1 and G2: formulas from the template, and the subgroup checks. */
#include "curve/curve.h"

const G1Affine G1_GENERATOR = G1_GENERATOR_INIT;
const G2Affine G2_GENERATOR = G2_GENERATOR_INIT;

static const Fp g1_b = FP_FOUR;
static const Fp2 g2_b = {FP_FOUR, FP_FOUR};

#define CURVE_AFFINE G1Affine
#define CURVE_XYZZ G1Xyzz
#define CURVE_FIELD Fp
#define CURVE_NAME(op) g1_##op
#define CURVE_F(op) fp_##op
#define CURVE_ZERO FP_ZERO
#define CURVE_ONE FP_ONE
#define CURVE_B g1_b
#include "curve/curve_tmpl.h"

#define CURVE_AFFINE G2Affine
#define CURVE_XYZZ G2Xyzz
#define CURVE_FIELD Fp2
#define CURVE_NAME(op) g2_##op
#define CURVE_F(op) fp2_##op
#define CURVE_ZERO FP2_ZERO
#define CURVE_ONE FP2_ONE
#define CURVE_B g2_b
#include "curve/curve_tmpl.h"

/* The curve parameter is z = -|z|, |z| = 2^63 + 2^62 + 2^60 + 2^57 + 2^48 + 2^16: |z| P by runs of
 * doublings between the bits. */
#define MUL_Z_ABS(X, g)                                                                            \
    static void g##_mul_z_abs(X *out, const X *p)                                                  \
    {                                                                                              \
        static const unsigned runs[] = {1, 2, 3, 9, 32};                                           \
        X sum = *p;                                                                                \
        for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {                                  \
            g##_dbl_n(&sum, &sum, runs[i]);                                                        \
            g##_add(&sum, &sum, p);                                                                \
        }                                                                                          \
        g##_dbl_n(out, &sum, 16);                                                                  \
    }
/* clang-format off */
MUL_Z_ABS(G1Xyzz, g1)
MUL_Z_ABS(G2Xyzz, g2)
/* clang-format on */

/* Scott, "A note on group membership tests for G1, G2 and GT" (2021): P is in the subgroup iff
 * phi(P) = -z^2 P, phi(x, y) = (beta x, y). Which of the two cube roots fits was found by trial
 * and is pinned by the tests. */
bool g1_in_subgroup(const G1Affine *p)
{
    static const Fp beta = FP_BETA;
    if (g1_affine_is_infinity(p))
        return true;
    G1Xyzz start, zp;
    G1Affine phi = *p;
    g1_from_affine(&start, p);
    g1_mul_z_abs(&zp, &start);
    start = zp;
    g1_mul_z_abs(&zp, &start);
    fp_mul(&phi.x, &p->x, &beta);
    g1_add_affine(&zp, &zp, &phi); /* z^2 P + phi(P) = 0 */
    return g1_xyzz_is_infinity(&zp);
}

/* Q is in the subgroup iff psi(Q) = z Q, psi the twisted Frobenius: conjugate the coordinates and
 * multiply by powers of 1/xi. */
bool g2_in_subgroup(const G2Affine *p)
{
    static const Fp2 psi_x = FP2_PSI_X, psi_y = FP2_PSI_Y;
    if (g2_affine_is_infinity(p))
        return true;
    G2Xyzz start, zp;
    G2Affine psi;
    g2_from_affine(&start, p);
    fp2_conj(&psi.x, &p->x);
    fp2_conj(&psi.y, &p->y);
    fp2_mul(&psi.x, &psi.x, &psi_x);
    fp2_mul(&psi.y, &psi.y, &psi_y);
    g2_mul_z_abs(&zp, &start);
    g2_add_affine(&zp, &zp, &psi); /* |z| Q + psi(Q) = 0 */
    return g2_xyzz_is_infinity(&zp);
}
