/* SPDX-License-Identifier: MIT OR Apache-2.0
 * BLAKE2b (RFC 7693), keyed or not: short messages at graph speed, where a library call costs more
 * than the hash. */
#ifndef CUZK_HASH_BLAKE2B_H
#define CUZK_HASH_BLAKE2B_H

#include <stddef.h>
#include <stdint.h>

/* size: 1 .. 64 bytes of output; key_size: 0 .. 64. */
void blake2b(uint8_t *out, size_t size, const void *data, size_t data_size, const void *key,
             size_t key_size);

/* Eight messages of 16 bytes, first[i] and then second as little-endian words: the first
 * little-endian word of BLAKE2b-512 of each whose bit is set in wanted (others are unspecified).
 * Side by side where the processor has AVX-512. out may be first. */
void blake2b_words_8(uint64_t out[8], const uint64_t first[8], uint64_t second, unsigned wanted);

#endif
