/* SPDX-License-Identifier: MIT OR Apache-2.0
 * What sealed sectors prove later: proofs of spacetime, and SnapDeals updates. */
#ifndef CUZK_SEAL_PROOFS_H
#define CUZK_SEAL_PROOFS_H

#include "filecoin/post.h"
#include "filecoin/post_vanilla.h"
#include "filecoin/snap.h"
#include "filecoin/snap_vanilla.h"
#include "seal/seal.h"

/* n sectors of the proof's size, in the order of the request; winning: one. post_vanilla_free
 * it. */
Status sectors_post(PostVanilla *out, const Sector *const *sectors, size_t n,
                    const PostProof *proof, const Node *randomness);

/* A sector whose data was replaced; borrows the old one. Read-only for callers. */
typedef struct {
    SnapShape shape;
    const Sector *old;
    Node comm_d_new, comm_r_last_new, comm_r_new;
    Node *data, *replica; /* [n]: the new ones, Fr32-padded and encoded */
    Tree tree_d, tree_r;
    void *memory; /* owns data and replica */
    size_t memory_bytes;
} Update;

/* Encode raw bytes (at most 127/128 of the sector, zeros behind them) into a sector. update_free
 * it, before the sector. */
Status sector_update(Update **out, const Sector *old, const uint8_t *raw, size_t raw_size,
                     Pool *pool);
void update_free(Update **update);

/* The vanilla proof of a partition; snap_vanilla_free it. */
Status update_prove(SnapVanilla *out, const Update *update, unsigned partition);

#endif
