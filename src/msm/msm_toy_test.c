/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The MSM template over toy curves, where every sum can be tried: equal, opposite and absent points
 * meet at every stage, and the referee is a table of the group. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "msm/msm_impl.h"

#include <string.h>

#ifdef CUZK_SANITIZED
enum { THIN = 11, TRIALS = 20 };
#else
enum { THIN = 1, TRIALS = 200 };
#endif

typedef struct {
    uint32_t v;
} Toy;
typedef struct {
    Toy x, y;
} ToyAffine;
typedef struct {
    Toy x, y, zz, zzz;
} ToyXyzz;

static uint32_t modulus;
static Toy toy_b;
static const Toy TOY_ZERO = {0}, TOY_ONE = {1};

static inline bool toyf_is_zero(const Toy *a)
{
    return a->v == 0;
}
static inline bool toyf_eq(const Toy *a, const Toy *b)
{
    return a->v == b->v;
}
static inline void toyf_add(Toy *out, const Toy *a, const Toy *b)
{
    out->v = (a->v + b->v) % modulus;
}
static inline void toyf_sub(Toy *out, const Toy *a, const Toy *b)
{
    out->v = (a->v + modulus - b->v) % modulus;
}
static inline void toyf_dbl(Toy *out, const Toy *a)
{
    toyf_add(out, a, a);
}
static inline void toyf_neg(Toy *out, const Toy *a)
{
    toyf_sub(out, &TOY_ZERO, a);
}
static inline void toyf_mul(Toy *out, const Toy *a, const Toy *b)
{
    out->v = a->v * b->v % modulus;
}
static inline void toyf_sqr(Toy *out, const Toy *a)
{
    toyf_mul(out, a, a);
}
static void toyf_inv(Toy *out, const Toy *a)
{
    uint32_t inverse = 0;
    for (uint32_t i = 1; i < modulus; i++)
        if (i * a->v % modulus == 1)
            inverse = i;
    out->v = inverse;
}
static void toyf_inv_batch(Toy *a, size_t n, Toy *scratch)
{
    (void)scratch;
    for (size_t i = 0; i < n; i++)
        toyf_inv(&a[i], &a[i]);
}

#define CURVE_AFFINE ToyAffine
#define CURVE_XYZZ ToyXyzz
#define CURVE_FIELD Toy
#define CURVE_NAME(op) toy_##op
#define CURVE_F(op) toyf_##op
#define CURVE_ZERO TOY_ZERO
#define CURVE_ONE TOY_ONE
#define CURVE_B toy_b
#include "curve/curve_tmpl.h"

#define MSM_G toy
#define MSM_F toyf
#define MSM_AFFINE ToyAffine
#define MSM_XYZZ ToyXyzz
#define MSM_FIELD Toy
#define MSM_FIELD_ONE TOY_ONE
#define MSM_QUEUE 5
#define MSM_CHUNK 64
#include "msm/msm_tmpl.h"

/* The whole curve: elements[0] is infinity; sums by the chord and tangent rule on paper. */
enum { MOST_ELEMENTS = 256 };
static ToyAffine elements[MOST_ELEMENTS];
static size_t n_elements;
static uint16_t sums[MOST_ELEMENTS][MOST_ELEMENTS];
static Pool *pool;

static size_t element_of(uint32_t x, uint32_t y)
{
    for (size_t i = 1; i < n_elements; i++)
        if (elements[i].x.v == x && elements[i].y.v == y)
            return i;
    return 0;
}

static size_t slow_sum(size_t i, size_t j)
{
    if (i == 0 || j == 0)
        return i + j;
    uint32_t p = modulus, x1 = elements[i].x.v, y1 = elements[i].y.v;
    uint32_t x2 = elements[j].x.v, y2 = elements[j].y.v;
    if (x1 == x2 && (y1 + y2) % p == 0)
        return 0;
    uint32_t top = i == j ? 3 * x1 * x1 : y2 + p - y1, bottom = i == j ? 2 * y1 : x2 + p - x1;
    uint32_t slope = 0;
    while (slope * bottom % p != top % p)
        slope++;
    uint32_t x3 = (slope * slope + 2 * p - x1 - x2) % p;
    return element_of(x3, (slope * (x1 + p - x3) + p - y1) % p);
}

static void make_curve(uint32_t p, uint32_t b, size_t order)
{
    modulus = p;
    toy_b.v = b;
    n_elements = 1;
    memset(elements, 0, sizeof elements);
    for (uint32_t x = 0; x < p; x++)
        for (uint32_t y = 0; y < p; y++)
            if (y * y % p == (x * x * x + b) % p)
                elements[n_elements++] = (ToyAffine){{x}, {y}};
    assert_int_equal(n_elements, order);
    for (size_t i = 0; i < order; i++)
        for (size_t j = 0; j < order; j++)
            sums[i][j] = (uint16_t)slow_sum(i, j);
}

