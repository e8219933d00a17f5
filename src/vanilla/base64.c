/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Base64: a careful decoder for faults and the tail, and an AVX2 loop for the bulk. */
#include "vanilla/base64.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/cpu.h"

static int value_of(uint8_t c)
{
    uint8_t lower = c | 0x20;
    if (lower >= 'a' && lower <= 'z')
        return (c & 0x20 ? 26 : 0) + (lower - 'a');
    if ((uint8_t)(c - '0') < 10)
        return 52 + (c - '0');
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static Status refuse(size_t at, size_t *fault, const char *why)
{
    if (fault)
        *fault = at;
    FAIL(ERR_FORMAT, "base64: character %zu: %s", at, why);
}

/* Four characters at text[at]; last: padding may stand here. */
static Status decode_group(uint8_t *out, unsigned *written, const uint8_t *text, size_t at,
                           bool last, size_t *fault)
{
    const uint8_t *group = text + at;
    unsigned padding = !last || group[3] != '=' ? 0 : group[2] != '=' ? 1 : 2;
    uint32_t bits = 0;
    for (unsigned i = 0; i < 4; i++) {
        int value = i < 4 - padding ? value_of(group[i]) : 0;
        if (value < 0)
            return refuse(at + i, fault,
                          group[i] == '=' ? "padding before the end" : "outside the alphabet");
        bits = bits << 6 | (uint32_t)value;
    }
    if (bits & ((1u << (8 * padding)) - 1))
        return refuse(at + 3 - padding, fault, "non-zero bits under the padding");
    for (unsigned i = 0; i < 3 - padding; i++)
        out[i] = (uint8_t)(bits >> (16 - 8 * i));
    *written = 3 - padding;
    return OK;
}

/* From character `at` (a multiple of four) to the end. */
static Status decode_rest(uint8_t *out, size_t *out_size, const uint8_t *text, size_t text_size,
                          size_t at, size_t *fault)
{
    size_t done = at / 4 * 3;
    if (text_size % 4)
        return refuse(text_size, fault, "the text is cut off: its length is no multiple of four");
    for (; at < text_size; at += 4) {
        unsigned written = 0;
        TRY(decode_group(out + done, &written, text, at, at + 4 == text_size, fault));
        done += written;
    }
    *out_size = done;
    return OK;
}

Status base64_decode_ref(uint8_t *out, size_t *out_size, const uint8_t *text, size_t text_size,
                         size_t *fault)
{
    return decode_rest(out, out_size, text, text_size, 0, fault);
}

#if defined(__x86_64__)
/* Both halves of a vector alike. */
#define TWICE(...) _mm256_setr_epi8(__VA_ARGS__, __VA_ARGS__)

/* 32 characters to 24 bytes a step, up to the first step that holds anything but the alphabet;
 * returns the characters done. Method: W. Mula, D. Lemire, "Faster Base64 Encoding and Decoding
 * Using AVX2 Instructions", 2018: a character is valid when the classes of its two nibbles share no
 * bit; its value is the character plus an offset chosen by the high nibble ('/' apart). */
__attribute__((target("avx2"))) static size_t decode_avx2(uint8_t *out, const uint8_t *text,
                                                          size_t text_size)
{
    const __m256i low_class = TWICE(0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
                                    0x13, 0x1a, 0x1b, 0x1b, 0x1b, 0x1a);
    const __m256i high_class = TWICE(0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10,
                                     0x10, 0x10, 0x10, 0x10, 0x10, 0x10);
    const __m256i offset = TWICE(0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m256i order = TWICE(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7);
    const __m256i slash = _mm256_set1_epi8(0x2f);
    size_t at = 0;
    /* 48 characters left are 34 bytes or more of room: a store of 32 stays inside. */
    for (; text_size - at >= 48; at += 32, out += 24) {
        __m256i word = _mm256_loadu_si256((const __m256i *)(text + at));
        __m256i high = _mm256_and_si256(_mm256_srli_epi32(word, 4), slash);
        __m256i low = _mm256_and_si256(word, slash);
        if (!_mm256_testz_si256(_mm256_shuffle_epi8(low_class, low),
                                _mm256_shuffle_epi8(high_class, high)))
            break;
        __m256i row = _mm256_add_epi8(_mm256_cmpeq_epi8(word, slash), high);
        word = _mm256_add_epi8(word, _mm256_shuffle_epi8(offset, row));
        word = _mm256_maddubs_epi16(word, _mm256_set1_epi32(0x01400140));
        word = _mm256_madd_epi16(word, _mm256_set1_epi32(0x00011000));
        word = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(word, order), lanes);
        _mm256_storeu_si256((__m256i *)out, word);
    }
    return at;
}
#endif

Status base64_decode(uint8_t *out, size_t *out_size, const uint8_t *text, size_t text_size,
                     size_t *fault)
{
    size_t at = 0;
#if defined(__x86_64__)
    if (cpu_features.avx2 && text_size % 4 == 0)
        at = decode_avx2(out, text, text_size);
#endif
    return decode_rest(out, out_size, text, text_size, at, fault);
}

void base64_encode(char *out, const uint8_t *bytes, size_t size)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t at = 0; at < size; at += 3, out += 4) {
        size_t left = size - at;
        uint32_t bits = (uint32_t)bytes[at] << 16 | (left > 1 ? (uint32_t)bytes[at + 1] << 8 : 0) |
                        (left > 2 ? bytes[at + 2] : 0);
        for (unsigned i = 0; i < 4; i++)
            out[i] = left >= i ? alphabet[bits >> (18 - 6 * i) & 63] : '=';
    }
}
