/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Rows come out merged and sorted; witness bits land where they belong; paths nest. */
#include "r1cs/cs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { VARS = 40, BITS = 1000 };

static uint64_t state = 1;

static uint64_t next(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
}

/* Dense sums by variable: inputs 0 .. VARS-1, then aux. */
typedef struct {
    Fr sum[3][2 * VARS];
    size_t rows;
} Dense;

static size_t dense_index(Var var)
{
    return var & VAR_INPUT ? var & ~VAR_INPUT : VARS + var;
}

static void expect_row(Cs *cs, const Term *a, uint32_t na, const Term *b, uint32_t nb,
                       const Term *c, uint32_t nc)
{
    Dense *dense = cs->sink;
    const Term *terms[3] = {a, b, c};
    const uint32_t n[3] = {na, nb, nc};
    for (int s = 0; s < 3; s++) {
        uint32_t at = 0;
        for (size_t v = 0; v < 2 * VARS; v++) {
            if (fr_is_zero(&dense->sum[s][v]))
                continue;
            assert_true(at < n[s]);
            assert_int_equal(dense_index(terms[s][at].var), v);
            assert_true(fr_eq(&terms[s][at].coefficient, &dense->sum[s][v]));
            at++;
        }
        assert_int_equal(at, n[s]);
    }
    dense->rows++;
}

static void random_lc(Lc *lc, Fr *dense, size_t n)
{
    lc_clear(lc);
    for (size_t i = 0; i < n; i++) {
        Var var = (Var)(next() % VARS) | (next() % 4 ? 0 : VAR_INPUT);
        Fr c;
        fr_from_u64(&c, next() % 3);
        if (next() & 1)
            fr_neg(&c, &c);
        assert_int_equal(lc_add(lc, &c, var), OK);
        fr_add(&dense[dense_index(var)], &dense[dense_index(var)], &c);
    }
}

static void test_rows_are_merged(void **unused)
{
    (void)unused;
    Dense dense;
    Cs cs = {.mode = CS_RECORD, .sink = &dense, .on_row = expect_row};
    Lc lc[3] = {0};
    dense.rows = 0;
    for (size_t round = 0; round < 3000; round++) {
        memset(dense.sum, 0, sizeof dense.sum);
        for (int s = 0; s < 3; s++)
            random_lc(&lc[s], dense.sum[s], round % 50 == 0 ? next() % 500 : next() % 20);
        cs_enforce(&cs, &lc[0], &lc[1], &lc[2]);
        // the same LCs in other forms
        memset(dense.sum[2], 0, sizeof dense.sum[2]);
        assert_int_equal(lc_normalize(&lc[0]), OK);
        cs_enforce(&cs, &lc[0], &lc[1], NULL);
        assert_int_equal(cs.status, OK);
    }
    assert_int_equal(dense.rows, 6000);
    for (int s = 0; s < 3; s++)
        lc_free(&lc[s]);
    cs_free(&cs);
}

static void test_sums_of_lcs(void **unused)
{
    (void)unused;
    Dense dense = {0};
    Cs cs = {.mode = CS_RECORD, .sink = &dense, .on_row = expect_row};
    Lc a = {0}, b = {0};
    Fr three;
    fr_from_u64(&three, 3);
    random_lc(&a, dense.sum[0], 30);
    random_lc(&b, dense.sum[1], 30);
    assert_int_equal(lc_add_lc(&a, &three, &b), OK);
    assert_int_equal(lc_add_lc(&b, &FR_ONE, &b), OK); // itself
    for (size_t v = 0; v < 2 * VARS; v++) {
        Fr product;
        fr_mul(&product, &three, &dense.sum[1][v]);
        fr_add(&dense.sum[0][v], &dense.sum[0][v], &product);
        fr_dbl(&dense.sum[1][v], &dense.sum[1][v]);
    }
    cs_enforce(&cs, &a, &b, NULL);
    assert_int_equal(dense.rows, 1);
    lc_free(&a);
    lc_free(&b);
    cs_free(&cs);
}

/* a - a is nothing. */
static void test_cancelled_terms(void **unused)
{
    (void)unused;
    Dense dense = {0};
    Cs cs = {.mode = CS_RECORD, .sink = &dense, .on_row = expect_row};
    Lc lc = {0};
    Fr minus;
    fr_neg(&minus, &FR_ONE);
    assert_int_equal(lc_add(&lc, &FR_ONE, 5), OK);
    assert_int_equal(lc_add(&lc, &minus, 5), OK);
    cs_enforce(&cs, &lc, NULL, &lc);
    assert_int_equal(dense.rows, 1);
    assert_int_equal(lc_normalize(&lc), OK);
    assert_int_equal(lc.n, 0);
    lc_free(&lc);
    cs_free(&cs);
}

