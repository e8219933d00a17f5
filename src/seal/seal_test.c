/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Sealed sectors against sectors that rust-fil-proofs and the network sealed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "filecoin/commitments.h"
#include "hash/sha256.h"
#include "meta.h"
#include "seal/seal.h"
#include "seal_data.h"
#include "vanilla/c1.h"

#include <string.h>

static Pool *pool;

/* Our C1 and the vector's, both parsed and written again, are the same text. */
static void expect_c1(const Sector *sector, const Node *seed, const char *name)
{
    size_t size, theirs_size, ours_size, envelope_size;
    uint8_t *json = read_vector(name, &size), *theirs, *ours, *envelope;
    PorepVanilla parsed = {0};
    assert_int_equal(c1_parse(&parsed, json, size), OK);
    assert_int_equal(parsed.sector_number, sector->input.sector_number);
    assert_int_equal(c1_write(&parsed, &theirs, &theirs_size), OK);
    porep_vanilla_free(&parsed);
    assert_int_equal(sector_c1_json(sector, seed, false, &ours, &ours_size), OK);
    assert_int_equal(ours_size, theirs_size);
    assert_memory_equal(ours, theirs, ours_size);
    free(theirs);
    assert_int_equal(sector_c1_json(sector, seed, true, &envelope, &envelope_size), OK);
    if (c1_parse(&parsed, envelope, envelope_size) != OK)
        fail_msg("%s: %s", name, status_message());
    assert_true(parsed.has_envelope);
    assert_int_equal(parsed.sector_number, sector->input.sector_number);
    assert_int_equal(parsed.sector_size, sector->shape.sector_size);
    assert_int_equal(c1_write(&parsed, &theirs, &theirs_size), OK);
    assert_int_equal(ours_size, theirs_size);
    assert_memory_equal(ours, theirs, ours_size);
    porep_vanilla_free(&parsed);
    free(theirs);
    free(ours);
    free(envelope);
    free(json);
}

static void expect_sector(const char *name)
{
    char path[128], text[128];
    uint8_t digest[32];
    snprintf(path, sizeof path, "rust/%s.meta.json", name);
    char *meta = read_meta(path);
    meta_text(text, sizeof text, meta, "registered_proof");
    const SealProof *proof = registry_seal_proof_named(text, strlen(text));
    assert_non_null(proof);
    Sector *sector = seal_from_meta(meta, meta, "data", proof->id, pool);
    expect_meta_node(&sector->comm_d, meta, "comm_d");
    expect_meta_node(&sector->comm_r, meta, "comm_r");
    expect_meta_node(&sector->replica_id, meta, "replica_id");
    sha256(digest, sector->replica, sector->shape.sector_size);
    meta_text(text, sizeof text, meta, "sealed_file_sha256");
    expect_hex(digest, text);
    Node seed = meta_node(meta, "seed");
    snprintf(path, sizeof path, "rust/%s.c1.json", name);
    expect_c1(sector, &seed, path);
    sector_free(&sector);
    assert_null(sector);
    free(meta);
}

static void small_sectors_equal_rust_fil_proofs(void **state)
{
    (void)state;
    expect_sector("porep-2k-v1");
    expect_sector("porep-2k-v1_1");
    expect_sector("porep-2k-synth");
    expect_sector("porep-2k-ni");
}

#ifndef CUZK_SANITIZED
static void larger_sectors_equal_rust_fil_proofs(void **state)
{
    (void)state;
    expect_sector("porep-8m-v1");
    expect_sector("porep-8m-v1_1");
}

static void a_real_sector_seals_the_same(void **state)
{
    (void)state;
    char *meta = read_meta("porep/8MiB-v1_1.meta.json");
    SealShape shape;
    assert_int_equal(seal_shape(&shape, 6), OK);
    SealInput input = {meta_node(meta, "prover_id_hex"), meta_node(meta, "ticket_hex"),
                       meta_number(meta, "sector_number")};
    Sector *sector = NULL;
    assert_int_equal(seal_sector(&sector, &shape, &input, NULL, 0, pool), OK);
    expect_hex(&sector->labels[0][0],
               "7812fa4e69a2186fd33e1a1f26968d655dc6326a026f78e14791bc89b8179121");
    expect_hex(&sector->labels[0][1],
               "a6bf9f1c4e087a95c81b70736f5de1bf7b0309a5602d956a0dd2f5ee3ffa7e3c");
    expect_meta_node(&sector->comm_d, meta, "comm_d_hex");
    expect_meta_node(&sector->comm_r, meta, "comm_r_hex");
    expect_meta_node(&sector->replica_id, meta, "replica_id_hex");
    Node seed = meta_node(meta, "seed_hex");
    expect_c1(sector, &seed, "porep/8MiB-v1_1.c1.json");
    sector_free(&sector);
    free(meta);
}
#endif

