/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Transforms against the defining sums, and round trips. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ntt/ntt.h"

#include <string.h>

#ifdef CUZK_SANITIZED
enum { SLOW_LOG = 7, SLOWEST_LOG = 8, MOST_LOG = 15, LARGEST_LOG = 21 };
#else
enum { SLOW_LOG = 9, SLOWEST_LOG = 14, MOST_LOG = 20, LARGEST_LOG = 22 };
#endif

static Pool *pool;

static Fr *make(size_t n, int pattern)
{
    Fr *x = calloc(n, sizeof *x);
    Fr step;
    fr_from_u64(&step, 0x123456789abcdefull);
    assert_non_null(x);
    for (size_t i = 0; i < n; i++) {
        if (pattern == 1)
            fr_neg(&x[i], &FR_ONE); /* r - 1 */
        else if (pattern == 2)
            x[i] = i == n / 3 ? FR_ONE : FR_ZERO;
        else if (pattern == 3)
            i ? fr_mul(&x[i], &x[i - 1], &step) : fr_from_u64(&x[i], 3);
    }
    return x;
}

static void forward_equals_the_sums(void **state)
{
    (void)state;
    for (unsigned log_n = 0; log_n <= SLOWEST_LOG; log_n++) {
        size_t n = (size_t)1 << log_n;
        Domain *d;
        assert_int_equal(domain_new(&d, log_n, pool), OK);
        assert_int_equal(domain_size(d), n);
        for (int pattern = log_n <= SLOW_LOG ? 0 : 3; pattern < 4; pattern++) {
            Fr *x = make(n, pattern), *y = calloc(n, sizeof *y);
            ntt_ref_dft(y, x, n, domain_omega(d));
            assert_int_equal(ntt_forward(x, d, pool), OK);
            assert_memory_equal(x, y, n * sizeof *x);
            free(x);
            free(y);
        }
        domain_free(&d);
    }
}

/* sum_j x_j point^j */
static void evaluate(Fr *out, const Fr *x, size_t n, const Fr *point)
{
    *out = FR_ZERO;
    for (size_t j = n; j-- > 0;) {
        fr_mul(out, out, point);
        fr_add(out, out, &x[j]);
    }
}

/* Above the sizes with a table between columns and rows, threads or none: the same bytes. */
static void largest_sizes_agree(void **state)
{
    (void)state;
    for (unsigned log_n = 21; log_n <= LARGEST_LOG; log_n++) {
        size_t n = (size_t)1 << log_n;
        Domain *d;
        assert_int_equal(domain_new(&d, log_n, pool), OK);
        Fr *x = make(n, 3), *y = calloc(n, sizeof *y), value, point;
        memcpy(y, x, n * sizeof *x);
        assert_int_equal(ntt_forward(x, d, pool), OK);
        const uint64_t k = n / 7;
        fr_pow(&point, domain_omega(d), &k, 1);
        evaluate(&value, y, n, &point);
        assert_true(fr_eq(&value, &x[k]));
        assert_int_equal(ntt_forward(y, d, NULL), OK);
        assert_memory_equal(x, y, n * sizeof *x);
        free(x);
        free(y);
        domain_free(&d);
    }
}

/* Sizes that take the four steps, even and odd: sampled outputs are evaluations of the polynomial
 * at omega^k or 7 omega^k, and the inverse brings the input back. */
static void large_sizes_evaluate_and_return(void **state)
{
    (void)state;
    for (unsigned log_n = 1; log_n <= MOST_LOG; log_n++) {
        size_t n = (size_t)1 << log_n;
        Domain *d;
        assert_int_equal(domain_new(&d, log_n, pool), OK);
        Fr *x = make(n, 3), *y = calloc(n, sizeof *y), value, point;
        const Fr seven = FR_GENERATOR;
        for (int coset = 0; coset < 2; coset++) {
            memcpy(y, x, n * sizeof *x);
            assert_int_equal((coset ? ntt_coset_forward : ntt_forward)(y, d, pool), OK);
            const uint64_t samples[] = {0, 1, n / 2, n - 1, n / 3, 5 * n / 7};
            for (size_t s = 0; s < sizeof samples / sizeof *samples; s++) {
                fr_pow(&point, domain_omega(d), &samples[s], 1);
                if (coset)
                    fr_mul(&point, &point, &seven);
                evaluate(&value, x, n, &point);
                assert_true(fr_eq(&value, &y[samples[s]]));
            }
            assert_int_equal((coset ? ntt_coset_inverse : ntt_inverse)(y, d, NULL), OK);
            assert_memory_equal(x, y, n * sizeof *x);
        }
        free(x);
        free(y);
        domain_free(&d);
    }
}

static void omega_has_its_order(void **state)
{
    (void)state;
    Domain *d;
    assert_int_equal(domain_new(&d, 5, NULL), OK);
    const uint64_t half = 16;
    Fr w, minus;
    fr_pow(&w, domain_omega(d), &half, 1);
    fr_neg(&minus, &FR_ONE);
    assert_true(fr_eq(&w, &minus));
    domain_free(&d);
    domain_free(&d);
}

int main(void)
{
    if (pool_new(&pool, 3) != OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_equals_the_sums),
        cmocka_unit_test(large_sizes_evaluate_and_return),
        cmocka_unit_test(largest_sizes_agree),
        cmocka_unit_test(omega_has_its_order),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pool_free(&pool);
    return failed;
}