static size_t slow_multiple(size_t element, uint64_t k)
{
    size_t sum = 0;
    for (k %= n_elements; k; k--) /* the order of the group kills every element */
        sum = sums[sum][element];
    return sum;
}

static void check(const size_t *element, const uint64_t *k, size_t n, unsigned window, Pool *with)
{
    ToyAffine *points = calloc(n + 1, sizeof *points);
    FrCanon *scalars = calloc(n + 1, sizeof *scalars);
    size_t expected = 0;
    for (size_t i = 0; i < n; i++) {
        points[i] = elements[element[i]];
        scalars[i].l[0] = k[i];
        expected = sums[expected][slow_multiple(element[i], k[i])];
    }
    ToyXyzz sum = {TOY_ZERO, TOY_ZERO, TOY_ZERO, TOY_ZERO};
    ToyAffine result;
    MsmScalars all = {.n_full = n, .full = scalars};
    assert_int_equal(toy_msm_windowed(&sum, points, n, &all, window, with), OK);
    toy_to_affine(&result, &sum);
    assert_true(toy_affine_eq(&result, &elements[expected]));
    free(points);
    free(scalars);
}

/* Every step-th choice of n points and n scalars. */
static void try_all(size_t n, unsigned window, size_t step)
{
    size_t choices = 1, digits[6];
    for (size_t i = 0; i < 2 * n; i++)
        choices *= n_elements;
    for (size_t choice = 0; choice < choices; choice += step * THIN) {
        uint64_t k[3];
        size_t rest = choice;
        for (size_t i = 0; i < 2 * n; i++, rest /= n_elements)
            digits[i] = rest % n_elements;
        for (size_t i = 0; i < n; i++)
            k[i] = digits[n + i];
        check(digits, k, n, window, NULL);
    }
}

static void every_small_sum(void **state)
{
    (void)state;
    make_curve(7, 3, 13);
    for (unsigned window = 2; window <= 5; window++)
        try_all(1, window, 1);
    try_all(2, 4, 1);
    make_curve(13, 1, 12); /* with points of order two and three: y = 0, x = 0 */
    try_all(2, 3, 1);
    make_curve(13, 6, 7);
    try_all(3, 9, 5);
}

/* Lists of all lengths, with collisions everywhere; chunks of 64 and batches of 5 split them. */
static void many_points_on_few_places(void **state)
{
    (void)state;
    static const struct {
        uint32_t p, b;
        size_t order;
    } curves[] = {{7, 3, 13}, {13, 1, 12}, {211, 2, 199}};
    enum { N = 700 };
    static size_t element[N];
    static uint64_t k[N];
    uint64_t state_word = 1;
    for (size_t c = 0; c < 3; c++) {
        make_curve(curves[c].p, curves[c].b, curves[c].order);
        for (size_t trial = 0; trial < TRIALS; trial++) {
            size_t n = trial % 5 ? 1 + trial * 3 : N;
            n = n > N ? N : n;
            for (size_t i = 0; i < n; i++) {
                state_word = state_word * 6364136223846793005u + 1442695040888963407u;
                element[i] = trial % 3 ? (state_word >> 33) % n_elements : 1 + i % 2;
                k[i] = trial % 4 ? state_word >> 11 : state_word >> 60;
            }
            check(element, k, n, 2 + trial % 11, trial % 2 ? pool : NULL);
        }
    }
}

static void bits_on_few_places(void **state)
{
    (void)state;
    enum { N = 70001 };
    ToyAffine *points = calloc(N, sizeof *points);
    uint64_t *ones = calloc(N / 64 + 1, sizeof *ones), word = 7;
    make_curve(211, 2, 199);
    for (size_t density = 0; density < 4; density++) {
        size_t expected = 0;
        memset(ones, 0, (N / 64 + 1) * sizeof *ones);
        for (size_t i = 0; i < N; i++) {
            word = word * 6364136223846793005u + 1442695040888963407u;
            size_t element = (word >> 33) % n_elements;
            points[i] = elements[element];
            if ((word >> 60) < 5 * density + 1) {
                ones[i / 64] |= 1ull << (i % 64);
                expected = sums[expected][element];
            }
        }
        for (int threads = 0; threads < 2; threads++) {
            ToyXyzz sum = {TOY_ZERO, TOY_ZERO, TOY_ZERO, TOY_ZERO};
            ToyAffine result;
            MsmScalars bits = {.ones = ones};
            assert_int_equal(toy_msm_windowed(&sum, points, N, &bits, 0, threads ? pool : NULL),
                             OK);
            toy_to_affine(&result, &sum);
            assert_true(toy_affine_eq(&result, &elements[expected]));
        }
    }
    free(points);
    free(ones);
}

int main(void)
{
    if (pool_new(&pool, 3) != OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_small_sum),
        cmocka_unit_test(many_points_on_few_places),
        cmocka_unit_test(bits_on_few_places),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pool_free(&pool);
    return failed;
}
