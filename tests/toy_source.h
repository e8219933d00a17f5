/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Three small circuits with names and keys on disk, for tests of the engine. */
#ifndef CUZK_TESTS_TOY_SOURCE_H
#define CUZK_TESTS_TOY_SOURCE_H

#include "engine/loader.h"
#include "toy_circuit.h"

#include <stdio.h>
#include <unistd.h>

enum { TOYS = 3 };
static const char *const toy_names[TOYS] = {"toy-a", "toy-b", "toy-c"};
/* The first is the largest. */
static const ToyParams toy_params[TOYS] = {
    {300, 6, 1, false}, {60, 4, 2, false}, {100, 4, 3, false}};
static CircuitFootprint toy_footprints[TOYS];

static inline int toy_number(const char *name)
{
    for (int i = 0; i < TOYS; i++)
        if (strcmp(name, toy_names[i]) == 0)
            return i;
    return strcmp(name, "alias-a") == 0 ? 0 : -1;
}

static inline Status toy_identify(char canonical[CIRCUIT_NAME], const char *name)
{
    int toy = toy_number(name);
    if (toy < 0)
        FAIL(ERR_NOT_FOUND, "circuit %s", name);
    snprintf(canonical, CIRCUIT_NAME, "%s", toy_names[toy]);
    return OK;
}

static inline Status toy_param_stem(const char *circuit, char *stem, size_t room)
{
    snprintf(stem, room, "key-of-%s", circuit);
    return OK;
}

static inline Status toy_named(Circuit *out, CircuitParams *params, const char *name)
{
    (void)params;
    int toy = toy_number(name);
    *out = toy_circuit(&toy_params[toy]);
    snprintf(out->name, sizeof out->name, "%s", toy_names[toy]);
    return OK;
}

static inline Status toy_footprint(CircuitFootprint *out, const char *name)
{
    *out = toy_footprints[toy_number(name)];
    return OK;
}

static const CircuitSource toy_source = {toy_identify, toy_param_stem, toy_named, toy_footprint};

/* Compile all, note their footprints, write keys seeded with their numbers into folder. */
static inline Status toy_source_start(const char *folder, Pool *pool)
{
    for (int i = 0; i < TOYS; i++) {
        Circuit circuit;
        R1cs *r1cs;
        char stem[64], seed[3];
        TRY(toy_named(&circuit, NULL, toy_names[i]));
        TRY(r1cs_compile(&r1cs, &circuit, pool));
        const R1csShape *shape = r1cs_shape(r1cs);
        toy_footprints[i] =
            (CircuitFootprint){shape->n_rows, shape->n_aux, shape->n_fields, r1cs_bytes(r1cs)};
        snprintf(seed, sizeof seed, "%02x", i);
        toy_param_stem(toy_names[i], stem, sizeof stem);
        const SetupOptions options = {.directory = folder, .seed_hex = seed, .force = true};
        Status status = params_setup(&circuit, r1cs, stem, 2048, &options, pool);
        r1cs_free(&r1cs);
        TRY(status);
    }
    return OK;
}

/* Remove a folder of plain files. */
static inline int toy_folder_remove(const char *folder)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

#endif
