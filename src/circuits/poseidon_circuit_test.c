/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The Poseidon gadget: matrices by digest, values by known hashes. */
#include "circuits/poseidon_circuit.h"
#include "rows_digest.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const struct {
    unsigned arity;
    uint64_t tag; /* 0: Merkle */
    size_t rows;
    size_t nnz[3];
    const char *digest;
    const char *hash; /* of 0, 1, .. arity - 1; little-endian */
} CASES[] = {
    {2,
     0,
     311,
     {2120, 313, 386},
     "b9bdf58a9ac615d2edd3b897d5c708a91ce85a5461a16bf5b6e528c6e4c31b1a",
     "ffe7029a363c202e9da6059d33a9fba661e1ef02d90f9e736ba5765ed7086539"},
    {4,
     0,
     377,
     {2574, 381, 467},
     "6b69a23b39b687a8aa2b45e304e4f63999faf4e0d467c2b4fc825ab0f57f3159",
     "5d076266ff149801ec2713bf05466bfb99932279653cdb008a84e5a9104ba558"},
    {8,
     0,
     505,
     {3599, 513, 624},
     "548ca9543911352292ad59d31b819135cebc8a2a31812c5ebdb9da4d847d1a9a",
     "e6a5386df534992ad9aec49c9d2e684b777067114200011255dea5a31d619423"},
    {11,
     0,
     598,
     {4463, 609, 738},
     "b9042a5ab3d19e344ade20bf8888012582718bdb6c0430f44415a741af33df45",
     "6331692bc3bbe3cec18fb0ccd8dcf3097ae8eb32e237a56c287f22e5b2c10f0c"},
    {2,
     1ull << 40,
     311,
     {2120, 313, 386},
     "9376d7ab55ce3f926ac5737e65c759d0dee73e5221726aa07506323b5d31f1de",
     "587707bcc44ea7e5c7677339ea0b58e325fea03481c51fad4e92f0e7c4354a31"},
};
enum { N_CASES = sizeof CASES / sizeof *CASES, MAX_ARITY = 11 };

static Num hash_case(Cs *cs, size_t i)
{
    Num preimage[MAX_ARITY];
    Fr tag;
    for (unsigned k = 0; k < CASES[i].arity; k++) {
        Fr value;
        fr_from_u64(&value, k);
        preimage[k] = num_alloc(cs, &value);
    }
    if (!CASES[i].tag)
        return poseidon_circuit(cs, preimage, CASES[i].arity);
    fr_from_u64(&tag, CASES[i].tag);
    return poseidon_circuit_tagged(cs, preimage, CASES[i].arity, &tag);
}

static void test_matrices(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CASES; i++) {
        Cs cs;
        Rows rows;
        char digest[65];
        rows_begin(&cs, &rows, true);
        hash_case(&cs, i);
        assert_int_equal(cs.status, OK);
        assert_int_equal(rows.rows, CASES[i].rows);
        assert_int_equal(cs.next_aux, CASES[i].rows + CASES[i].arity);
        rows_end(&cs, &rows, digest);
        rows_free(&rows);
        for (int side = 0; side < 3; side++)
            assert_int_equal(rows.nnz[side], CASES[i].nnz[side]);
        assert_string_equal(digest, CASES[i].digest);
    }
}

static void test_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CASES; i++) {
        Cs cs;
        Sheet sheet;
        sheet_begin(&cs, &sheet, 1, 1000);
        Num hash = hash_case(&cs, i);
        uint8_t bytes[32];
        char hex[65];
        fr_to_le(bytes, &hash.value);
        for (int k = 0; k < 32; k++)
            snprintf(hex + 2 * k, 3, "%02x", bytes[k]);
        assert_string_equal(hex, CASES[i].hash);
        assert_int_equal(cs.next_aux, CASES[i].rows + CASES[i].arity);
        assert_true(fr_eq(cs.fields - 1, &hash.value));
        sheet_free(&sheet);
    }
}

/* The witness writer against the permutation as published. */
static void test_against_referee(void **state)
{
    (void)state;
    Fr x;
    fr_from_u64(&x, 7);
    for (unsigned round = 0; round < 40; round++) {
        static const unsigned arities[] = {2, 4, 8, 11};
        unsigned arity = arities[round % 4];
        Cs cs;
        Sheet sheet;
        Num preimage[MAX_ARITY];
        Fr in[MAX_ARITY], expect, tag;
        sheet_begin(&cs, &sheet, 1, 1000);
        for (unsigned i = 0; i < arity; i++) {
            in[i] = i == round % 13 ? FR_ZERO : x;
            preimage[i] = num_alloc(&cs, &in[i]);
            fr_sqr(&x, &x);
            fr_add(&x, &x, &FR_ONE);
        }
        poseidon_merkle_tag(&tag, arity);
        poseidon_hash_ref(&expect, arity, in, &tag);
        Num hash = poseidon_circuit(&cs, preimage, arity);
        assert_true(fr_eq(&hash.value, &expect));
        sheet_free(&sheet);
    }
}

static void test_other_arity(void **state)
{
    (void)state;
    Cs cs;
    Rows rows;
    Num preimage[MAX_ARITY] = {0};
    rows_begin(&cs, &rows, false);
    poseidon_circuit(&cs, preimage, 3);
    assert_int_equal(cs.status, ERR_INTERNAL);
    rows_end(&cs, &rows, NULL);
    rows_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_against_referee),
        cmocka_unit_test(test_other_arity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
