/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Fr, Fp and Fp2 of BLS12-381: the contract. */
#ifndef CUZK_FIELD_FIELD_H
#define CUZK_FIELD_FIELD_H

#include "base/status.h"
#include "field/types.h"

extern const Fr FR_ZERO, FR_ONE;
extern const Fp FP_ZERO, FP_ONE;
extern const Fp2 FP2_ZERO, FP2_ONE;

/* Results may alias operands everywhere. Variable time. The bodies (mont_tmpl.h: portable host
 * and device body; field_x86_64.S: generated mulx/adx, chosen at run time by cpu_features.adx)
 * are included at the end of this header where inlining pays. */
#define FIELD_DECLARE(T, t)                                                                        \
    static inline bool t##_is_zero(const T *a);                                                    \
    static inline bool t##_eq(const T *a, const T *b);                                             \
    static inline void t##_add(T *out, const T *a, const T *b);                                    \
    static inline void t##_sub(T *out, const T *a, const T *b);                                    \
    static inline void t##_dbl(T *out, const T *a);                                                \
    static inline void t##_neg(T *out, const T *a);                                                \
    static inline void t##_mul(T *out, const T *a, const T *b);                                    \
    static inline void t##_sqr(T *out, const T *a);                                                \
    /* 1/a; 0 for 0. */                                                                            \
    void t##_inv(T *out, const T *a);                                                              \
    /* a^e, e: limbs little-endian 64-bit words. */                                                \
    void t##_pow(T *out, const T *a, const uint64_t *e, size_t limbs);                             \
    /* Replace each non-zero a[i] by 1/a[i]; zeros stay. scratch: n elements. */                   \
    void t##_inv_batch(T *a, size_t n, T *scratch);                                                \
    /* A square root if there is one (false: out untouched). Which of the two is not specified. */ \
    bool t##_sqrt(T *out, const T *a);

/* clang-format off */
FIELD_DECLARE(Fr, fr)
FIELD_DECLARE(Fp, fp)
FIELD_DECLARE(Fp2, fp2)
/* clang-format on */

void fr_from_u64(Fr *out, uint64_t value);
void fr_from_canon(Fr *out, const FrCanon *a);
void fr_to_canon(FrCanon *out, const Fr *a);
/* 32 bytes little-endian; false when the integer is >= r (out untouched). */
bool fr_from_le(Fr *out, const uint8_t bytes[32]);
void fr_to_le(uint8_t bytes[32], const Fr *a);
/* 64 bytes little-endian reduced mod r: uniform when the bytes are. */
void fr_from_wide_le(Fr *out, const uint8_t bytes[64]);
/* Uniform from getrandom. */
Status fr_random(Fr *out);

void fp_from_u64(Fp *out, uint64_t value);
void fp_from_canon(Fp *out, const FpCanon *a);
void fp_to_canon(FpCanon *out, const Fp *a);
/* 48 bytes big-endian; false when >= p. */
bool fp_from_be(Fp *out, const uint8_t bytes[48]);
void fp_to_be(uint8_t bytes[48], const Fp *a);
/* Lexicographic sign of the Zcash encoding: a > (p-1)/2; Fp2: c1 decides unless it is 0. */
bool fp_is_larger(const Fp *a);
bool fp2_is_larger(const Fp2 *a);
static inline void fp2_mul_fp(Fp2 *out, const Fp2 *a, const Fp *b);
static inline void fp2_conj(Fp2 *out, const Fp2 *a);
/* times 1 + u, the non-residue of the tower */
static inline void fp2_mul_xi(Fp2 *out, const Fp2 *a);

#include "field/field_inline.h"

#endif
