/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The vanilla proof of a PoRep (C1 output) as plain structs; all storage in one arena. */
#ifndef CUZK_FILECOIN_POREP_VANILLA_H
#define CUZK_FILECOIN_POREP_VANILLA_H

#include "base/mem.h"
#include "base/status.h"

/* A tree node, commitment or label: 32 bytes little-endian, canonical (< r) where it is a field
 * element. */
typedef struct {
    uint8_t b[32];
} Node;

enum {
    POREP_DRG_PARENTS = 6,
    POREP_EXP_PARENTS = 8,
    POREP_PARENTS = 14,
    POREP_LABEL_PARENTS = 37,
    POREP_MAX_LAYERS = 11,
};

/* One level of a Merkle path: arity - 1 siblings in order; index = position of the node on the
 * path among its arity siblings. */
typedef struct {
    uint32_t arity; /* 2, 4 or 8 */
    uint32_t index; /* 0 .. arity-1 */
    Node *siblings; /* [arity - 1] */
} PathElement;

/* A Merkle proof, flattened bottom up: base levels, then the sub level, then the top level
 * (n_sub, n_top are 0 or 1). The Single, Sub and Top variants of the wire form differ in those. */
typedef struct {
    Node root, leaf;
    uint32_t n_base, n_sub, n_top;
    PathElement *path; /* [n_base + n_sub + n_top] */
} MerkleProof;

/* A column of labels, layer 1 first, and its inclusion in tree C. */
typedef struct {
    uint32_t index;  /* node number */
    uint32_t n_rows; /* layers */
    Node *rows;
    MerkleProof inclusion;
} ColumnProof;

typedef struct {
    uint32_t layer_index; /* 1 .. layers */
    uint64_t node;
    uint32_t n_parents; /* 37; 0 for node 0 */
    Node *parents;      /* labels in hashing order */
} LabelingProof;

typedef struct {
    MerkleProof comm_d;      /* leaf: data node */
    MerkleProof comm_r_last; /* leaf: replica node */
    ColumnProof c_x;         /* of the challenged node */
    ColumnProof drg_parents[POREP_DRG_PARENTS];
    ColumnProof exp_parents[POREP_EXP_PARENTS];
    uint32_t n_labeling; /* layers */
    LabelingProof *labeling;
    LabelingProof encoding; /* layer_index: the last layer */
} PorepChallenge;

typedef struct {
    unsigned registered_proof;                   /* 0 .. 19 */
    uint64_t sector_size;                        /* bytes */
    uint32_t layers, n_partitions, n_challenges; /* challenges: a partition */
    PorepChallenge *challenges; /* [n_partitions * n_challenges], partition-major */
    Node comm_r, comm_d, replica_id, seed, ticket;
    bool has_envelope; /* SectorNum and SectorSize were given */
    uint64_t sector_number;
    Arena *arena; /* owns everything above */
} PorepVanilla;

static inline const PorepChallenge *porep_challenge(const PorepVanilla *v, size_t partition,
                                                    size_t challenge)
{
    return &v->challenges[partition * v->n_challenges + challenge];
}

/* Free the arena and clear the struct. Safe on a zeroed one. */
static inline void porep_vanilla_free(PorepVanilla *v)
{
    Arena *arena = v->arena;
    arena_free(&arena);
    *v = (PorepVanilla){0};
}

#endif
