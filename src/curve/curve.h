/* SPDX-License-Identifier: MIT OR Apache-2.0
 * G1 and G2 of BLS12-381: points, formulas, encodings, checks, fixed-base tables. */
#ifndef CUZK_CURVE_CURVE_H
#define CUZK_CURVE_CURVE_H

#include "base/pool.h"
#include "field/field.h"

/* y^2 = x^3 + 4 over Fp; y^2 = x^3 + 4(1+u) over Fp2. Affine (0, 0) is the point at infinity.
 * Xyzz: x = X/ZZ, y = Y/ZZZ, ZZ^3 = ZZZ^2; ZZ = 0 is infinity. */
typedef struct {
    Fp x, y;
} G1Affine;
typedef struct {
    Fp x, y, zz, zzz;
} G1Xyzz;
typedef struct {
    Fp2 x, y;
} G2Affine;
typedef struct {
    Fp2 x, y, zz, zzz;
} G2Xyzz;

extern const G1Affine G1_GENERATOR;
extern const G2Affine G2_GENERATOR;

enum { G1_COMPRESSED = 48, G1_UNCOMPRESSED = 96, G2_COMPRESSED = 96, G2_UNCOMPRESSED = 192 };

/* One template for both groups. All formulas are complete (infinity, P + P, P - P); results may
 * alias operands. Scalars are canonical. */
#define CURVE_DECLARE(A, X, F, g, COMPRESSED, UNCOMPRESSED)                                        \
    bool g##_affine_is_infinity(const A *p);                                                       \
    bool g##_affine_eq(const A *p, const A *q);                                                    \
    void g##_affine_neg(A *out, const A *p);                                                       \
    bool g##_xyzz_is_infinity(const X *p);                                                         \
    bool g##_xyzz_eq(const X *p, const X *q);                                                      \
    void g##_xyzz_set_infinity(X *out);                                                            \
    void g##_from_affine(X *out, const A *p);                                                      \
    void g##_to_affine(A *out, const X *p);                                                        \
    /* One shared inversion; out, p: n points. */                                                  \
    Status g##_to_affine_batch(A *out, const X *p, size_t n);                                      \
    void g##_dbl(X *out, const X *p);                                                              \
    void g##_dbl_n(X *out, const X *p, unsigned n); /* 2^n p */                                    \
    void g##_add(X *out, const X *p, const X *q);                                                  \
    void g##_add_affine(X *out, const X *p, const A *q);                                           \
    void g##_neg(X *out, const X *p);                                                              \
    void g##_mul(X *out, const X *p, const FrCanon *k);                                            \
    void g##_mul_affine(X *out, const A *p, const FrCanon *k);                                     \
    bool g##_on_curve(const A *p);    /* infinity counts as on the curve */                        \
    bool g##_in_subgroup(const A *p); /* p must be on the curve */                                 \
    /* Zcash encodings, big-endian, three flag bits (compressed, infinity, sign). Decoders check   \
     * flags, canonical coordinates and the curve equation, not the subgroup. */                   \
    Status g##_decode(A *out, const uint8_t bytes[UNCOMPRESSED]);                                  \
    Status g##_decode_compressed(A *out, const uint8_t bytes[COMPRESSED]);                         \
    void g##_encode(uint8_t bytes[UNCOMPRESSED], const A *p);                                      \
    void g##_encode_compressed(uint8_t bytes[COMPRESSED], const A *p);                             \
    /* p[i] += q[i] for i < n, affine, complete, one shared inversion (Montgomery's trick).        \
     * scratch: 2 n field elements. */                                                             \
    void g##_add_batch(A *p, const A *q, size_t n, F *scratch);                                    \
    /* Multiples of one base: windows of `window` bits (1..20). */                                 \
    typedef struct g##_table g##_table;                                                            \
    Status g##_table_new(g##_table **table, const A *base, unsigned window, Pool *pool);           \
    void g##_table_free(g##_table **table);                                                        \
    /* out[i] = k[i] * base, affine, batched additions, threaded. */                               \
    Status g##_table_mul(const g##_table *table, A *out, const FrCanon *k, size_t n, Pool *pool);

/* clang-format off */
CURVE_DECLARE(G1Affine, G1Xyzz, Fp, g1, G1_COMPRESSED, G1_UNCOMPRESSED)
CURVE_DECLARE(G2Affine, G2Xyzz, Fp2, g2, G2_COMPRESSED, G2_UNCOMPRESSED)
/* clang-format on */

#endif
