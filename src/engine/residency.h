/* SPDX-License-Identifier: MIT OR Apache-2.0
 * What is loaded a circuit: compiled rows, proving key, prepared verifying key. */
#ifndef CUZK_ENGINE_RESIDENCY_H
#define CUZK_ENGINE_RESIDENCY_H

#include "base/mem.h"
#include "base/pool.h"
#include "circuits/catalogue.h"
#include "cuzk.h"
#include "keys/keys.h"

typedef struct {
    CircuitParams params; /* circuit borrows it: not to be moved */
    Circuit circuit;
    R1cs *r1cs;
    Pk *pk;
    PreparedVk *vk;
    bool development; /* a .dev.json lies beside the key */
    uint64_t bytes;
} Loaded;

typedef struct Residency Residency;

/* param_cache, source, circuit_cache (may be NULL) are copied. */
Status residency_new(Residency **out, const char *param_cache, const char *source,
                     const char *circuit_cache, MemBudget *budget, Pool *pool);
void residency_free(Residency **residency);

/* Could this circuit be proved here: does its key exist, have a sound layout, and fit the budget
 * with what a proof needs? Milliseconds. NOT_FOUND names the path tried, why that folder, and
 * how to get the file. */
Status residency_probe(Residency *residency, const char *circuit);

/* Loaded and pinned until released; loads what is missing (one load at a time, others wait), and
 * evicts idle circuits, least recently used first, when the budget is short. Any thread. */
Status residency_acquire(Residency *residency, const char *circuit, const Loaded **out,
                         bool *was_loaded);
void residency_release(Residency *residency, const Loaded *loaded);

/* FULL while it is in use. */
Status residency_evict(Residency *residency, const char *circuit, bool *was_loaded,
                       uint64_t *freed);
void residency_report(Residency *residency, cuzk_report *report);

#endif
