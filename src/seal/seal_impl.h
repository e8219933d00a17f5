/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Shared by sealing, its proofs and updates. */
#ifndef CUZK_SEAL_SEAL_IMPL_H
#define CUZK_SEAL_SEAL_IMPL_H

#include "seal/seal.h"

/* The 37 labels that a label hashes, in order. parents: of the node; layer 1 ...; node 0 has
 * none. */
void label_parents(Node out[POREP_LABEL_PARENTS], const Sector *sector, unsigned layer,
                   const uint32_t parents[POREP_PARENTS]);

/* Fr32-pad raw bytes into zeroed nodes. */
void seal_fill(Node *nodes, const uint8_t *raw, size_t raw_size);

/* Fill sector->labels from graph and replica_id. */
Status label_layers(Sector *sector, Pool *pool);

#endif