/* Climb a Merkle proof as the wire form describes it, and spell the leaf's number. */
static uint64_t climb(const MerkleProof *proof, bool binary)
{
    Node group[8], at = proof->leaf;
    uint64_t leaf = 0, scale = 1;
    for (uint32_t k = 0; k < proof->n_base + proof->n_sub + proof->n_top; k++) {
        const PathElement *e = &proof->path[k];
        for (uint32_t i = 0, s = 0; i < e->arity; i++)
            group[i] = i == e->index ? at : e->siblings[s++];
        if (binary)
            sha_parent(&at, &group[0], &group[1]);
        else
            assert_int_equal(poseidon_nodes(&at, e->arity, group), OK);
        leaf += scale * e->index;
        scale *= e->arity;
    }
    assert_memory_equal(&at, &proof->root, sizeof at);
    return leaf;
}

static void expect_column(const ColumnProof *column, const Sector *sector, uint32_t node)
{
    Node hash;
    assert_int_equal(column->index, node);
    assert_int_equal(column->n_rows, sector->shape.layers);
    assert_int_equal(poseidon_nodes(&hash, column->n_rows, column->rows), OK);
    assert_memory_equal(&hash, &column->inclusion.leaf, sizeof hash);
    assert_memory_equal(&column->inclusion.root, &sector->comm_c, sizeof hash);
    assert_int_equal(climb(&column->inclusion, false), node);
}

/* The label of a node written out as its definition says. */
static void expect_label(const LabelingProof *proof, const Node *replica, const Node *label)
{
    uint8_t message[64 + 32 * POREP_LABEL_PARENTS] = {0}, digest[32];
    memcpy(message, replica, 32);
    message[35] = (uint8_t)proof->layer_index;
    for (int i = 0; i < 8; i++)
        message[36 + i] = (uint8_t)(proof->node >> (56 - 8 * i));
    memcpy(message + 64, proof->parents, 32 * proof->n_parents);
    sha256(digest, message, 64 + 32 * proof->n_parents);
    digest[31] &= 0x3f;
    assert_memory_equal(digest, label, 32);
}

static void expect_challenge(const PorepChallenge *c, const Sector *sector)
{
    uint32_t node = c->c_x.index, parents[POREP_PARENTS], drg = POREP_DRG_PARENTS;
    graph_parents(&sector->graph, node, parents);
    expect_column(&c->c_x, sector, node);
    for (uint32_t i = 0; i < POREP_PARENTS; i++)
        expect_column(i < drg ? &c->drg_parents[i] : &c->exp_parents[i - drg], sector, parents[i]);
    assert_int_equal(climb(&c->comm_d, true), node);
    assert_memory_equal(&c->comm_d.root, &sector->comm_d, sizeof(Node));
    assert_int_equal(climb(&c->comm_r_last, false), node);
    assert_memory_equal(&c->comm_r_last.root, &sector->comm_r_last, sizeof(Node));
    assert_int_equal(c->n_labeling, sector->shape.layers);
    for (uint32_t layer = 0; layer < c->n_labeling; layer++) {
        const LabelingProof *proof = &c->labeling[layer];
        assert_int_equal(proof->node, node);
        assert_int_equal(proof->layer_index, layer + 1);
        for (uint32_t i = 0; i < POREP_LABEL_PARENTS; i++) {
            uint32_t k = i % (layer ? POREP_PARENTS : drg);
            const ColumnProof *parent = k < drg ? &c->drg_parents[k] : &c->exp_parents[k - drg];
            const Node *row = &parent->rows[k < drg ? layer : layer - 1];
            assert_memory_equal(&proof->parents[i], row, sizeof(Node));
        }
        expect_label(proof, &sector->replica_id, &c->c_x.rows[layer]);
    }
}

