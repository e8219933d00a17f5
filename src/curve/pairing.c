/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The optimal ate pairing: Miller loop over |z|, final exponentiation.
 *
 * The twist is y^2 = x^3 + 4 xi (M-type): (x, y) on it is (x / w^2, y / w^3) on the curve. The
 * line through T with slope l, scaled by w^3, at P = (xp, yp) is
 *     (l xt - yt) + (-l xp) w^2 + yp w^3;
 * factors of Fp2 vanish in the final exponentiation, so denominators are dropped. */
#include "curve/fp12_impl.h"

#include <stdlib.h>

/* Homogeneous coordinates: x = X/Z, y = Y/Z. */
typedef struct {
    Fp2 x, y, z;
} Twist;

/* c0 + c2 w^2 + c3 w^3 */
typedef struct {
    Fp2 c0, c2, c3;
} Line;

static void triple(Fp2 *out, const Fp2 *a)
{
    Fp2 t;
    fp2_dbl(&t, a);
    fp2_add(out, &t, a);
}

/* 3 b' = 12 xi times a. */
static void mul_three_b(Fp2 *out, const Fp2 *a)
{
    Fp2 t;
    triple(&t, a);
    fp2_mul_xi(&t, &t);
    fp2_dbl(&t, &t);
    fp2_dbl(out, &t);
}

/* T <- 2T and the tangent at T, slope 3X^2 / (2YZ). With E = 3b' Z^2 and the curve's equation, the
 * line scaled by 2YZ^2 is Z times
 *   c3 = 2 Y Z yp,  c2 = -3 X^2 xp,  c0 = Y^2 - E
 * (Costello, Lange, Naehrig, "Faster pairing computations on curves with high-degree twists", 2010,
 * section 5). The new point, scaled by 4 to avoid halves:
 *   X = 2 X Y (Y^2 - 3E),  Y = (Y^2 + 3E)^2 - 12 E^2,  Z = 4 Y^2 (2 Y Z). */
static void double_step(Line *line, Twist *t)
{
    Fp2 b, c, e, e3, h, s;
    fp2_sqr(&b, &t->y);
    fp2_sqr(&c, &t->z);
    mul_three_b(&e, &c);
    triple(&e3, &e);
    fp2_add(&h, &t->y, &t->z);
    fp2_sqr(&h, &h);
    fp2_sub(&h, &h, &b);
    fp2_sub(&h, &h, &c); /* 2YZ */
    line->c3 = h;
    fp2_sqr(&s, &t->x);
    triple(&s, &s);
    fp2_neg(&line->c2, &s);
    fp2_sub(&line->c0, &b, &e);
    fp2_mul(&s, &t->x, &t->y);
    fp2_sub(&c, &b, &e3);
    fp2_mul(&s, &s, &c);
    fp2_dbl(&t->x, &s);
    fp2_add(&s, &b, &e3);
    fp2_sqr(&s, &s);
    fp2_sqr(&e, &e);
    triple(&e, &e);
    fp2_dbl(&e, &e);
    fp2_dbl(&e, &e);
    fp2_sub(&t->y, &s, &e);
    fp2_mul(&s, &b, &h);
    fp2_dbl(&s, &s);
    fp2_dbl(&t->z, &s);
}

/* T <- T + Q and the line through them: slope l = (Y - yq Z) / (X - xq Z) = u / v, scaled by v:
 *   c3 = v yp,  c2 = -u xp,  c0 = u xq - v yq.
 * T is never +-Q inside the loop: the multiples stay below the group order. */
