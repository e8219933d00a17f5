/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The ChaCha block function: keystreams of the graph and of synthetic challenges. */
#ifndef CUZK_HASH_CHACHA_H
#define CUZK_HASH_CHACHA_H

#include <stdint.h>

/* One 64-byte block of keystream. last: words 12..15 of the state: a 64-bit counter and 64-bit
 * nonce (Bernstein), or a 32-bit counter and 96-bit nonce (RFC 8439). rounds: 8 or 20. */
void chacha_block(uint8_t out[64], const uint8_t key[32], const uint32_t last[4], unsigned rounds);

#endif
