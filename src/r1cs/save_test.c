/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Compiled circuits in files: the same again, and hostile ones refused. */
#include "base/file.h"
#include "block_circuit.h"
#include "hash/sha256.h"
#include "r1cs/r1cs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

/* docs/FORMATS.md, "Compiled circuit" */
enum { DIGEST_AT = 192, DIGEST_BYTES = 32, HEADER_BYTES = DIGEST_AT + DIGEST_BYTES };

static Circuit circuit;
static BlockParams params = {
    .seed = 17, .preamble_steps = 30, .block_steps = 12, .n_blocks = 4, .slots = true};
static char path[64];
static uint8_t *good;
static size_t good_size;

static int set_up(void **state)
{
    (void)state;
    circuit = block_circuit(&params);
    R1cs *r1cs;
    snprintf(path, sizeof path, "/tmp/cuzk-save-test.%d", (int)getpid());
    if (r1cs_compile(&r1cs, &circuit, NULL) != OK || r1cs_save(r1cs, path) != OK ||
        file_read(path, 1 << 24, &good, &good_size) != OK)
        return 1;
    r1cs_free(&r1cs);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    free(good);
    return 0;
}

/* Without fsync: thousands of times. */
static void write_file(const uint8_t *data, size_t size)
{
    unlink(path); // rewriting in place makes some file systems flush
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void test_the_same_again(void **state)
{
    (void)state;
    R1cs *compiled, *loaded;
    uint8_t digest[2][32];
    write_file(good, good_size);
    assert_int_equal(r1cs_compile(&compiled, &circuit, NULL), OK);
    assert_int_equal(r1cs_load(&loaded, path, &circuit), OK);
    assert_int_equal(r1cs_digest(compiled, digest[0]), OK);
    assert_int_equal(r1cs_digest(loaded, digest[1]), OK);
    assert_memory_equal(digest[0], digest[1], 32);
    assert_memory_equal(r1cs_shape(compiled), r1cs_shape(loaded), sizeof(R1csShape));
    assert_int_equal(r1cs_bytes(compiled), r1cs_bytes(loaded));
    Assignment z;
    assert_int_equal(r1cs_witness(&z, loaded, &circuit, &(BlockWitness){.seed = 1}, NULL), OK);
    assert_int_equal(r1cs_check(loaded, &circuit, &z, NULL), OK);
    assignment_free(&z);
    r1cs_free(&compiled);
    r1cs_free(&loaded);
}

static void test_other_circuits(void **state)
{
    (void)state;
    R1cs *r1cs = NULL;
    Circuit other = circuit;
    write_file(good, good_size);
    other.version++;
    assert_int_equal(r1cs_load(&r1cs, path, &other), ERR_FORMAT);
    other = circuit;
    other.name[0] ^= 1;
    assert_int_equal(r1cs_load(&r1cs, path, &other), ERR_FORMAT);
    other = circuit;
    other.n_blocks++;
    assert_int_equal(r1cs_load(&r1cs, path, &other), ERR_FORMAT);
    assert_int_equal(r1cs_load(&r1cs, "/nonexistent/file", &circuit), ERR_NOT_FOUND);
    assert_null(r1cs);
}

/* Write data, load it; whatever loads must be usable. */
static Status load(const uint8_t *data, size_t size)
{
    R1cs *r1cs = NULL;
    write_file(data, size);
    Status status = r1cs_load(&r1cs, path, &circuit);
    if (status != OK) {
        assert_null(r1cs);
        assert_true(status == ERR_FORMAT || status == ERR_UNSUPPORTED);
        assert_non_null(strstr(status_message(), path)); // and a reason behind it
        assert_true(strlen(status_message()) > strlen(path) + 8);
        return status;
    }
    const R1csShape *s = r1cs_shape(r1cs);
    uint8_t digest[32];
    Assignment z;
    Fr *a = malloc(s->n_rows * sizeof *a);
    size_t words = (s->n_aux + 63) / 64;
    uint64_t *bitmap = malloc(words * sizeof *bitmap);
    assert_int_equal(r1cs_digest(r1cs, digest), OK);
    assert_int_equal(assignment_new(&z, s->n_inputs, s->n_aux, s->n_fields), OK);
    assert_int_equal(r1cs_eval(r1cs, &z, a, NULL, s->n_rows, NULL), OK);
    r1cs_a_density(r1cs, bitmap, 0, words);
    r1cs_b_density(r1cs, bitmap, 0, words);
    r1cs_is_bit(r1cs, bitmap, 0, words);
    assignment_free(&z);
    free(a);
    free(bitmap);
    r1cs_free(&r1cs);
    return OK;
}

static void test_cut_files(void **state)
{
    (void)state;
    for (size_t size = 0; size < good_size; size += size < HEADER_BYTES + 8 ? 1 : 997)
        assert_int_equal(load(good, size), ERR_FORMAT);
    assert_int_equal(load(good, good_size - 1), ERR_FORMAT);
    uint8_t *longer = calloc(1, good_size + 8);
    memcpy(longer, good, good_size);
    assert_int_equal(load(longer, good_size + 8), ERR_FORMAT);
    free(longer);
}

static void seal(uint8_t *data, size_t size)
{
    Sha256 hash;
    sha256_init(&hash);
    sha256_update(&hash, data, DIGEST_AT);
    sha256_update(&hash, data + HEADER_BYTES, size - HEADER_BYTES);
    sha256_final(&hash, data + DIGEST_AT);
}

/* Any changed byte is noticed. */
static void test_changed_bytes(void **state)
{
    (void)state;
    uint8_t *data = malloc(good_size);
    memcpy(data, good, good_size);
    for (size_t at = 0; at < good_size; at += at < HEADER_BYTES ? 1 : 499) {
        data[at] ^= 0x40;
        assert_int_equal(load(data, good_size), ERR_FORMAT);
        data[at] ^= 0x40;
    }
    assert_int_equal(load(data, good_size), OK);
    free(data);
}

/* With a digest that fits: refused, or harmless. */
static void test_hostile_bytes(void **state)
{
    (void)state;
    uint8_t *data = malloc(good_size);
    uint64_t random = 99;
    size_t refused = 0, loaded = 0;
    const size_t rounds = 1000;
    for (size_t round = 0; round < rounds; round++) {
        memcpy(data, good, good_size);
        for (size_t n = 1 + block_random(&random) % 3; n; n--) {
            size_t end = round % 3 == 0 ? HEADER_BYTES : good_size;
            size_t at = 80 + block_random(&random) % (end - 80);
            switch (block_random(&random) % 4) {
            case 0:
                data[at] ^= (uint8_t)(1u << block_random(&random) % 8);
                break;
            case 1:
                data[at] = 0xff;
                break;
            case 2:
                data[at] = 0;
                break;
            default:
                data[at] = (uint8_t)(data[at] + 1);
            }
        }
        seal(data, good_size);
        *(load(data, good_size) == OK ? &loaded : &refused) += 1;
    }
    assert_true(refused > rounds / 3);
    assert_true(loaded > 0); // other coefficients, and changes undone
    free(data);
}

/* Counts as large as they come, in every field of the header. */
static void test_hostile_counts(void **state)
{
    (void)state;
    static const uint64_t counts[] = {0,       1,          0xffff,     1ull << 31, 1ull << 32,
                                      1 << 29, 1ull << 61, 1ull << 63, UINT64_MAX, UINT64_MAX / 8};
    uint8_t *data = malloc(good_size);
    for (size_t at = 80; at < DIGEST_AT; at += 8)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            memcpy(data, good, good_size);
            memcpy(data + at, &counts[i], 8);
            seal(data, good_size);
            if (memcmp(data, good, good_size) != 0)
                load(data, good_size);
        }
    free(data);
}

