/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Storage of a packed assignment. */
#include "r1cs/assignment.h"

static size_t words_of(size_t bits)
{
    return (bits + 63) / 64;
}

Status assignment_new(Assignment *out, size_t n_inputs, size_t n_aux, size_t n_fields)
{
    Assignment a = {.n_inputs = n_inputs, .n_aux = n_aux, .n_fields = n_fields};
    void *memory;
    TRY(mem_map(&memory, assignment_bytes(&a), "assignment"));
    a.inputs = memory;
    a.fields = a.inputs + n_inputs;
    a.bits = (uint64_t *)(void *)(a.fields + n_fields);
    *out = a;
    return OK;
}

void assignment_free(Assignment *a)
{
    mem_unmap(a->inputs, assignment_bytes(a));
    *a = (Assignment){0};
}

size_t assignment_bytes(const Assignment *a)
{
    return (a->n_inputs + a->n_fields) * sizeof(Fr) + words_of(a->n_aux) * sizeof(uint64_t);
}
