/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Circuits by name. */
#ifndef CUZK_CIRCUITS_CATALOGUE_H
#define CUZK_CIRCUITS_CATALOGUE_H

#include "circuits/porep.h"

/* What a circuit borrows. */
typedef union {
    PorepShape porep;
} CircuitParams;

/* params must outlive circuit. NOT_FOUND: no such name; UNSUPPORTED: a circuit of a kind that this
 * version does not have. */
Status circuit_named(Circuit *circuit, CircuitParams *params, const char *name);
/* The same with another number of challenges or layers (0: the registered one), for comparisons. */
Status circuit_named_with(Circuit *circuit, CircuitParams *params, const char *name,
                          uint32_t challenges, uint32_t layers);

/* Sizes of a compiled circuit, known before it is compiled. */
typedef struct {
    size_t n_rows, n_aux, n_fields; /* as in R1csShape */
    uint64_t compiled_bytes;        /* r1cs_bytes */
} CircuitFootprint;

/* Of the registered circuits that circuit_named has; the same errors. */
Status circuit_footprint(CircuitFootprint *out, const char *name);

#endif