static void add_step(Line *line, Twist *t, const G2Affine *q)
{
    Fp2 u, v, vv, vvv, r, a, s;
    fp2_mul(&u, &q->y, &t->z);
    fp2_sub(&u, &t->y, &u);
    fp2_mul(&v, &q->x, &t->z);
    fp2_sub(&v, &t->x, &v);
    fp2_mul(&line->c0, &u, &q->x);
    fp2_mul(&s, &v, &q->y);
    fp2_sub(&line->c0, &line->c0, &s);
    fp2_neg(&line->c2, &u);
    line->c3 = v;
    /* madd-1998-cmo with signs of u and v both turned, which cancels. */
    fp2_neg(&u, &u);
    fp2_neg(&v, &v);
    fp2_sqr(&vv, &v);
    fp2_mul(&vvv, &vv, &v);
    fp2_mul(&r, &vv, &t->x);
    fp2_sqr(&a, &u);
    fp2_mul(&a, &a, &t->z);
    fp2_sub(&a, &a, &vvv);
    fp2_sub(&a, &a, &r);
    fp2_sub(&a, &a, &r);
    fp2_mul(&t->x, &v, &a);
    fp2_sub(&r, &r, &a);
    fp2_mul(&r, &r, &u);
    fp2_mul(&s, &vvv, &t->y);
    fp2_sub(&t->y, &r, &s);
    fp2_mul(&t->z, &vvv, &t->z);
}

/* out = a (x0 + x1 v): five products. */
static void mul_by_01(Fp6 *out, const Fp6 *a, const Fp2 *x0, const Fp2 *x1)
{
    Fp2 u, w, t, s, sum;
    fp2_mul(&u, &a->c0, x0);
    fp2_mul(&w, &a->c1, x1);
    fp2_add(&s, &a->c0, &a->c1);
    fp2_add(&sum, x0, x1);
    fp2_mul(&s, &s, &sum);
    fp2_sub(&s, &s, &u);
    fp2_sub(&s, &s, &w);
    fp2_mul(&t, &a->c2, x1);
    fp2_mul_xi(&t, &t);
    fp2_mul(&sum, &a->c2, x0);
    fp2_add(&out->c0, &u, &t);
    out->c1 = s;
    fp2_add(&out->c2, &sum, &w);
}

/* f *= line evaluated at p: c0 + c2 w^2 + c3 w^3 = (c0 + c2 v) + (c3 v) w. */
static void multiply_line(Fp12 *f, const Line *line, const G1Affine *p)
{
    Fp2 c2, c3, t;
    Fp6 v0, v1, s;
    fp2_mul_fp(&c2, &line->c2, &p->x);
    fp2_mul_fp(&c3, &line->c3, &p->y);
    mul_by_01(&v0, &f->c0, &line->c0, &c2);
    fp2_mul(&t, &f->c1.c2, &c3);
    fp2_mul_xi(&v1.c0, &t);
    fp2_mul(&v1.c1, &f->c1.c0, &c3);
    fp2_mul(&v1.c2, &f->c1.c1, &c3);
    fp6_add(&s, &f->c0, &f->c1);
    fp2_add(&t, &c2, &c3);
    mul_by_01(&s, &s, &line->c0, &t);
    fp6_sub(&s, &s, &v0);
    fp6_sub(&f->c1, &s, &v1);
    fp6_mul_v(&v1, &v1);
    fp6_add(&f->c0, &v0, &v1);
}

Status pairing_miller(Fp12 *out, const G1Affine *p, const G2Affine *q, size_t n)
{
    Twist *t = malloc((n ? n : 1) * sizeof *t);
    if (!t)
        FAIL(ERR_MEMORY, "pairing: out of memory");
    for (size_t i = 0; i < n; i++)
        t[i] = (Twist){q[i].x, q[i].y, FP2_ONE};
    Fp12 f;
    Line line;
    fp12_one(&f);
    for (unsigned bit = 63; bit-- > 0;) {
        fp12_sqr(&f, &f);
        for (size_t i = 0; i < n; i++) {
            if (g1_affine_is_infinity(&p[i]) || g2_affine_is_infinity(&q[i]))
                continue;
            double_step(&line, &t[i]);
            multiply_line(&f, &line, &p[i]);
            if (BLS_Z_ABS >> bit & 1) {
                add_step(&line, &t[i], &q[i]);
                multiply_line(&f, &line, &p[i]);
            }
        }
    }
    free(t);
    fp12_conj(out, &f); /* z is negative */
    return OK;
}

/* Granger and Scott, "Faster squaring in the cyclotomic subgroup of sixth degree extensions",
 * section 3.2: three squarings in Fp4 = Fp2[s]/(s^2 - xi). */
