/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Fields against naive integers, assembly against the portable body. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "field/field.h"

#include <string.h>

enum { EDGES = 96, RANDOMS = 400 };

static uint64_t seed = 0x9e3779b97f4a7c15ull;

static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Naive arithmetic on plain n-word integers below m. */
static int compare(const uint64_t *a, const uint64_t *b, int n)
{
    for (int i = n; i-- > 0;)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static void naive_sub(uint64_t *out, const uint64_t *a, const uint64_t *b, int n)
{
    uint64_t borrow = 0;
    for (int i = 0; i < n; i++) {
        unsigned __int128 d = (unsigned __int128)a[i] - b[i] - borrow;
        out[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
    }
}

/* m leaves its top bit free, so the sum fits n words. */
static void naive_add_mod(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *m,
                          int n)
{
    uint64_t carry = 0;
    for (int i = 0; i < n; i++) {
        unsigned __int128 s = (unsigned __int128)a[i] + b[i] + carry;
        out[i] = (uint64_t)s;
        carry = (uint64_t)(s >> 64);
    }
    if (compare(out, m, n) >= 0)
        naive_sub(out, out, m, n);
}

/* Double and add. */
static void naive_mul_mod(uint64_t *out, const uint64_t *a, const uint64_t *b, const uint64_t *m,
                          int n)
{
    uint64_t sum[6] = {0};
    for (int i = 64 * n; i-- > 0;) {
        naive_add_mod(sum, sum, sum, m, n);
        if (b[i / 64] >> (i % 64) & 1)
            naive_add_mod(sum, sum, a, m, n);
    }
    memcpy(out, sum, (size_t)n * sizeof *out);
}

/* 0, 1, 2, m-1, m-2, 2^k, m - 2^k, runs of ones, then random. */
static void make_value(uint64_t *out, size_t i, const uint64_t *m, int n)
{
    uint64_t small[6] = {0};
    memset(out, 0, (size_t)n * sizeof *out);
    if (i < 3) {
        out[0] = i;
        return;
    }
    if (i < 5) {
        small[0] = i - 2;
        naive_sub(out, m, small, n);
        return;
    }
    if (i < EDGES) {
        unsigned bit = (unsigned)((i * 7) % (unsigned)(64 * n - 3));
        small[bit / 64] = 1ull << (bit % 64);
        if (i % 3 == 0)
            memcpy(out, small, (size_t)n * sizeof *out);
        else if (i % 3 == 1)
            naive_sub(out, m, small, n);
        else
            for (unsigned k = 0; k < bit; k++)
                out[k / 64] |= 1ull << (k % 64);
    } else {
        for (int k = 0; k < n; k++)
            out[k] = next_random();
        out[n - 1] >>= 4;
    }
    while (compare(out, m, n) >= 0)
        naive_sub(out, out, m, n);
}

/* One test body a prime field. */
#define PRIME_TEST(T, C, t, N, MODULUS)                                                            \
    static void t##_value(T *field, C *plain, size_t i)                                            \
    {                                                                                              \
        static const uint64_t m[N] = MODULUS;                                                      \
        make_value(plain->l, i, m, N);                                                             \
        t##_from_canon(field, plain);                                                              \
    }                                                                                              \
    static void t##_expect(const T *field, const uint64_t *plain)                                  \
    {                                                                                              \
        C canon;                                                                                   \
        t##_to_canon(&canon, field);                                                               \
        assert_memory_equal(canon.l, plain, sizeof canon);                                         \
    }                                                                                              \
    static void t##_equals_naive(void **state)                                                     \
    {                                                                                              \
        (void)state;                                                                               \
        static const uint64_t m[N] = MODULUS;                                                      \
        static const uint64_t zero[N];                                                             \
        for (size_t i = 0; i < EDGES + RANDOMS; i++) {                                             \
            T a, b, c, d;                                                                          \
            C x, y;                                                                                \
            uint64_t z[N];                                                                         \
            t##_value(&a, &x, i);                                                                  \
            t##_expect(&a, x.l);                                                                   \
            for (size_t k = 0; k < 12; k++) {                                                      \
                t##_value(&b, &y, k < 6 ? k : next_random() % (EDGES + 1));                        \
                naive_mul_mod(z, x.l, y.l, m, N);                                                  \
                t##_mul(&c, &a, &b);                                                               \
                t##_expect(&c, z);                                                                 \
                t##_mul_portable(&d, &a, &b);                                                      \
                assert_memory_equal(&c, &d, sizeof c);                                             \
                d = a;                                                                             \
                t##_mul(&d, &d, &b);                                                               \
                assert_memory_equal(&c, &d, sizeof c);                                             \
                naive_add_mod(z, x.l, y.l, m, N);                                                  \
                t##_add(&c, &a, &b);                                                               \
                t##_expect(&c, z);                                                                 \
                t##_add_portable(&d, &a, &b);                                                      \
                assert_memory_equal(&c, &d, sizeof c);                                             \
                t##_sub(&c, &c, &b);                                                               \
                assert_memory_equal(&c, &a, sizeof c);                                             \
                t##_sub(&c, &a, &b);                                                               \
                t##_sub_portable(&d, &a, &b);                                                      \
                assert_memory_equal(&c, &d, sizeof c);                                             \
                t##_add(&c, &c, &b);                                                               \
                assert_true(t##_eq(&c, &a));                                                       \
            }                                                                                      \
            t##_sqr(&c, &a);                                                                       \
            naive_mul_mod(z, x.l, x.l, m, N);                                                      \
            t##_expect(&c, z);                                                                     \
            assert_true(t##_sqrt(&d, &c));                                                         \
            t##_sqr(&d, &d);                                                                       \
            assert_true(t##_eq(&c, &d));                                                           \
            t##_neg(&c, &a);                                                                       \
            t##_add(&c, &c, &a);                                                                   \
            t##_expect(&c, zero);                                                                  \
            t##_inv(&c, &a);                                                                       \
            t##_mul(&d, &c, &a);                                                                   \
            assert_true(t##_is_zero(&a) ? t##_is_zero(&c) : t##_eq(&d, &t##_one));                 \
        }                                                                                          \
    }                                                                                              \
    static void t##_batch_inverse_equals_single(void **state)                                      \
    {                                                                                              \
        (void)state;                                                                               \
        T a[40], b[40], scratch[40];                                                               \
        C plain;                                                                                   \
        for (size_t n = 0; n <= 40; n++) {                                                         \
            for (size_t i = 0; i < n; i++) {                                                       \
                t##_value(&a[i], &plain, i % 5 == 2 ? 0 : EDGES + i);                              \
                b[i] = a[i];                                                                       \
            }                                                                                      \
            t##_inv_batch(a, n, scratch);                                                          \
            for (size_t i = 0; i < n; i++) {                                                       \
                t##_inv(&b[i], &b[i]);                                                             \
                assert_true(t##_eq(&a[i], &b[i]));                                                 \
            }                                                                                      \
        }                                                                                          \
    }

#define fr_one FR_ONE
#define fp_one FP_ONE
/* clang-format off */
PRIME_TEST(Fr, FrCanon, fr, 4, FR_MODULUS)
PRIME_TEST(Fp, FpCanon, fp, 6, FP_MODULUS)
/* clang-format on */

static void roots_exist_for_half(void **state)
{
    (void)state;
    unsigned squares[3] = {0};
    enum { TRIES = 400 };
    for (unsigned i = 0; i < TRIES; i++) {
        FrCanon x;
        FpCanon y;
        Fr a, ra;
        Fp b, rb;
        Fp2 c, rc;
        fr_value(&a, &x, EDGES + 1);
        fp_value(&b, &y, EDGES + 1);
        fp_value(&c.c0, &y, EDGES + 1);
        fp_value(&c.c1, &y, i % 4 == 0 ? 0 : EDGES + 1);
        squares[0] += fr_sqrt(&ra, &a);
        squares[1] += fp_sqrt(&rb, &b);
        if (fp2_sqrt(&rc, &c)) {
            squares[2]++;
            fp2_sqr(&rc, &rc);
            assert_true(fp2_eq(&rc, &c));
        }
    }
    assert_in_range(squares[0], TRIES / 3, 2 * TRIES / 3);
    assert_in_range(squares[1], TRIES / 3, 2 * TRIES / 3);
    assert_in_range(squares[2], TRIES / 2, 3 * TRIES / 4); /* all of Fp has roots in Fp2 */
}

/* (a0 + a1 u)(b0 + b1 u) by four products, inverse, squaring. */
static void fp2_equals_schoolbook(void **state)
{
    (void)state;
    for (size_t i = 0; i < EDGES + RANDOMS; i++) {
        FpCanon plain;
        Fp2 a, b, c, d;
        Fp s, t;
        fp_value(&a.c0, &plain, i);
        fp_value(&a.c1, &plain, next_random() % (EDGES + 2));
        fp_value(&b.c0, &plain, next_random() % (EDGES + 2));
        fp_value(&b.c1, &plain, EDGES);
        fp_mul(&s, &a.c0, &b.c0);
        fp_mul(&t, &a.c1, &b.c1);
        fp_sub(&c.c0, &s, &t);
        fp_mul(&s, &a.c0, &b.c1);
        fp_mul(&t, &a.c1, &b.c0);
        fp_add(&c.c1, &s, &t);
        fp2_mul(&d, &a, &b);
        assert_true(fp2_eq(&c, &d));
        d = a;
        fp2_mul(&d, &d, &d);
        fp2_sqr(&c, &a);
        assert_true(fp2_eq(&c, &d));
        fp2_inv(&c, &a);
        fp2_mul(&c, &c, &a);
        assert_true(fp2_is_zero(&a) ? fp2_is_zero(&c) : fp2_eq(&c, &FP2_ONE));
    }
}

/* Operands whose limbs, not only values, are extreme: what carry chains trip over. */
static void limbs_value(Fp *out, size_t i)
{
    static const uint64_t p[6] = FP_MODULUS;
    make_value(out->l, i, p, 6);
}

static void squares_and_fp2_products_equal_their_twins(void **state)
{
    (void)state;
    for (size_t i = 0; i < EDGES + 50 * RANDOMS; i++) {
        Fp2 a, b, c, d;
        limbs_value(&a.c0, i);
        limbs_value(&a.c1, next_random() % (EDGES + 8));
        limbs_value(&b.c0, next_random() % (EDGES + 8));
        limbs_value(&b.c1, next_random() % (EDGES + 8));
        fp_mul_portable(&c.c0, &a.c0, &a.c0);
        fp_sqr(&d.c0, &a.c0);
        assert_memory_equal(&c.c0, &d.c0, sizeof c.c0);
        d.c0 = a.c0;
        fp_sqr(&d.c0, &d.c0);
        assert_memory_equal(&c.c0, &d.c0, sizeof c.c0);
        fp2_mul_karatsuba(&c, &a, &b);
        fp2_mul(&d, &a, &b);
        assert_memory_equal(&c, &d, sizeof c);
        d = a;
        fp2_mul(&d, &d, &b);
        assert_memory_equal(&c, &d, sizeof c);
        d = b;
        fp2_mul(&d, &a, &d);
        assert_memory_equal(&c, &d, sizeof c);
        fp2_mul_karatsuba(&c, &a, &a);
        d = a;
        fp2_mul(&d, &d, &d);
        assert_memory_equal(&c, &d, sizeof c);
    }
}

static void bytes_round_trip_and_refuse_the_modulus(void **state)
{
    (void)state;
    static const uint64_t r[4] = FR_MODULUS, p[6] = FP_MODULUS;
    uint8_t le[32], be[48];
    Fr a, b;
    Fp c, d;
    for (size_t i = 0; i < EDGES + RANDOMS; i++) {
        FrCanon x;
        FpCanon y;
        fr_value(&a, &x, i);
        fr_to_le(le, &a);
        assert_memory_equal(le, &x, 32);
        assert_true(fr_from_le(&b, le));
        assert_true(fr_eq(&a, &b));
        fp_value(&c, &y, i);
        fp_to_be(be, &c);
        assert_true(fp_from_be(&d, be));
        assert_true(fp_eq(&c, &d));
    }
    memcpy(le, r, 32);
    assert_false(fr_from_le(&b, le));
    le[0]--;
    assert_true(fr_from_le(&b, le));
    memset(le, 0xff, 32);
    assert_false(fr_from_le(&b, le));
    for (int i = 0; i < 48; i++)
        be[47 - i] = (uint8_t)(p[i / 8] >> (8 * (i % 8)));
    assert_false(fp_from_be(&d, be));
    be[47]--;
    assert_true(fp_from_be(&d, be));
    assert_true(fp_is_larger(&d));
    fp_neg(&d, &d);
    assert_false(fp_is_larger(&d));
    assert_true(fp_eq(&d, &FP_ONE));
}

static void wide_reduction_is_the_integer_mod_r(void **state)
{
    (void)state;
    static const uint64_t m[4] = FR_MODULUS;
    for (size_t i = 0; i < 200; i++) {
        uint8_t wide[64];
        for (int k = 0; k < 64; k++)
            wide[k] = i == 0 ? 0xff : (uint8_t)next_random();
        uint64_t sum[4] = {0};
        const uint64_t one[4] = {1};
        for (int bit = 512; bit-- > 0;) {
            naive_add_mod(sum, sum, sum, m, 4);
            if (wide[bit / 8] >> (bit % 8) & 1)
                naive_add_mod(sum, sum, one, m, 4);
        }
        Fr a;
        fr_from_wide_le(&a, wide);
        fr_expect(&a, sum);
    }
}

static void powers_are_repeated_products(void **state)
{
    (void)state;
    Fr a, b = FR_ONE, c;
    fr_from_u64(&a, 7);
    for (uint64_t e = 0; e < 100; e++) {
        fr_pow(&c, &a, &e, 1);
        assert_true(fr_eq(&b, &c));
        fr_mul(&b, &b, &a);
    }
    static const uint64_t order[4] = FR_MODULUS;
    fr_pow(&c, &a, order, 4);
    assert_true(fr_eq(&c, &a));
    Fr root = FR_ROOT_OF_UNITY;
    for (int i = 0; i < 31; i++)
        fr_sqr(&root, &root);
    fr_neg(&c, &FR_ONE);
    assert_true(fr_eq(&root, &c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fr_equals_naive),
        cmocka_unit_test(fp_equals_naive),
        cmocka_unit_test(fr_batch_inverse_equals_single),
        cmocka_unit_test(fp_batch_inverse_equals_single),
        cmocka_unit_test(roots_exist_for_half),
        cmocka_unit_test(fp2_equals_schoolbook),
        cmocka_unit_test(squares_and_fp2_products_equal_their_twins),
        cmocka_unit_test(bytes_round_trip_and_refuse_the_modulus),
        cmocka_unit_test(wide_reduction_is_the_integer_mod_r),
        cmocka_unit_test(powers_are_repeated_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
