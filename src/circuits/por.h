/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Inclusion of a leaf in a Merkle tree. */
#ifndef CUZK_CIRCUITS_POR_H
#define CUZK_CIRCUITS_POR_H

#include "circuits/num.h"
#include "filecoin/porep_vanilla.h"
#include "filecoin/registry.h"

enum { POR_LEVELS_MAX = 40 };

/* Levels bottom up: base, then sub, then top. */
typedef struct {
    const char *name; /* "tree C", for messages */
    bool sha256;      /* binary SHA-256, else Poseidon */
    unsigned n_levels;
    uint8_t log_arity[POR_LEVELS_MAX];
} PorShape;

/* Binary tree of 2^log_nodes leaves. */
void por_shape_sha256(PorShape *out, const char *name, unsigned log_nodes);
/* Trees C and R. */
void por_shape_poseidon(PorShape *out, const char *name, const TreeShape *tree);

/* A variable holding a node; a node that is not below r fails the circuit (cs->status). what names
 * it in the message. node may be NULL while recording. */
Num node_alloc(Cs *cs, const Node *node, const char *what);

/* Index bits, siblings, insertion and hash a level; the leaf's index becomes an input; the last
 * hash equals root. path: shape->n_levels elements, NULL while recording; an element of another
 * arity, or an index beyond it, fails the circuit. */
void por_circuit(Cs *cs, const PorShape *shape, const Num *leaf, const PathElement *path,
                 const Num *root);

#endif
