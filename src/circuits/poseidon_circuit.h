/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Poseidon in a circuit: neptune's first circuit, whose elements stay linear combinations. */
#ifndef CUZK_CIRCUITS_POSEIDON_CIRCUIT_H
#define CUZK_CIRCUITS_POSEIDON_CIRCUIT_H

#include "circuits/num.h"
#include "hash/poseidon.h"

/* The hash of n = 2, 4, 8 or 11 variables as Merkle tree nodes (tag 2^n - 1). As many rows as new
 * variables: 311, 377, 505, 598. */
Num poseidon_circuit(Cs *cs, const Num *preimage, unsigned n);

/* The same with another domain tag as element 0 of the state. */
Num poseidon_circuit_tagged(Cs *cs, const Num *preimage, unsigned n, const Fr *tag);

#endif
