/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The JSON reader against jansson: same verdict on seeded mutations of small texts, same values of
 * a whole C1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <string.h>

#include "base/file.h"
#include "vanilla/base64.h"
#include "vanilla/c1.h"
#include "vanilla/json.h"
#include "vectors.h"

static const size_t peer_flags = JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL;

static bool ours_accepts(const char *text, size_t size)
{
    Json json;
    uint8_t *copy = malloc(size + !size);
    memcpy(copy, text, size);
    json_init(&json, "T", copy, size);
    bool accepted = json_skip(&json) == OK && json_end(&json) == OK;
    free(copy);
    return accepted;
}

/* jansson refuses reals that overflow; the grammar does not. Only such texts may differ. */
static bool peer_accepts(const char *text, size_t size, bool *overflow)
{
    json_error_t error;
    json_t *root = json_loadb(text, size, peer_flags, &error);
    *overflow = !root && json_error_code(&error) == json_error_numeric_overflow;
    json_decref(root);
    return root != NULL;
}

static uint64_t next_random(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    return *x ^= *x << 17;
}

static void same_verdict_on_mutations(void **state)
{
    (void)state;
    static const char *const seeds[] = {
        "{\"a\":[1,-2.5e+3,true,false,null],\"b\":{\"c\":[[],{}]},\"d\":"
        "\"x\\n\\u00e9\\ud83d\\ude00\"}",
        "[0,-0,10,0.5,1e5,1E-5,\"\",\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]",
        "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xed\x9f\xbf\xee\x80\x80\"",
        " { \"k\" : [ 1 , 2 ] } ",
    };
    static const char alphabet[] =
        "{}[]\",:\\u0123456789eE+-. \t\ntrfalsn\x01\x7f\x80\xc3\xe2\xed\xf0";
    uint64_t x = 0x452821e638d01377;
    unsigned accepted = 0;
    for (unsigned round = 0; round < 40000; round++) {
        char text[160];
        const char *seed = seeds[round % 4];
        size_t size = strlen(seed);
        memcpy(text, seed, size);
        for (uint64_t k = next_random(&x) % 4; k; k--) {
            size_t at = next_random(&x) % size;
            char byte = alphabet[next_random(&x) % (sizeof alphabet - 1)];
            if (next_random(&x) % 3 == 0 && size > 2) {
                memmove(text + at, text + at + 1, --size - at);
            } else if (next_random(&x) % 2 && size < sizeof text) {
                memmove(text + at + 1, text + at, size++ - at);
                text[at] = byte;
            } else {
                text[at] = byte;
            }
        }
        bool overflow, ours = ours_accepts(text, size), peer = peer_accepts(text, size, &overflow);
        if (ours != peer && !overflow)
            fail_msg("ours %d, jansson %d: %.*s", ours, peer, (int)size, text);
        accepted += ours;
    }
    assert_true(accepted > 5000 && accepted < 35000);
}

static void assert_node(const json_t *list, const Node *node)
{
    assert_int_equal(json_array_size(list), sizeof node->b);
    for (size_t i = 0; i < sizeof node->b; i++)
        assert_int_equal(json_integer_value(json_array_get(list, i)), node->b[i]);
}

static void assert_merkle(const json_t *root, const MerkleProof *proof)
{
    const json_t *single = json_object_get(json_object_get(root, "data"), "Single");
    const json_t *path = json_object_get(json_object_get(single, "path"), "path");
    assert_node(json_object_get(single, "root"), &proof->root);
    assert_node(json_object_get(single, "leaf"), &proof->leaf);
    assert_int_equal(json_array_size(path), proof->n_base);
    for (uint32_t i = 0; i < proof->n_base; i++) {
        const json_t *element = json_array_get(path, i),
                     *hashes = json_object_get(element, "hashes");
        assert_int_equal(json_integer_value(json_object_get(element, "index")),
                         proof->path[i].index);
        assert_int_equal(json_array_size(hashes), proof->path[i].arity - 1);
        for (uint32_t k = 0; k + 1 < proof->path[i].arity; k++)
            assert_node(json_array_get(hashes, k), &proof->path[i].siblings[k]);
    }
}

