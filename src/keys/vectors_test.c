/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Proofs and keys that others made: they verify, and altered ones are refused with a reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "keys/keys_impl.h"
#include "vectors.h"

#include <fcntl.h>
#include <openssl/sha.h>
#include <string.h>
#include <unistd.h>

#ifdef CUZK_SANITIZED
enum { FLIP_STEP = 17 };
#else
enum { FLIP_STEP = 1 };
#endif

#define POST "rust/keys/v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-0-0-"
#define WINDOW_2K POST "0170db1f394b35d995252228ee359194b13199d259380541dc529fb0099096b0"
#define WINDOW_8M POST "5294475db5237a2e83c3e52fd6c2b03859a1831d45ed08c4f35dbf9a803165a9"
#define WINNING_2K POST "3ea05428c9d11689f23529cde32fd30aabd50f7d2c93657c1d3650bca3e8ea9e"
#define WINNING_8M POST "50c7368dea9593ed0989e70974d28024efa9d156d585b7eea1be22b2e753f331"
#define POREP_2K                                                                                   \
    "rust/keys/v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-0-0-sha256_hasher-"   \
    "032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f"
#define SNAP_2K                                                                                    \
    "rust/keys/v28-empty-sector-update-merkletree-poseidon_hasher-8-0-0-"                          \
    "fb9e095bebdd77511c0269b967b4d87ba8b8a525edaa0e165de23ba454510194"

static Pool *pool;

static int start(void **state)
{
    (void)state;
    return pool_new(&pool, 2) == OK ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    pool_free(&pool);
    return 0;
}

static void must(Status status)
{
    if (status != OK)
        fail_msg("%s: %s", status_name(status), status_message());
}

typedef struct {
    uint8_t *data;
    size_t size;
} Bytes;

static Bytes slurp(const char *name)
{
    Bytes bytes;
    must(file_read(vectors_path(name), 1 << 24, &bytes.data, &bytes.size));
    return bytes;
}

/* n bytes from 2n hex digits */
static void from_hex(uint8_t *out, const char *hex, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned byte;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        out[i] = (uint8_t)byte;
    }
}

static Fr input_from_u64(uint64_t value)
{
    Fr input;
    fr_from_u64(&input, value);
    return input;
}

static void prepare(PreparedVk **prepared, const char *name)
{
    Vk vk;
    must(vk_read(&vk, vectors_path(name), true));
    must(vk_prepare(prepared, &vk));
    vk_free(&vk);
}

/* The proof verifies; no proof with one byte altered does. */
static void verify_and_flip(const PreparedVk *vk, const uint8_t *bytes, const Fr *inputs, size_t n)
{
    Proof proof;
    uint8_t copy[PROOF_BYTES];
    must(proof_decode(&proof, bytes));
    must(verify(vk, &proof, inputs, n));
    proof_encode(copy, &proof);
    assert_memory_equal(copy, bytes, PROOF_BYTES);
    for (size_t i = 0; i < PROOF_BYTES; i += FLIP_STEP) {
        memcpy(copy, bytes, PROOF_BYTES);
        copy[i] ^= (uint8_t)(1 << i % 8);
        Status status = proof_decode(&proof, copy);
        if (status == OK)
            status = verify(vk, &proof, inputs, n);
        if (status != ERR_FORMAT && status != ERR_INVALID)
            fail_msg("byte %zu altered: %s", i, status_name(status));
    }
}

/* The text after "key": " in flat JSON. */
static const char *json_text(const Bytes *json, const char *key)
{
    const char *at = strstr((const char *)json->data, key);
    assert_non_null(at);
    at = strchr(at + strlen(key) + 1, '"');
    assert_non_null(at);
    return at + 1;
}

/* leaf challenge = u64le(SHA-256(randomness || u64le sector || u64le n)[0..8]) mod nodes */
static uint64_t leaf_challenge(const uint8_t randomness[32], uint64_t sector, uint64_t n,
                               uint64_t nodes)
{
    uint8_t message[48], digest[32];
    uint64_t value = 0;
    memcpy(message, randomness, 32);
    for (int i = 0; i < 8; i++) {
        message[32 + i] = (uint8_t)(sector >> 8 * i);
        message[40 + i] = (uint8_t)(n >> 8 * i);
    }
    SHA256(message, sizeof message, digest);
    for (int i = 7; i >= 0; i--)
        value = value << 8 | digest[i];
    return value % nodes;
}

