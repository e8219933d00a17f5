/* SPDX-License-Identifier: MIT OR Apache-2.0
 * What a proof kind is to the engine: how a request is checked and how it is proved. */
#ifndef CUZK_ENGINE_KIND_H
#define CUZK_ENGINE_KIND_H

#include "engine/engine_impl.h"

struct ProofKind {
    const char *name; /* as in messages and metrics: "porep-c2" */
    cuzk_kind number;
    unsigned priority; /* 1 .. 4, when the request names none */

    /* Parse and verify the whole request; borrowed data is not kept. *input is the kind's own, to
     * be freed by free_input. circuit: which circuit it needs. warning: "" or one line that goes
     * into the response. */
    Status (*check)(const cuzk_request *request, void **input, char circuit[64],
                    char warning[CUZK_MESSAGE_BYTES]);
    /* Prove every partition; *proof is malloc'ed. */
    Status (*run)(cuzk_engine *engine, Job *job, uint8_t **proof, size_t *proof_size,
                  JobTimes *times);
    void (*free_input)(void *input);
};

/* NULL for a kind that is not served. */
const ProofKind *proof_kind(unsigned number);

extern const ProofKind kind_porep;

#endif
