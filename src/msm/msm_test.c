/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Sums against double-and-add: sizes, edges, repeats, every window. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "msm/msm_impl.h"

#include <string.h>

#ifdef CUZK_SANITIZED
enum { MOST = 130, LARGE = 3000 };
#else
enum { MOST = 260, LARGE = 40000 };
#endif

static Pool *pool;
static const FrCanon order = {FR_ORDER};

static FrCanon scalar_of(size_t i)
{
    Fr k;
    FrCanon canon = {{0}};
    if (i < 3)
        canon.l[0] = i;
    else if (i == 3) {
        canon = order;
        canon.l[0]--;
    } else if (i < 300) {
        canon.l[(i % 255) / 64] = 1ull << ((i % 255) % 64);
        if (i % 2) /* a run of ones below it */
            for (size_t w = 0; w < (i % 255) / 64; w++)
                canon.l[w] = UINT64_MAX;
        if (canon.l[3] >= order.l[3])
            canon.l[3] = order.l[3] - 1;
    } else {
        assert_int_equal(fr_random(&k), OK);
        fr_to_canon(&canon, &k);
    }
    return canon;
}

/* Patterns: 0 random multiples, 1 all equal, 2 P, 2P, 3P .., 3 P, -P alternating, 4 infinity
 * everywhere but some. */
static void points_of(G1Affine *points, size_t n, int pattern)
{
    G1Xyzz sum;
    g1_from_affine(&sum, &G1_GENERATOR);
    for (size_t i = 0; i < n; i++) {
        if (pattern == 1 || pattern == 3)
            points[i] = G1_GENERATOR;
        else
            g1_to_affine(&points[i], &sum);
        if (pattern == 3 && i % 2)
            g1_affine_neg(&points[i], &points[i]);
        if (pattern == 4 && i % 3)
            points[i] = (G1Affine){0};
        g1_add_affine(&sum, &sum, &G1_GENERATOR);
        if (pattern == 0)
            g1_dbl(&sum, &sum);
    }
}

static void equals_double_and_add(void **state)
{
    (void)state;
    static G1Affine points[MOST];
    static FrCanon scalars[MOST];
    const size_t sizes[] = {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 129, MOST};
    for (int pattern = 0; pattern < 5; pattern++) {
        points_of(points, MOST, pattern);
        for (size_t turn = 0; turn < 3; turn++) { /* edges, random, all equal */
            for (size_t i = 0; i < MOST; i++)
                scalars[i] = turn == 2 && i ? scalars[0] : scalar_of(turn ? 1000 : i);
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                G1Xyzz fast, slow;
                MsmScalars all = {.n_full = sizes[s], .full = scalars};
                assert_int_equal(msm_g1(&fast, points, sizes[s], &all, pool), OK);
                msm_g1_ref(&slow, points, scalars, sizes[s]);
                assert_true(g1_xyzz_eq(&fast, &slow));
            }
        }
    }
}

/* Every window width, with digits at +-2^(c-1) in every place. */
static void every_window_width(void **state)
{
    (void)state;
    static G1Affine points[MOST];
    static FrCanon scalars[MOST];
    points_of(points, MOST, 2);
    for (unsigned c = 2; c <= MSM_MOST_WINDOW; c++) {
        for (size_t i = 0; i < MOST; i++) {
            scalars[i] = scalar_of(i);
            if (i < 40 && c * i + c - 1 < 254) { /* the digit 2^(c-1), then one less */
                unsigned bit = (unsigned)(c * i + c - 1);
                scalars[i] = (FrCanon){{0}};
                scalars[i].l[bit / 64] = 1ull << (bit % 64);
                if (i % 2)
                    scalars[i].l[0] |= 1;
            }
        }
        G1Xyzz fast, slow;
        MsmScalars all = {.n_full = MOST, .full = scalars};
        assert_int_equal(msm_g1_windowed(&fast, points, MOST, &all, c, pool), OK);
        msm_g1_ref(&slow, points, scalars, MOST);
        assert_true(g1_xyzz_eq(&fast, &slow));
    }
}

/* Digits of every window sum up to the scalar again. */
static void digits_recompose(void **state)
{
    (void)state;
    for (unsigned c = 2; c <= MSM_MOST_WINDOW; c++) {
        MsmPlan plan;
        msm_plan(&plan, 1000, 1, c);
        Fr two_c, sum, digit, expected;
        fr_from_u64(&two_c, 1ull << c);
        for (size_t i = 0; i < 400; i++) {
            FrCanon k = scalar_of(i), folded;
            bool negated = msm_fold_scalar(&folded, &k);
            sum = FR_ZERO;
            for (unsigned w = plan.n_windows; w-- > 0;) {
                int32_t d = msm_digit(&folded, c, w);
                assert_in_range(d < 0 ? -d : d, 0, plan.n_buckets);
                fr_from_u64(&digit, (uint64_t)(d < 0 ? -d : d));
                if (d < 0)
                    fr_neg(&digit, &digit);
                fr_mul(&sum, &sum, &two_c);
                fr_add(&sum, &sum, &digit);
            }
            fr_from_canon(&expected, &k);
            if (negated)
                fr_neg(&sum, &sum);
            assert_true(fr_eq(&sum, &expected));
        }
    }
}

