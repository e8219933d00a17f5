/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Merkle trees of a sector: binary by SHA-256 (D), or octal with a sub and a top level by Poseidon
 * (C, R_last). */
#ifndef CUZK_SEAL_TREE_H
#define CUZK_SEAL_TREE_H

#include "base/pool.h"
#include "filecoin/porep_vanilla.h"
#include "filecoin/registry.h"

enum { TREE_LEVELS_MAX = 32 };

/* Level 0 are the leaves (borrowed), node[n_levels] is the root. The base trees, the sub trees and
 * the top are one tree of mixed arity: a leaf's path is its number in that mixed radix. */
typedef struct {
    bool sha256;
    uint32_t n_base, n_sub, n_top; /* levels */
    uint32_t arity[TREE_LEVELS_MAX];
    const Node *leaves;
    Node *node[TREE_LEVELS_MAX + 1]; /* [0] is NULL */
    Node *inner;                     /* owns them */
} Tree;

/* leaves: 2^shape->log_nodes, canonical for Poseidon trees (ERR_FORMAT otherwise); they must stay
 * in place while the tree is used. tree_free on success. */
Status tree_build_sha256(Tree *out, const TreeShape *shape, const Node *leaves, Pool *pool);
Status tree_build_poseidon(Tree *out, const TreeShape *shape, const Node *leaves, Pool *pool);
/* Safe on a zeroed one. */
void tree_free(Tree *tree);

static inline uint32_t tree_levels(const Tree *tree)
{
    return tree->n_base + tree->n_sub + tree->n_top;
}

const Node *tree_root(const Tree *tree);

/* The proof of a leaf; storage from the arena. */
Status tree_prove(MerkleProof *out, const Tree *tree, size_t leaf, Arena *arena);

/* Hash of 2, 4, 8 or 11 canonical nodes (Merkle tag); ERR_FORMAT when one is not. */
Status poseidon_nodes(Node *out, unsigned arity, const Node *in);
/* n of them, in: [n][arity]. */
Status poseidon_nodes_many(Node *out, unsigned arity, const Node *in, size_t n);

#endif
