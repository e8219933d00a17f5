/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Circuits in memory: loaded once, pinned while a job uses them, evicted when the budget is short.
 */
#ifndef CUZK_ENGINE_RESIDENCY_H
#define CUZK_ENGINE_RESIDENCY_H

#include "base/mem.h"
#include "cuzk.h"
#include "engine/loader.h"

typedef struct Residency Residency;

/* Strings of loader are copied; source, budget and pool are borrowed. */
Status residency_new(Residency **out, const Loader *loader, MemBudget *budget);
void residency_free(Residency **residency);

/* Could this circuit be proved here: does its key exist, have a sound layout, and fit the budget
 * with its rows and what a proof needs? Milliseconds. NOT_FOUND and BUDGET say how to mend it. */
Status residency_probe(Residency *residency, const char *circuit);

/* A circuit for a job: loaded, not to be evicted, and the memory of one proof at a time reserved,
 * all of it until residency_release. */
typedef struct {
    const Loaded *loaded;
    uint64_t proof_bytes;
} Hold;

/* Loads what is missing, one circuit at a time, others wait; evicts idle circuits, least recently
 * used first, when the budget is short. FULL: what other jobs hold leaves no room. Any thread. */
Status residency_acquire(Residency *residency, const char *circuit, Hold *out);
void residency_release(Residency *residency, Hold *hold);

/* Load without holding. */
Status residency_load(Residency *residency, const char *circuit, bool *was_loaded);
/* FULL while it is in use or being loaded. */
Status residency_evict(Residency *residency, const char *circuit, bool *was_loaded,
                       uint64_t *freed);
void residency_report(Residency *residency, cuzk_report *report);

#endif
