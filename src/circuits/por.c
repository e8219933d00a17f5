/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Inclusion of a leaf in a Merkle tree. */
#include "circuits/por.h"
#include "circuits/choose.h"
#include "circuits/label.h"
#include "circuits/poseidon_circuit.h"

enum { MAX_ARITY = 8, MAX_INDEX_BITS = 3 * POR_LEVELS_MAX };

void por_shape_sha256(PorShape *out, const char *name, unsigned log_nodes)
{
    *out = (PorShape){.name = name, .sha256 = true, .n_levels = log_nodes};
    for (unsigned i = 0; i < log_nodes; i++)
        out->log_arity[i] = 1;
}

void por_shape_poseidon(PorShape *out, const char *name, const TreeShape *tree)
{
    *out = (PorShape){.name = name};
    while (out->n_levels < tree->base_levels)
        out->log_arity[out->n_levels++] = 3;
    if (tree->sub)
        out->log_arity[out->n_levels++] = (uint8_t)__builtin_ctz(tree->sub);
    if (tree->top)
        out->log_arity[out->n_levels++] = (uint8_t)__builtin_ctz(tree->top);
}

Num node_alloc(Cs *cs, const Node *node, const char *what)
{
    Fr value = FR_ZERO;
    if (!cs_recording(cs) && !fr_from_le(&value, node->b) && cs->status == OK)
        cs->status = status_fail(ERR_FORMAT, "%s: a node is not below the field's modulus", what);
    return num_alloc(cs, &value);
}

static bool element_fits(Cs *cs, const PorShape *shape, unsigned level, const PathElement *element)
{
    uint32_t arity = 1u << shape->log_arity[level];
    if (cs_recording(cs) || (element->arity == arity && element->index < arity))
        return true;
    if (cs->status == OK)
        cs->status = status_fail(ERR_FORMAT, "%s level %u: arity %u, index %u, expected arity %u",
                                 shape->name, level, element->arity, element->index, arity);
    return false;
}

/* One level: current becomes its parent; index bits are appended to bits. */
static void por_level(Cs *cs, const PorShape *shape, unsigned level, const PathElement *element,
                      Num *current, Bit *bits)
{
    unsigned n_bits = shape->log_arity[level], n = 1u << n_bits;
    uint64_t index = element ? element->index : 0;
    Num others[MAX_ARITY - 1], children[MAX_ARITY];
    bit_alloc_many(cs, bits, &index, n_bits);
    for (unsigned i = 0; i + 1 < n; i++)
        others[i] = node_alloc(cs, element ? &element->siblings[i] : NULL, shape->name);
    num_insert(cs, children, current, bits, n_bits, others);
    *current = shape->sha256 ? sha256_hash2_circuit(cs, &children[0], &children[1])
                             : poseidon_circuit(cs, children, n);
}

void por_circuit(Cs *cs, const PorShape *shape, const Num *leaf, const PathElement *path,
                 const Num *root)
{
    Bit bits[MAX_INDEX_BITS];
    unsigned n_bits = 0;
    Num current = *leaf;
    for (unsigned level = 0; level < shape->n_levels; level++) {
        const PathElement *element = cs_recording(cs) ? NULL : &path[level];
        if (!element_fits(cs, shape, level, element))
            return;
        ENTER(cs, "%s level %u", shape->name, level);
        por_level(cs, shape, level, element, &current, bits + n_bits);
        LEAVE(cs);
        n_bits += shape->log_arity[level];
    }
    ENTER(cs, "%s index", shape->name);
    bits_pack_into_input(cs, bits, n_bits);
    LEAVE(cs);
    ENTER(cs, "%s root", shape->name);
    num_enforce_equal(cs, &current, root);
    LEAVE(cs);
}
