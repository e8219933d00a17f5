/* SPDX-License-Identifier: MIT OR Apache-2.0
 * A packed assignment: bits as bits, everything else as field elements. */
#ifndef CUZK_R1CS_ASSIGNMENT_H
#define CUZK_R1CS_ASSIGNMENT_H

#include "base/mem.h"
#include "field/field.h"

/* Which aux variables are bits is static and recorded in the R1cs (same for every witness).
 * Aux variable j: if it is a bit, bit j of bits; else fields[rank of j among non-bits].
 * At non-bit positions the bitmap holds 0. */
typedef struct {
    size_t n_inputs, n_aux, n_fields;
    Fr *inputs;     /* [n_inputs], inputs[0] = 1 */
    uint64_t *bits; /* [ceil(n_aux/64)] */
    Fr *fields;     /* [n_fields] */
} Assignment;

Status assignment_new(Assignment *out, size_t n_inputs, size_t n_aux, size_t n_fields);
void assignment_free(Assignment *a);
size_t assignment_bytes(const Assignment *a);

#endif
