/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Identifiers and commitments: prover and replica ids, comm_d, Fr32 padding. */
#ifndef CUZK_FILECOIN_COMMITMENTS_H
#define CUZK_FILECOIN_COMMITMENTS_H

#include "field/field.h"
#include "filecoin/porep_vanilla.h"

/* A node as a field element; false when it is not canonical. */
static inline bool node_to_fr(Fr *out, const Node *node)
{
    return fr_from_le(out, node->b);
}
static inline void node_from_fr(Node *out, const Fr *a)
{
    fr_to_le(out->b, a);
}

/* LEB128 of the actor id, zero-padded. */
void prover_id_from_miner(Node *out, uint64_t miner_id);
/* SHA-256(prover_id, sector u64be, ticket, comm_d, porep_id), top two bits cleared. */
void replica_id(Node *out, const Node *prover_id, uint64_t sector_number, const Node *ticket,
                const Node *comm_d, const uint8_t porep_id[32]);
/* SHA-256(left, right), top two bits cleared: the inner nodes of tree D. */
void sha_parent(Node *out, const Node *left, const Node *right);
/* comm_d of 2^log_nodes zero nodes. log_nodes: at most 63. */
void zero_commitment(Node *out, unsigned log_nodes);

typedef struct {
    Node commitment;
    uint64_t size; /* padded bytes: a power of two, at least 128 */
} Piece;

/* comm_d of a sector from its pieces, in order: each is aligned to its size by zero pieces before
 * it, zeros fill the sector behind the last. sector_size: a power of two. ERR_FORMAT: a size is not
 * allowed, or they do not fit. */
Status comm_d_of_pieces(Node *out, const Piece *pieces, size_t n, uint64_t sector_size);

/* Every 254 bits of in are followed by two zero bits: size must be a multiple of 127; out has
 * size / 127 * 128 bytes and must not overlap in. */
void fr32_pad(uint8_t *out, const uint8_t *in, size_t size);

#endif
