/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Which nodes a PoRep partition is challenged at. */
#ifndef CUZK_FILECOIN_CHALLENGES_H
#define CUZK_FILECOIN_CHALLENGES_H

#include "filecoin/porep_vanilla.h"

typedef enum {
    CHALLENGES_INTERACTIVE,
    CHALLENGES_SYNTHETIC,
    CHALLENGES_NON_INTERACTIVE
} ChallengeMode;

/* out: n challenges of one partition, numbers partition * n .. partition * n + n - 1; none is node
 * 0. comm_r is read in the synthetic and non-interactive modes, seed in the others. */
void porep_challenges(uint32_t *out, size_t n, size_t partition, ChallengeMode mode,
                      uint64_t sector_nodes, const Node *replica_id, const Node *comm_r,
                      const Node *seed);

/* Synthetic challenge number index, and which of them the seed selects for place j. */
uint32_t porep_synthetic_challenge(uint64_t sector_nodes, const Node *replica_id,
                                   const Node *comm_r, uint64_t index);
uint64_t porep_synthetic_selection(uint64_t n_synthetic, const Node *replica_id, const Node *seed,
                                   size_t j);

#endif
