/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Whether a parsed C1 is a valid vanilla proof: everything recomputed natively. */
#ifndef CUZK_VANILLA_C1_CHECK_H
#define CUZK_VANILLA_C1_CHECK_H

#include "base/pool.h"
#include "filecoin/porep_vanilla.h"

/* Recompute and compare, for each partition and challenge: the challenged node (from replica_id,
 * seed, comm_r and the registered proof), its parents in the graph, every Merkle path and the
 * position that its indices spell, column hashes, the labels of every layer, the replica node; and
 * comm_r from the two roots that all challenges must share. What the circuit constrains is a part
 * of this, so a C1 that passes has a satisfied circuit. ticket and sector_number enter no check
 * (replica_id needs the prover's id too).
 *
 * ERR_INVALID names the place: "partition 0, challenge 1, drg_parents[3].inclusion_proof: the path
 * does not lead to comm_c". v comes from a C1 reader, or has its shapes. pool may be NULL; cost:
 * about 160 Poseidon hashes a challenge at 32 GiB. */
Status c1_check(const PorepVanilla *v, Pool *pool);

#endif
