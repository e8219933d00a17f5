/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Shared by the labels and the proofs of them. */
#ifndef CUZK_SEAL_SEAL_IMPL_H
#define CUZK_SEAL_SEAL_IMPL_H

#include "seal/seal.h"

/* The 37 labels that a label hashes, in order. parents: of the node; layer 1 ...; node 0 has
 * none. */
void label_parents(Node out[POREP_LABEL_PARENTS], const Sector *sector, unsigned layer,
                   const uint32_t parents[POREP_PARENTS]);

/* Fill sector->labels from graph and replica_id. */
Status label_layers(Sector *sector, Pool *pool);

#endif
