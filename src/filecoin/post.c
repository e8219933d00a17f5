/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Challenges of Winning and Window PoSt, and the inputs they make. */
#include "filecoin/post.h"

#include "filecoin/commitments.h"
#include "filecoin/registry.h"
#include "hash/sha256.h"

#include <string.h>

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

#define WINNING(id, size, short_size, bytes)                                                       \
    {                                                                                              \
        id, "StackedDrgWinning" size "V1", "winning-" short_size, bytes, true, 0, 66, 1            \
    }
#define WINDOW(id, size, version, short_size, bytes, api, sectors)                                 \
    {                                                                                              \
        id, "StackedDrgWindow" size version, "window-" short_size, bytes, false, api, sectors, 10  \
    }
#define WINDOWS(first, version, api)                                                               \
    WINDOW(first, "2KiB", version, "2k", 2 * KIB, api, 2),                                         \
        WINDOW(first + 1, "8MiB", version, "8m", 8 * MIB, api, 2),                                 \
        WINDOW(first + 2, "512MiB", version, "512m", 512 * MIB, api, 2),                           \
        WINDOW(first + 3, "32GiB", version, "32g", 32 * GIB, api, 2349),                           \
        WINDOW(first + 4, "64GiB", version, "64g", 64 * GIB, api, 2300)

static const PostProof proofs[POST_PROOFS] = {
    WINNING(0, "2KiB", "2k", 2 * KIB),
    WINNING(1, "8MiB", "8m", 8 * MIB),
    WINNING(2, "512MiB", "512m", 512 * MIB),
    WINNING(3, "32GiB", "32g", 32 * GIB),
    WINNING(4, "64GiB", "64g", 64 * GIB),
    WINDOWS(5, "V1", 0),
    WINDOWS(10, "V1_2", 2),
};

const PostProof *post_proof(unsigned id)
{
    return id < POST_PROOFS ? &proofs[id] : NULL;
}

const PostProof *post_proof_named(const char *name, size_t length)
{
    for (unsigned id = 0; id < POST_PROOFS; id++)
        if (strlen(proofs[id].name) == length && memcmp(proofs[id].name, name, length) == 0)
            return &proofs[id];
    return NULL;
}

unsigned post_openings(const PostProof *proof)
{
    return proof->winning ? WINNING_OPENINGS : WINDOW_OPENINGS;
}

size_t post_partitions(const PostProof *proof, size_t n_sectors)
{
    return proof->winning ? 1 : (n_sectors + proof->sectors - 1) / proof->sectors;
}

/* The first eight bytes of SHA-256(first, middle, last), little-endian. */
static uint64_t hashed_u64(const Node *first, const void *middle, size_t size, uint64_t last)
{
    Sha256 hash;
    uint8_t digest[32], number[8];
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        number[i] = (uint8_t)(last >> (8 * i));
    sha256_init(&hash);
    sha256_update(&hash, first->b, sizeof first->b);
    sha256_update(&hash, middle, size);
    sha256_update(&hash, number, sizeof number);
    sha256_final(&hash, digest);
    for (int i = 8; i-- > 0;)
        value = value << 8 | digest[i];
    return value;
}

uint32_t post_challenge(const PostProof *proof, const Node *randomness, size_t place,
                        uint64_t sector_id, unsigned n)
{
    uint64_t index = n;
    uint8_t id[8];
    // before API 1.2 the number runs on over all sectors of the request
    if (!proof->winning && proof->api < 2)
        index += (uint64_t)place * proof->challenges;
    for (int i = 0; i < 8; i++)
        id[i] = (uint8_t)(sector_id >> (8 * i));
    return (uint32_t)(hashed_u64(randomness, id, sizeof id, index) %
                      (proof->sector_size / NODE_BYTES));
}

uint64_t winning_sector(const Node *prover_id, const Node *randomness, uint64_t n,
                        uint64_t set_size)
{
    return hashed_u64(prover_id, randomness->b, sizeof randomness->b, n) % set_size;
}

size_t post_inputs_count(const PostProof *proof)
{
    return (size_t)(1 + proof->challenges) * proof->sectors;
}

/* The sector of a circuit's slot: winning slots all open the first, a short last partition repeats
 * the last. */
static size_t slot_place(const PostPublic *p, size_t partition, size_t slot)
{
    size_t place = partition * p->proof->sectors + slot;
    if (p->proof->winning)
        return 0;
    return place < p->n_sectors ? place : p->n_sectors - 1;
}

static Status check_canonical(const PostPublic *p)
{
    Fr ignored;
    if (!node_to_fr(&ignored, &p->randomness))
        FAIL(ERR_FORMAT, "randomness: not a canonical field element");
    for (size_t i = 0; i < p->n_sectors; i++)
        if (!node_to_fr(&ignored, &p->comm_rs[i]))
            FAIL(ERR_FORMAT, "comm_r of sector %llu: not a canonical field element",
                 (unsigned long long)p->sector_ids[i]);
    return OK;
}

Status post_public_inputs(Fr *out, const PostPublic *p, size_t partition)
{
    const PostProof *proof = p->proof;
    CHECK(p->n_sectors > 0 && (!proof->winning || p->n_sectors == 1));
    CHECK(partition < post_partitions(proof, p->n_sectors));
    TRY(check_canonical(p));
    for (size_t slot = 0; slot < proof->sectors; slot++) {
        size_t place = slot_place(p, partition, slot);
        unsigned first = proof->winning ? (unsigned)slot : 0;
        node_to_fr(out++, &p->comm_rs[place]);
        for (unsigned i = 0; i < proof->challenges; i++)
            fr_from_u64(out++, post_challenge(proof, &p->randomness, place, p->sector_ids[place],
                                              first + i));
    }
    return OK;
}