static void official_winning_post(void **state)
{
    (void)state;
    enum { SECTORS = 66, NODES = 2048 / 32 };
    Bytes json = slurp("groth16/winningpost_2kib_vector.json");
    uint8_t randomness[32], cid[39], proof[PROOF_BYTES];
    from_hex(randomness, json_text(&json, "\"randomness_hex\""), sizeof randomness);
    from_hex(cid, json_text(&json, "\"sealed_cid_bytes_hex\"") + 2, sizeof cid);
    from_hex(proof, json_text(&json, "\"proof_bytes_hex\""), sizeof proof);
    Fr inputs[2 * SECTORS];
    for (uint64_t i = 0; i < SECTORS; i++) {
        assert_true(fr_from_le(&inputs[2 * i], cid + sizeof cid - 32));
        inputs[2 * i + 1] = input_from_u64(leaf_challenge(randomness, 7, i, NODES));
    }
    PreparedVk *vk;
    prepare(&vk, "groth16/winning_2kib.vk");
    verify_and_flip(vk, proof, inputs, 2 * SECTORS);
    vk_prepared_free(&vk);
    free(json.data);
}

static void winning_32gib(void **state)
{
    (void)state;
    enum { COUNT = 132 };
    Bytes file = slurp("groth16/winning32.prf");
    const uint8_t *at = file.data + PROOF_BYTES;
    assert_int_equal(at[7], COUNT);
    at += 8;
    Fr inputs[COUNT];
    for (size_t i = 0; i < COUNT; i++, at += 32) {
        uint8_t little[32];
        for (int k = 0; k < 32; k++)
            little[k] = at[31 - k];
        assert_true(fr_from_le(&inputs[i], little));
    }
    Vk vk;
    PreparedVk *prepared;
    size_t used, size = file.size - (size_t)(at - file.data);
    must(vk_parse(&vk, at, size, &used, true));
    assert_int_equal(used, size);
    must(vk_prepare(&prepared, &vk));
    verify_and_flip(prepared, file.data, inputs, COUNT);
    vk_prepared_free(&prepared);
    vk_free(&vk);
    free(file.data);
}

/* Lines of 64 hex digits, appended. */
static size_t read_inputs(Fr *inputs, size_t room, const char *stem, int partition)
{
    char name[96];
    snprintf(name, sizeof name, "rust/%s.p%d.inputs", stem, partition);
    Bytes text = slurp(name);
    size_t n = 0;
    for (size_t at = 0; at + 64 <= text.size; at += 65) {
        uint8_t bytes[32];
        assert_true(n < room);
        from_hex(bytes, (const char *)text.data + at, 32);
        assert_true(fr_from_le(&inputs[n++], bytes));
    }
    free(text.data);
    return n;
}

static void rust_proof(const char *stem, const char *key)
{
    enum { ROOM = 512, MOST = 4 };
    char name[256];
    snprintf(name, sizeof name, "rust/%s.proof", stem);
    Bytes file = slurp(name);
    snprintf(name, sizeof name, "%s.vk", key);
    PreparedVk *vk;
    prepare(&vk, name);
    Fr inputs[ROOM];
    Proof proofs[MOST];
    size_t partitions = file.size / PROOF_BYTES, n = vk_prepared_inputs(vk) - 1;
    assert_true(file.size % PROOF_BYTES == 0 && partitions >= 1 && partitions <= MOST);
    for (size_t k = 0; k < partitions; k++) {
        assert_int_equal(read_inputs(inputs + k * n, ROOM - k * n, stem, (int)k), n);
        verify_and_flip(vk, file.data + k * PROOF_BYTES, inputs + k * n, n);
        must(proof_decode(&proofs[k], file.data + k * PROOF_BYTES));
    }
    must(verify_batch(vk, proofs, inputs, n, partitions));
    fr_add(&inputs[n - 1], &inputs[n - 1], &FR_ONE);
    assert_int_equal(verify_batch(vk, proofs, inputs, n, partitions), ERR_INVALID);
    vk_prepared_free(&vk);
    free(file.data);
}

static void rust_proofs(void **state)
{
    (void)state;
    static const struct {
        const char *stem, *key;
    } proofs[] = {
        {"porep-2k-v1", POREP_2K},     {"porep-2k-v1_1", POREP_2K},   {"porep-2k-synth", POREP_2K},
        {"winning-2k", WINNING_2K},    {"winning-8m", WINNING_8M},    {"window-v1-2k", WINDOW_2K},
        {"window-v1_2-2k", WINDOW_2K}, {"window-v1_2-8m", WINDOW_8M}, {"snap-2k", SNAP_2K},
    };
    for (size_t i = 0; i < sizeof proofs / sizeof *proofs; i++)
        rust_proof(proofs[i].stem, proofs[i].key);
}

