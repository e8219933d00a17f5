/* SPDX-License-Identifier: MIT OR Apache-2.0
 * What a proof kind is to the engine: how a request is read, checked and proved. */
#ifndef CUZK_ENGINE_KIND_H
#define CUZK_ENGINE_KIND_H

#include "engine/engine_impl.h"

struct ProofKind {
    const char *name; /* as in messages and metrics: "porep-c2" */
    cuzk_kind number;
    unsigned priority; /* 1 .. 4, when the request names none */

    /* Parse the request and compare what it says twice; a fraction of a second. Borrowed data is
     * not kept. *input is the kind's own, to be freed by free_input. circuit: which circuit it
     * needs. warning: "" or one line that goes into the response. */
    Status (*parse)(const cuzk_request *request, void **input, char circuit[CIRCUIT_NAME],
                    char warning[CUZK_MESSAGE_BYTES]);
    /* Verify the vanilla proofs natively: what fails here would not satisfy the circuit. */
    Status (*check)(const void *input);
    /* Prove every partition; *proof is malloc'ed. */
    Status (*run)(cuzk_engine *engine, Job *job, uint8_t **proof, size_t *proof_size,
                  JobTimes *times);
    void (*free_input)(void *input);
};

/* NULL for a kind that is not served. */
const ProofKind *proof_kind(unsigned number);

extern const ProofKind kind_porep;

#endif
