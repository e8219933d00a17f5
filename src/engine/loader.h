/* SPDX-License-Identifier: MIT OR Apache-2.0
 * From a circuit's name to what proving needs of it: files found, memory known, all loaded. */
#ifndef CUZK_ENGINE_LOADER_H
#define CUZK_ENGINE_LOADER_H

#include "base/pool.h"
#include "circuits/catalogue.h"
#include "keys/keys.h"

enum { CIRCUIT_NAME = 64 };

/* Where circuits come from: the catalogue, or a test's own. */
typedef struct {
    Status (*identify)(char canonical[CIRCUIT_NAME], const char *name);
    Status (*param_stem)(const char *circuit, char *stem, size_t room);
    Status (*circuit)(Circuit *out, CircuitParams *params, const char *name);
    Status (*footprint)(CircuitFootprint *out, const char *name);
} CircuitSource;
extern const CircuitSource circuit_catalogue;

typedef struct {
    const CircuitSource *source;
    const char *param_cache, *param_origin; /* folder, and who named it */
    const char *circuit_cache;              /* folder of compiled circuits, or NULL */
    Pool *pool;
} Loader;

typedef struct {
    CircuitParams params; /* circuit borrows it: not to be moved */
    Circuit circuit;
    R1cs *r1cs;
    Pk *pk;
    PreparedVk *vk;
    bool development; /* a .dev.json lies beside the key */
} Loaded;

/* Host bytes, known from the circuit's footprint and the key file's counts; milliseconds.
 * loaded: at most what a Loaded takes; proof: what one partition takes beside it. NOT_FOUND: the
 * key is missing (path tried, why that folder, how to get it) or not this circuit's. */
typedef struct {
    uint64_t loaded, proof;
} CircuitMemory;
Status loader_memory(CircuitMemory *out, const Loader *loader, const char *circuit);

/* Compiled rows (from circuit_cache where they are there and sound), key, prepared verifying key;
 * every point checked to be on its curve. Seconds to minutes. loaded_free it. */
Status loader_load(Loaded *out, const Loader *loader, const char *circuit);
void loaded_free(Loaded *loaded);

#endif