/* Shapes that stand for the large sectors: every path, column and label is recomputed. */
static void test_shapes_prove_themselves(void **state)
{
    (void)state;
    static const struct {
        uint64_t kib;
        unsigned layers, partitions, challenges, api;
        const char *variant;
    } shapes[] = {
        {2, 11, 1, 3, 1, "\"Single\""}, {4, 2, 2, 1, 0, "\"Sub\""},  {16, 2, 1, 2, 1, "\"Sub\""},
        {16, 11, 1, 1, 1, "\"Sub\""},   {32, 2, 1, 1, 1, "\"Top\""}, {32, 11, 2, 2, 1, "\"Top\""},
    };
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        SealShape shape;
        Sector *sector = NULL;
        PorepVanilla v = {0};
        SealInput input = {{{1, 2, 3}}, {{(uint8_t)k}}, 77};
        Node seed = {{9}};
        uint8_t raw[1000], *json;
        size_t size;
        seal_data_stream(raw, sizeof raw, "test shape");
        assert_int_equal(seal_shape_test(&shape, shapes[k].kib << 10, shapes[k].layers,
                                         shapes[k].partitions, shapes[k].challenges, shapes[k].api),
                         OK);
        assert_int_equal(seal_sector(&sector, &shape, &input, raw, sizeof raw, pool), OK);
        assert_int_equal(sector_c1(&v, sector, &seed), OK);
        for (size_t i = 0; i < (size_t)v.n_partitions * v.n_challenges; i++)
            expect_challenge(&v.challenges[i], sector);
        assert_int_equal(sector_c1_json(sector, &seed, false, &json, &size), OK);
        assert_non_null(memmem(json, size, shapes[k].variant, strlen(shapes[k].variant)));
        free(json);
        porep_vanilla_free(&v);
        sector_free(&sector);
    }
}

/* One thread or several, the same sector; data short of the sector is followed by zeros. */
static void threads_and_tails_change_nothing(void **state)
{
    (void)state;
    SealShape shape;
    SealInput input = {{{5}}, {{6}}, 7};
    uint8_t raw[2032] = {0};
    Sector *one = NULL, *many = NULL;
    seal_data_stream(raw, 300, "tail");
    assert_int_equal(seal_shape(&shape, 5), OK);
    assert_int_equal(seal_sector(&one, &shape, &input, raw, 300, NULL), OK);
    assert_int_equal(seal_sector(&many, &shape, &input, raw, sizeof raw, pool), OK);
    assert_memory_equal(&one->comm_d, &many->comm_d, sizeof(Node));
    assert_memory_equal(&one->comm_r, &many->comm_r, sizeof(Node));
    assert_memory_equal(one->replica, many->replica, 2048);
    sector_free(&one);
    sector_free(&many);
    assert_int_equal(seal_shape(&shape, 8), ERR_UNSUPPORTED);
    assert_int_equal(seal_shape(&shape, 20), ERR_UNSUPPORTED);
    assert_int_equal(seal_shape_test(&shape, 3000, 2, 1, 1, 0), ERR_UNSUPPORTED);
}

static void poseidon_trees_refuse_what_is_not_canonical(void **state)
{
    (void)state;
    TreeShape shape;
    Node leaves[64] = {{{0}}};
    Tree tree = {0};
    memset(&leaves[40], 0xff, sizeof *leaves);
    assert_int_equal(registry_tree_shape(&shape, 2048), OK);
    assert_int_equal(tree_build_poseidon(&tree, &shape, leaves, pool), ERR_FORMAT);
    assert_null(tree.inner);
    assert_int_equal(tree_build_sha256(&tree, &shape, leaves, pool), OK);
    tree_free(&tree);
}

int main(void)
{
    if (pool_new(&pool, 0) != OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes_prove_themselves),
        cmocka_unit_test(threads_and_tails_change_nothing),
        cmocka_unit_test(poseidon_trees_refuse_what_is_not_canonical),
    };
    const struct CMUnitTest vector_tests[] = {
        cmocka_unit_test(small_sectors_equal_rust_fil_proofs),
#ifndef CUZK_SANITIZED
        cmocka_unit_test(larger_sectors_equal_rust_fil_proofs),
        cmocka_unit_test(a_real_sector_seals_the_same),
#endif
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed == 0) {
        vectors_require("seal");
        failed = cmocka_run_group_tests(vector_tests, NULL, NULL);
    }
    pool_free(&pool);
    return failed;
}
