/* SPDX-License-Identifier: MIT OR Apache-2.0
 * SHA-256 gadgets: matrices by digest, the word-wise witness against the bitwise one. */
#include "circuits/label.h"
#include "circuits/sha256_circuit.h"
#include "hash/sha256.h"
#include "rows_digest.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void allocate_words(Cs *cs, Word32 *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (unsigned bit = 32; bit-- > 0;)
            word_set_bit(&words[i], bit, bit_alloc(cs, false));
}

static void test_hash2(void **state)
{
    (void)state;
    Cs cs;
    Rows rows;
    char digest[65];
    rows_begin(&cs, &rows, true);
    Num left = num_alloc(&cs, NULL), right = num_alloc(&cs, NULL);
    sha256_hash2_circuit(&cs, &left, &right);
    assert_int_equal(rows.rows, 45379);
    assert_int_equal(cs.next_aux, 45333);
    rows_end(&cs, &rows, digest);
    rows_free(&rows);
    assert_string_equal(digest, "1c24901e5522247ace6e1d6da74667d96e7ceec8b797503be0c159b0b06ab6fb");
}

static void record_label(Cs *cs)
{
    static Word32 replica_id[NODE_WORDS], parents[LABEL_PARENTS][NODE_WORDS];
    const Word32 *pointers[LABEL_PARENTS];
    Bit node[64];
    allocate_words(cs, replica_id, NODE_WORDS);
    for (unsigned i = 0; i < LABEL_PARENTS; i++) {
        allocate_words(cs, parents[i], NODE_WORDS);
        pointers[i] = parents[i];
    }
    bit_alloc_many(cs, node, NULL, 64);
    label_circuit(cs, replica_id, pointers, 2, node);
}

static void test_label(void **state)
{
    (void)state;
    Cs cs;
    Rows rows;
    char digest[65];
    rows_begin(&cs, &rows, true);
    record_label(&cs);
    assert_int_equal(cs.next_aux, 531691);
    rows_end(&cs, &rows, digest);
    rows_free(&rows);
    assert_int_equal(rows.rows, 532212);
    assert_int_equal(rows.nnz[0], 1232421);
    assert_int_equal(rows.nnz[1], 532243);
    assert_int_equal(rows.nnz[2], 1149711);
    assert_string_equal(digest, "81c924365aecafdb0adb5bbee4ae8f1bd6824b3ff15e3cd8877b7329d92b3f90");
}

/* Rows and variables of a block: state constant or not, data constant or not. */
static void count_block(bool constant_state, bool constant_data, size_t expect_rows,
                        size_t expect_aux)
{
    Cs cs;
    Rows rows;
    Word32 state[8], block[16];
    rows_begin(&cs, &rows, false);
    for (unsigned i = 0; i < 8; i++)
        word_constant(&state[i], sha256_initial[i]);
    for (unsigned i = 0; i < 16; i++)
        word_constant(&block[i], i == 0 ? 0x80000000u : i == 15 ? 512 : 0);
    if (!constant_state)
        allocate_words(&cs, state, 8);
    if (!constant_data)
        allocate_words(&cs, block, 16);
    size_t rows_before = rows.rows, aux_before = cs.next_aux;
    sha256_compress_circuit(&cs, state, block);
    assert_int_equal(rows.rows - rows_before, expect_rows);
    assert_int_equal(cs.next_aux - aux_before, expect_aux);
    rows_end(&cs, &rows, NULL);
    rows_free(&rows);
}