/* Runs of bits and single bits at every offset, between field elements. */
static void test_witness_bits(void **unused)
{
    (void)unused;
    enum { BASE = 77 };
    for (size_t round = 0; round < 200; round++) {
        uint64_t bits[BITS / 64 + 2] = {0}, words[4];
        uint8_t expected[BITS] = {0};
        Fr fields[BITS];
        Cs cs = {.mode = CS_WITNESS,
                 .bits = bits,
                 .bit_base = BASE,
                 .next_aux = BASE,
                 .aux_end = BASE + BITS,
                 .fields = fields,
                 .fields_end = fields + BITS};
        size_t n = 0, n_fields = 0;
        while (n + 256 < BITS) {
            size_t run = next() % 256;
            for (int i = 0; i < 4; i++)
                words[i] = next() << 33 ^ next();
            if (next() % 3) {
                assert_int_equal(cs_alloc_bits(&cs, words, run), BASE + n);
                for (size_t i = 0; i < run; i++)
                    expected[n++] = words[i / 64] >> (i % 64) & 1;
            } else if (next() & 1) {
                assert_int_equal(cs_alloc_bit(&cs, words[0] & 1), BASE + n);
                expected[n++] = words[0] & 1;
            } else {
                assert_int_equal(cs_alloc(&cs, &FR_ONE), BASE + n);
                n++;
                n_fields++;
            }
        }
        assert_int_equal(cs.status, OK);
        assert_ptr_equal(cs.fields, fields + n_fields);
        for (size_t i = 0; i < BITS; i++)
            assert_int_equal(bits[i / 64] >> (i % 64) & 1, expected[i]);
        assert_int_equal(bits[BITS / 64 + 1], 0);
    }
}

static void test_witness_ends(void **unused)
{
    (void)unused;
    uint64_t bits[2] = {0}, words[2] = {UINT64_MAX, UINT64_MAX};
    Fr value[3] = {FR_ZERO, FR_ZERO, FR_ZERO};
    const Cs fresh = {.mode = CS_WITNESS,
                      .bits = bits,
                      .aux_end = 3,
                      .inputs = value,
                      .inputs_end = value + 1,
                      .fields = value + 1,
                      .fields_end = value + 2};
    Cs cs = fresh;
    assert_int_equal(cs_alloc_bits(&cs, words, 4), 0);
    assert_int_equal(cs.status, ERR_INTERNAL);
    assert_int_equal(bits[0], 0);
    cs = fresh;
    for (unsigned i = 0; i < 4; i++) {
        cs_alloc_bit(&cs, true);
        assert_int_equal(cs.status, i < 3 ? OK : ERR_INTERNAL);
    }
    assert_int_equal(bits[0], 7);
    cs = fresh;
    cs_alloc(&cs, &FR_ONE);
    assert_int_equal(cs.status, OK);
    cs_alloc(&cs, &FR_ONE);
    assert_int_equal(cs.status, ERR_INTERNAL);
    cs = fresh;
    cs_alloc_input(&cs, &FR_ONE);
    assert_int_equal(cs.status, OK);
    cs_alloc_input(&cs, &FR_ONE);
    assert_int_equal(cs.status, ERR_INTERNAL);
    assert_true(fr_is_zero(&value[2]));
}

static void test_paths(void **unused)
{
    (void)unused;
    Cs cs = {.mode = CS_RECORD};
    cs_push(&cs, "challenge %d", 3);
    cs_push(&cs, "a/b");
    assert_string_equal(cs.path, "challenge 3/a/b");
    cs_pop(&cs);
    assert_string_equal(cs.path, "challenge 3");
    for (int i = 0; i < 100; i++)
        cs_push(&cs, "gadget %d", i);
    assert_true(strlen(cs.path) < sizeof cs.path);
    for (int i = 0; i < 100; i++)
        cs_pop(&cs);
    assert_string_equal(cs.path, "challenge 3");
    cs_pop(&cs);
    cs_pop(&cs);
    assert_string_equal(cs.path, "");
    cs.mode = CS_WITNESS;
    cs_push(&cs, "nothing");
    assert_string_equal(cs.path, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_merged), cmocka_unit_test(test_sums_of_lcs),
        cmocka_unit_test(test_cancelled_terms), cmocka_unit_test(test_witness_bits),
        cmocka_unit_test(test_witness_ends),    cmocka_unit_test(test_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
