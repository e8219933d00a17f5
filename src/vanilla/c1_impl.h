/* SPDX-License-Identifier: MIT OR Apache-2.0
 * What both readers of a C1 share: shapes, storage of a challenge, field elements. */
#ifndef CUZK_VANILLA_C1_IMPL_H
#define CUZK_VANILLA_C1_IMPL_H

#include "filecoin/porep_vanilla.h"
#include "filecoin/registry.h"

enum { C1_SIZES = 5, C1_MAX_PARTITIONS = 126 };

/* Gathers challenges as they come, partition by partition. */
typedef struct {
    PorepVanilla vanilla;
    const SealProof *size; /* the V1 proof of the sector size; NULL until that is known */
    TreeShape tree;
    uint32_t n_partitions;
    PorepChallenge *partitions[C1_MAX_PARTITIONS]; /* [size->challenges] each */
} C1Builder;

Status c1_builder_init(C1Builder *builder);
void c1_builder_free(C1Builder *builder);

/* Fix the sector size by the variant of vanilla_proofs, 0 .. C1_SIZES - 1. */
Status c1_set_size(C1Builder *builder, unsigned size_index);

/* Partitions of the non-interactive proof of the same size: no other has more. */
uint32_t c1_max_partitions(const C1Builder *builder);

/* Room for the challenges of one more partition; NULL when out of memory. */
PorepChallenge *c1_add_partition(C1Builder *builder);

/* Give a zeroed challenge its storage, with every count and arity of the shape filled in. */
Status c1_challenge_alloc(C1Builder *builder, PorepChallenge *challenge);

/* Whether the registered proof, the variant of vanilla_proofs and the number of partitions go
 * together. name: what was read, for the message. */
Status c1_agree(const C1Builder *builder, const char *name);

/* Hand over; the builder is empty then. */
Status c1_finish(C1Builder *builder, PorepVanilla *out);

/* Below the modulus of Fr, little-endian. */
bool c1_canonical(const Node *node);

#endif
