/* SPDX-License-Identifier: MIT OR Apache-2.0
 * SHA-256 and Poseidon against published vectors and their slow twins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hash/chacha.h"
#include "hash/poseidon.h"
#include "hash/sha256.h"

#include <string.h>

static void expect_hex(const uint8_t *bytes, const char *hex)
{
    char text[65];
    for (int i = 0; i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    assert_string_equal(text, hex);
}

static void sha256_nist_vectors(void **state)
{
    (void)state;
    uint8_t digest[32];
    sha256(digest, "", 0);
    expect_hex(digest, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256(digest, "abc", 3);
    expect_hex(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256(digest, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56);
    expect_hex(digest, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    Sha256 hash;
    char block[1000];
    memset(block, 'a', sizeof block);
    sha256_init(&hash);
    for (int i = 0; i < 1000; i++)
        sha256_update(&hash, block, sizeof block);
    sha256_final(&hash, digest);
    expect_hex(digest, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void sha256_pieces_and_twins(void **state)
{
    (void)state;
    uint8_t data[400], whole[32], pieces[32];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 167 + 13);
    for (size_t size = 0; size <= sizeof data; size++) {
        sha256(whole, data, size);
        Sha256 hash;
        sha256_init(&hash);
        for (size_t at = 0; at < size;) {
            size_t take = (at * 7 + 3) % 71 < size - at ? (at * 7 + 3) % 71 : size - at;
            sha256_update(&hash, data + at, take);
            at += take ? take : 1;
            if (!take)
                sha256_update(&hash, data + at - 1, 1);
        }
        sha256_final(&hash, pieces);
        assert_memory_equal(whole, pieces, 32);
    }
    for (size_t n = 0; n <= 6; n++) {
        uint32_t a[8], b[8];
        memcpy(a, sha256_initial, sizeof a);
        memcpy(b, sha256_initial, sizeof b);
        sha256_compress(a, data, n);
        sha256_compress_portable(b, data, n);
        assert_memory_equal(a, b, sizeof a);
    }
}

/* RFC 8439 section 2.3.2, and eight rounds of an all-zero key. */
static void chacha_vector(void **state)
{
    (void)state;
    uint8_t key[32], block[64];
    const uint32_t last[4] = {1, 0x09000000, 0x4a000000, 0};
    for (int i = 0; i < 32; i++)
        key[i] = (uint8_t)i;
    chacha_block(block, key, last, 20);
    expect_hex(block, "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e");
    expect_hex(block + 32, "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e");
    const uint32_t zero[4] = {0};
    memset(key, 0, sizeof key);
    chacha_block(block, key, zero, 8);
    expect_hex(block, "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e");
}

static void poseidon_vectors(void **state)
{
    (void)state;
    static const struct {
        unsigned arity;
        const char *counting, *zeros;
    } vectors[] = {
        {2, "ffe7029a363c202e9da6059d33a9fba661e1ef02d90f9e736ba5765ed7086539",
         "d413460e7f14e58b413d1defe188d36fb761afe5c6a733db6c6f1931130bfe48"},
        {4, "5d076266ff149801ec2713bf05466bfb99932279653cdb008a84e5a9104ba558", NULL},
        {8, "e6a5386df534992ad9aec49c9d2e684b777067114200011255dea5a31d619423",
         "3a9bffca31b48234d189b30de60b7c33f529c08b0836a004f98938b614e6793f"},
        {11, "6331692bc3bbe3cec18fb0ccd8dcf3097ae8eb32e237a56c287f22e5b2c10f0c",
         "94fe4fc1d1b7c885c9538810707ed5691b68a11db65e2118cf928634ea2d1f44"},
    };
    uint8_t bytes[32];
    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) {
        Fr in[11] = {{{0}}}, out, slow, tag;
        unsigned arity = vectors[v].arity;
        poseidon_hash(&out, arity, in);
        fr_to_le(bytes, &out);
        if (vectors[v].zeros)
            expect_hex(bytes, vectors[v].zeros);
        for (unsigned i = 0; i < arity; i++)
            fr_from_u64(&in[i], i);
        poseidon_hash(&out, arity, in);
        fr_to_le(bytes, &out);
        expect_hex(bytes, vectors[v].counting);
        poseidon_merkle_tag(&tag, arity);
        for (int turn = 0; turn < 10; turn++) {
            poseidon_hash_tagged(&out, arity, in, &tag);
            poseidon_hash_ref(&slow, arity, in, &tag);
            assert_true(fr_eq(&out, &slow));
            in[turn % arity] = tag = out;
        }
    }
    Fr in[2], out, tag;
    fr_from_u64(&in[0], 0);
    fr_from_u64(&in[1], 1);
    poseidon_randomness_tag(&tag);
    poseidon_hash_tagged(&out, 2, in, &tag);
    fr_to_le(bytes, &out);
    expect_hex(bytes, "587707bcc44ea7e5c7677339ea0b58e325fea03481c51fad4e92f0e7c4354a31");
    assert_null(poseidon_params(3));
}

