/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Proofs of spacetime and updates, byte for byte as rust-fil-proofs made them, with their public
 * inputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hash/sha256.h"
#include "meta.h"
#include "seal/bincode.h"
#include "seal/proofs.h"
#include "seal_data.h"

static Pool *pool;

enum { SECTORS_MAX = 3 };

static void expect_inputs(const Fr *inputs, size_t n, const char *name, size_t partition)
{
    char path[128];
    size_t size;
    snprintf(path, sizeof path, "rust/%s.p%zu.inputs", name, partition);
    uint8_t *lines = read_vector(path, &size);
    assert_int_equal(size, 65 * n);
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[32];
        char text[65];
        memcpy(text, lines + 65 * i, 64);
        text[64] = 0;
        fr_to_le(bytes, &inputs[i]);
        expect_hex(bytes, text);
    }
    free(lines);
}

static void expect_bytes(uint8_t *ours, size_t size, const char *path)
{
    size_t theirs_size;
    uint8_t *theirs = read_vector(path, &theirs_size);
    assert_int_equal(size, theirs_size);
    assert_memory_equal(ours, theirs, size);
    free(theirs);
    free(ours);
}

/* The meta file's challenges of a sector: numbers a line. */
static void expect_challenges(const char *sector, const PostProof *proof, const Node *randomness,
                              size_t place, uint64_t id)
{
    const char *at = strstr(sector, "\"challenges\": [");
    assert_non_null(at);
    at += strlen("\"challenges\": [");
    for (unsigned i = 0; i < post_openings(proof); i++) {
        char *end;
        assert_int_equal(post_challenge(proof, randomness, place, id, i), strtoul(at, &end, 10));
        at = end + 1;
    }
}

static void expect_post(const char *name, unsigned seal_proof)
{
    char path[128], text[128];
    snprintf(path, sizeof path, "rust/%s.meta.json", name);
    char *meta = read_meta(path);
    meta_text(text, sizeof text, meta, "registered_proof");
    const PostProof *proof = post_proof_named(text, strlen(text));
    assert_non_null(proof);
    assert_int_equal(proof->sector_size, meta_number(meta, "sector_size"));
    PostPublic p = {.proof = proof, .randomness = meta_node(meta, "randomness")};
    Sector *sectors[SECTORS_MAX];
    uint64_t ids[SECTORS_MAX];
    Node comm_rs[SECTORS_MAX];
    const char *at = meta;
    while ((at = strstr(at, "\"challenges\": ["))) {
        size_t k = p.n_sectors++;
        assert_true(k < SECTORS_MAX);
        ids[k] = meta_number(at, "sector");
        comm_rs[k] = meta_node(at, "comm_r");
        expect_challenges(at, proof, &p.randomness, k, ids[k]);
        sectors[k] = seal_from_meta(meta, at, "data", seal_proof, pool);
        expect_meta_node(&sectors[k]->comm_d, at, "comm_d");
        expect_meta_node(&sectors[k]->comm_r, at, "comm_r");
        at++;
    }
    PostVanilla v = {0};
    const Sector *const *borrowed = (const Sector *const *)sectors;
    assert_int_equal(sectors_post(&v, borrowed, p.n_sectors, proof, &p.randomness), OK);
    for (size_t i = 0; i < p.n_sectors; i++) {
        uint8_t *bytes;
        size_t size;
        assert_int_equal(post_sector_encode(&v.sectors[i], &bytes, &size), OK);
        snprintf(path, sizeof path, "rust/%s-sector%u.vproof", name, (unsigned)ids[i]);
        expect_bytes(bytes, size, path);
        sector_free(&sectors[i]);
    }
    post_vanilla_free(&v);
    p.sector_ids = ids;
    p.comm_rs = comm_rs;
    size_t n = post_inputs_count(proof), partitions = post_partitions(proof, p.n_sectors);
    assert_int_equal(partitions, meta_number(meta, "partitions"));
    Fr *inputs = calloc(n, sizeof *inputs);
    for (size_t k = 0; k < partitions; k++) {
        assert_int_equal(post_public_inputs(inputs, &p, k), OK);
        expect_inputs(inputs, n, name, k);
    }
    memset(&comm_rs[0], 0xff, sizeof *comm_rs);
    assert_int_equal(post_public_inputs(inputs, &p, 0), ERR_FORMAT);
    free(inputs);
    free(meta);
}

static void expect_update(const char *name, unsigned seal_proof)
{
    char path[128], text[128];
    uint8_t digest[32];
    snprintf(path, sizeof path, "rust/%s.meta.json", name);
    char *meta = read_meta(path);
    Sector *sector = seal_from_meta(meta, meta, "old_data", seal_proof, pool);
    expect_meta_node(&sector->comm_r, meta, "comm_r_old");
    sha256(digest, sector->replica, sector->shape.sector_size);
    meta_text(text, sizeof text, meta, "sealed_file_sha256");
    expect_hex(digest, text);
    size_t raw_size = sector->shape.sector_size / 128 * 127;
    uint8_t *raw = meta_raw(meta, "new_data", raw_size);
    Update *update = NULL;
    assert_int_equal(sector_update(&update, sector, raw, raw_size, pool), OK);
    expect_meta_node(&update->comm_d_new, meta, "comm_d_new");
    expect_meta_node(&update->comm_r_last_new, meta, "comm_r_last_new");
    expect_meta_node(&update->comm_r_new, meta, "comm_r_new");
    sha256(digest, update->replica, sector->shape.sector_size);
    meta_text(text, sizeof text, meta, "updated_file_sha256");
    expect_hex(digest, text);
    assert_int_equal(update->shape.partitions, meta_number(meta, "partitions"));
    for (unsigned k = 0; k < update->shape.partitions; k++) {
        SnapVanilla v = {0};
        Fr inputs[SNAP_INPUTS];
        uint8_t *bytes;
        size_t size;
        assert_int_equal(update_prove(&v, update, k), OK);
        assert_int_equal(snap_encode(&v, &bytes, &size), OK);
        snprintf(path, sizeof path, "rust/%s.p%u.vproof", name, k);
        expect_bytes(bytes, size, path);
        assert_int_equal(snap_public_inputs(inputs, &update->shape, &sector->comm_r,
                                            &update->comm_d_new, &update->comm_r_new, k),
                         OK);
        expect_inputs(inputs, SNAP_INPUTS, name, k);
        snap_vanilla_free(&v);
    }
    update_free(&update);
    sector_free(&sector);
    free(raw);
    free(meta);
}

static void small_proofs_equal_rust_fil_proofs(void **state)
{
    (void)state;
    expect_post("winning-2k", 5);
    expect_post("window-v1-2k", 5);
    expect_post("window-v1_2-2k", 5);
}

static void small_updates_equal_rust_fil_proofs(void **state)
{
    (void)state;
    expect_update("snap-2k", 5);
}

#ifndef CUZK_SANITIZED
static void larger_proofs_equal_rust_fil_proofs(void **state)
{
    (void)state;
    expect_post("winning-8m", 6);
    expect_post("window-v1_2-8m", 6);
    expect_update("snap-8m", 6);
}
#endif

int main(void)
{
    vectors_require("seal_proofs");
    if (pool_new(&pool, 0) != OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_proofs_equal_rust_fil_proofs),
        cmocka_unit_test(small_updates_equal_rust_fil_proofs),
#ifndef CUZK_SANITIZED
        cmocka_unit_test(larger_proofs_equal_rust_fil_proofs),
#endif
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pool_free(&pool);
    return failed;
}
