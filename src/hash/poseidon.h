/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Poseidon over Fr as Filecoin uses it (neptune, standard strength): arities 2, 4, 8, 11. */
#ifndef CUZK_HASH_POSEIDON_H
#define CUZK_HASH_POSEIDON_H

#include "field/field.h"

enum { POSEIDON_FULL_ROUNDS = 8, POSEIDON_MAX_WIDTH = 12 };

/* Width t = arity + 1. Products with the matrices: new[j] = sum_i state[i] M[i][j]. Rounds of the
 * compressed form, RP = partial_rounds:
 *   round 0: x -> (x + compressed[0..t))^5 + compressed[t..2t); then M
 *   rounds 1, 2: x^5 + t constants; M. Round 3: the same, then pre_sparse
 *   rounds 4 .. 4+RP: element 0 alone, one constant; sparse[k]
 *   the last four: as the first, M; the last one without constants. */
typedef struct {
    unsigned arity, partial_rounds;
    const Fr *round;      /* [(8 + RP) t] plain form, for the referee */
    const Fr *compressed; /* [8 t + RP] */
    const Fr *matrix;     /* [t * t] row-major, symmetric */
    const Fr *pre_sparse; /* [t * t] row-major */
    const Fr *sparse;     /* [RP][2 t - 1]: first column (t), then first row without its head */
} PoseidonParams;

/* NULL for an arity that is not supported. */
const PoseidonParams *poseidon_params(unsigned arity);

/* Tag of Merkle trees, columns and comm_r: 2^arity - 1. */
void poseidon_merkle_tag(Fr *tag, unsigned arity);
/* Tag of SnapDeals' randomness (arity 2): 2^40. */
void poseidon_randomness_tag(Fr *tag);

/* in: arity elements; out may be one of them. Arity must be 2, 4, 8 or 11. */
void poseidon_hash(Fr *out, unsigned arity, const Fr *in);
void poseidon_hash_tagged(Fr *out, unsigned arity, const Fr *in, const Fr *tag);
/* n hashes of arity elements each, in: [n][arity]; eight at a time where the processor has IFMA: a
 * fifth of the time of n single ones. out must not overlap in. */
void poseidon_hash_many(Fr *out, unsigned arity, const Fr *in, size_t n);
void poseidon_hash_many_tagged(Fr *out, unsigned arity, const Fr *in, size_t n, const Fr *tag);
/* The slow twin: the permutation as published. */
void poseidon_hash_ref(Fr *out, unsigned arity, const Fr *in, const Fr *tag);

#endif
