/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The tower Fp2 - Fp6 - Fp12. */
#include "curve/fp12_impl.h"

void fp6_add(Fp6 *out, const Fp6 *a, const Fp6 *b)
{
    fp2_add(&out->c0, &a->c0, &b->c0);
    fp2_add(&out->c1, &a->c1, &b->c1);
    fp2_add(&out->c2, &a->c2, &b->c2);
}

void fp6_sub(Fp6 *out, const Fp6 *a, const Fp6 *b)
{
    fp2_sub(&out->c0, &a->c0, &b->c0);
    fp2_sub(&out->c1, &a->c1, &b->c1);
    fp2_sub(&out->c2, &a->c2, &b->c2);
}

void fp6_neg(Fp6 *out, const Fp6 *a)
{
    fp2_neg(&out->c0, &a->c0);
    fp2_neg(&out->c1, &a->c1);
    fp2_neg(&out->c2, &a->c2);
}

void fp6_mul_v(Fp6 *out, const Fp6 *a)
{
    Fp2 t;
    fp2_mul_xi(&t, &a->c2);
    Fp6 r = {t, a->c0, a->c1};
    *out = r;
}

/* (a + b)(c + d) - ac - bd */
static void cross(Fp2 *out, const Fp2 *a, const Fp2 *b, const Fp2 *c, const Fp2 *d, const Fp2 *ac,
                  const Fp2 *bd)
{
    Fp2 s, t;
    fp2_add(&s, a, b);
    fp2_add(&t, c, d);
    fp2_mul(&s, &s, &t);
    fp2_sub(&s, &s, ac);
    fp2_sub(out, &s, bd);
}

/* Karatsuba: six products in Fp2. */
void fp6_mul(Fp6 *out, const Fp6 *a, const Fp6 *b)
{
    Fp2 v0, v1, v2, t, c0, c1, c2;
    fp2_mul(&v0, &a->c0, &b->c0);
    fp2_mul(&v1, &a->c1, &b->c1);
    fp2_mul(&v2, &a->c2, &b->c2);
    cross(&t, &a->c1, &a->c2, &b->c1, &b->c2, &v1, &v2);
    fp2_mul_xi(&t, &t);
    fp2_add(&c0, &t, &v0);
    cross(&t, &a->c0, &a->c1, &b->c0, &b->c1, &v0, &v1);
    fp2_mul_xi(&c1, &v2);
    fp2_add(&c1, &c1, &t);
    cross(&t, &a->c0, &a->c2, &b->c0, &b->c2, &v0, &v2);
    fp2_add(&c2, &t, &v1);
    *out = (Fp6){c0, c1, c2};
}

/* The adjugate over the norm. */
void fp6_inv(Fp6 *out, const Fp6 *a)
{
    Fp2 c0, c1, c2, t;
    fp2_mul(&t, &a->c1, &a->c2);
    fp2_mul_xi(&t, &t);
    fp2_sqr(&c0, &a->c0);
    fp2_sub(&c0, &c0, &t);
    fp2_sqr(&c1, &a->c2);
    fp2_mul_xi(&c1, &c1);
    fp2_mul(&t, &a->c0, &a->c1);
    fp2_sub(&c1, &c1, &t);
    fp2_sqr(&c2, &a->c1);
    fp2_mul(&t, &a->c0, &a->c2);
    fp2_sub(&c2, &c2, &t);
    Fp2 norm, s;
    fp2_mul(&norm, &a->c1, &c2);
    fp2_mul(&s, &a->c2, &c1);
    fp2_add(&norm, &norm, &s);
    fp2_mul_xi(&norm, &norm);
    fp2_mul(&s, &a->c0, &c0);
    fp2_add(&norm, &norm, &s);
    fp2_inv(&norm, &norm);
    fp2_mul(&out->c0, &c0, &norm);
    fp2_mul(&out->c1, &c1, &norm);
    fp2_mul(&out->c2, &c2, &norm);
}

void fp12_one(Fp12 *out)
{
    *out = (Fp12){0};
    out->c0.c0 = FP2_ONE;
}

