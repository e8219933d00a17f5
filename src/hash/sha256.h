/* SPDX-License-Identifier: MIT OR Apache-2.0
 * SHA-256 (FIPS 180-4). */
#ifndef CUZK_HASH_SHA256_H
#define CUZK_HASH_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t state[8];
    uint64_t bytes;
    uint8_t block[64]; /* bytes % 64 of them are filled */
} Sha256;

extern const uint32_t sha256_initial[8];
extern const uint32_t sha256_constants[64];

void sha256_init(Sha256 *hash);
void sha256_update(Sha256 *hash, const void *data, size_t size);
void sha256_final(Sha256 *hash, uint8_t digest[32]);
void sha256(uint8_t digest[32], const void *data, size_t size);

/* n blocks of 64 bytes into the state; SHA instructions where the processor has them. */
void sha256_compress(uint32_t state[8], const uint8_t *blocks, size_t n);
/* The slow twin. */
void sha256_compress_portable(uint32_t state[8], const uint8_t *blocks, size_t n);

#endif
