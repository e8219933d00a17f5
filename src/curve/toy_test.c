/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The curve template over toy primes, exhaustively: every curve y^2 = x^3 + b, every pair of
 * points, in several coordinates, against the chord-and-tangent rule. Points of order two and three
 * occur. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "curve/curve.h"

typedef struct {
    uint32_t v;
} Toy;
typedef struct {
    Toy x, y;
} ToyAffine;
typedef struct {
    Toy x, y, zz, zzz;
} ToyXyzz;

enum { MOST = 64, MOST_POINTS = 2 * MOST + 1 };
static uint32_t prime;
static Toy toy_b;
static const Toy toy_0 = {0}, toy_1 = {1};

static bool toy_f_is_zero(const Toy *a)
{
    return a->v == 0;
}
static bool toy_f_eq(const Toy *a, const Toy *b)
{
    return a->v == b->v;
}
static void toy_f_add(Toy *out, const Toy *a, const Toy *b)
{
    out->v = (a->v + b->v) % prime;
}
static void toy_f_sub(Toy *out, const Toy *a, const Toy *b)
{
    out->v = (a->v + prime - b->v) % prime;
}
static void toy_f_neg(Toy *out, const Toy *a)
{
    out->v = (prime - a->v) % prime;
}
static void toy_f_dbl(Toy *out, const Toy *a)
{
    out->v = 2 * a->v % prime;
}
static void toy_f_mul(Toy *out, const Toy *a, const Toy *b)
{
    out->v = a->v * b->v % prime;
}
static void toy_f_sqr(Toy *out, const Toy *a)
{
    out->v = a->v * a->v % prime;
}
static void toy_f_inv(Toy *out, const Toy *a)
{
    uint32_t i = 0;
    while (i < prime && i * a->v % prime != 1)
        i++;
    out->v = i % prime;
}
static void toy_f_inv_batch(Toy *a, size_t n, Toy *scratch)
{
    (void)scratch;
    for (size_t i = 0; i < n; i++)
        toy_f_inv(&a[i], &a[i]);
}

#define CURVE_AFFINE ToyAffine
#define CURVE_XYZZ ToyXyzz
#define CURVE_FIELD Toy
#define CURVE_NAME(op) toy_##op
#define CURVE_F(op) toy_f_##op
#define CURVE_ZERO toy_0
#define CURVE_ONE toy_1
#define CURVE_B toy_b
#include "curve/curve_tmpl.h"

static ToyAffine points[MOST_POINTS];
static size_t n_points;

/* Infinity first, then every solution. */
static void find_points(void)
{
    n_points = 1;
    points[0] = (ToyAffine){{0}, {0}};
    for (uint32_t x = 0; x < prime; x++)
        for (uint32_t y = 0; y < prime; y++) {
            const ToyAffine p = {{x}, {y}};
            if ((y * y + 2 * prime * prime * prime - x * x * x - toy_b.v) % prime == 0)
                points[n_points++] = p;
            else if (x || y)
                assert_false(toy_on_curve(&p));
        }
    for (size_t i = 0; i < n_points; i++)
        assert_true(toy_on_curve(&points[i]));
}

/* Chord and tangent, with plain integers. */
static ToyAffine rule(ToyAffine p, ToyAffine q)
{
    const uint32_t m = prime;
    if (p.x.v == 0 && p.y.v == 0)
        return q;
    if (q.x.v == 0 && q.y.v == 0)
        return p;
    if (p.x.v == q.x.v && (p.y.v + q.y.v) % m == 0)
        return points[0];
    uint32_t rise = (q.y.v + m - p.y.v) % m, run = (q.x.v + m - p.x.v) % m;
    if (run == 0) {
        rise = 3 * p.x.v * p.x.v % m;
        run = 2 * p.y.v % m;
    }
    uint32_t slope = 0;
    while (slope * run % m != rise)
        slope++;
    uint32_t x = (slope * slope + 2 * m - p.x.v - q.x.v) % m;
    return (ToyAffine){{x}, {(slope * (p.x.v + m - x) + m - p.y.v) % m}};
}

/* The same point with ZZ = z^2, ZZZ = z^3; infinity with any X and Y. */
static ToyXyzz scaled(ToyAffine p, uint32_t z)
{
    ToyXyzz out;
    if (p.x.v == 0 && p.y.v == 0)
        return (ToyXyzz){{z % prime}, {z * z % prime}, {0}, {0}};
    out.zz.v = z * z % prime;
    out.zzz.v = z * out.zz.v % prime;
    out.x.v = p.x.v * out.zz.v % prime;
    out.y.v = p.y.v * out.zzz.v % prime;
    return out;
}

static void expect(const ToyXyzz *p, ToyAffine want)
{
    ToyAffine got;
    ToyXyzz w;
    toy_to_affine(&got, p);
    assert_true(toy_affine_eq(&got, &want));
    toy_from_affine(&w, &want);
    assert_true(toy_xyzz_eq(p, &w));
    assert_int_equal(toy_xyzz_is_infinity(p), toy_affine_is_infinity(&want));
}

