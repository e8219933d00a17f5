/* SPDX-License-Identifier: MIT OR Apache-2.0
 * DRG sampling by ChaCha8, expander by a Feistel permutation over BLAKE2b. */
#include "filecoin/graph.h"

#include "hash/blake2b.h"
#include "hash/chacha.h"
#include "hash/sha256.h"

#include <string.h>

enum { SAMPLED = 5 };

static uint64_t load_le64(const uint8_t *p)
{
    uint64_t word = 0;
    for (int i = 8; i-- > 0;)
        word = word << 8 | p[i];
    return word;
}

static void tagged_digest(uint8_t digest[32], const char *tag, const uint8_t porep_id[32])
{
    Sha256 hash;
    sha256_init(&hash);
    sha256_update(&hash, tag, strlen(tag));
    sha256_update(&hash, porep_id, 32);
    sha256_final(&hash, digest);
}

void graph_init(Graph *graph, uint64_t nodes, unsigned api, const uint8_t porep_id[32])
{
    uint8_t digest[32];
    *graph = (Graph){.nodes = nodes, .api = api};
    tagged_digest(digest, "Filecoin_DRSample", porep_id);
    memcpy(graph->seed, digest, sizeof graph->seed);
    tagged_digest(digest, "Filecoin_Feistel", porep_id);
    for (int i = 0; i < 3; i++)
        graph->feistel[i] = load_le64(digest + 8 * i);
    while (((uint64_t)1 << (2 * graph->half_bits)) < POREP_EXP_PARENTS * nodes)
        graph->half_bits++;
}

/* Consecutive u64 of the node's ChaCha8 stream. */
typedef struct {
    uint8_t key[32], block[64];
    unsigned at; /* bytes of block used */
    uint32_t counter;
} Stream;

static uint64_t draw(Stream *s)
{
    if (s->at == sizeof s->block) {
        const uint32_t last[4] = {s->counter++, 0, 0, 0};
        chacha_block(s->block, s->key, last, 8);
        s->at = 0;
    }
    uint64_t value = load_le64(s->block + s->at);
    s->at += 8;
    return value;
}

static void drg_parents(const Graph *graph, uint32_t node, uint32_t *parents)
{
    if (node < 2) {
        memset(parents, 0, POREP_DRG_PARENTS * sizeof *parents);
        return;
    }
    Stream stream = {.at = sizeof stream.block};
    memcpy(stream.key, graph->seed, sizeof graph->seed);
    for (int i = 0; i < 4; i++)
        stream.key[28 + i] = (uint8_t)(node >> (8 * i));
    uint64_t meta = (uint64_t)node * SAMPLED;
    unsigned buckets = 64 - (unsigned)__builtin_clzll(meta - 1); /* ceil(log2 meta) */
    uint32_t *sampled = graph->api == 0 ? parents : parents + 1;
    for (int k = 0; k < SAMPLED; k++) {
        unsigned bucket = (unsigned)(draw(&stream) % buckets) + 1;
        uint64_t largest = (uint64_t)1 << bucket;
        if (largest > meta)
            largest = meta;
        uint64_t smallest = largest / 2 < 2 ? 2 : largest / 2;
        uint64_t distance = smallest + draw(&stream) % (largest - smallest + 1);
        uint32_t parent = (uint32_t)((meta - distance) / SAMPLED);
        sampled[k] = parent == node ? node - 1 : parent;
    }
    parents[graph->api == 0 ? SAMPLED : 0] = node - 1;
}

/* Eight halves through the round's function: bits of BLAKE2b over (right, key), big-endian. */
static void feistel_round(uint64_t out[POREP_EXP_PARENTS], const uint64_t right[POREP_EXP_PARENTS],
                          uint64_t key, unsigned bits, unsigned wanted)
{
    uint64_t swapped[POREP_EXP_PARENTS];
    for (int i = 0; i < POREP_EXP_PARENTS; i++)
        swapped[i] = __builtin_bswap64(right[i]);
    blake2b_words_8(swapped, swapped, __builtin_bswap64(key), wanted);
    for (int i = 0; i < POREP_EXP_PARENTS; i++)
        out[i] = __builtin_bswap64(swapped[i]) & (((uint64_t)1 << bits) - 1);
}

/* Three rounds over those wanted; the others come out unspecified. */
static void encrypt(const Graph *graph, uint64_t x[POREP_EXP_PARENTS], unsigned wanted)
{
    unsigned bits = graph->half_bits;
    uint64_t left[POREP_EXP_PARENTS], right[POREP_EXP_PARENTS], mixed[POREP_EXP_PARENTS];
    for (int i = 0; i < POREP_EXP_PARENTS; i++) {
        left[i] = x[i] >> bits;
        right[i] = x[i] & (((uint64_t)1 << bits) - 1);
    }
    for (int round = 0; round < 3; round++) {
        feistel_round(mixed, right, graph->feistel[round], bits, wanted);
        for (int i = 0; i < POREP_EXP_PARENTS; i++) {
            uint64_t next = left[i] ^ mixed[i];
            left[i] = right[i];
            right[i] = next;
        }
    }
    for (int i = 0; i < POREP_EXP_PARENTS; i++)
        x[i] = left[i] << bits | right[i];
}

/* Encrypt each, and again until it is in range: those that are stay as they are. */
static void permute(const Graph *graph, uint64_t x[POREP_EXP_PARENTS])
{
    const uint64_t limit = POREP_EXP_PARENTS * graph->nodes;
    uint64_t next[POREP_EXP_PARENTS];
    unsigned missing = (1u << POREP_EXP_PARENTS) - 1;
    memcpy(next, x, sizeof next);
    while (missing) {
        encrypt(graph, next, missing);
        for (int i = 0; i < POREP_EXP_PARENTS; i++) {
            if ((missing >> i & 1) && next[i] < limit) {
                x[i] = next[i];
                missing &= ~(1u << i);
            }
        }
    }
}

void graph_parents(const Graph *graph, uint32_t node, uint32_t parents[POREP_PARENTS])
{
    drg_parents(graph, node, parents);
    uint64_t x[POREP_EXP_PARENTS];
    for (unsigned i = 0; i < POREP_EXP_PARENTS; i++)
        x[i] = (uint64_t)node * POREP_EXP_PARENTS + i;
    permute(graph, x);
    for (unsigned i = 0; i < POREP_EXP_PARENTS; i++) {
        uint64_t y = graph->api == 0 ? (uint32_t)x[i] : x[i];
        parents[POREP_DRG_PARENTS + i] = (uint32_t)(y / POREP_EXP_PARENTS);
    }
}
