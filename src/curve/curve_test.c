/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Group laws, encodings, subgroup checks, tables and the pairing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "curve/fp12_impl.h"

#include <string.h>

static const FrCanon order = {FR_ORDER};

static FrCanon random_scalar(void)
{
    Fr k;
    FrCanon canon;
    assert_int_equal(fr_random(&k), OK);
    fr_to_canon(&canon, &k);
    return canon;
}

/* One body a group: laws on infinity, P, 2P, -P, random points, in every combination. */
#define GROUP_TEST(A, X, F, g, GENERATOR, COMPRESSED, UNCOMPRESSED)                                \
    static A g##_random_point(void)                                                                \
    {                                                                                              \
        X p;                                                                                       \
        A out;                                                                                     \
        FrCanon k = random_scalar();                                                               \
        g##_mul_affine(&p, &GENERATOR, &k);                                                        \
        g##_to_affine(&out, &p);                                                                   \
        return out;                                                                                \
    }                                                                                              \
    static void g##_laws(void **state)                                                             \
    {                                                                                              \
        (void)state;                                                                               \
        enum { N = 7 };                                                                            \
        A a[N] = {{0}}, s;                                                                         \
        X x[N], y, z, w;                                                                           \
        a[1] = GENERATOR;                                                                          \
        g##_affine_neg(&a[2], &a[1]);                                                              \
        g##_from_affine(&y, &a[1]);                                                                \
        g##_dbl(&y, &y);                                                                           \
        g##_to_affine(&a[3], &y);                                                                  \
        a[4] = g##_random_point();                                                                 \
        g##_affine_neg(&a[5], &a[4]);                                                              \
        a[6] = g##_random_point();                                                                 \
        /* Projective copies that are not normalised: x + q - q. */                                \
        for (int i = 0; i < N; i++) {                                                              \
            assert_true(g##_on_curve(&a[i]) && g##_in_subgroup(&a[i]));                            \
            g##_from_affine(&x[i], &a[i]);                                                         \
            g##_add_affine(&x[i], &x[i], &a[6]);                                                   \
            g##_affine_neg(&s, &a[6]);                                                             \
            g##_add_affine(&x[i], &x[i], &s);                                                      \
            g##_to_affine(&s, &x[i]);                                                              \
            assert_true(g##_affine_eq(&s, &a[i]));                                                 \
        }                                                                                          \
        for (int i = 0; i < N; i++) {                                                              \
            for (int j = 0; j < N; j++) {                                                          \
                F scratch[2];                                                                      \
                g##_add(&y, &x[i], &x[j]);                                                         \
                g##_add(&z, &x[j], &x[i]);                                                         \
                assert_true(g##_xyzz_eq(&y, &z));                                                  \
                g##_add_affine(&z, &x[i], &a[j]);                                                  \
                assert_true(g##_xyzz_eq(&y, &z));                                                  \
                s = a[i];                                                                          \
                g##_add_batch(&s, &a[j], 1, scratch);                                              \
                assert_true(g##_on_curve(&s));                                                     \
                g##_from_affine(&z, &s);                                                           \
                assert_true(g##_xyzz_eq(&y, &z));                                                  \
                if (i == j) {                                                                      \
                    g##_dbl(&z, &x[i]);                                                            \
                    assert_true(g##_xyzz_eq(&y, &z));                                              \
                }                                                                                  \
                g##_neg(&z, &x[j]);                                                                \
                g##_add(&z, &y, &z);                                                               \
                assert_true(g##_xyzz_eq(&z, &x[i]));                                               \
                for (int k = 0; k < N; k++) {                                                      \
                    g##_add(&z, &y, &x[k]);                                                        \
                    g##_add(&w, &x[j], &x[k]);                                                     \
                    g##_add(&w, &x[i], &w);                                                        \
                    assert_true(g##_xyzz_eq(&z, &w));                                              \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        g##_mul(&y, &x[4], &order);                                                                \
        assert_true(g##_xyzz_is_infinity(&y));                                                     \
    }                                                                                              \
    /* Windows and runs of doublings against one bit at a time. */                                 \
    static void g##_mul_equals_double_and_add(void **state)                                        \
    {                                                                                              \
        (void)state;                                                                               \
        const A base = g##_random_point();                                                         \
        for (unsigned i = 0; i < 40; i++) {                                                        \
            FrCanon k = random_scalar();                                                           \
            X fast, slow;                                                                          \
            if (i < 20)                                                                            \
                k = (FrCanon){{i < 10 ? i : 1ull << (3 * i)}};                                     \
            else if (i < 24)                                                                       \
                k = (FrCanon){{i % 2 ? UINT64_MAX : 0, UINT64_MAX, i % 3, 1ull << 62}};            \
            g##_xyzz_set_infinity(&slow);                                                          \
            for (unsigned bit = 256; bit-- > 0;) {                                                 \
                g##_dbl(&slow, &slow);                                                             \
                if (k.l[bit / 64] >> (bit % 64) & 1)                                               \
                    g##_add_affine(&slow, &slow, &base);                                           \
            }                                                                                      \
            g##_mul_affine(&fast, &base, &k);                                                      \
            assert_true(g##_xyzz_eq(&fast, &slow));                                                \
            fast = slow;                                                                           \
            g##_dbl_n(&fast, &fast, i);                                                            \
            for (unsigned n = 0; n < i; n++)                                                       \
                g##_dbl(&slow, &slow);                                                             \
            assert_true(g##_xyzz_eq(&fast, &slow));                                                \
        }                                                                                          \
    }                                                                                              \
    static void g##_batches_equal_single_steps(void **state)                                       \
    {                                                                                              \
        (void)state;                                                                               \
        enum { N = 600 };                                                                          \
        static X x[N];                                                                             \
        static A p[N], q[N], out[N], one;                                                          \
        static F scratch[2 * N];                                                                   \
        X y;                                                                                       \
        for (size_t i = 0; i < N; i++) {                                                           \
            if (i % 7 == 0)                                                                        \
                g##_xyzz_set_infinity(&x[i]);                                                      \
            else                                                                                   \
                g##_add_affine(&x[i], i ? &x[i - 1] : &x[0], &GENERATOR);                          \
        }                                                                                          \
        assert_int_equal(g##_to_affine_batch(out, x, N), OK);                                      \
        for (size_t i = 0; i < N; i++) {                                                           \
            g##_to_affine(&one, &x[i]);                                                            \
            assert_true(g##_affine_eq(&one, &out[i]));                                             \
            p[i] = out[i];                                                                         \
            q[i] = out[(i * 5 + 1) % N];                                                           \
            if (i % 11 == 0)                                                                       \
                g##_affine_neg(&q[i], &p[i]);                                                      \
            if (i % 13 == 0)                                                                       \
                q[i] = p[i];                                                                       \
        }                                                                                          \
        memcpy(out, p, sizeof out);                                                                \
        g##_add_batch(out, q, N, scratch);                                                         \
        for (size_t i = 0; i < N; i++) {                                                           \
            g##_from_affine(&y, &p[i]);                                                            \
            g##_add_affine(&y, &y, &q[i]);                                                         \
            g##_to_affine(&one, &y);                                                               \
            assert_true(g##_affine_eq(&one, &out[i]));                                             \
        }                                                                                          \
    }                                                                                              \
    static void g##_table_equals_ladder(void **state)                                              \
    {                                                                                              \
        (void)state;                                                                               \
        enum { N = 300 };                                                                          \
        FrCanon k[N];                                                                              \
        A out[N], one, base = g##_random_point();                                                  \
        X y;                                                                                       \
        Pool *pool;                                                                                \
        assert_int_equal(pool_new(&pool, 2), OK);                                                  \
        for (size_t i = 0; i < N; i++) {                                                           \
            k[i] = random_scalar();                                                                \
            if (i < 8)                                                                             \
                k[i] = (FrCanon){{i}};                                                             \
        }                                                                                          \
        k[8] = order;                                                                              \
        k[8].l[0]--;                                                                               \
        for (unsigned window = 1; window <= 9; window += 4) {                                      \
            g##_table *table;                                                                      \
            assert_int_equal(g##_table_new(&table, &base, window, pool), OK);                      \
            assert_int_equal(g##_table_mul(table, out, k, N, pool), OK);                           \
            for (size_t i = 0; i < N; i += i < 10 ? 1 : 37) {                                      \
                g##_mul_affine(&y, &base, &k[i]);                                                  \
                g##_to_affine(&one, &y);                                                           \
                assert_true(g##_affine_eq(&one, &out[i]));                                         \
            }                                                                                      \
            g##_table_free(&table);                                                                \
        }                                                                                          \
        pool_free(&pool);                                                                          \
    }                                                                                              \
    static void g##_encodings(void **state)                                                        \
    {                                                                                              \
        (void)state;                                                                               \
        uint8_t full[UNCOMPRESSED], small[COMPRESSED], bad[UNCOMPRESSED];                          \
        for (int i = 0; i < 20; i++) {                                                             \
            A p = i ? g##_random_point() : (A){0}, q;                                              \
            g##_encode(full, &p);                                                                  \
            g##_encode_compressed(small, &p);                                                      \
            assert_int_equal(g##_decode(&q, full), OK);                                            \
            assert_true(g##_affine_eq(&p, &q));                                                    \
            assert_int_equal(g##_decode_compressed(&q, small), OK);                                \
            assert_true(g##_affine_eq(&p, &q));                                                    \
            memset(&q, 0x5a, sizeof q);                                                            \
            const A before = q;                                                                    \
            for (int flag = 0x20; flag < 0x100; flag <<= 1) {                                      \
                memcpy(bad, full, UNCOMPRESSED);                                                   \
                bad[0] ^= (uint8_t)flag;                                                           \
                assert_int_equal(g##_decode(&q, bad), ERR_FORMAT);                                 \
            }                                                                                      \
            memcpy(bad, full, UNCOMPRESSED);                                                       \
            bad[UNCOMPRESSED - 1] ^= 1;                                                            \
            assert_int_equal(g##_decode(&q, bad), ERR_FORMAT);                                     \
            assert_memory_equal(&q, &before, sizeof q);                                            \
            if (i == 0)                                                                            \
                continue;                                                                          \
            memcpy(bad, small, COMPRESSED);                                                        \
            bad[0] ^= 0x40;                                                                        \
            assert_int_equal(g##_decode_compressed(&q, bad), ERR_FORMAT);                          \
            bad[0] ^= 0xc0;                                                                        \
            assert_int_equal(g##_decode_compressed(&q, bad), ERR_FORMAT);                          \
            memcpy(bad, small, COMPRESSED);                                                        \
            bad[0] ^= 0x20; /* the other root */                                                   \
            assert_int_equal(g##_decode_compressed(&q, bad), OK);                                  \
            g##_affine_neg(&q, &q);                                                                \
            assert_true(g##_affine_eq(&p, &q));                                                    \
            static const uint64_t m[6] = FP_MODULUS; /* x = p is 0 mod p: not canonical */         \
            for (int k = 0; k < 48; k++)                                                           \
                bad[47 - k] = (uint8_t)(m[k / 8] >> (8 * (k % 8)));                                \
            bad[0] |= 0x80;                                                                        \
            assert_int_equal(g##_decode_compressed(&q, bad), ERR_FORMAT);                          \
        }                                                                                          \
    }                                                                                              \
    /* Points found by counting x up are on the curve and almost surely outside the subgroup. */   \
    static void g##_subgroup_check_equals_slow(void **state)                                       \
    {                                                                                              \
        (void)state;                                                                               \
        uint8_t bytes[COMPRESSED] = {0x80};                                                        \
        unsigned outside = 0, found = 0;                                                           \
        for (int i = 0; i < 60; i++) {                                                             \
            A p;                                                                                   \
            X y;                                                                                   \
            bytes[COMPRESSED - 1] = (uint8_t)i;                                                    \
            if (g##_decode_compressed(&p, bytes) != OK)                                            \
                continue;                                                                          \
            found++;                                                                               \
            g##_mul_affine(&y, &p, &order);                                                        \
            bool slow = g##_xyzz_is_infinity(&y);                                                  \
            assert_int_equal(g##_in_subgroup(&p), slow);                                           \
            outside += !slow;                                                                      \
        }                                                                                          \
        assert_true(found > 10 && outside > 10);                                                   \
    }

/* clang-format off */
GROUP_TEST(G1Affine, G1Xyzz, Fp, g1, G1_GENERATOR, G1_COMPRESSED, G1_UNCOMPRESSED)
GROUP_TEST(G2Affine, G2Xyzz, Fp2, g2, G2_GENERATOR, G2_COMPRESSED, G2_UNCOMPRESSED)
/* clang-format on */

static void generators_have_their_known_bytes(void **state)
{
    (void)state;
    static const uint8_t g1[8] = {0x97, 0xf1, 0xd3, 0xa7, 0x31, 0x97, 0xd7, 0x94};
    static const uint8_t g2[8] = {0x93, 0xe0, 0x2b, 0x60, 0x52, 0x71, 0x9f, 0x60};
    uint8_t bytes[96];
    g1_encode_compressed(bytes, &G1_GENERATOR);
    assert_memory_equal(bytes, g1, sizeof g1);
    g2_encode_compressed(bytes, &G2_GENERATOR);
    assert_memory_equal(bytes, g2, sizeof g2);
}

/* (0, +-2) has order three: on the curve, not in the subgroup. */
static void a_point_of_order_three_is_refused(void **state)
{
    (void)state;
    G1Affine p = {0};
    G1Xyzz y;
    const FrCanon three = {{3}};
    fp_from_u64(&p.y, 2);
    assert_true(g1_on_curve(&p));
    g1_mul_affine(&y, &p, &three);
    assert_true(g1_xyzz_is_infinity(&y));
    assert_false(g1_in_subgroup(&p));
}

/* f^((p^12 - 1)/r) is f^((p^6 - 1)(p^2 + 1) h) with h = (p^4 - p^2 + 1)/r: the slow twin takes the
 * plain power by 3h, 1268 bits, after the easy part by inversion and repeated Frobenius. */
static void final_exponentiation_equals_plain_power(void **state)
{
    (void)state;
    static const uint64_t three_h[] = PAIRING_HARD_EXPONENT;
    for (int i = 0; i < 3; i++) {
        Fp12 f, m, t, power, fast;
        G1Affine p = g1_random_point();
        G2Affine q = g2_random_point();
        assert_int_equal(pairing_miller(&f, &p, &q, 1), OK);
        t = f;
        for (int k = 0; k < 6; k++)
            fp12_frobenius(&t, &t);
        fp12_inv(&m, &f);
        fp12_mul(&m, &m, &t);
        fp12_frobenius(&t, &m);
        fp12_frobenius(&t, &t);
        fp12_mul(&m, &m, &t);
        fp12_one(&power);
        for (size_t bit = 64 * sizeof three_h / sizeof *three_h; bit-- > 0;) {
            fp12_mul(&power, &power, &power);
            if (three_h[bit / 64] >> (bit % 64) & 1)
                fp12_mul(&power, &power, &m);
        }
        pairing_final_exp(&fast, &f);
        assert_true(fp12_eq(&fast, &power));
    }
}

static void pairing_is_bilinear(void **state)
{
    (void)state;
    Fp12 one, e, f, h;
    fp12_one(&one);
    assert_int_equal(pairing_product(&e, &G1_GENERATOR, &G2_GENERATOR, 1), OK);
    assert_false(fp12_eq(&e, &one));
    fp12_pow(&f, &e, &order);
    assert_true(fp12_eq(&f, &one));
    for (int i = 0; i < 4; i++) {
        FrCanon a = random_scalar(), b = random_scalar();
        Fr s, t;
        G1Xyzz x;
        G2Xyzz y;
        G1Affine p;
        G2Affine q;
        g1_mul_affine(&x, &G1_GENERATOR, &a);
        g1_to_affine(&p, &x);
        g2_mul_affine(&y, &G2_GENERATOR, &b);
        g2_to_affine(&q, &y);
        assert_int_equal(pairing_product(&f, &p, &q, 1), OK);
        fr_from_canon(&s, &a);
        fr_from_canon(&t, &b);
        fr_mul(&s, &s, &t);
        fr_to_canon(&a, &s);
        fp12_pow(&h, &e, &a);
        assert_true(fp12_eq(&f, &h));
    }
}

/* e(P, Q) e(-P, Q) = 1, infinity contributes nothing, and a product is a product. */
static void pairing_products(void **state)
{
    (void)state;
    Fp12 one, e, f, h;
    fp12_one(&one);
    G1Affine p[3] = {g1_random_point(), {0}, {0}}, infinity1 = {0};
    G2Affine q[3] = {g2_random_point(), {0}, {0}}, infinity2 = {0};
    g1_affine_neg(&p[1], &p[0]);
    q[1] = q[0];
    assert_int_equal(pairing_product(&e, p, q, 2), OK);
    assert_true(fp12_eq(&e, &one));
    q[1] = g2_random_point();
    assert_int_equal(pairing_product(&e, p, q, 2), OK);
    assert_false(fp12_eq(&e, &one));
    assert_int_equal(pairing_product(&f, &p[0], &q[0], 1), OK);
    assert_int_equal(pairing_product(&h, &p[1], &q[1], 1), OK);
    fp12_mul(&f, &f, &h);
    assert_true(fp12_eq(&e, &f));
    assert_int_equal(pairing_product(&f, &infinity1, &q[0], 1), OK);
    assert_true(fp12_eq(&f, &one));
    assert_int_equal(pairing_product(&f, &p[0], &infinity2, 1), OK);
    assert_true(fp12_eq(&f, &one));
    assert_int_equal(pairing_product(&f, NULL, NULL, 0), OK);
    assert_true(fp12_eq(&f, &one));
    assert_int_equal(pairing_product(&f, p, q, 3), OK);
    assert_true(fp12_eq(&e, &f));
}

/* The slow twin of Frobenius and of the easy part: plain powers. */
static void tower_identities(void **state)
{
    (void)state;
    Fp12 a, b, c;
    G1Affine p = g1_random_point();
    G2Affine q = g2_random_point();
    assert_int_equal(pairing_miller(&a, &p, &q, 1), OK);
    fp12_inv(&b, &a);
    fp12_mul(&b, &b, &a);
    fp12_one(&c);
    assert_true(fp12_eq(&b, &c));
    fp12_sqr(&b, &a);
    fp12_mul(&c, &a, &a);
    assert_true(fp12_eq(&b, &c));
    static const uint64_t modulus[6] = FP_MODULUS;
    Fp12 power;
    fp12_one(&power);
    for (int i = 384; i-- > 0;) {
        fp12_sqr(&power, &power);
        if (modulus[i / 64] >> (i % 64) & 1)
            fp12_mul(&power, &power, &a);
    }
    fp12_frobenius(&b, &a);
    assert_true(fp12_eq(&b, &power));
}

int main(void)
{
#define GROUP(g)                                                                                   \
    cmocka_unit_test(g##_laws), cmocka_unit_test(g##_mul_equals_double_and_add),                   \
        cmocka_unit_test(g##_batches_equal_single_steps),                                          \
        cmocka_unit_test(g##_table_equals_ladder), cmocka_unit_test(g##_encodings),                \
        cmocka_unit_test(g##_subgroup_check_equals_slow)
    const struct CMUnitTest tests[] = {
        GROUP(g1),
        GROUP(g2),
        cmocka_unit_test(generators_have_their_known_bytes),
        cmocka_unit_test(a_point_of_order_three_is_refused),
        cmocka_unit_test(final_exponentiation_equals_plain_power),
        cmocka_unit_test(pairing_is_bilinear),
        cmocka_unit_test(pairing_products),
        cmocka_unit_test(tower_identities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