/* Bits, field elements and absent points mixed, in both groups. */
static void classified_scalars(void **state)
{
    (void)state;
    enum { N = 200 };
    static G1Affine p1[N];
    static G2Affine p2[N];
    FrCanon dense[N], full[N];
    uint32_t index[N];
    uint64_t ones[(N + 63) / 64];
    points_of(p1, N, 0);
    G2Xyzz sum;
    g2_from_affine(&sum, &G2_GENERATOR);
    for (size_t i = 0; i < N; i++) {
        g2_to_affine(&p2[i], &sum);
        g2_add_affine(&sum, &sum, i % 5 ? &G2_GENERATOR : &p2[i]);
    }
    for (size_t turn = 0; turn < 4; turn++) {
        MsmScalars scalars = {.ones = ones, .index = index, .full = full};
        memset(ones, 0, sizeof ones);
        for (size_t i = 0; i < N; i++) {
            dense[i] = (FrCanon){{0}};
            size_t kind = turn == 3 ? 0 : (i * 7 + turn) % 5;
            if (kind < 2) {
                ones[i / 64] |= 1ull << (i % 64);
                dense[i].l[0] = 1;
            } else if (kind == 2) {
                dense[i] = full[scalars.n_full] = scalar_of(500 + i);
                index[scalars.n_full++] = (uint32_t)i;
            }
        }
        G1Xyzz fast1, slow1;
        G2Xyzz fast2, slow2;
        assert_int_equal(msm_g1(&fast1, p1, N, &scalars, pool), OK);
        msm_g1_ref(&slow1, p1, dense, N);
        assert_true(g1_xyzz_eq(&fast1, &slow1));
        assert_int_equal(msm_g2(&fast2, p2, N, &scalars, pool), OK);
        msm_g2_ref(&slow2, p2, dense, N);
        assert_true(g2_xyzz_eq(&fast2, &slow2));
    }
}

/* Large enough for several tiles, groups and threads: sum k_i (i + 1) G = (sum k_i (i + 1)) G. */
static void large_sums_are_linear(void **state)
{
    (void)state;
    G1Affine *points = calloc(LARGE, sizeof *points);
    FrCanon *scalars = calloc(LARGE, sizeof *scalars), total;
    uint64_t *ones = calloc(LARGE / 64 + 1, sizeof *ones);
    points_of(points, LARGE, 2);
    Fr sum = FR_ZERO, k, place, triangle;
    for (size_t i = 0; i < LARGE; i++) {
        scalars[i] = scalar_of(i % 50 ? 1000 : i % 300);
        fr_from_canon(&k, &scalars[i]);
        fr_from_u64(&place, i + 1);
        fr_mul(&k, &k, &place);
        fr_add(&sum, &sum, &k);
        ones[i / 64] |= 1ull << (i % 64);
    }
    fr_to_canon(&total, &sum);
    G1Xyzz one, many, expected;
    MsmScalars all = {.n_full = LARGE, .full = scalars};
    assert_int_equal(msm_g1(&one, points, LARGE, &all, NULL), OK);
    assert_int_equal(msm_g1(&many, points, LARGE, &all, pool), OK);
    g1_mul_affine(&expected, &G1_GENERATOR, &total);
    assert_true(g1_xyzz_eq(&one, &expected));
    assert_true(g1_xyzz_eq(&many, &expected));
    MsmScalars bits = {.ones = ones};
    fr_from_u64(&triangle, (uint64_t)LARGE * (LARGE + 1) / 2);
    fr_to_canon(&total, &triangle);
    g1_mul_affine(&expected, &G1_GENERATOR, &total);
    assert_int_equal(msm_g1(&many, points, LARGE, &bits, pool), OK);
    assert_true(g1_xyzz_eq(&many, &expected));
    free(points);
    free(scalars);
    free(ones);
}

int main(void)
{
    if (pool_new(&pool, 3) != OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_double_and_add), cmocka_unit_test(every_window_width),
        cmocka_unit_test(digits_recompose),      cmocka_unit_test(classified_scalars),
        cmocka_unit_test(large_sums_are_linear),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pool_free(&pool);
    return failed;
}
