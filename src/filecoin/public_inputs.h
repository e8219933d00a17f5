/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Public inputs of a PoRep partition, from public data alone. */
#ifndef CUZK_FILECOIN_PUBLIC_INPUTS_H
#define CUZK_FILECOIN_PUBLIC_INPUTS_H

#include "field/field.h"
#include "filecoin/challenges.h"
#include "filecoin/registry.h"

typedef struct {
    const SealProof *proof;
    Node replica_id, comm_d, comm_r, seed;
} PorepPublic;

/* 3 + 18 * challenges: ONE left out. */
size_t porep_inputs_count(const SealProof *proof);
/* The challenged nodes of a partition: proof->challenges of them. */
void porep_public_challenges(uint32_t *out, const PorepPublic *p, size_t partition);
/* out: porep_inputs_count. FORMAT names a commitment that is not canonical. */
Status porep_public_inputs(Fr *out, const PorepPublic *p, size_t partition);

#endif
