/* SPDX-License-Identifier: MIT OR Apache-2.0
 * BLAKE2b. */
#include "hash/blake2b.h"

#include "base/cpu.h"

#include <string.h>

static const uint64_t initial[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                    0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                    0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

static const uint8_t sigma[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                      {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                      {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                      {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                      {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                      {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                      {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                      {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                      {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                      {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

static inline uint64_t rotate(uint64_t x, int n)
{
    return x >> n | x << (64 - n);
}

static inline void mix(uint64_t v[16], int a, int b, int c, int d, uint64_t x, uint64_t y)
{
    v[a] += v[b] + x;
    v[d] = rotate(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = rotate(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = rotate(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = rotate(v[b] ^ v[c], 63);
}

static uint64_t load_le(const uint8_t *p)
{
    uint64_t word = 0;
    for (int i = 8; i-- > 0;)
        word = word << 8 | p[i];
    return word;
}

static void compress(uint64_t h[8], const uint8_t block[128], uint64_t bytes, int last)
{
    uint64_t m[16], v[16];
    for (int i = 0; i < 16; i++)
        m[i] = load_le(block + 8 * i);
    memcpy(v, h, 8 * sizeof *v);
    memcpy(v + 8, initial, 8 * sizeof *v);
    v[12] ^= bytes;
    v[14] ^= last ? UINT64_MAX : 0;
    // unrolled, so that sigma folds into addresses and v lives in registers: three times as fast
#pragma GCC unroll 12
    for (int round = 0; round < 12; round++) {
        const uint8_t *s = sigma[round % 10];
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++)
            mix(v, i, 4 + i, 8 + i, 12 + i, m[s[2 * i]], m[s[2 * i + 1]]);
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++)
            mix(v, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, m[s[8 + 2 * i]],
                m[s[9 + 2 * i]]);
    }
    for (int i = 0; i < 8; i++)
        h[i] ^= v[i] ^ v[8 + i];
}

void blake2b(uint8_t *out, size_t size, const void *data, size_t data_size, const void *key,
             size_t key_size)
{
    uint64_t h[8], bytes = 0;
    uint8_t block[128] = {0};
    const uint8_t *next = data;
    memcpy(h, initial, sizeof h);
    h[0] ^= 0x01010000 ^ (uint64_t)key_size << 8 ^ size;
    if (key_size) {
        memcpy(block, key, key_size);
        bytes = 128;
        compress(h, block, bytes, data_size == 0);
    }
    while (data_size > 128) {
        bytes += 128;
        compress(h, next, bytes, 0);
        next += 128;
        data_size -= 128;
    }
    if (data_size || !key_size) {
        memset(block, 0, sizeof block);
        if (data_size)
            memcpy(block, next, data_size);
        compress(h, block, bytes + data_size, 1);
    }
    for (size_t i = 0; i < size; i++)
        out[i] = (uint8_t)(h[i / 8] >> (8 * (i % 8)));
}

static void words_8_portable(uint64_t out[8], const uint64_t first[8], uint64_t second,
                             unsigned wanted)
{
    for (int lane = 0; lane < 8; lane++) {
        uint8_t message[16], digest[8 * 8];
        if (!(wanted >> lane & 1))
            continue;
        for (int i = 0; i < 8; i++) {
            message[i] = (uint8_t)(first[lane] >> (8 * i));
            message[8 + i] = (uint8_t)(second >> (8 * i));
        }
        blake2b(digest, sizeof digest, message, sizeof message, NULL, 0);
        out[lane] = load_le(digest);
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

#define LANES_TARGET __attribute__((target("avx512f")))

/* As mix, eight messages abreast; m[0] and m[1] are the only words that are not zero. */
static inline LANES_TARGET __attribute__((always_inline)) void
mix_8(__m512i *v, int a, int b, int c, int d, __m512i x, __m512i y)
{
    v[a] = _mm512_add_epi64(_mm512_add_epi64(v[a], v[b]), x);
    v[d] = _mm512_ror_epi64(_mm512_xor_si512(v[d], v[a]), 32);
    v[c] = _mm512_add_epi64(v[c], v[d]);
    v[b] = _mm512_ror_epi64(_mm512_xor_si512(v[b], v[c]), 24);
    v[a] = _mm512_add_epi64(_mm512_add_epi64(v[a], v[b]), y);
    v[d] = _mm512_ror_epi64(_mm512_xor_si512(v[d], v[a]), 16);
    v[c] = _mm512_add_epi64(v[c], v[d]);
    v[b] = _mm512_ror_epi64(_mm512_xor_si512(v[b], v[c]), 63);
}

static LANES_TARGET void words_8_avx512(uint64_t out[8], const uint64_t first[8], uint64_t second)
{
    const uint64_t h0 = initial[0] ^ 0x01010000 ^ 64;
    __m512i v[16], m[16];
    for (int i = 0; i < 8; i++) {
        v[i] = _mm512_set1_epi64((long long)(i ? initial[i] : h0));
        v[8 + i] = _mm512_set1_epi64((long long)initial[i]);
        m[i] = m[8 + i] = _mm512_setzero_si512();
    }
    m[0] = _mm512_loadu_si512(first);
    m[1] = _mm512_set1_epi64((long long)second);
    v[12] = _mm512_set1_epi64((long long)(initial[4] ^ 16)); /* bytes so far */
    v[14] = _mm512_set1_epi64((long long)~initial[6]);       /* the last block */
#pragma GCC unroll 12
    for (int round = 0; round < 12; round++) {
        const uint8_t *s = sigma[round % 10];
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++)
            mix_8(v, i, 4 + i, 8 + i, 12 + i, m[s[2 * i]], m[s[2 * i + 1]]);
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++)
            mix_8(v, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, m[s[8 + 2 * i]],
                  m[s[9 + 2 * i]]);
    }
    __m512i h = _mm512_xor_si512(_mm512_xor_si512(v[0], v[8]), _mm512_set1_epi64((long long)h0));
    _mm512_storeu_si512(out, h);
}
#else
#define words_8_avx512(out, first, second) ((void)0)
#endif

void blake2b_words_8(uint64_t out[8], const uint64_t first[8], uint64_t second, unsigned wanted)
{
    if (cpu_features.avx512_ifma) // implies the foundation; never set on other machines
        words_8_avx512(out, first, second);
    else
        words_8_portable(out, first, second, wanted);
}
