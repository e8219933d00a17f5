/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Inclusion: matrices by digest and counts, refusal of paths of another shape. */
#include "circuits/choose.h"
#include "circuits/por.h"
#include "rows_digest.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void record_por(const PorShape *shape, size_t rows_expected, size_t aux_expected,
                       const char *digest_expected)
{
    Cs cs;
    Rows rows;
    char digest[65];
    rows_begin(&cs, &rows, digest_expected != NULL);
    Num root = num_alloc(&cs, NULL), leaf = num_alloc(&cs, NULL);
    por_circuit(&cs, shape, &leaf, NULL, &root);
    assert_int_equal(cs.status, OK);
    assert_int_equal(cs.next_input, 2);
    assert_int_equal(rows.rows, rows_expected);
    if (aux_expected)
        assert_int_equal(cs.next_aux, aux_expected);
    assert_string_equal(cs.path, "");
    rows_end(&cs, &rows, digest);
    rows_free(&rows);
    if (digest_expected)
        assert_string_equal(digest, digest_expected);
}

static void test_digests(void **state)
{
    (void)state;
    PorShape shape;
    por_shape_poseidon(&shape, "tree", &(TreeShape){2, 0, 0, 6});
    record_por(&shape, 1062, 1076,
               "367c3b41c02ceda48b69f32a1fc68be495482d3f70da6c0693c96cb2a8c289ed");
    por_shape_poseidon(&shape, "tree", &(TreeShape){9, 8, 0, 30});
    record_por(&shape, 5302, 5372,
               "8c2e3601c12028b183fdd9f6b28500653e1a38e88cd785e6e38a511f09bc5dc8");
    por_shape_poseidon(&shape, "tree", &(TreeShape){9, 8, 2, 31});
    record_por(&shape, 5616, 5687,
               "b54746f42b9eb4b27e1197ba59f257af9cb3e270648e27c6f782251dd2615b48");
}

/* The counts that the reference asserts, less its public root's row. */
static void test_counts(void **state)
{
    (void)state;
    PorShape shape;
    por_shape_poseidon(&shape, "8", &(TreeShape){2, 0, 0, 6});
    record_por(&shape, 1063 - 1, 0, NULL);
    por_shape_poseidon(&shape, "8-2", &(TreeShape){2, 2, 0, 7});
    record_por(&shape, 1377 - 1, 0, NULL);
    por_shape_poseidon(&shape, "8-8", &(TreeShape){2, 8, 0, 9});
    record_por(&shape, 1593 - 1, 0, NULL);
    por_shape_poseidon(&shape, "8-8-2", &(TreeShape){2, 8, 2, 10});
    record_por(&shape, 1907 - 1, 0, NULL);
    por_shape_poseidon(&shape, "8-4-2", &(TreeShape){2, 4, 2, 9});
    record_por(&shape, 1764 - 1, 0, NULL);
    PorShape quad = {.name = "4", .n_levels = 3, .log_arity = {2, 2, 2}};
    record_por(&quad, 1164 - 1, 0, NULL);
    PorShape binary = {.name = "2", .n_levels = 6, .log_arity = {1, 1, 1, 1, 1, 1}};
    record_por(&binary, 1887 - 1, 0, NULL);
    por_shape_sha256(&shape, "sha", 6);
    record_por(&shape, 272295 - 1, 6 * 45335 + 2, NULL);
}

/* Every index of every arity puts the element where it belongs, and select finds it there. */
static void test_insert(void **state)
{
    (void)state;
    for (unsigned n_bits = 1; n_bits <= 3; n_bits++) {
        unsigned n = 1u << n_bits;
        for (uint64_t index = 0; index < n; index++) {
            Cs cs;
            Sheet sheet;
            Num element, others[7], out[8];
            Bit bits[3];
            sheet_begin(&cs, &sheet, 1, 200);
            fr_from_u64(&element.value, 100);
            for (unsigned i = 0; i + 1 < n; i++)
                fr_from_u64(&others[i].value, i);
            bit_alloc_many(&cs, bits, &index, n_bits);
            num_insert(&cs, out, &element, bits, n_bits, others);
            for (unsigned i = 0, other = 0; i < n; i++) {
                const Num *expect = i == index ? &element : &others[other++];
                assert_true(fr_eq(&out[i].value, &expect->value));
            }
            Num found = num_select(&cs, out, bits, n_bits);
            assert_true(fr_eq(&found.value, &element.value));
            sheet_free(&sheet);
        }
    }
}

static Status write_por(PathElement *path, const PorShape *shape)
{
    Cs cs;
    Sheet sheet;
    Num leaf = {0}, root = {0};
    sheet_begin(&cs, &sheet, 2, 10000);
    por_circuit(&cs, shape, &leaf, path, &root);
    sheet_free(&sheet);
    return cs.status;
}

static void test_bad_paths(void **state)
{
    (void)state;
    Node siblings[7] = {0};
    PathElement path[2] = {{8, 7, siblings}, {8, 0, siblings}};
    PorShape shape;
    por_shape_poseidon(&shape, "tree", &(TreeShape){2, 0, 0, 6});
    assert_int_equal(write_por(path, &shape), OK);
    path[1].index = 8;
    assert_int_equal(write_por(path, &shape), ERR_FORMAT);
    path[1].index = 0;
    path[0].arity = 4;
    assert_int_equal(write_por(path, &shape), ERR_FORMAT);
    path[0].arity = 8;
    memset(siblings[3].b, 0xff, 32);
    assert_int_equal(write_por(path, &shape), ERR_FORMAT);
    assert_non_null(strstr(status_message(), "tree"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digests),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_insert),
        cmocka_unit_test(test_bad_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
