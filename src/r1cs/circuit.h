/* SPDX-License-Identifier: MIT OR Apache-2.0
 * What a circuit is to the rest of the house: a preamble, one block repeated, a version. */
#ifndef CUZK_R1CS_CIRCUIT_H
#define CUZK_R1CS_CIRCUIT_H

#include "r1cs/cs.h"

/* preamble runs once, with input ONE already allocated, and leaves in shared (shared_bytes,
 * zeroed) what the blocks need: variables, and in witness mode their values. block runs
 * n_blocks times, in any order and at the same time on several threads: it may read shared, not
 * write it, and allocates the same variables and rows for every k up to renumbering. A block's
 * rows refer to preamble variables and to its own. Which preamble variable an entry of A, B or C
 * refers to may depend on k (a slot), if its kind, coefficient and place in the sorted row do not.
 * witness: the circuit's private data (its type is the circuit's business); NULL while
 * recording. */
typedef struct Circuit Circuit;
struct Circuit {
    char name[64];    /* "porep-32g" */
    uint32_t version; /* bumped when rows or variables change */
    size_t n_blocks;  /* 0: no repetition, everything is in the preamble */
    size_t shared_bytes;
    const void *params; /* the circuit's static parameters, borrowed */
    Status (*preamble)(const Circuit *circuit, Cs *cs, const void *witness, void *shared);
    Status (*block)(const Circuit *circuit, Cs *cs, size_t k, const void *witness,
                    const void *shared);
};

#endif