static void test_block_counts(void **state)
{
    (void)state;
    count_block(true, false, 25840, 25814);
    count_block(false, false, 26192, 26166);
    count_block(false, true, 19034, 19014);
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

enum { ALL_PLAIN, ALL_CONSTANT, FEW_CONSTANTS, MIXED, KINDS };

/* Random values and kinds of bits: masks drawn by kind. */
static void random_word(Word32 *out, unsigned kind, uint64_t *seed)
{
    *out = (Word32){.value = (uint32_t)(next_random(seed) >> 16)};
    uint32_t constant = (uint32_t)(next_random(seed) >> 16);
    uint32_t negated = (uint32_t)(next_random(seed) >> 16);
    if (kind == ALL_CONSTANT)
        constant = UINT32_MAX;
    else if (kind == FEW_CONSTANTS)
        constant &= (uint32_t)(next_random(seed) >> 16) & (uint32_t)(next_random(seed) >> 16);
    else if (kind == ALL_PLAIN)
        constant = negated = 0;
    out->constant = constant;
    out->negated = negated & ~constant;
}

/* Both writers from the same place in the bitmap: the same bits, and the same words out. */
static void compare_writers(const Word32 state[8], const Word32 block[16], unsigned offset)
{
    Cs cs[2];
    Sheet sheets[2];
    Word32 out[2][8];
    uint64_t before = 0x5555555555555555;
    for (int i = 0; i < 2; i++) {
        memset(out[i], 0, sizeof out[i]);
        for (unsigned w = 0; w < 8; w++)
            out[i][w] = state[w];
        sheet_begin(&cs[i], &sheets[i], 1, 30000);
        if (offset)
            cs_alloc_bits(&cs[i], &before, offset);
    }
    sha256_compress_bitwise(&cs[0], out[0], block);
    sha256_compress_witness(&cs[1], out[1], block);
    assert_int_equal(cs[0].next_aux, cs[1].next_aux);
    assert_memory_equal(sheets[0].bits, sheets[1].bits, sheets[0].n_words * 8);
    for (unsigned w = 0; w < 8; w++) {
        assert_int_equal(out[0][w].value, out[1][w].value);
        assert_int_equal(out[0][w].constant, out[1][w].constant);
        assert_int_equal(out[0][w].negated, out[1][w].negated);
    }
    sheet_free(&sheets[0]);
    sheet_free(&sheets[1]);
}

static void test_writers_agree(void **state)
{
    (void)state;
    uint64_t seed = 0x9e3779b97f4a7c15;
    for (unsigned round = 0; round < 64; round++) {
        Word32 in[8], block[16];
        unsigned kind_state = round % KINDS, kind_block = round / KINDS % KINDS;
        for (unsigned i = 0; i < 8; i++)
            random_word(&in[i], kind_state, &seed);
        for (unsigned i = 0; i < 16; i++)
            random_word(&block[i], kind_block, &seed);
        if (kind_state == ALL_CONSTANT)
            for (unsigned i = 0; i < 8; i++)
                word_constant(&in[i], sha256_initial[i]);
        compare_writers(in, block, round % 3 ? round : 0);
    }
}

/* The circuit's digest of a message is SHA-256 of its bytes. */
static void test_values(void **state)
{
    (void)state;
    uint64_t seed = 42;
    for (size_t n = 0; n < 40; n += 3) {
        Cs cs;
        Sheet sheet;
        Word32 message[40], digest[8];
        uint8_t bytes[160], expect[32];
        for (size_t i = 0; i < n; i++) {
            random_word(&message[i], i % 5 ? ALL_PLAIN : MIXED, &seed);
            uint32_t big = __builtin_bswap32(message[i].value);
            memcpy(bytes + 4 * i, &big, 4);
        }
        sheet_begin(&cs, &sheet, 1, 200000);
        sha256_circuit(&cs, digest, message, n);
        EVP_Digest(bytes, 4 * n, expect, NULL, EVP_sha256(), NULL);
        for (unsigned i = 0; i < 8; i++) {
            uint32_t big = __builtin_bswap32(digest[i].value);
            assert_memory_equal(&big, expect + 4 * i, 4);
        }
        sheet_free(&sheet);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_counts),  cmocka_unit_test(test_values),
        cmocka_unit_test(test_writers_agree), cmocka_unit_test(test_hash2),
        cmocka_unit_test(test_label),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
