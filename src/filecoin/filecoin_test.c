/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Names, graphs, challenges and public inputs against published values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "base/file.h"
#include "filecoin/commitments.h"
#include "filecoin/graph.h"
#include "filecoin/post.h"
#include "filecoin/public_inputs.h"
#include "filecoin/snap.h"
#include "hash/blake2b.h"
#include "hash/sha256.h"
#include "vectors.h"

#include <openssl/evp.h>
#include <string.h>

static void hex_of(char *text, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

static Node node_of(const char *hex)
{
    Node node;
    for (int i = 0; i < 32; i++)
        sscanf(hex + 2 * i, "%2hhx", &node.b[i]);
    return node;
}

static void names_are_the_published_ones(void **state)
{
    (void)state;
    static const struct {
        const char *circuit, *stem, *params, *vk;
    } known[] = {
        {"porep-2k",
         "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-0-0-sha256_hasher-"
         "032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f",
         "434fb1338ecfaf0f59256f30dde4968f", "dc1ade9929ade1708238f155343044ac"},
        {"porep-32g",
         "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-8-0-sha256_hasher-"
         "82a357d2f2ca81dc61bb45f4a762807aedee1b0a53fd6c4e77b46a01bfef7820",
         "6a388072a518cf46ebd661f5cc46900a", "0c7b4aac1c40fdb7eb82bc355b41addf"},
        {"wpost-32g",
         "v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-8-0-"
         "0377ded656c6f524f1618760bffe4e0a1c51d5a70c4509eedae8a27555733edc",
         "2cf49eb26f1fee94c85781a390ddb4c8", "0f8ec542485568fa3468c066e9fed82b"},
        {"winning-64g",
         "v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-8-2-"
         "b62098629d07946e9028127e70295ed996fe3ed25b0f9f88eb610a0ab4385a3c",
         "2170a91ad5bae22ea61f2ea766630322", "6d3789148fb6466d07ee1e24d6292fd6"},
        {"snap-8m",
         "v28-empty-sector-update-merkletree-poseidon_hasher-8-0-0-"
         "92180959e1918d26350b8e6cfe217bbdd0a2d8de51ebec269078b364b715ad63",
         "5aedd2cf3e5c0a15623d56a1b43110ad", "abd80269054d391a734febdac0d2e687"},
    };
    char stem[256];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_int_equal(registry_param_stem(known[i].circuit, stem, sizeof stem), OK);
        assert_string_equal(stem, known[i].stem);
        assert_string_equal(registry_official_digests(stem)->params, known[i].params);
        assert_string_equal(registry_official_digests(stem)->vk, known[i].vk);
    }
    /* Every published circuit's derived name has a published digest. */
    size_t count = 0;
    for (; registry_circuit_name(count); count++) {
        assert_int_equal(registry_param_stem(registry_circuit_name(count), stem, sizeof stem), OK);
        assert_non_null(registry_official_digests(stem));
    }
    assert_int_equal(count, 20);
    CircuitId id;
    assert_int_equal(registry_circuit(&id, "porep-16k"), OK);
    assert_int_equal(registry_circuit(&id, "porep-1t"), ERR_NOT_FOUND);
    assert_int_equal(registry_circuit(&id, "nonsense"), ERR_NOT_FOUND);
}

static void seal_proofs_are_the_published_ones(void **state)
{
    (void)state;
    const SealProof *p = registry_seal_proof(8);
    assert_string_equal(p->name, "StackedDrg32GiBV1_1");
    assert_string_equal(p->variant, "StackedDrg32GiBV1");
    assert_int_equal(p->partitions * p->challenges, 180);
    p = registry_seal_proof_named("StackedDrg2KiBV1_2_Feat_NonInteractivePoRep", 43);
    assert_int_equal(p->id, 15);
    assert_int_equal(p->partitions, 13);
    for (unsigned id = 0; id < SEAL_PROOFS; id++)
        assert_int_equal(registry_seal_proof(id)->id, id);
    assert_null(registry_seal_proof(20));
    TreeShape shape;
    assert_int_equal(registry_tree_shape(&shape, (uint64_t)64 << 30), OK);
    assert_int_equal(shape.base_levels, 9);
    assert_int_equal(shape.log_nodes, 31);
    assert_int_equal(registry_tree_shape(&shape, 2048), OK);
    assert_int_equal(shape.base_levels, 2);
    assert_int_equal(registry_tree_shape(&shape, 2049), ERR_UNSUPPORTED);
}