/* Rows of the preamble that refer to a block, or past the last variable of each kind. */
static void test_hostile_columns(void **state)
{
    (void)state;
    enum { PREAMBLE_ROWS_AT = 144, TAG_SHIFT = 29 };
    uint8_t *data = malloc(good_size);
    uint64_t rows;
    memcpy(&rows, good + PREAMBLE_ROWS_AT, sizeof rows);
    size_t first = HEADER_BYTES + rows * sizeof(uint32_t);
    for (uint32_t tag = 0; tag < 8; tag++) {
        uint32_t own = tag << TAG_SHIFT, last = (tag + 1) << TAG_SHIFT;
        bool of_block = tag == 1 || tag > 3;
        memcpy(data, good, good_size);
        memcpy(data + first, &own, sizeof own);
        seal(data, good_size);
        if (of_block)
            assert_int_equal(load(data, good_size), ERR_FORMAT);
        last -= 1;
        memcpy(data + first, &last, sizeof last);
        seal(data, good_size);
        assert_int_equal(load(data, good_size), ERR_FORMAT);
    }
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_again), cmocka_unit_test(test_other_circuits),
        cmocka_unit_test(test_cut_files),      cmocka_unit_test(test_changed_bytes),
        cmocka_unit_test(test_hostile_bytes),  cmocka_unit_test(test_hostile_columns),
        cmocka_unit_test(test_hostile_counts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
