/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Circuits by name: one row a kind. */
#include "circuits/catalogue.h"

#include "filecoin/registry.h"

Status circuit_named_with(Circuit *circuit, CircuitParams *params, const char *name,
                          uint32_t challenges, uint32_t layers)
{
    CircuitId id;
    TRY(registry_circuit(&id, name));
    if (id.kind != CIRCUIT_POREP)
        FAIL(ERR_UNSUPPORTED, "circuit %s: this version has the porep circuits only", id.name);
    TRY(porep_shape(&params->porep, id.name, challenges, layers));
    return porep_circuit(circuit, &params->porep);
}

Status circuit_named(Circuit *circuit, CircuitParams *params, const char *name)
{
    return circuit_named_with(circuit, params, name, 0, 0);
}
