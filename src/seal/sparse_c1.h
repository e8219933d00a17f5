/* SPDX-License-Identifier: MIT OR Apache-2.0
 * A valid C1 of any interactive proof, 32 and 64 GiB too, without sealing the sector. */
#ifndef CUZK_SEAL_SPARSE_C1_H
#define CUZK_SEAL_SPARSE_C1_H

#include "base/pool.h"
#include "filecoin/porep_vanilla.h"

/* A sector of zero data of which only the challenged nodes and their parents exist: parents have
 * random columns, challenged nodes the labels that follow, every other leaf of trees C and R_last
 * is zero. Nothing that a verifier or the circuit sees tells it from a sealed sector, since labels
 * of unchallenged nodes are never opened.
 *
 * registered_proof: 0 .. 9 (the challenges of the others depend on comm_r: ERR_UNSUPPORTED).
 * miner_id and sector_number enter replica_id; random: different values, different sectors. The
 * result passes c1_check. porep_vanilla_free it. Cost: about 160 Poseidon hashes a challenge at
 * 32 GiB (a second in all on one core), spread over the pool (may be NULL). */
Status sparse_c1(PorepVanilla *out, unsigned registered_proof, uint64_t miner_id,
                 uint64_t sector_number, uint64_t random, Pool *pool);

#endif