static bool fp6_eq(const Fp6 *a, const Fp6 *b)
{
    return fp2_eq(&a->c0, &b->c0) && fp2_eq(&a->c1, &b->c1) && fp2_eq(&a->c2, &b->c2);
}

bool fp12_eq(const Fp12 *a, const Fp12 *b)
{
    return fp6_eq(&a->c0, &b->c0) && fp6_eq(&a->c1, &b->c1);
}

void fp12_mul(Fp12 *out, const Fp12 *a, const Fp12 *b)
{
    Fp6 v0, v1, s, t;
    fp6_mul(&v0, &a->c0, &b->c0);
    fp6_mul(&v1, &a->c1, &b->c1);
    fp6_add(&s, &a->c0, &a->c1);
    fp6_add(&t, &b->c0, &b->c1);
    fp6_mul(&s, &s, &t);
    fp6_sub(&s, &s, &v0);
    fp6_sub(&out->c1, &s, &v1);
    fp6_mul_v(&v1, &v1);
    fp6_add(&out->c0, &v0, &v1);
}

/* (c0 + c1)(c0 + v c1) - (1 + v) c0 c1, 2 c0 c1 */
void fp12_sqr(Fp12 *out, const Fp12 *a)
{
    Fp6 v, s, t;
    fp6_mul(&v, &a->c0, &a->c1);
    fp6_add(&s, &a->c0, &a->c1);
    fp6_mul_v(&t, &a->c1);
    fp6_add(&t, &t, &a->c0);
    fp6_mul(&s, &s, &t);
    fp6_sub(&s, &s, &v);
    fp6_mul_v(&t, &v);
    fp6_sub(&out->c0, &s, &t);
    fp6_add(&out->c1, &v, &v);
}

void fp12_conj(Fp12 *out, const Fp12 *a)
{
    out->c0 = a->c0;
    fp6_neg(&out->c1, &a->c1);
}

void fp12_inv(Fp12 *out, const Fp12 *a)
{
    Fp6 s, t;
    fp6_mul(&s, &a->c0, &a->c0);
    fp6_mul(&t, &a->c1, &a->c1);
    fp6_mul_v(&t, &t);
    fp6_sub(&s, &s, &t);
    fp6_inv(&s, &s);
    fp6_mul(&out->c0, &a->c0, &s);
    fp6_mul(&t, &a->c1, &s);
    fp6_neg(&out->c1, &t);
}

/* a^p: conjugate each coefficient of w^k and multiply by xi^(k (p-1)/6). */
void fp12_frobenius(Fp12 *out, const Fp12 *a)
{
    static const Fp2 g1 = FP2_FROBENIUS_1, g2 = FP2_FROBENIUS_2, g3 = FP2_FROBENIUS_3,
                     g4 = FP2_FROBENIUS_4, g5 = FP2_FROBENIUS_5;
    Fp12 r;
    fp2_conj(&r.c0.c0, &a->c0.c0);
    fp2_conj(&r.c1.c0, &a->c1.c0);
    fp2_conj(&r.c0.c1, &a->c0.c1);
    fp2_conj(&r.c1.c1, &a->c1.c1);
    fp2_conj(&r.c0.c2, &a->c0.c2);
    fp2_conj(&r.c1.c2, &a->c1.c2);
    fp2_mul(&r.c1.c0, &r.c1.c0, &g1);
    fp2_mul(&r.c0.c1, &r.c0.c1, &g2);
    fp2_mul(&r.c1.c1, &r.c1.c1, &g3);
    fp2_mul(&r.c0.c2, &r.c0.c2, &g4);
    fp2_mul(&r.c1.c2, &r.c1.c2, &g5);
    *out = r;
}

void fp12_pow(Fp12 *out, const Fp12 *a, const FrCanon *e)
{
    Fp12 base = *a, power;
    fp12_one(&power);
    for (unsigned i = 256; i-- > 0;) {
        fp12_sqr(&power, &power);
        if (e->l[i / 64] >> (i % 64) & 1)
            fp12_mul(&power, &power, &base);
    }
    *out = power;
}