/* Every count up to three batches, with the largest and smallest elements among the inputs. */
static void poseidon_many_equals_single(void **state)
{
    (void)state;
    enum { MOST = 26, ARITY_MAX = 11 };
    static const unsigned arities[] = {2, 4, 8, 11};
    Fr in[MOST * ARITY_MAX], out[MOST], expected[MOST], value = FR_ONE;
    for (size_t k = 0; k < sizeof arities / sizeof *arities; k++) {
        unsigned arity = arities[k];
        for (size_t i = 0; i < MOST * ARITY_MAX; i++) {
            poseidon_hash(&value, 2, (const Fr[2]){value, FR_ONE});
            in[i] = value;
            if (i % 7 == 0 || i < 2 * arity)
                fr_neg(&in[i], &FR_ONE);
            if (i % 11 == 3)
                in[i] = FR_ZERO;
        }
        for (size_t i = 0; i < MOST; i++)
            poseidon_hash(&expected[i], arity, in + i * arity);
        for (size_t n = 0; n <= MOST; n++) {
            memset(out, 0xab, sizeof out);
            poseidon_hash_many(out, arity, in, n);
            assert_memory_equal(out, expected, n * sizeof *out);
            if (n < MOST)
                assert_int_equal(out[n].l[0], 0xabababababababab);
        }
    }
}

static void hash_elements(char *text, const Fr *elements, size_t n)
{
    Sha256 hash;
    uint8_t bytes[32];
    sha256_init(&hash);
    for (size_t i = 0; i < n; i++) {
        fr_to_le(bytes, &elements[i]);
        sha256_update(&hash, bytes, sizeof bytes);
    }
    sha256_final(&hash, bytes);
    for (int i = 0; i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

/* SHA-256 over canonical little-endian elements: round constants, compressed, M, pre-sparse,
 * sparse. */
static void poseidon_constants(void **state)
{
    (void)state;
    static const struct {
        unsigned arity;
        const char *digest[5];
    } known[] = {
        {2,
         {"cf4dfb7448132022e22b32e3dce6b125cb06329448f9e8d8fe53a71c73cbe6d4",
          "b768b730ce5198394d948d76421ab53b08cc16ec1ac082cf503f370192253e16",
          "b55e71db69c416c830c28ca9871f933b6c27220eae309801c981ee3b0885ee51",
          "13d6e8e5ba45b0d2096617d055499f36adad1aab6853de143ed42b14eea9a0f6",
          "a2fe507a83bddb8d57e5a00e7e58e79800c272b0db7dd4141943f6e567e99138"}},
        {4,
         {"91e463d6553415b3901b9f26b2ad53e6298ac3e5ab0ef260d397bafe8bdde98e",
          "3e4ec19ded2c86a89f3d6bddc13d9571a0cc5473e7207cfbaf6a8169a69f5709",
          "42a9ccbf22e42dc598fbe106f6b5019b46d545a725eb7538ba6bcf3765b350ab",
          "aee67dfb1ae8c43eca89f5742a745c6309f2d302ab741b75d2641b7025d87413",
          "f1c3c3a9fe9ea4a3c38c91971e5f379da38123fe1dcf960b461d84c5ba759f2b"}},
        {8,
         {"9a4a743575f0eaf285c93d73f8adaf4e7ef4042c2445b42bddaf1a64e5face72",
          "f5a94aea73a583d080abdf7d71259fab9107f5523a4a1eddc41468f94564dd16",
          "82d366586a4b49ae74f4c5bbc94bbed0a0eb064584097367d926ae1f11e30894",
          "dcfbdaea3eb7e347664c8f881c5443b1895f10c85cab0878022eb287defa8587",
          "3f823785875d8cc161c963d2a62d103a3fefab30eb4244cef877d8e624fb79f4"}},
        {11,
         {"479dc0d71d694cd50d853dec0c94aeb37df2a69929eaa23b545a52b1226aec06",
          "2d7c0e4e9b98eda82102b69f1a964ae59ccf98b0008b6d3d632d86f4fea79d1d",
          "7ef350e5db367cae7828071ca354fefd25c59fe77e31261d27fb2ce8f14ff956",
          "f2a7353f0ce5ad724a7a58bf2db0e37f7c5662f064a6c97466021af83279a96e",
          "810a4d7f126f6e5fb3eb1980b57c70f90bb835219373d955726e30b3ca931556"}},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const PoseidonParams *p = poseidon_params(known[k].arity);
        size_t t = p->arity + 1, rp = p->partial_rounds;
        const Fr *const lists[5] = {p->round, p->compressed, p->matrix, p->pre_sparse, p->sparse};
        const size_t counts[5] = {(8 + rp) * t, 8 * t + rp, t * t, t * t, rp * (2 * t - 1)};
        for (int i = 0; i < 5; i++) {
            char text[65];
            hash_elements(text, lists[i], counts[i]);
            assert_string_equal(text, known[k].digest[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_nist_vectors), cmocka_unit_test(sha256_pieces_and_twins),
        cmocka_unit_test(chacha_vector),       cmocka_unit_test(poseidon_vectors),
        cmocka_unit_test(poseidon_constants),  cmocka_unit_test(poseidon_many_equals_single),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
