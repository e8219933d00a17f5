/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Circuits by name: one row a kind. */
#include "circuits/catalogue.h"

#include "filecoin/registry.h"

#include <string.h>

static Status not_here(const CircuitId *id)
{
    FAIL(ERR_UNSUPPORTED, "circuit %s: this version has the porep circuits only", id->name);
}

Status circuit_named_with(Circuit *circuit, CircuitParams *params, const char *name,
                          uint32_t challenges, uint32_t layers)
{
    CircuitId id;
    TRY(registry_circuit(&id, name));
    if (id.kind != CIRCUIT_POREP)
        return not_here(&id);
    TRY(porep_shape(&params->porep, id.name, challenges, layers));
    return porep_circuit(circuit, &params->porep);
}

Status circuit_named(Circuit *circuit, CircuitParams *params, const char *name)
{
    return circuit_named_with(circuit, params, name, 0, 0);
}

/* Counts: specification of the circuits. Bytes: of the compiled form, whose every change changes
 * them; catalogue_test.c compiles and compares. */
static const struct {
    const char *name;
    CircuitFootprint footprint;
} footprints[] = {
    {"porep-2k", {2687961, 2685673, 43806, 36119570}},
    {"porep-8m", {3844969, 3842449, 111998, 51896098}},
    {"porep-512m", {4423473, 4420837, 146094, 59784370}},
    {"porep-32g", {130278869, 130169893, 1699102, 193308516}},
    {"porep-64g", {131186177, 131076643, 1789606, 194719390}},
};

Status circuit_footprint(CircuitFootprint *out, const char *name)
{
    CircuitId id;
    TRY(registry_circuit(&id, name));
    for (size_t i = 0; i < sizeof footprints / sizeof *footprints; i++) {
        if (strcmp(id.name, footprints[i].name) == 0) {
            *out = footprints[i].footprint;
            return OK;
        }
    }
    return not_here(&id);
}
