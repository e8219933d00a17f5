/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Vanilla proofs of spacetime: openings of tree R_last, a sector at a time. */
#ifndef CUZK_FILECOIN_POST_VANILLA_H
#define CUZK_FILECOIN_POST_VANILLA_H

#include "filecoin/porep_vanilla.h"

/* One sector (bincode FallbackPoStSectorProof). */
typedef struct {
    uint64_t sector_id;
    Node comm_r, comm_c, comm_r_last;
    uint32_t n_openings;   /* winning 66, window 10 */
    MerkleProof *openings; /* root: comm_r_last, leaf: replica node */
} PostSectorVanilla;

/* The sectors of a request, in its order. */
typedef struct {
    uint32_t n_sectors;
    PostSectorVanilla *sectors;
    Arena *arena; /* owns everything above */
} PostVanilla;

/* Safe on a zeroed one. */
static inline void post_vanilla_free(PostVanilla *v)
{
    Arena *arena = v->arena;
    arena_free(&arena);
    *v = (PostVanilla){0};
}

#endif