/* The root of nodes, by halves. */
static Node root_of(const Node *nodes, size_t n)
{
    if (n == 1)
        return *nodes;
    Node left = root_of(nodes, n / 2), right = root_of(nodes + n / 2, n / 2), out;
    sha_parent(&out, &left, &right);
    return out;
}

static void pieces_make_the_tree_of_their_data(void **state)
{
    (void)state;
    static const uint64_t lists[][8] = {
        {0},
        {2048},
        {128},
        {128, 256, 128},
        {512, 128, 512, 128, 256},
        {128, 1024},
        {1024, 128, 128, 128, 128, 256, 256},
    };
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        Node data[64] = {{{0}}}, expected, got;
        Piece pieces[8];
        size_t n = 0, at = 0;
        for (; n < 8 && lists[k][n]; n++) {
            size_t nodes = lists[k][n] / 32;
            at = (at + nodes - 1) / nodes * nodes;
            for (size_t i = at; i < at + nodes; i++)
                sha256(data[i].b, &i, sizeof i);
            pieces[n] = (Piece){root_of(data + at, nodes), lists[k][n]};
            at += nodes;
        }
        expected = root_of(data, 64);
        assert_int_equal(comm_d_of_pieces(&got, pieces, n, 2048), OK);
        assert_memory_equal(&got, &expected, sizeof got);
    }
    Node got,
        eight_mib = node_of("65f29e5d98d246c38b388cfc06db1f6b021303c5a289000bdce832a9c3ec421c");
    zero_commitment(&got, 18);
    assert_memory_equal(&got, &eight_mib, sizeof got);
    Piece bad[2] = {{got, 1024}, {got, 2048}};
    assert_int_equal(comm_d_of_pieces(&got, bad, 2, 2048), ERR_FORMAT);
    bad[1].size = 1000;
    assert_int_equal(comm_d_of_pieces(&got, bad, 2, 2048), ERR_FORMAT);
    bad[1].size = 4096;
    assert_int_equal(comm_d_of_pieces(&got, bad, 2, 2048), ERR_FORMAT);
    bad[1].size = 64;
    assert_int_equal(comm_d_of_pieces(&got, bad, 2, 2048), ERR_FORMAT);
}

static void post_proofs_are_the_published_ones(void **state)
{
    (void)state;
    static const char *const names[POST_PROOFS] = {
        "StackedDrgWinning2KiBV1",    "StackedDrgWinning8MiBV1",   "StackedDrgWinning512MiBV1",
        "StackedDrgWinning32GiBV1",   "StackedDrgWinning64GiBV1",  "StackedDrgWindow2KiBV1",
        "StackedDrgWindow8MiBV1",     "StackedDrgWindow512MiBV1",  "StackedDrgWindow32GiBV1",
        "StackedDrgWindow64GiBV1",    "StackedDrgWindow2KiBV1_2",  "StackedDrgWindow8MiBV1_2",
        "StackedDrgWindow512MiBV1_2", "StackedDrgWindow32GiBV1_2", "StackedDrgWindow64GiBV1_2",
    };
    for (unsigned id = 0; id < POST_PROOFS; id++) {
        const PostProof *proof = post_proof_named(names[id], strlen(names[id]));
        CircuitId circuit;
        assert_ptr_equal(proof, post_proof(id));
        assert_int_equal(proof->id, id);
        assert_int_equal(registry_circuit(&circuit, proof->circuit), OK);
        assert_int_equal(circuit.sector_size, proof->sector_size);
        assert_int_equal(circuit.sectors, proof->sectors);
        assert_int_equal(circuit.challenges, proof->challenges);
    }
    assert_null(post_proof(POST_PROOFS));
    assert_int_equal(post_partitions(post_proof(8), 2349), 1);
    assert_int_equal(post_partitions(post_proof(8), 2350), 2);
    assert_int_equal(post_inputs_count(post_proof(8)), 25839);
    assert_int_equal(post_inputs_count(post_proof(3)), 132);
    for (unsigned id = 0; id < SNAP_PROOFS; id++) {
        CircuitId circuit;
        assert_int_equal(registry_circuit(&circuit, snap_proof(id)->circuit), OK);
        assert_int_equal(circuit.sector_size, snap_proof(id)->sector_size);
    }
    assert_null(snap_proof(SNAP_PROOFS));
}

