/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The engine's own struct, shared by the files of this folder. */
#ifndef CUZK_ENGINE_ENGINE_IMPL_H
#define CUZK_ENGINE_ENGINE_IMPL_H

#include "base/mem.h"
#include "base/pool.h"
#include "engine/job.h"
#include "engine/residency.h"

#include <stdatomic.h>

/* DESIGN: one worker thread takes jobs from the table and proves them a partition after the other
 * on the pool. Submitting threads check requests themselves, serially, so that a long proof never
 * delays an answer. Waiters sleep on the table. */
struct cuzk_engine {
    Pool *pool;
    MemBudget *budget;
    JobTable table;
    Residency *residency;
    pthread_t worker;
    bool worker_started;
    bool stop; /* guarded by table.lock */
    uint64_t started_ns;
    atomic_uint_fast64_t retries;
};

/* Witness, prove, verify; one retry when the proof does not verify although the witness satisfies
 * the circuit. inputs: the partition's public inputs without ONE, derived from the request alone.
 * times are added to. proof: PROOF_BYTES. */
Status prove_partition(cuzk_engine *engine, const Loaded *loaded, const void *witness,
                       const Fr *inputs, size_t n_inputs, const volatile bool *cancel,
                       uint8_t *proof, JobTimes *times);

#endif
