/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Point formulas over one field, for G1, G2 and the toy curve of the tests.
 *
 * A template: define CURVE_AFFINE, CURVE_XYZZ, CURVE_FIELD, CURVE_NAME(op), CURVE_F(op) (the
 * field's functions), CURVE_ZERO, CURVE_ONE, CURVE_B and include; no guard.
 * XYZZ formulas of the Explicit-Formulas Database (shortw, a = 0), completed for infinity,
 * P + P and P - P. */

bool CURVE_NAME(affine_is_infinity)(const CURVE_AFFINE *p)
{
    return CURVE_F(is_zero)(&p->x) && CURVE_F(is_zero)(&p->y);
}

bool CURVE_NAME(affine_eq)(const CURVE_AFFINE *p, const CURVE_AFFINE *q)
{
    return CURVE_F(eq)(&p->x, &q->x) && CURVE_F(eq)(&p->y, &q->y);
}

void CURVE_NAME(affine_neg)(CURVE_AFFINE *out, const CURVE_AFFINE *p)
{
    out->x = p->x;
    CURVE_F(neg)(&out->y, &p->y);
}

bool CURVE_NAME(xyzz_is_infinity)(const CURVE_XYZZ *p)
{
    return CURVE_F(is_zero)(&p->zz);
}

void CURVE_NAME(xyzz_set_infinity)(CURVE_XYZZ *out)
{
    out->x = out->y = CURVE_ONE;
    out->zz = out->zzz = CURVE_ZERO;
}

bool CURVE_NAME(xyzz_eq)(const CURVE_XYZZ *p, const CURVE_XYZZ *q)
{
    bool pi = CURVE_NAME(xyzz_is_infinity)(p), qi = CURVE_NAME(xyzz_is_infinity)(q);
    if (pi || qi)
        return pi && qi;
    CURVE_FIELD s, t;
    CURVE_F(mul)(&s, &p->x, &q->zz);
    CURVE_F(mul)(&t, &q->x, &p->zz);
    if (!CURVE_F(eq)(&s, &t))
        return false;
    CURVE_F(mul)(&s, &p->y, &q->zzz);
    CURVE_F(mul)(&t, &q->y, &p->zzz);
    return CURVE_F(eq)(&s, &t);
}

void CURVE_NAME(from_affine)(CURVE_XYZZ *out, const CURVE_AFFINE *p)
{
    if (CURVE_NAME(affine_is_infinity)(p)) {
        CURVE_NAME(xyzz_set_infinity)(out);
        return;
    }
    out->x = p->x;
    out->y = p->y;
    out->zz = out->zzz = CURVE_ONE;
}

/* x = X/ZZ, y = Y/ZZZ with one inversion: 1/ZZZ = ZZ/(ZZ ZZZ). inverse = 1/(ZZ ZZZ). */
static void CURVE_NAME(affine_from_inverse)(CURVE_AFFINE *out, const CURVE_XYZZ *p,
                                            const CURVE_FIELD *inverse)
{
    CURVE_FIELD s, t;
    CURVE_F(mul)(&s, inverse, &p->zzz);
    CURVE_F(mul)(&t, inverse, &p->zz);
    CURVE_F(mul)(&out->x, &p->x, &s);
    CURVE_F(mul)(&out->y, &p->y, &t);
}

void CURVE_NAME(to_affine)(CURVE_AFFINE *out, const CURVE_XYZZ *p)
{
    CURVE_FIELD t;
    CURVE_F(mul)(&t, &p->zz, &p->zzz);
    CURVE_F(inv)(&t, &t); /* 0 for infinity, which gives (0, 0) */
    CURVE_NAME(affine_from_inverse)(out, p, &t);
}

Status CURVE_NAME(to_affine_batch)(CURVE_AFFINE *out, const CURVE_XYZZ *p, size_t n)
{
    enum { RUN = 512 };
    CURVE_FIELD product[RUN], scratch[RUN];
    for (size_t at = 0; at < n; at += RUN) {
        size_t run = n - at < RUN ? n - at : RUN;
        for (size_t i = 0; i < run; i++)
            CURVE_F(mul)(&product[i], &p[at + i].zz, &p[at + i].zzz);
        CURVE_F(inv_batch)(product, run, scratch);
        for (size_t i = 0; i < run; i++)
            CURVE_NAME(affine_from_inverse)(&out[at + i], &p[at + i], &product[i]);
    }
    return OK;
}

void CURVE_NAME(neg)(CURVE_XYZZ *out, const CURVE_XYZZ *p)
{
    *out = *p;
    CURVE_F(neg)(&out->y, &p->y);
}

/* dbl-2008-s-1 */
void CURVE_NAME(dbl)(CURVE_XYZZ *out, const CURVE_XYZZ *p)
{
    CURVE_FIELD u, v, w, s, m, x;
    CURVE_F(dbl)(&u, &p->y);
    CURVE_F(sqr)(&v, &u);
    CURVE_F(mul)(&w, &u, &v);
    CURVE_F(mul)(&s, &p->x, &v);
    CURVE_F(sqr)(&m, &p->x);
    CURVE_F(dbl)(&x, &m);
    CURVE_F(add)(&m, &m, &x);
    CURVE_F(sqr)(&x, &m);
    CURVE_F(sub)(&x, &x, &s);
    CURVE_F(sub)(&x, &x, &s);
    CURVE_F(sub)(&s, &s, &x);
    CURVE_F(mul)(&s, &s, &m);
    CURVE_F(mul)(&u, &w, &p->y);
    CURVE_F(mul)(&out->zz, &v, &p->zz);
    CURVE_F(mul)(&out->zzz, &w, &p->zzz);
    out->x = x;
    CURVE_F(sub)(&out->y, &s, &u);
    /* A point of order two has y = 0: ZZ becomes 0, infinity, as it must. */
}

/* What both additions end with: x1 zz-scaled U1, S1, differences P, R. */
static void CURVE_NAME(add_tail)(CURVE_XYZZ *out, const CURVE_FIELD *u1, const CURVE_FIELD *s1,
                                 const CURVE_FIELD *p, const CURVE_FIELD *r, CURVE_FIELD *pp,
                                 CURVE_FIELD *ppp)
{
    CURVE_FIELD q, x, t;
    CURVE_F(sqr)(pp, p);
    CURVE_F(mul)(ppp, p, pp);
    CURVE_F(mul)(&q, u1, pp);
    CURVE_F(sqr)(&x, r);
    CURVE_F(sub)(&x, &x, ppp);
    CURVE_F(sub)(&x, &x, &q);
    CURVE_F(sub)(&x, &x, &q);
    CURVE_F(sub)(&q, &q, &x);
    CURVE_F(mul)(&q, &q, r);
    CURVE_F(mul)(&t, s1, ppp);
    out->x = x;
    CURVE_F(sub)(&out->y, &q, &t);
}

/* add-2008-s */
void CURVE_NAME(add)(CURVE_XYZZ *out, const CURVE_XYZZ *p, const CURVE_XYZZ *q)
{
    if (CURVE_NAME(xyzz_is_infinity)(p)) {
        *out = *q;
        return;
    }
    if (CURVE_NAME(xyzz_is_infinity)(q)) {
        *out = *p;
        return;
    }
    CURVE_FIELD u1, u2, s1, s2, pp, ppp, zz, zzz;
    CURVE_F(mul)(&u1, &p->x, &q->zz);
    CURVE_F(mul)(&u2, &q->x, &p->zz);
    CURVE_F(mul)(&s1, &p->y, &q->zzz);
    CURVE_F(mul)(&s2, &q->y, &p->zzz);
    CURVE_F(sub)(&u2, &u2, &u1);
    CURVE_F(sub)(&s2, &s2, &s1);
    if (CURVE_F(is_zero)(&u2)) {
        if (CURVE_F(is_zero)(&s2))
            CURVE_NAME(dbl)(out, p);
        else
            CURVE_NAME(xyzz_set_infinity)(out);
        return;
    }
    CURVE_F(mul)(&zz, &p->zz, &q->zz);
    CURVE_F(mul)(&zzz, &p->zzz, &q->zzz);
    CURVE_NAME(add_tail)(out, &u1, &s1, &u2, &s2, &pp, &ppp);
    CURVE_F(mul)(&out->zz, &zz, &pp);
    CURVE_F(mul)(&out->zzz, &zzz, &ppp);
}

/* madd-2008-s */
void CURVE_NAME(add_affine)(CURVE_XYZZ *out, const CURVE_XYZZ *p, const CURVE_AFFINE *q)
{
    if (CURVE_NAME(affine_is_infinity)(q)) {
        *out = *p;
        return;
    }
    if (CURVE_NAME(xyzz_is_infinity)(p)) {
        CURVE_NAME(from_affine)(out, q);
        return;
    }
    CURVE_FIELD u2, s2, pp, ppp, zz = p->zz, zzz = p->zzz;
    CURVE_F(mul)(&u2, &q->x, &zz);
    CURVE_F(mul)(&s2, &q->y, &zzz);
    CURVE_F(sub)(&u2, &u2, &p->x);
    CURVE_F(sub)(&s2, &s2, &p->y);
    if (CURVE_F(is_zero)(&u2)) {
        if (CURVE_F(is_zero)(&s2))
            CURVE_NAME(dbl)(out, p);
        else
            CURVE_NAME(xyzz_set_infinity)(out);
        return;
    }
    CURVE_FIELD x1 = p->x, y1 = p->y;
    CURVE_NAME(add_tail)(out, &x1, &y1, &u2, &s2, &pp, &ppp);
    CURVE_F(mul)(&out->zz, &zz, &pp);
    CURVE_F(mul)(&out->zzz, &zzz, &ppp);
}

/* n doublings in Jacobian coordinates (dbl-2009-l: 2M + 5S against 6M + 3S), which pays for the
 * change of coordinates when n is not small. x = X/Z^2 with Z = ZZZ: Z^2 = ZZ^3. */
static void CURVE_NAME(dbl_jacobian)(CURVE_XYZZ *out, const CURVE_XYZZ *p, unsigned n)
{
    CURVE_FIELD x, y, z = p->zzz, a, b, c, d, e;
    CURVE_F(sqr)(&a, &p->zz);
    CURVE_F(mul)(&x, &p->x, &a);
    CURVE_F(sqr)(&a, &z);
    CURVE_F(mul)(&y, &p->y, &a);
    while (n-- > 0) {
        CURVE_F(sqr)(&a, &x);
        CURVE_F(sqr)(&b, &y);
        CURVE_F(sqr)(&c, &b);
        CURVE_F(add)(&d, &x, &b);
        CURVE_F(sqr)(&d, &d);
        CURVE_F(sub)(&d, &d, &a);
        CURVE_F(sub)(&d, &d, &c);
        CURVE_F(dbl)(&d, &d);
        CURVE_F(dbl)(&e, &a);
        CURVE_F(add)(&e, &e, &a);
        CURVE_F(mul)(&z, &z, &y);
        CURVE_F(dbl)(&z, &z);
        CURVE_F(sqr)(&x, &e);
        CURVE_F(sub)(&x, &x, &d);
        CURVE_F(sub)(&x, &x, &d);
        CURVE_F(sub)(&d, &d, &x);
        CURVE_F(mul)(&y, &e, &d);
        CURVE_F(dbl)(&c, &c);
        CURVE_F(dbl)(&c, &c);
        CURVE_F(dbl)(&c, &c);
        CURVE_F(sub)(&y, &y, &c);
    }
    out->x = x;
    out->y = y;
    CURVE_F(sqr)(&out->zz, &z);
    CURVE_F(mul)(&out->zzz, &out->zz, &z);
}

void CURVE_NAME(dbl_n)(CURVE_XYZZ *out, const CURVE_XYZZ *p, unsigned n)
{
    enum { JACOBIAN = 5 };
    if (n >= JACOBIAN) {
        CURVE_NAME(dbl_jacobian)(out, p, n);
        return;
    }
    *out = *p;
    while (n-- > 0)
        CURVE_NAME(dbl)(out, out);
}

static bool CURVE_NAME(bit)(const FrCanon *k, unsigned i)
{
    return k->l[i / 64] >> (i % 64) & 1;
}

/* Sliding windows from the top bit over a table of odd multiples. */
void CURVE_NAME(mul)(CURVE_XYZZ *out, const CURVE_XYZZ *p, const FrCanon *k)
{
    enum { WINDOW = 4 };
    CURVE_XYZZ sum, twice, odd[1 << (WINDOW - 1)] = {*p};
    unsigned at = 256, zeros = 0;
    CURVE_NAME(dbl)(&twice, p);
    for (unsigned i = 1; i < 1 << (WINDOW - 1); i++)
        CURVE_NAME(add)(&odd[i], &odd[i - 1], &twice);
    CURVE_NAME(xyzz_set_infinity)(&sum);
    while (at > 0 && !CURVE_NAME(bit)(k, at - 1))
        at--;
    while (at > 0) {
        if (!CURVE_NAME(bit)(k, at - 1)) {
            zeros++;
            at--;
            continue;
        }
        unsigned low = at >= WINDOW ? at - WINDOW : 0, value = 0;
        while (!CURVE_NAME(bit)(k, low))
            low++;
        for (unsigned i = at; i-- > low;)
            value = value << 1 | CURVE_NAME(bit)(k, i);
        CURVE_NAME(dbl_n)(&sum, &sum, zeros + at - low);
        CURVE_NAME(add)(&sum, &sum, &odd[value / 2]);
        zeros = 0;
        at = low;
    }
    CURVE_NAME(dbl_n)(out, &sum, zeros);
}

void CURVE_NAME(mul_affine)(CURVE_XYZZ *out, const CURVE_AFFINE *p, const FrCanon *k)
{
    CURVE_XYZZ base;
    CURVE_NAME(from_affine)(&base, p);
    CURVE_NAME(mul)(out, &base, k);
}

bool CURVE_NAME(on_curve)(const CURVE_AFFINE *p)
{
    if (CURVE_NAME(affine_is_infinity)(p))
        return true;
    CURVE_FIELD left, right;
    CURVE_F(sqr)(&left, &p->y);
    CURVE_F(sqr)(&right, &p->x);
    CURVE_F(mul)(&right, &right, &p->x);
    CURVE_F(add)(&right, &right, &CURVE_B);
    return CURVE_F(eq)(&left, &right);
}

/* The slope's denominator of p + q, or 1 where there is no slope (infinity, P - P). */
static void CURVE_NAME(denominator)(CURVE_FIELD *d, const CURVE_AFFINE *p, const CURVE_AFFINE *q)
{
    CURVE_F(sub)(d, &q->x, &p->x);
    bool no_slope = CURVE_NAME(affine_is_infinity)(p) || CURVE_NAME(affine_is_infinity)(q);
    if (!no_slope && CURVE_F(is_zero)(d)) {
        if (CURVE_F(eq)(&p->y, &q->y))
            CURVE_F(dbl)(d, &p->y);
    }
    if (no_slope || CURVE_F(is_zero)(d))
        *d = CURVE_ONE;
}

/* p += q given the inverse of denominator(p, q). */
static void CURVE_NAME(add_with_inverse)(CURVE_AFFINE *p, const CURVE_AFFINE *q,
                                         const CURVE_FIELD *inverse)
{
    CURVE_FIELD slope, t, x;
    if (CURVE_NAME(affine_is_infinity)(q))
        return;
    if (CURVE_NAME(affine_is_infinity)(p)) {
        *p = *q;
        return;
    }
    CURVE_F(sub)(&slope, &q->y, &p->y);
    if (CURVE_F(eq)(&p->x, &q->x)) {
        if (!CURVE_F(is_zero)(&slope) || CURVE_F(is_zero)(&p->y)) {
            p->x = p->y = CURVE_ZERO;
            return;
        }
        CURVE_F(sqr)(&t, &p->x);
        CURVE_F(dbl)(&slope, &t);
        CURVE_F(add)(&slope, &slope, &t);
    }
    CURVE_F(mul)(&slope, &slope, inverse);
    CURVE_F(sqr)(&x, &slope);
    CURVE_F(sub)(&x, &x, &p->x);
    CURVE_F(sub)(&x, &x, &q->x);
    CURVE_F(sub)(&t, &p->x, &x);
    CURVE_F(mul)(&t, &t, &slope);
    CURVE_F(sub)(&p->y, &t, &p->y);
    p->x = x;
}

void CURVE_NAME(add_batch)(CURVE_AFFINE *p, const CURVE_AFFINE *q, size_t n, CURVE_FIELD *scratch)
{
    CURVE_FIELD *d = scratch, *prefix = scratch + n, product = CURVE_ONE, inverse;
    for (size_t i = 0; i < n; i++) {
        CURVE_NAME(denominator)(&d[i], &p[i], &q[i]);
        prefix[i] = product;
        CURVE_F(mul)(&product, &product, &d[i]);
    }
    CURVE_F(inv)(&product, &product);
    for (size_t i = n; i-- > 0;) {
        CURVE_F(mul)(&inverse, &product, &prefix[i]);
        CURVE_F(mul)(&product, &product, &d[i]);
        CURVE_NAME(add_with_inverse)(&p[i], &q[i], &inverse);
    }
}

#undef CURVE_AFFINE
#undef CURVE_XYZZ
#undef CURVE_FIELD
#undef CURVE_NAME
#undef CURVE_F
#undef CURVE_ZERO
#undef CURVE_ONE
#undef CURVE_B
