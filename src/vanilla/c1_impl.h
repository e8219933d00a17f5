/* SPDX-License-Identifier: MIT OR Apache-2.0
 * What both readers of a C1 share: shapes, storage of a challenge, field elements. */
#ifndef CUZK_VANILLA_C1_IMPL_H
#define CUZK_VANILLA_C1_IMPL_H

#include "filecoin/porep_vanilla.h"

enum { C1_MAX_PARTITIONS = 126, C1_PROOFS = 20 };

/* What a sector size fixes. */
typedef struct {
    const char *size_name; /* as in registered proofs, e.g. "8MiB" */
    uint64_t sector_size;
    uint32_t layers, n_challenges;
    uint32_t n_partitions, n_partitions_ni; /* interactive and synthetic; non-interactive */
    uint32_t depth_d;                       /* levels of tree D */
    uint32_t n_base, sub, top;              /* trees C and R_last: levels of eight, then arities */
} C1Shape;

/* NULL where size_index is not 0 .. 4. */
const C1Shape *c1_shape(unsigned size_index);

/* Name of a registered proof 0 .. 19, or of the variant of vanilla_proofs 0 .. 4 (the first five of
 * the same names). out: 64 bytes. */
void c1_proof_name(unsigned registered_proof, char *out);

static inline uint32_t c1_partitions(const C1Shape *shape, unsigned registered_proof)
{
    return registered_proof < 15 ? shape->n_partitions : shape->n_partitions_ni;
}

/* Gathers challenges as they come, partition by partition. */
typedef struct {
    PorepVanilla vanilla;
    const C1Shape *shape; /* NULL until the sector size is known */
    uint32_t n_partitions;
    PorepChallenge *partitions[C1_MAX_PARTITIONS]; /* [shape->n_challenges] each */
} C1Builder;

Status c1_builder_init(C1Builder *builder);
void c1_builder_free(C1Builder *builder);

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
