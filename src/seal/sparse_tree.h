/* SPDX-License-Identifier: MIT OR Apache-2.0
 * A Poseidon tree of 2^31 leaves or fewer of which a few are not zero. */
#ifndef CUZK_SEAL_SPARSE_TREE_H
#define CUZK_SEAL_SPARSE_TREE_H

#include "base/pool.h"
#include "filecoin/porep_vanilla.h"

enum { SPARSE_LEVELS = 12 };

typedef struct {
    uint32_t index;
    Node node;
} SparseNode;

/* Level 0 are the leaves; nodes ascend by index; zero[i] stands where there is none. */
typedef struct {
    uint32_t n_levels, arity[SPARSE_LEVELS];
    SparseNode *level[SPARSE_LEVELS + 1];
    size_t n[SPARSE_LEVELS + 1];
    Node zero[SPARSE_LEVELS + 1];
} SparseTree;

/* Fill the levels above n leaves (ascending, distinct, borrowed). shape: a proof with the arities.
 * Storage from the arena. */
Status sparse_tree_build(SparseTree *out, SparseNode *leaves, size_t n, const MerkleProof *shape,
                         Arena *arena, Pool *pool);
/* Fill a proof of that shape for any leaf. */
void sparse_tree_prove(MerkleProof *proof, const SparseTree *tree, uint32_t leaf);

#endif
