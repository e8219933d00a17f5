/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Sealing of small sectors: labels, trees, replica, commitments, and the output of commit phase 1.
 * Honest data for tests of every registered seal proof and of shapes that stand for the large
 * ones. */
#ifndef CUZK_SEAL_SEAL_H
#define CUZK_SEAL_SEAL_H

#include "filecoin/challenges.h"
#include "filecoin/graph.h"
#include "seal/tree.h"

typedef struct {
    unsigned registered_proof; /* named in the C1; its number makes the porep id */
    uint64_t sector_size;      /* bytes, at most 1 GiB */
    TreeShape tree;
    unsigned layers;                 /* 2 or 11: what columns are hashed with */
    unsigned partitions, challenges; /* challenges: a partition */
    unsigned api;                    /* minor version: the order of parents */
    ChallengeMode mode;
} SealShape;

/* The shape of a registered proof of 2 KiB, 8 MiB or 512 MiB (ERR_UNSUPPORTED for more). */
Status seal_shape(SealShape *out, unsigned registered_proof);
/* Any size with a tree shape up to 1 GiB, e.g. 4, 16 and 32 KiB for trees of 8-2-0, 8-8-0 and
 * 8-8-2 (Sub and Top Merkle proofs). Layers 2 or 11. The C1 then names the 2 KiB proof of that api
 * version (0 or 1). */
Status seal_shape_test(SealShape *out, uint64_t sector_size, unsigned layers, unsigned partitions,
                       unsigned challenges, unsigned api);

typedef struct {
    Node prover_id, ticket;
    uint64_t sector_number;
} SealInput;

/* A sealed sector; n = sector_size / 32 nodes. Read-only for callers. */
typedef struct {
    SealShape shape;
    SealInput input;
    Graph graph;
    Node replica_id, comm_d, comm_c, comm_r_last, comm_r;
    Node *data;                     /* [n], Fr32-padded */
    Node *labels[POREP_MAX_LAYERS]; /* [layers][n], layer 1 first */
    Node *columns;                  /* [n], hashed */
    Node *replica;                  /* [n]: the sealed file */
    Tree tree_d, tree_c, tree_r_last;
    void *memory; /* owns the node arrays */
    size_t memory_bytes;
} Sector;

/* Seal raw bytes (at most 127/128 of the sector; zeros behind them; NULL, 0: all zeros). Labels
 * are serial by nature, parents, hashes and trees go through the pool. sector_free it. */
Status seal_sector(Sector **out, const SealShape *shape, const SealInput *input, const uint8_t *raw,
                   size_t raw_size, Pool *pool);
void sector_free(Sector **sector);

/* Commit phase 1 under a seed: the vanilla proofs of all partitions. porep_vanilla_free it. */
Status sector_c1(PorepVanilla *out, const Sector *sector, const Node *seed);

/* The same as JSON text, bare or in its envelope (SectorNum, Phase1Out, SectorSize); *text is the
 * caller's to free. */
Status sector_c1_json(const Sector *sector, const Node *seed, bool envelope, uint8_t **text,
                      size_t *size);

/* Bytes to fill a sector with, as many as ask: SHA-256(tag, u64le 0), SHA-256(tag, u64le 1), ... */
void seal_data_stream(uint8_t *out, size_t size, const char *tag);

#endif
