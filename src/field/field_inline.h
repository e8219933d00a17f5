/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The inline bodies of field.h, which includes them at its end. */
#ifndef CUZK_FIELD_FIELD_INLINE_H
#define CUZK_FIELD_FIELD_INLINE_H

#include "base/cpu.h"
#include "field/field.h"
#include "field/field_consts.h"

#define FIELD_T Fr
#define FIELD_N 4
#define FIELD_NAME(op) fr_##op
#define FIELD_MODULUS FR_MODULUS
#define FIELD_INV FR_INV
#include "field/mont_tmpl.h"

#define FIELD_T Fp
#define FIELD_N 6
#define FIELD_NAME(op) fp_##op
#define FIELD_MODULUS FP_MODULUS
#define FIELD_INV FP_INV
#include "field/mont_tmpl.h"

#if defined(__x86_64__) && !defined(__CUDACC__)
#define FIELD_X86 1
extern const uint64_t fr_modulus_words[4], fp_modulus_words[6];
void fr_mul_adx(Fr *out, const Fr *a, const Fr *b);
void fp_mul_adx(Fp *out, const Fp *a, const Fp *b);
void fp_sqr_adx(Fp *out, const Fp *a);
void fp2_mul_adx(Fp2 *out, const Fp2 *a, const Fp2 *b);

/* Carry chains that a compiler does not make of C; the same values as the portable twins. */
static inline void fr_add(Fr *out, const Fr *a, const Fr *b)
{
    uint64_t t0 = a->l[0], t1 = a->l[1], t2 = a->l[2], t3 = a->l[3], s0, s1, s2, s3;
    __asm__("addq %[b0], %[t0]\n\tadcq %[b1], %[t1]\n\tadcq %[b2], %[t2]\n\tadcq %[b3], %[t3]\n\t"
            "movq %[t0], %[s0]\n\tmovq %[t1], %[s1]\n\tmovq %[t2], %[s2]\n\tmovq %[t3], %[s3]\n\t"
            "subq %[m0], %[s0]\n\tsbbq %[m1], %[s1]\n\tsbbq %[m2], %[s2]\n\tsbbq %[m3], %[s3]\n\t"
            "cmovcq %[t0], %[s0]\n\tcmovcq %[t1], %[s1]\n\tcmovcq %[t2], %[s2]\n\t"
            "cmovcq %[t3], %[s3]"
            : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [s0] "=&r"(s0),
              [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3)
            : [b0] "m"(b->l[0]), [b1] "m"(b->l[1]), [b2] "m"(b->l[2]), [b3] "m"(b->l[3]),
              [m0] "m"(fr_modulus_words[0]), [m1] "m"(fr_modulus_words[1]),
              [m2] "m"(fr_modulus_words[2]), [m3] "m"(fr_modulus_words[3])
            : "cc");
    out->l[0] = s0;
    out->l[1] = s1;
    out->l[2] = s2;
    out->l[3] = s3;
}

static inline void fr_sub(Fr *out, const Fr *a, const Fr *b)
{
    uint64_t t0 = a->l[0], t1 = a->l[1], t2 = a->l[2], t3 = a->l[3], m0, m1, m2, m3;
    __asm__("subq %[b0], %[t0]\n\tsbbq %[b1], %[t1]\n\tsbbq %[b2], %[t2]\n\tsbbq %[b3], %[t3]\n\t"
            "sbbq %[m0], %[m0]\n\t"
            "movq %[m0], %[m1]\n\tmovq %[m0], %[m2]\n\tmovq %[m0], %[m3]\n\t"
            "andq %[p0], %[m0]\n\tandq %[p1], %[m1]\n\tandq %[p2], %[m2]\n\tandq %[p3], %[m3]\n\t"
            "addq %[m0], %[t0]\n\tadcq %[m1], %[t1]\n\tadcq %[m2], %[t2]\n\tadcq %[m3], %[t3]"
            : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [m0] "=&r"(m0),
              [m1] "=&r"(m1), [m2] "=&r"(m2), [m3] "=&r"(m3)
            : [b0] "m"(b->l[0]), [b1] "m"(b->l[1]), [b2] "m"(b->l[2]), [b3] "m"(b->l[3]),
              [p0] "m"(fr_modulus_words[0]), [p1] "m"(fr_modulus_words[1]),
              [p2] "m"(fr_modulus_words[2]), [p3] "m"(fr_modulus_words[3])
            : "cc");
    out->l[0] = t0;
    out->l[1] = t1;
    out->l[2] = t2;
    out->l[3] = t3;
}

void fp_add_x86(Fp *out, const Fp *a, const Fp *b);
void fp_sub_x86(Fp *out, const Fp *a, const Fp *b);
static inline void fp_add(Fp *out, const Fp *a, const Fp *b)
{
    fp_add_x86(out, a, b);
}
static inline void fp_sub(Fp *out, const Fp *a, const Fp *b)
{
    fp_sub_x86(out, a, b);
}
static inline void fr_mul(Fr *out, const Fr *a, const Fr *b)
{
    if (__builtin_expect(cpu_features.adx, 1))
        fr_mul_adx(out, a, b);
    else
        fr_mul_portable(out, a, b);
}
static inline void fp_mul(Fp *out, const Fp *a, const Fp *b)
{
    if (__builtin_expect(cpu_features.adx, 1))
        fp_mul_adx(out, a, b);
    else
        fp_mul_portable(out, a, b);
}
#else
#define FIELD_PORTABLE(T, t)                                                                       \
    static inline void t##_add(T *out, const T *a, const T *b)                                     \
    {                                                                                              \
        t##_add_portable(out, a, b);                                                               \
    }                                                                                              \
    static inline void t##_sub(T *out, const T *a, const T *b)                                     \
    {                                                                                              \
        t##_sub_portable(out, a, b);                                                               \
    }                                                                                              \
    static inline void t##_mul(T *out, const T *a, const T *b)                                     \
    {                                                                                              \
        t##_mul_portable(out, a, b);                                                               \
    }