static void update_challenges_are_the_published_ones(void **state)
{
    (void)state;
    static const uint32_t known[] = {990420169, 955146989, 968005601, 976863263, 944650706};
    Node comm_r = node_of("101cbe4b9c42604f04c703c396f788c6cb2d6d7d58f45430b12eb2edd640076c");
    SnapShape shape;
    uint32_t nodes[86];
    assert_int_equal(snap_shape(&shape, (uint64_t)32 << 30), OK);
    assert_int_equal(shape.partitions, 16);
    assert_int_equal(shape.challenges, 86);
    assert_int_equal(snap_challenges(nodes, &shape, &comm_r, 14), OK);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(nodes[i], known[i]);
    memset(&comm_r, 0xff, sizeof comm_r);
    assert_int_equal(snap_challenges(nodes, &shape, &comm_r, 14), ERR_FORMAT);
}

static void expect_graph(uint64_t nodes, unsigned proof, const char *hex)
{
    uint8_t porep_id[32], bytes[4 * POREP_PARENTS], digest[32];
    uint32_t parents[POREP_PARENTS];
    Graph graph;
    Sha256 hash;
    char text[65];
    registry_porep_id(porep_id, proof);
    graph_init(&graph, nodes, registry_seal_proof(proof)->api, porep_id);
    sha256_init(&hash);
    for (uint32_t node = 0; node < nodes; node++) {
        graph_parents(&graph, node, parents);
        for (int i = 0; i < 4 * POREP_PARENTS; i++)
            bytes[i] = (uint8_t)(parents[i / 4] >> (8 * (i % 4)));
        sha256_update(&hash, bytes, sizeof bytes);
    }
    sha256_final(&hash, digest);
    hex_of(text, digest, 32);
    assert_memory_equal(text, hex, strlen(hex));
}

static void graphs_have_their_digests(void **state)
{
    (void)state;
    CpuFeatures found = cpu_features;
    cpu_features = (CpuFeatures){0};
    expect_graph(64, 0, "3da49221e2ed55371b86d0bf3d6526fcf128af61bed904f966428db1b531750d");
    expect_graph(64, 5, "840057702eea7652cf97e04306c30fe57174714d90de156a25eddd6075c25b97");
    cpu_features = found;
    expect_graph(64, 0, "3da49221e2ed55371b86d0bf3d6526fcf128af61bed904f966428db1b531750d");
    expect_graph(64, 5, "840057702eea7652cf97e04306c30fe57174714d90de156a25eddd6075c25b97");
#ifndef CUZK_SANITIZED
    expect_graph(262144, 1, "a76604f2");
    expect_graph(262144, 6, "03cd13565ded97c240a5f52e54295ad127bd0461b57904cb3a4d79b097bbecab");
#endif
}