static void make_temporary(char *path, size_t room)
{
    snprintf(path, room, "/tmp/cuzk-params-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
}

static void bellperson_key(void **state)
{
    (void)state;
    char copy[64];
    Pk *pk;
    make_temporary(copy, sizeof copy);
    must(pk_load(&pk, vectors_path(WINDOW_2K ".params"), KEY_CHECK_SUBGROUP, NULL, pool));
    // WindowPoSt 2 KiB: 23 inputs, 22128 aux, 2^15 rows
    const PkView *view = pk_view(pk);
    assert_int_equal(view->vk->n_inputs, 23);
    assert_int_equal(view->n_h, (1 << 15) - 1);
    assert_int_equal(view->n_l, 22128);
    assert_int_equal(view->n_a, 23 + 16770);
    assert_int_equal(view->n_b, 1 + 16028);
    must(pk_write(view, copy));
    Bytes original = slurp(WINDOW_2K ".params"), written;
    must(file_read(copy, 1 << 24, &written.data, &written.size));
    assert_int_equal(original.size, written.size);
    assert_memory_equal(original.data, written.data, original.size);
    Bytes vk = slurp(WINDOW_2K ".vk");
    assert_memory_equal(original.data, vk.data, vk.size);
    free(vk.data);
    free(original.data);
    free(written.data);
    pk_free(&pk);
    unlink(copy);
}

static void must_refuse(const char *path, size_t size, const char *what, size_t at)
{
    MemBudget *budget;
    Pk *pk = NULL;
    must(mem_budget_new(&budget, size + 512));
    Status status = pk_load(&pk, path, KEY_CHECK_CURVE, budget, pool);
    if (status != ERR_FORMAT && status != ERR_INVALID)
        fail_msg("%s at %zu: %s", what, at, status_name(status));
    assert_true(strlen(status_message()) > strlen(path) + 2);
    assert_null(pk);
    assert_int_equal(mem_budget_used(budget), 0);
    mem_budget_free(&budget);
}

static void write_at(const char *path, size_t offset, const uint8_t *data, size_t n)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0 && pwrite(fd, data, n, (off_t)offset) == (ssize_t)n);
    close(fd);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 20;
}

/* Bit flips, truncations and altered counts; the file is mended after each. */
static void mutated_key(void **state)
{
    (void)state;
    enum { MUTATIONS = 200 };
    char path[64];
    uint64_t random = 11;
    ParamsLayout layout;
    Bytes file = slurp(WINDOW_2K ".params");
    must(params_layout(&layout, file.data, file.size));
    make_temporary(path, sizeof path);
    write_at(path, 0, file.data, file.size);
    for (int i = 0; i < MUTATIONS; i++) {
        size_t at = next_random(&random) % file.size;
        uint8_t altered[4];
        if (i % 4 == 0) {
            assert_int_equal(truncate(path, (off_t)at), 0);
            must_refuse(path, file.size, "truncated", at);
            write_at(path, at, file.data + at, file.size - at);
        } else if (i % 4 == 1) {
            int count = (int)(next_random(&random) % 6);
            at = count == 5 ? VK_FIXED_BYTES - 4 : layout.offset[count] - 4;
            put_u32be(altered, i % 8 == 1 ? (uint32_t)next_random(&random)
                                          : get_u32be(file.data + at) + (i % 16 == 5 ? 1u : -1u));
            write_at(path, at, altered, 4);
            must_refuse(path, file.size, "count altered", at);
            write_at(path, at, file.data + at, 4);
        } else {
            altered[0] = file.data[at] ^ (uint8_t)(1 << next_random(&random) % 8);
            write_at(path, at, altered, 1);
            must_refuse(path, file.size, "bit flipped", at);
            write_at(path, at, file.data + at, 1);
        }
    }
    Pk *pk;
    must(pk_load(&pk, path, KEY_CHECK_CURVE, NULL, pool));
    pk_free(&pk);
    unlink(path);
    free(file.data);
}

/* The genuine key has the official digest; the development key of the same circuit has not. */
static void genuine_key(void **state)
{
    (void)state;
    Manifest *manifest;
    char digest[DIGEST_HEX], expected[DIGEST_HEX];
    KeyOrigin origin;
    must(manifest_new(&manifest, NULL));
    must(params_digest(digest, vectors_path("groth16/winning_2kib.vk")));
    assert_string_equal(digest, manifest_digest(manifest, strrchr(WINNING_2K ".vk", '/') + 1));
    must(key_origin(&origin, digest, expected, vectors_path(WINNING_2K ".vk"), manifest));
    assert_int_equal(origin, KEY_UNKNOWN);
    assert_string_equal(expected, "ffd79788d614d27919ae5bd2d94eacb6");
    manifest_free(&manifest);
}

int main(void)
{
    vectors_require("keys_vectors");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(official_winning_post), cmocka_unit_test(winning_32gib),
        cmocka_unit_test(rust_proofs),           cmocka_unit_test(bellperson_key),
        cmocka_unit_test(mutated_key),           cmocka_unit_test(genuine_key),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
