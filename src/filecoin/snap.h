/* SPDX-License-Identifier: MIT OR Apache-2.0
 * SnapDeals (EmptySectorUpdate): registered proofs, randomness, challenges, public inputs. */
#ifndef CUZK_FILECOIN_SNAP_H
#define CUZK_FILECOIN_SNAP_H

#include "field/field.h"
#include "filecoin/porep_vanilla.h"

enum { SNAP_PROOFS = 5 };

/* What the number of nodes fixes. */
typedef struct {
    unsigned log_nodes;
    unsigned partitions, log_partitions; /* 1, 2, 4 or 16 */
    unsigned challenges;                 /* a partition: 10 or 86 */
    unsigned apex, log_apex;             /* apex leaves a partition: 8 or 128 */
    unsigned h;                          /* rho is shared by nodes with the same top h bits */
    unsigned h_select;                   /* one-hot place of h among the six allowed values */
} SnapShape;

/* Sector sizes that registry_tree_shape knows. */
Status snap_shape(SnapShape *out, uint64_t sector_size);

typedef struct {
    unsigned id;      /* 0 .. 4 */
    const char *name; /* "StackedDrg32GiBV1", as serialised */
    const char *circuit;
    uint64_t sector_size; /* bytes */
} SnapProof;

/* NULL when there is none. */
const SnapProof *snap_proof(unsigned id);

/* phi = H(comm_d_new, comm_r_old) with the randomness tag. FORMAT: not canonical. */
Status snap_phi(Fr *phi, const Node *comm_d_new, const Node *comm_r_old);
/* rho of a node: H(phi, its top h bits). */
void snap_rho(Fr *rho, const Fr *phi, const SnapShape *shape, uint64_t node);

/* out: shape->challenges nodes of a partition. FORMAT: comm_r_new is not canonical. */
Status snap_challenges(uint32_t *out, const SnapShape *shape, const Node *comm_r_new,
                       unsigned partition);

enum { SNAP_INPUTS = 4 };

/* partition | h_select << log_partitions, comm_r_old, comm_d_new, comm_r_new: ONE left out. */
Status snap_public_inputs(Fr out[SNAP_INPUTS], const SnapShape *shape, const Node *comm_r_old,
                          const Node *comm_d_new, const Node *comm_r_new, unsigned partition);

#endif