static void synthetic_challenges_are_the_published_ones(void **state)
{
    (void)state;
    static const uint32_t first[] = {178, 297, 869, 211, 875, 477, 94};
    static const uint32_t selected[] = {176, 781, 801, 986, 290, 211, 692, 856, 986, 332};
    Node replica = {{55}}, comm_r = {{101}}, seed;
    memset(seed.b, 1, sizeof seed.b);
    for (uint64_t i = 0; i < 7; i++)
        assert_int_equal(porep_synthetic_challenge(1024, &replica, &comm_r, i), first[i]);
    for (size_t j = 0; j < 10; j++)
        assert_int_equal(
            porep_synthetic_challenge(1024, &replica, &comm_r,
                                      porep_synthetic_selection(21, &replica, &seed, j)),
            selected[j]);
}

static void prover_ids_are_leb128(void **state)
{
    (void)state;
    static const struct {
        uint64_t miner;
        uint8_t bytes[3];
    } known[] = {{0, {0}}, {127, {0x7f}}, {128, {0x80, 1}}, {1000, {0xe8, 7}}, {1006, {0xee, 7}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        Node id;
        prover_id_from_miner(&id, known[i].miner);
        assert_memory_equal(id.b, known[i].bytes, 3);
        assert_int_equal(id.b[3], 0);
    }
}

/* The padding against its definition, bit by bit. */
static void padding_inserts_two_zero_bits(void **state)
{
    (void)state;
    uint8_t in[254], out[256];
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)(i * 151 + 77);
    fr32_pad(out, in, sizeof in);
    for (size_t bit = 0; bit < 8 * sizeof out; bit++) {
        size_t from = bit / 256 * 254 + bit % 256;
        unsigned expected = bit % 256 < 254 ? in[from / 8] >> (from % 8) & 1 : 0;
        assert_int_equal(out[bit / 8] >> (bit % 8) & 1, expected);
    }
}

static void blake2b_equals_openssl(void **state)
{
    (void)state;
    uint8_t data[400], ours[64], theirs[64];
    unsigned size;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 29 + 3);
    for (size_t n = 0; n <= sizeof data; n += n < 140 ? 1 : 37) {
        blake2b(ours, 64, data, n, NULL, 0);
        EVP_Digest(data, n, theirs, &size, EVP_blake2b512(), NULL);
        assert_memory_equal(ours, theirs, 64);
        if (n == 0 || n > 64)
            continue;
        size_t got;
        EVP_MAC *mac = EVP_MAC_fetch(NULL, "BLAKE2BMAC", NULL);
        EVP_MAC_CTX *context = EVP_MAC_CTX_new(mac);
        assert_int_equal(EVP_MAC_init(context, data, n, NULL), 1);
        EVP_MAC_update(context, data, 200);
        EVP_MAC_final(context, theirs, &got, sizeof theirs);
        blake2b(ours, 64, data, 200, data, n);
        assert_memory_equal(ours, theirs, 64);
        EVP_MAC_CTX_free(context);
        EVP_MAC_free(mac);
    }
}

/* Eight at once, and one at a time on a machine without lanes. */
static void blake2b_lanes_equal_blake2b(void **state)
{
    (void)state;
    CpuFeatures found = cpu_features;
    for (int turn = 0; turn < 2; turn++) {
        uint64_t words[2], first[8], out[8] = {0}, expected[8];
        for (uint64_t i = 0; i < 8; i++)
            first[i] = i * 0x9e3779b97f4a7c15 + (uint64_t)turn;
        words[1] = 0xfedcba9876543210;
        blake2b_words_8(out, first, words[1], 0xff);
        for (int i = 0; i < 8; i++) {
            words[0] = first[i];
            blake2b((uint8_t *)expected, 64, words, sizeof words, NULL, 0);
            assert_int_equal(out[i], expected[0]);
        }
        cpu_features = (CpuFeatures){0};
    }
    cpu_features = found;
}

