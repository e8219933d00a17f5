/* SPDX-License-Identifier: MIT OR Apache-2.0
 * SHA-256: portable rounds, and rounds by SHA instructions. */
#include "hash/sha256.h"

#include "base/cpu.h"

#include <string.h>

const uint32_t sha256_initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

const uint32_t sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static uint32_t load_be(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void compress_one(uint32_t state[8], const uint8_t *block)
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = load_be(block + 4 * i);
    for (int i = 16; i < 64; i++) {
        uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t a = s[0], e = s[4];
        uint32_t t1 = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                      ((e & s[5]) ^ (~e & s[6])) + sha256_constants[i] + w[i];
        uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                      ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

void sha256_compress_portable(uint32_t state[8], const uint8_t *blocks, size_t n)
{
    for (; n; n--, blocks += 64)
        compress_one(state, blocks);
}

#if defined(__x86_64__)
#include <immintrin.h>

/* Four rounds with message words m and their constants. */
#define FOUR_ROUNDS(m, i)                                                                          \
    do {                                                                                           \
        __m128i wk_ = _mm_add_epi32(m, _mm_loadu_si128((const __m128i *)&sha256_constants[i]));    \
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, wk_);                                             \
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(wk_, 0x0e));                    \
    } while (0)

/* m0 <- the words that follow m0..m3. */
#define SCHEDULE(m0, m1, m2, m3)                                                                   \
    m0 = _mm_sha256msg2_epu32(                                                                     \
        _mm_add_epi32(_mm_sha256msg1_epu32(m0, m1), _mm_alignr_epi8(m3, m2, 4)), m3)

__attribute__((target("sha,sse4.1,ssse3"))) static void compress_ni(uint32_t state[8],
                                                                    const uint8_t *blocks, size_t n)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bll, 0x0405060700010203ll);
    __m128i dcba = _mm_loadu_si128((const __m128i *)&state[0]);
    __m128i hgfe = _mm_loadu_si128((const __m128i *)&state[4]);
    __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1), efgh = _mm_shuffle_epi32(hgfe, 0x1b);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
    __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
    for (; n; n--, blocks += 64) {
        __m128i abef0 = abef, cdgh0 = cdgh, m[4];
        for (int i = 0; i < 4; i++)
            m[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(blocks + 16 * i)), swap);
        for (int i = 0; i < 48; i += 16) {
            FOUR_ROUNDS(m[0], i);
            SCHEDULE(m[0], m[1], m[2], m[3]);
            FOUR_ROUNDS(m[1], i + 4);
            SCHEDULE(m[1], m[2], m[3], m[0]);
            FOUR_ROUNDS(m[2], i + 8);
            SCHEDULE(m[2], m[3], m[0], m[1]);
            FOUR_ROUNDS(m[3], i + 12);
            SCHEDULE(m[3], m[0], m[1], m[2]);
        }
        for (int i = 0; i < 4; i++)
            FOUR_ROUNDS(m[i], 48 + 4 * i);
        abef = _mm_add_epi32(abef, abef0);
        cdgh = _mm_add_epi32(cdgh, cdgh0);
    }
    __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)&state[0], _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)&state[4], _mm_alignr_epi8(dchg, feba, 8));
}
#else
#define compress_ni sha256_compress_portable
#endif

void sha256_compress(uint32_t state[8], const uint8_t *blocks, size_t n)
{
    if (cpu_features.sha_ni)
        compress_ni(state, blocks, n);
    else
        sha256_compress_portable(state, blocks, n);
}

void sha256_init(Sha256 *hash)
{
    memcpy(hash->state, sha256_initial, sizeof hash->state);
    hash->bytes = 0;
}

void sha256_update(Sha256 *hash, const void *data, size_t size)
{
    const uint8_t *next = data;
    size_t filled = hash->bytes % 64;
    if (size == 0)
        return;
    hash->bytes += size;
    if (filled) {
        size_t take = 64 - filled < size ? 64 - filled : size;
        memcpy(hash->block + filled, next, take);
        next += take;
        size -= take;
        if (filled + take < 64)
            return;
        sha256_compress(hash->state, hash->block, 1);
    }
    sha256_compress(hash->state, next, size / 64);
    if (size % 64)
        memcpy(hash->block, next + (size & ~(size_t)63), size % 64);
}

void sha256_final(Sha256 *hash, uint8_t digest[32])
{
    uint64_t bits = hash->bytes * 8;
    size_t filled = hash->bytes % 64;
    hash->block[filled++] = 0x80;
    if (filled > 56) {
        memset(hash->block + filled, 0, 64 - filled);
        sha256_compress(hash->state, hash->block, 1);
        filled = 0;
    }
    memset(hash->block + filled, 0, 56 - filled);
    for (int i = 0; i < 8; i++)
        hash->block[56 + i] = (uint8_t)(bits >> (56 - 8 * i));
    sha256_compress(hash->state, hash->block, 1);
    for (int i = 0; i < 32; i++)
        digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256(uint8_t digest[32], const void *data, size_t size)
{
    Sha256 hash;
    sha256_init(&hash);
    sha256_update(&hash, data, size);
    sha256_final(&hash, digest);
}
