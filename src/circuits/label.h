/* SPDX-License-Identifier: MIT OR Apache-2.0
 * SHA-256 in the circuits' uses: a label of the stacked graph, a binary tree node. */
#ifndef CUZK_CIRCUITS_LABEL_H
#define CUZK_CIRCUITS_LABEL_H

#include "circuits/num.h"

/* 9984 message bits: replica id, layer, node, zeros up to 64 bytes, 37 parents. */
enum { LABEL_PARENTS = 37, LABEL_WORDS = 16 + LABEL_PARENTS * NODE_WORDS };

/* The label of a node in a layer (1 ..): SHA-256(replica id || layer u32be || node u64be ||
 * zeros to 64 bytes || parents), truncated to 254 bits. node: 64 bits, LSB first. parents: each
 * NODE_WORDS words. */
Num label_circuit(Cs *cs, const Word32 replica_id[NODE_WORDS],
                  const Word32 *const parents[LABEL_PARENTS], uint32_t layer, const Bit node[64]);

/* SHA-256 of two nodes, truncated to 254 bits: both decomposed, then hashed. */
Num sha256_hash2_circuit(Cs *cs, const Num *left, const Num *right);

#endif
