/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Poseidon on eight AVX-512 lanes: its constants and its entry. */
#ifndef CUZK_HASH_POSEIDON_IMPL_H
#define CUZK_HASH_POSEIDON_IMPL_H

#include "hash/poseidon.h"

enum { POSEIDON_ARITIES = 4, POSEIDON_LANES = 8 };

/* x * 2^260 mod r, canonical, five limbs of 52 bits. */
typedef struct {
    uint64_t l[5];
} Fr52;

/* The plain integers r, 2^260, 2^264 and 2^256 mod r; -1/r mod 2^52. */
extern const Fr52 FR52_MODULUS, FR52_ONE, FR52_ENTER, FR52_LEAVE;
extern const uint64_t FR52_INVERSE;

/* As PoseidonParams, without the plain round constants. */
typedef struct {
    unsigned arity, partial_rounds;
    const Fr52 *compressed, *matrix, *pre_sparse, *sparse;
} PoseidonParams52;

extern const PoseidonParams52 poseidon_params_52[POSEIDON_ARITIES];

/* Eight hashes; in: [8][arity]. Only where cpu_features.avx512_ifma. */
void poseidon_hash_8_ifma(Fr out[POSEIDON_LANES], unsigned arity, const Fr *in, const Fr *tag);

#endif