static void check_pair(size_t i, size_t j)
{
    static const uint32_t scales[] = {1, 2, 3, 4};
    const ToyAffine p = points[i], q = points[j], sum = rule(p, q);
    ToyAffine batch[2] = {p, q}, other[2] = {q, p};
    Toy scratch[4];
    toy_add_batch(batch, other, 2, scratch);
    assert_true(toy_affine_eq(&batch[0], &sum) && toy_affine_eq(&batch[1], &sum));
    for (size_t s = 0; s < 4; s++) {
        const ToyXyzz a = scaled(p, scales[s]);
        ToyXyzz c = a;
        toy_add_affine(&c, &c, &q);
        expect(&c, sum);
        for (size_t t = 0; t < 4; t++) {
            const ToyXyzz b = scaled(q, scales[t]);
            assert_int_equal(toy_xyzz_eq(&a, &b), toy_affine_eq(&p, &q));
            toy_add(&c, &a, &b);
            expect(&c, sum);
            c = a;
            toy_add(&c, &c, &b);
            expect(&c, sum);
            c = b;
            toy_add(&c, &a, &c);
            expect(&c, sum);
        }
    }
}

/* Multiples by repeated addition: doublings, runs of doublings, the ladder, negation. */
static void check_point(size_t i)
{
    const ToyAffine p = points[i];
    for (uint32_t z = 1; z < prime; z++) {
        const ToyXyzz a = scaled(p, z);
        ToyXyzz b = a;
        ToyAffine minus, twice = p;
        toy_dbl(&b, &b);
        expect(&b, rule(p, p));
        for (unsigned n = 0; n < 12; n++) {
            toy_dbl_n(&b, &a, n);
            expect(&b, twice);
            twice = rule(twice, twice);
        }
        toy_affine_neg(&minus, &p);
        toy_neg(&b, &a);
        expect(&b, minus);
        const ToyAffine nothing = rule(p, minus);
        assert_true(toy_affine_is_infinity(&nothing));
    }
    ToyAffine multiple = points[0];
    ToyXyzz b;
    for (uint64_t k = 0; k < 2 * n_points + 3; k++) {
        toy_mul_affine(&b, &p, &(FrCanon){{k}});
        expect(&b, multiple);
        multiple = rule(multiple, p);
    }
    /* 2^192 k, by doublings of the expectation: the ladder's upper words */
    multiple = rule(p, rule(p, p));
    for (unsigned n = 0; n < 192; n++)
        multiple = rule(multiple, multiple);
    toy_mul_affine(&b, &p, &(FrCanon){{0, 0, 0, 3}});
    expect(&b, multiple);
}

static void all_curves_over_small_primes(void **state)
{
    (void)state;
    static const uint32_t primes[] = {5, 7, 11, 13, 19, 31};
    bool order_two = false, order_three = false;
    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++) {
        prime = primes[i];
        for (toy_b.v = 1; toy_b.v < prime; toy_b.v++) {
            find_points();
            for (size_t p = 0; p < n_points; p++) {
                order_two |= p && points[p].y.v == 0;
                order_three |= p && points[p].x.v == 0;
                check_point(p);
                for (size_t q = 0; q < n_points; q++)
                    check_pair(p, q);
            }
        }
    }
    assert_true(order_two && order_three);
}

/* Groups of prime order, as the real ones: every point but infinity generates. */
static void prime_order_groups(void **state)
{
    (void)state;
    static const struct {
        uint32_t prime, b, order;
    } curves[] = {{7, 5, 7}, {7, 3, 13}, {19, 2, 13}, {13, 2, 19}, {61, 2, 61}};
    for (size_t c = 0; c < sizeof curves / sizeof *curves; c++) {
        prime = curves[c].prime;
        toy_b.v = curves[c].b;
        find_points();
        assert_int_equal(n_points, curves[c].order);
        for (size_t p = 0; p < n_points; p++) {
            check_point(p);
            for (size_t q = 0; q < n_points; q++)
                check_pair(p, q);
        }
    }
}

static void batch_conversion_of_every_point(void **state)
{
    (void)state;
    prime = 31;
    toy_b.v = 3;
    find_points();
    static ToyXyzz in[1100];
    static ToyAffine out[1100];
    for (size_t n = 0; n < 1100; n += n < 70 ? 1 : 257) {
        for (size_t i = 0; i < n; i++)
            in[i] = scaled(points[i % n_points], (uint32_t)(i % (prime - 1) + 1));
        assert_int_equal(toy_to_affine_batch(out, in, n), OK);
        for (size_t i = 0; i < n; i++)
            assert_true(toy_affine_eq(&out[i], &points[i % n_points]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_curves_over_small_primes),
        cmocka_unit_test(prime_order_groups),
        cmocka_unit_test(batch_conversion_of_every_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
