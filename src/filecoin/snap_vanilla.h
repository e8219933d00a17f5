/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Vanilla proof of one partition of a SnapDeals update. */
#ifndef CUZK_FILECOIN_SNAP_VANILLA_H
#define CUZK_FILECOIN_SNAP_VANILLA_H

#include "filecoin/porep_vanilla.h"

typedef struct {
    MerkleProof r_old, d_new, r_new; /* of the same node */
} SnapChallenge;

/* bincode PartitionProof. Roots: r_old and r_new with comm_c hash to comm_r_old and comm_r_new. */
typedef struct {
    Node comm_c;
    uint32_t n_apex; /* nodes of tree D above the partition's leaves */
    Node *apex;
    uint32_t n_challenges;
    SnapChallenge *challenges;
    Arena *arena; /* owns everything above */
} SnapVanilla;

/* Safe on a zeroed one. */
static inline void snap_vanilla_free(SnapVanilla *v)
{
    Arena *arena = v->arena;
    arena_free(&arena);
    *v = (SnapVanilla){0};
}

#endif
