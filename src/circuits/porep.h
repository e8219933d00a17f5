/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The circuit of one PoRep partition. */
#ifndef CUZK_CIRCUITS_POREP_H
#define CUZK_CIRCUITS_POREP_H

#include "filecoin/porep_vanilla.h"
#include "filecoin/registry.h"
#include "r1cs/circuit.h"

enum {
    POREP_INPUTS_FIXED = 3,      /* replica_id, comm_d, comm_r; after ONE */
    POREP_INPUTS_CHALLENGE = 18, /* D index, 14 parents, challenge, R index, C index */
};

typedef struct {
    char name[64];
    TreeShape tree;
    uint32_t layers;     /* 2 or 11: columns are hashed with that arity */
    uint32_t challenges; /* a partition */
} PorepShape;

/* By circuit name (registry.h), "porep-32g". challenges, layers: 0 for the registered number, else
 * instead of it, and told in the name. */
Status porep_shape(PorepShape *out, const char *name, uint32_t challenges, uint32_t layers);

/* The witness to give to r1cs_witness. Borrowed. */
typedef struct {
    const PorepVanilla *vanilla;
    size_t partition;
} PorepWitness;

/* Borrows shape for the life of the circuit. */
Status porep_circuit(Circuit *out, const PorepShape *shape);

#endif