static void assert_column(const json_t *root, const ColumnProof *proof)
{
    const json_t *column = json_object_get(root, "column");
    assert_int_equal(json_integer_value(json_object_get(column, "index")), proof->index);
    for (uint32_t i = 0; i < proof->n_rows; i++)
        assert_node(json_array_get(json_object_get(column, "rows"), i), &proof->rows[i]);
    assert_merkle(json_object_get(root, "inclusion_proof"), &proof->inclusion);
}

static void assert_labeling(const json_t *root, const LabelingProof *proof)
{
    const json_t *parents = json_object_get(root, "parents");
    assert_int_equal(json_array_size(parents), proof->n_parents);
    assert_int_equal(json_integer_value(json_object_get(root, "node")), proof->node);
    assert_int_equal(json_integer_value(json_object_get(root, "layer_index")), proof->layer_index);
    for (uint32_t i = 0; i < proof->n_parents; i++)
        assert_node(json_array_get(parents, i), &proof->parents[i]);
}

static void assert_challenge(const json_t *root, const PorepChallenge *challenge)
{
    const json_t *columns = json_object_get(root, "replica_column_proofs");
    const json_t *drg = json_object_get(columns, "drg_parents");
    const json_t *exp = json_object_get(columns, "exp_parents");
    const json_t *labeling = json_object_get(root, "labeling_proofs");
    assert_merkle(json_object_get(root, "comm_d_proofs"), &challenge->comm_d);
    assert_merkle(json_object_get(root, "comm_r_last_proof"), &challenge->comm_r_last);
    assert_column(json_object_get(columns, "c_x"), &challenge->c_x);
    for (unsigned i = 0; i < POREP_DRG_PARENTS; i++)
        assert_column(json_array_get(drg, i), &challenge->drg_parents[i]);
    for (unsigned i = 0; i < POREP_EXP_PARENTS; i++)
        assert_column(json_array_get(exp, i), &challenge->exp_parents[i]);
    for (uint32_t i = 0; i < challenge->n_labeling; i++)
        assert_labeling(json_array_get(labeling, i), &challenge->labeling[i]);
    assert_labeling(json_object_get(root, "encoding_proof"), &challenge->encoding);
}

static void same_values_of_a_c1(void **state)
{
    (void)state;
    uint8_t *text;
    size_t size, inner_size;
    json_error_t error;
    PorepVanilla v = {0};
    assert_int_equal(file_read(vectors_path("rust/porep-2k-ni.c1.json"), 1 << 24, &text, &size),
                     OK);
    assert_int_equal(c1_parse(&v, text, size), OK);
    json_t *envelope = json_loadb((char *)text, size, 0, &error);
    const json_t *phase1 = json_object_get(envelope, "Phase1Out");
    size_t length = json_string_length(phase1);
    uint8_t *inner = malloc(base64_decoded_max(length));
    assert_int_equal(
        base64_decode(inner, &inner_size, (const uint8_t *)json_string_value(phase1), length, NULL),
        OK);
    json_t *root = json_loadb((char *)inner, inner_size, 0, &error);
    assert_non_null(root);
    const json_t *partitions =
        json_object_get(json_object_get(root, "vanilla_proofs"), "StackedDrg2KiBV1");
    assert_int_equal(json_array_size(partitions), v.n_partitions);
    for (uint32_t i = 0; i < v.n_partitions; i++)
        for (uint32_t k = 0; k < v.n_challenges; k++)
            assert_challenge(json_array_get(json_array_get(partitions, i), k),
                             porep_challenge(&v, i, k));
    assert_node(json_object_get(root, "comm_r"), &v.comm_r);
    assert_node(json_object_get(root, "comm_d"), &v.comm_d);
    assert_node(json_object_get(root, "replica_id"), &v.replica_id);
    assert_node(json_object_get(root, "seed"), &v.seed);
    assert_node(json_object_get(root, "ticket"), &v.ticket);
    assert_int_equal(json_integer_value(json_object_get(envelope, "SectorNum")), v.sector_number);
    json_decref(root);
    json_decref(envelope);
    porep_vanilla_free(&v);
    free(inner);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_verdict_on_mutations),
    };
    const struct CMUnitTest vector_tests[] = {
        cmocka_unit_test(same_values_of_a_c1),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed)
        return failed;
    vectors_require("json_peer");
    return cmocka_run_group_tests(vector_tests, NULL, NULL);
}