/* clang-format off */
FIELD_PORTABLE(Fr, fr)
FIELD_PORTABLE(Fp, fp)
/* clang-format on */
#endif

#define FIELD_SMALL(T, t, N, ZERO)                                                                 \
    static inline bool t##_is_zero(const T *a)                                                     \
    {                                                                                              \
        uint64_t bits = 0;                                                                         \
        for (int i = 0; i < N; i++)                                                                \
            bits |= a->l[i];                                                                       \
        return bits == 0;                                                                          \
    }                                                                                              \
    static inline bool t##_eq(const T *a, const T *b)                                              \
    {                                                                                              \
        uint64_t bits = 0;                                                                         \
        for (int i = 0; i < N; i++)                                                                \
            bits |= a->l[i] ^ b->l[i];                                                             \
        return bits == 0;                                                                          \
    }                                                                                              \
    static inline void t##_dbl(T *out, const T *a)                                                 \
    {                                                                                              \
        t##_add(out, a, a);                                                                        \
    }                                                                                              \
    static inline void t##_neg(T *out, const T *a)                                                 \
    {                                                                                              \
        t##_sub(out, &ZERO, a);                                                                    \
    }
/* clang-format off */
FIELD_SMALL(Fr, fr, 4, FR_ZERO)
FIELD_SMALL(Fp, fp, 6, FP_ZERO)
/* clang-format on */

static inline void fr_sqr(Fr *out, const Fr *a)
{
    fr_mul(out, a, a);
}
static inline void fp_sqr(Fp *out, const Fp *a)
{
#ifdef FIELD_X86
    if (__builtin_expect(cpu_features.adx, 1)) {
        fp_sqr_adx(out, a);
        return;
    }
#endif
    fp_mul(out, a, a);
}

static inline bool fp2_is_zero(const Fp2 *a)
{
    return fp_is_zero(&a->c0) && fp_is_zero(&a->c1);
}
static inline bool fp2_eq(const Fp2 *a, const Fp2 *b)
{
    return fp_eq(&a->c0, &b->c0) && fp_eq(&a->c1, &b->c1);
}
static inline void fp2_add(Fp2 *out, const Fp2 *a, const Fp2 *b)
{
    fp_add(&out->c0, &a->c0, &b->c0);
    fp_add(&out->c1, &a->c1, &b->c1);
}
static inline void fp2_sub(Fp2 *out, const Fp2 *a, const Fp2 *b)
{
    fp_sub(&out->c0, &a->c0, &b->c0);
    fp_sub(&out->c1, &a->c1, &b->c1);
}
static inline void fp2_dbl(Fp2 *out, const Fp2 *a)
{
    fp2_add(out, a, a);
}
static inline void fp2_neg(Fp2 *out, const Fp2 *a)
{
    fp_neg(&out->c0, &a->c0);
    fp_neg(&out->c1, &a->c1);
}
/* Karatsuba: three products. The slow twin of fp2_mul_adx, which reduces twice instead of three
 * times. */
static inline void fp2_mul_karatsuba(Fp2 *out, const Fp2 *a, const Fp2 *b)
{
    Fp s, t, u, v;
    fp_add(&s, &a->c0, &a->c1);
    fp_add(&t, &b->c0, &b->c1);
    fp_mul(&s, &s, &t);
    fp_mul(&u, &a->c0, &b->c0);
    fp_mul(&v, &a->c1, &b->c1);
    fp_sub(&out->c0, &u, &v);
    fp_sub(&s, &s, &u);
    fp_sub(&out->c1, &s, &v);
}
static inline void fp2_mul(Fp2 *out, const Fp2 *a, const Fp2 *b)
{
#ifdef FIELD_X86
    if (__builtin_expect(cpu_features.adx, 1)) {
        fp2_mul_adx(out, a, b);
        return;
    }
#endif
    fp2_mul_karatsuba(out, a, b);
}
/* (c0 + c1)(c0 - c1), 2 c0 c1 */
static inline void fp2_sqr(Fp2 *out, const Fp2 *a)
{
    Fp s, t, u;
    fp_add(&s, &a->c0, &a->c1);
    fp_sub(&t, &a->c0, &a->c1);
    fp_mul(&u, &a->c0, &a->c1);
    fp_mul(&out->c0, &s, &t);
    fp_dbl(&out->c1, &u);
}
static inline void fp2_mul_fp(Fp2 *out, const Fp2 *a, const Fp *b)
{
    fp_mul(&out->c0, &a->c0, b);
    fp_mul(&out->c1, &a->c1, b);
}
static inline void fp2_conj(Fp2 *out, const Fp2 *a)
{
    out->c0 = a->c0;
    fp_neg(&out->c1, &a->c1);
}
static inline void fp2_mul_xi(Fp2 *out, const Fp2 *a)
{
    Fp t;
    fp_sub(&t, &a->c0, &a->c1);
    fp_add(&out->c1, &a->c0, &a->c1);
    out->c0 = t;
}

#endif