/* The value of "key": "..." in a small JSON text. */
static void meta_text(char *out, size_t room, const char *json, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": \"", key);
    const char *at = strstr(json, quoted);
    assert_non_null(at);
    at += strlen(quoted);
    size_t n = strcspn(at, "\"");
    assert_true(n < room);
    memcpy(out, at, n);
    out[n] = 0;
}

static Node meta_node(const char *json, const char *key)
{
    char text[80];
    meta_text(text, sizeof text, json, key);
    return node_of(text);
}

static void expect_inputs(const char *sector)
{
    char path[128], name[64];
    uint8_t *json, *lines;
    size_t size;
    snprintf(path, sizeof path, "rust/%s.meta.json", sector);
    assert_int_equal(file_read(vectors_path(path), 1 << 20, &json, &size), OK);
    PorepPublic p;
    meta_text(name, sizeof name, (char *)json, "registered_proof");
    p.proof = registry_seal_proof_named(name, strlen(name));
    assert_non_null(p.proof);
    p.replica_id = meta_node((char *)json, "replica_id");
    p.comm_d = meta_node((char *)json, "comm_d");
    p.comm_r = meta_node((char *)json, "comm_r");
    p.seed = meta_node((char *)json, "seed");
    Node ticket = meta_node((char *)json, "ticket"), prover = meta_node((char *)json, "prover_id");
    uint8_t porep_id[32];
    Node id;
    registry_porep_id(porep_id, p.proof->id);
    uint64_t sector_number = strtoull(strstr((char *)json, "\"sector\": ") + 10, NULL, 10);
    replica_id(&id, &prover, sector_number, &ticket, &p.comm_d, porep_id);
    assert_memory_equal(id.b, p.replica_id.b, 32);
    size_t n = porep_inputs_count(p.proof);
    Fr *inputs = calloc(n, sizeof *inputs);
    for (unsigned k = 0; k < p.proof->partitions; k++) {
        snprintf(path, sizeof path, "rust/%s.p%u.inputs", sector, k);
        assert_int_equal(file_read(vectors_path(path), 1 << 20, &lines, &size), OK);
        assert_int_equal(size, 65 * n);
        assert_int_equal(porep_public_inputs(inputs, &p, k), OK);
        for (size_t i = 0; i < n; i++) {
            uint8_t bytes[32];
            char text[65];
            fr_to_le(bytes, &inputs[i]);
            hex_of(text, bytes, 32);
            assert_memory_equal(text, lines + 65 * i, 64);
        }
        free(lines);
    }
    free(inputs);
    free(json);
}

static void inputs_equal_rust_fil_proofs(void **state)
{
    (void)state;
    expect_inputs("porep-2k-v1");
    expect_inputs("porep-2k-v1_1");
    expect_inputs("porep-2k-synth");
    expect_inputs("porep-2k-ni");
    expect_inputs("porep-8m-v1");
    expect_inputs("porep-8m-v1_1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_the_published_ones),
        cmocka_unit_test(seal_proofs_are_the_published_ones),
        cmocka_unit_test(graphs_have_their_digests),
        cmocka_unit_test(synthetic_challenges_are_the_published_ones),
        cmocka_unit_test(post_proofs_are_the_published_ones),
        cmocka_unit_test(update_challenges_are_the_published_ones),
        cmocka_unit_test(pieces_make_the_tree_of_their_data),
        cmocka_unit_test(prover_ids_are_leb128),
        cmocka_unit_test(padding_inserts_two_zero_bits),
        cmocka_unit_test(blake2b_equals_openssl),
        cmocka_unit_test(blake2b_lanes_equal_blake2b),
    };
    const struct CMUnitTest vector_tests[] = {
        cmocka_unit_test(inputs_equal_rust_fil_proofs),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed)
        return failed;
    vectors_require("filecoin");
    return cmocka_run_group_tests(vector_tests, NULL, NULL);
}
