/* SPDX-License-Identifier: MIT OR Apache-2.0
 * What Filecoin has registered: seal proofs, tree shapes, circuits and their parameter files. */
#ifndef CUZK_FILECOIN_REGISTRY_H
#define CUZK_FILECOIN_REGISTRY_H

#include "base/status.h"

enum { NODE_BYTES = 32, SEAL_PROOFS = 20 };

typedef struct {
    unsigned id;          /* 0 .. 19 */
    const char *name;     /* "StackedDrg32GiBV1_1", as serialised */
    const char *variant;  /* of the vanilla proofs: "StackedDrg32GiBV1" for every version */
    uint64_t sector_size; /* bytes */
    unsigned api;         /* minor version: 0 is 1.0.0, 1 is 1.1.0, 2 is 1.2.0 */
    unsigned layers, partitions, challenges; /* challenges a partition */
    bool synthetic, non_interactive;
} SealProof;

/* NULL when there is none. */
const SealProof *registry_seal_proof(unsigned id);
const SealProof *registry_seal_proof_named(const char *name, size_t length);
/* u64le(id), u64le nonce 0, 16 zero bytes. */
void registry_porep_id(uint8_t id[32], unsigned registered_proof);

/* Trees C and R_last: base trees of arity 8, then a sub and a top level (arity 0: none). */
typedef struct {
    unsigned base_levels; /* of arity 8 */
    unsigned sub, top;    /* 0, 2, 4 or 8 */
    unsigned log_nodes;   /* log2 of the nodes of a sector: the depth of tree D */
} TreeShape;

/* Sector sizes 2, 4, 16, 32 KiB, 8, 16, 512 MiB, 1, 32, 64 GiB; UNSUPPORTED otherwise. */
Status registry_tree_shape(TreeShape *out, uint64_t sector_size);

typedef enum { CIRCUIT_POREP, CIRCUIT_WINNING, CIRCUIT_WINDOW, CIRCUIT_SNAP } CircuitKind;

typedef struct {
    CircuitKind kind;
    uint64_t sector_size;
    char name[64];       /* canonical: "porep-32g", "winning-2k", "window-8m", "snap-64g" */
    unsigned layers;     /* porep */
    unsigned challenges; /* a partition (porep), a sector (winning 1, window 10) */
    unsigned sectors;    /* winning 66; window 2, 2349 or 2300 */
} CircuitId;

/* By name or the reference's alias (wpost-32g); NOT_FOUND lists what there is. */
Status registry_circuit(CircuitId *out, const char *name);
/* The published circuits: 4 kinds of 5 sizes. NULL past the end. */
const char *registry_circuit_name(size_t index);

/* "v28-stacked-proof-of-replication-merkletree-..." without an ending, derived from the circuit's
 * identity. */
Status registry_param_stem(const char *circuit, char *stem, size_t room);

/* First 32 hex digits of BLAKE2b-512 of the published files; NULL for a stem without. */
typedef struct {
    const char *id; /* the last 64 characters of the stem */
    const char *params, *vk;
} OfficialDigests;
const OfficialDigests *registry_official_digests(const char *stem);

#endif