static void fp4_sqr(Fp2 *c0, Fp2 *c1, const Fp2 *a, const Fp2 *b)
{
    Fp2 aa, bb, s;
    fp2_sqr(&aa, a);
    fp2_sqr(&bb, b);
    fp2_add(&s, a, b);
    fp2_sqr(&s, &s);
    fp2_sub(&s, &s, &aa);
    fp2_sub(c1, &s, &bb);
    fp2_mul_xi(&bb, &bb);
    fp2_add(c0, &aa, &bb);
}

/* 3 t - 2 z and 3 t + 2 z */
static void minus(Fp2 *z, const Fp2 *t)
{
    Fp2 d;
    fp2_sub(&d, t, z);
    fp2_dbl(&d, &d);
    fp2_add(z, &d, t);
}

static void plus(Fp2 *z, const Fp2 *t)
{
    Fp2 d;
    fp2_add(&d, t, z);
    fp2_dbl(&d, &d);
    fp2_add(z, &d, t);
}

static void cyclotomic_sqr(Fp12 *f)
{
    Fp2 t0, t1, t2, t3, t4, t5;
    fp4_sqr(&t0, &t1, &f->c0.c0, &f->c1.c1);
    fp4_sqr(&t2, &t3, &f->c1.c0, &f->c0.c2);
    fp4_sqr(&t4, &t5, &f->c0.c1, &f->c1.c2);
    minus(&f->c0.c0, &t0);
    plus(&f->c1.c1, &t1);
    fp2_mul_xi(&t5, &t5);
    plus(&f->c1.c0, &t5);
    minus(&f->c0.c2, &t4);
    minus(&f->c0.c1, &t2);
    plus(&f->c1.c2, &t3);
}

/* a^z for a in the cyclotomic subgroup. */
static void pow_z(Fp12 *out, const Fp12 *a)
{
    Fp12 base = *a, power = *a;
    for (unsigned bit = 63; bit-- > 0;) {
        cyclotomic_sqr(&power);
        if (BLS_Z_ABS >> bit & 1)
            fp12_mul(&power, &power, &base);
    }
    fp12_conj(out, &power);
}

/* (p^6 - 1)(p^2 + 1), then three times the hard part:
 * 3 (p^4 - p^2 + 1)/r = (z - 1)^2 (z + p)(z^2 + p^2 - 1) + 3 (Hayashida, Hayasaka, Teruya,
 * "Efficient final exponentiation via cyclotomic structure", 2020). The cube is a fixed power,
 * prime to r: products of pairings compare as before. */
void pairing_final_exp(Fp12 *out, const Fp12 *f)
{
    Fp12 m, t, u;
    fp12_conj(&m, f);
    fp12_inv(&t, f);
    fp12_mul(&m, &m, &t);
    fp12_frobenius(&t, &m);
    fp12_frobenius(&t, &t);
    fp12_mul(&m, &m, &t);
    Fp12 inverse;
    fp12_conj(&inverse, &m);
    pow_z(&t, &m);
    fp12_mul(&t, &t, &inverse); /* m^(z-1) */
    fp12_conj(&inverse, &t);
    pow_z(&u, &t);
    fp12_mul(&t, &u, &inverse); /* m^((z-1)^2) */
    pow_z(&u, &t);
    fp12_frobenius(&t, &t);
    fp12_mul(&t, &t, &u); /* ^(z+p) */
    pow_z(&u, &t);
    pow_z(&u, &u);
    fp12_conj(&inverse, &t);
    fp12_mul(&u, &u, &inverse);
    fp12_frobenius(&t, &t);
    fp12_frobenius(&t, &t);
    fp12_mul(&u, &u, &t); /* ^(z^2 + p^2 - 1) */
    Fp12 cube;
    fp12_sqr(&cube, &m);
    fp12_mul(&cube, &cube, &m);
    fp12_mul(out, &u, &cube);
}

Status pairing_product(Fp12 *out, const G1Affine *p, const G2Affine *q, size_t n)
{
    Fp12 f;
    TRY(pairing_miller(&f, p, q, n));
    pairing_final_exp(out, &f);
    return OK;
}
