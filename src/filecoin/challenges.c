/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Interactive, synthetic and non-interactive challenges. */
#include "filecoin/challenges.h"

#include "hash/blake2b.h"
#include "hash/chacha.h"
#include "hash/sha256.h"

#include <string.h>

enum { SYNTHETIC_SET = 1 << 18 };

/* The little-endian integer modulo n, n < 2^32. */
static uint64_t reduce(const uint8_t bytes[32], uint64_t n)
{
    unsigned __int128 rest = 0;
    for (int i = 32; i-- > 0;)
        rest = (rest << 8 | bytes[i]) % n;
    return (uint64_t)rest;
}

static void hash_number(Sha256 *hash, uint32_t j)
{
    const uint8_t bytes[4] = {(uint8_t)j, (uint8_t)(j >> 8), (uint8_t)(j >> 16),
                              (uint8_t)(j >> 24)};
    sha256_update(hash, bytes, sizeof bytes);
}

static uint32_t hashed_challenge(const char *tag, const Node *first, const Node *second, uint32_t j,
                                 uint64_t nodes)
{
    Sha256 hash;
    uint8_t digest[32];
    sha256_init(&hash);
    sha256_update(&hash, tag, strlen(tag));
    sha256_update(&hash, first->b, 32);
    sha256_update(&hash, second->b, 32);
    hash_number(&hash, j);
    sha256_final(&hash, digest);
    return (uint32_t)(reduce(digest, nodes - 1) + 1);
}

/* Keystream bytes [at, at + size) of IETF ChaCha20 under a BLAKE2b-256 key, nonce "synth-porep". */
static void synthetic_stream(uint8_t *out, size_t size, const char *tag, const Node *first,
                             const Node *second, uint64_t at)
{
    uint8_t message[64], key[32], block[64];
    static const uint8_t nonce[12] = "synth-porep";
    memcpy(message, first->b, 32);
    memcpy(message + 32, second->b, 32);
    blake2b(key, sizeof key, message, sizeof message, tag, strlen(tag));
    uint32_t last[4] = {(uint32_t)(at / 64), 0, 0, 0};
    for (int i = 0; i < 12; i++)
        last[1 + i / 4] |= (uint32_t)nonce[i] << (8 * (i % 4));
    chacha_block(block, key, last, 20);
    memcpy(out, block + at % 64, size);
}

uint32_t porep_synthetic_challenge(uint64_t sector_nodes, const Node *replica_id,
                                   const Node *comm_r, uint64_t index)
{
    uint8_t bytes[32];
    synthetic_stream(bytes, sizeof bytes, "filecoin.io|PoRep|1|Synthetic|1|Generation", replica_id,
                     comm_r, 32 * index);
    return (uint32_t)(reduce(bytes, sector_nodes - 1) + 1);
}

uint64_t porep_synthetic_selection(uint64_t n_synthetic, const Node *replica_id, const Node *seed,
                                   size_t j)
{
    uint8_t b[4];
    synthetic_stream(b, sizeof b, "filecoin.io|PoRep|1|Synthetic|1|Selection", replica_id, seed,
                     4 * (uint64_t)j);
    uint32_t index =
        (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return index % n_synthetic;
}

void porep_challenges(uint32_t *out, size_t n, size_t partition, ChallengeMode mode,
                      uint64_t sector_nodes, const Node *replica_id, const Node *comm_r,
                      const Node *seed)
{
    uint64_t set = sector_nodes < SYNTHETIC_SET ? sector_nodes : SYNTHETIC_SET;
    for (size_t i = 0; i < n; i++) {
        size_t j = n * partition + i;
        if (mode == CHALLENGES_INTERACTIVE)
            out[i] = hashed_challenge("", replica_id, seed, (uint32_t)j, sector_nodes);
        else if (mode == CHALLENGES_NON_INTERACTIVE)
            out[i] = hashed_challenge("filecoin.io|PoRep|1|NonInteractive|1", replica_id, comm_r,
                                      (uint32_t)j, sector_nodes);
        else
            out[i] = porep_synthetic_challenge(sector_nodes, replica_id, comm_r,
                                               porep_synthetic_selection(set, replica_id, seed, j));
    }
}
