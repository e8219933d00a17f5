/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Tests of the C1 readers on real proofs, and of the writer against the original text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "vanilla/base64.h"
#include "vanilla/c1.h"
#include "vectors.h"

#include <inttypes.h>

static const struct {
    const char *name;
    unsigned proof;
    uint32_t n_partitions;
    uint64_t sector_number, sector_size;
} vectors[] = {{"porep/8MiB-v1_1.c1.json", 6, 1, 1498, 8 << 20},
               {"rust/porep-2k-v1.c1.json", 0, 1, 100, 2048},
               {"rust/porep-2k-v1_1.c1.json", 5, 1, 101, 2048},
               {"rust/porep-2k-synth.c1.json", 10, 1, 102, 2048},
               {"rust/porep-2k-ni.c1.json", 15, 13, 103, 2048},
               {"rust/porep-8m-v1.c1.json", 1, 1, 100, 8 << 20},
               {"rust/porep-8m-v1_1.c1.json", 6, 1, 101, 8 << 20}};

enum { N_VECTORS = sizeof vectors / sizeof *vectors };

static void read_vector(const char *name, uint8_t **text, size_t *size)
{
    assert_int_equal(file_read(vectors_path(name), 1 << 24, text, size), OK);
}

/* The base64 between the quotes of Phase1Out, decoded. */
static uint8_t *inner_of(const uint8_t *text, size_t size, size_t *inner_size)
{
    static const char key[] = "\"Phase1Out\"";
    const uint8_t *start = memmem(text, size, key, sizeof key - 1);
    assert_non_null(start);
    start = (const uint8_t *)memchr(start + sizeof key - 1, '"', 8) + 1;
    size_t length = (size_t)((const uint8_t *)memchr(start, '"', size) - start);
    uint8_t *inner = malloc(base64_decoded_max(length));
    assert_int_equal(base64_decode(inner, inner_size, start, length, NULL), OK);
    return inner;
}

/* Two C1 are equal when their texts are. */
static void assert_same(const PorepVanilla *a, const PorepVanilla *b)
{
    uint8_t *text[2];
    size_t size[2];
    assert_int_equal(c1_write(a, &text[0], &size[0]), OK);
    assert_int_equal(c1_write(b, &text[1], &size[1]), OK);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(text[0], text[1], size[0]);
    free(text[0]);
    free(text[1]);
}

static void vectors_parse_and_write_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < N_VECTORS; i++) {
        uint8_t *text, *written;
        size_t size, inner_size, written_size;
        read_vector(vectors[i].name, &text, &size);
        PorepVanilla outer = {0}, bare = {0};
        if (c1_parse(&outer, text, size) != OK)
            fail_msg("%s: %s", vectors[i].name, status_message());
        assert_int_equal(outer.registered_proof, vectors[i].proof);
        assert_int_equal(outer.n_partitions, vectors[i].n_partitions);
        assert_int_equal(outer.n_challenges, 2);
        assert_int_equal(outer.layers, 2);
        assert_int_equal(outer.sector_size, vectors[i].sector_size);
        assert_int_equal(outer.sector_number, vectors[i].sector_number);
        assert_true(outer.has_envelope);
        uint8_t *inner = inner_of(text, size, &inner_size);
        assert_int_equal(c1_parse(&bare, inner, inner_size), OK);
        assert_false(bare.has_envelope);
        assert_same(&outer, &bare);
        assert_int_equal(c1_write(&outer, &written, &written_size), OK);
        assert_int_equal(written_size, inner_size);
        assert_memory_equal(written, inner, inner_size);
        porep_vanilla_free(&outer);
        porep_vanilla_free(&bare);
        free(written);
        free(inner);
        free(text);
    }
}

static void bincode_and_json_agree(void **state)
{
    (void)state;
    uint8_t *text, *bytes;
    size_t size, bytes_size, used = 0;
    PorepVanilla a = {0}, b = {0};
    read_vector("porep/8MiB-v1_1.c1.json", &text, &size);
    read_vector("porep/8MiB-v1_1.c1.bincode", &bytes, &bytes_size);
    assert_int_equal(c1_parse(&a, text, size), OK);
    /* The file's own frame: u32 0 before, prover id and sector number behind. */
    assert_int_equal(c1_parse_bincode(&b, bytes + 4, bytes_size - 4, &used), OK);
    assert_int_equal(used, bytes_size - 4 - 40);
    assert_same(&a, &b);
    porep_vanilla_free(&b);
    assert_int_equal(c1_parse_bincode(&b, bytes + 4, used, NULL), OK);
    porep_vanilla_free(&b);
    assert_int_equal(c1_parse_bincode(&b, bytes + 4, used + 1, NULL), ERR_FORMAT);
    assert_null(b.arena);
    for (size_t cut = 0; cut < used; cut += 97)
        assert_int_equal(c1_parse_bincode(&b, bytes + 4, cut, NULL), ERR_FORMAT);
    porep_vanilla_free(&a);
    free(text);
    free(bytes);
}

static void shapes_write_and_parse(void **state)
{
    (void)state;
    for (unsigned proof = 0; proof < 20; proof++) {
        if (proof > 4 && proof % 5) /* one of each kind, one of each size */
            continue;
        PorepVanilla blank = {0}, back = {0};
        uint8_t *text;
        size_t size;
        assert_int_equal(c1_new(&blank, proof), OK);
        for (size_t i = 0; i < (size_t)blank.n_partitions * blank.n_challenges; i++) {
            PorepChallenge *challenge = &blank.challenges[i];
            for (uint32_t k = 0; k < challenge->n_labeling; k++)
                challenge->labeling[k].layer_index = k + 1;
            challenge->encoding.layer_index = blank.layers;
        }
        assert_int_equal(c1_write(&blank, &text, &size), OK);
        if (c1_parse(&back, text, size) != OK)
            fail_msg("proof %u: %s", proof, status_message());
        assert_same(&blank, &back);
        porep_vanilla_free(&blank);
        porep_vanilla_free(&back);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_write_and_parse),
    };
    const struct CMUnitTest vector_tests[] = {
        cmocka_unit_test(vectors_parse_and_write_back),
        cmocka_unit_test(bincode_and_json_agree),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed)
        return failed;
    vectors_require("vanilla_c1");
    return cmocka_run_group_tests(vector_tests, NULL, NULL);
}
