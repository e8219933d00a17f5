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

static uint64_t feistel_round(uint64_t right, uint64_t key, unsigned bits)
{
    uint8_t message[16], digest[64];
    uint64_t out = 0;
    for (int i = 0; i < 8; i++) {
        message[i] = (uint8_t)(right >> (56 - 8 * i));
        message[8 + i] = (uint8_t)(key >> (56 - 8 * i));
    }
    blake2b(digest, sizeof digest, message, sizeof message, NULL, 0);
    for (int i = 0; i < 8; i++)
        out = out << 8 | digest[i];
    return out & (((uint64_t)1 << bits) - 1);
}

/* Three rounds, repeated until the result is in range. */
static uint64_t permute(const Graph *graph, uint64_t x)
{
    unsigned bits = graph->half_bits;
    uint64_t mask = ((uint64_t)1 << bits) - 1;
    do {
        uint64_t left = x >> bits, right = x & mask;
        for (int i = 0; i < 3; i++) {
            uint64_t next = left ^ feistel_round(right, graph->feistel[i], bits);
            left = right;
            right = next;
        }
        x = left << bits | right;
    } while (x >= POREP_EXP_PARENTS * graph->nodes);
    return x;
}

void graph_parents(const Graph *graph, uint32_t node, uint32_t parents[POREP_PARENTS])
{
    drg_parents(graph, node, parents);
    for (unsigned i = 0; i < POREP_EXP_PARENTS; i++) {
        uint64_t y = permute(graph, (uint64_t)node * POREP_EXP_PARENTS + i);
        if (graph->api == 0)
            y = (uint32_t)y;
        parents[POREP_DRG_PARENTS + i] = (uint32_t)(y / POREP_EXP_PARENTS);
    }
}
