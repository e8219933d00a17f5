/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Proofs of spacetime: registered proofs, challenges, public inputs. */
#ifndef CUZK_FILECOIN_POST_H
#define CUZK_FILECOIN_POST_H

#include "field/field.h"
#include "filecoin/porep_vanilla.h"

enum { POST_PROOFS = 15, WINNING_OPENINGS = 66, WINDOW_OPENINGS = 10 };

typedef struct {
    unsigned id;      /* 0 .. 14 */
    const char *name; /* "StackedDrgWindow32GiBV1_2", as serialised */
    const char *circuit;
    uint64_t sector_size; /* bytes */
    bool winning;
    unsigned api;        /* minor version: from 2 on, challenges do not depend on the place */
    unsigned sectors;    /* of a partition's circuit: 66; 2, 2349 or 2300 */
    unsigned challenges; /* a sector in the circuit: 1, 10 */
} PostProof;

/* NULL when there is none. */
const PostProof *post_proof(unsigned id);
const PostProof *post_proof_named(const char *name, size_t length);

/* Openings that the vanilla proof of one sector holds: 66 (winning), 10 (window). */
unsigned post_openings(const PostProof *proof);
/* Partitions of n sectors: 1 for winning. */
size_t post_partitions(const PostProof *proof, size_t n_sectors);

/* Challenged leaf (node number) number n of the sector at place (0 ..) in the request. */
uint32_t post_challenge(const PostProof *proof, const Node *randomness, size_t place,
                        uint64_t sector_id, unsigned n);

/* Winning: the number of the challenged sector among set_size, draw n. */
uint64_t winning_sector(const Node *prover_id, const Node *randomness, uint64_t n,
                        uint64_t set_size);

typedef struct {
    const PostProof *proof;
    Node randomness;  /* canonical: top two bits of byte 31 cleared by the client */
    size_t n_sectors; /* winning: 1 */
    const uint64_t *sector_ids;
    const Node *comm_rs; /* [n_sectors] */
} PostPublic;

/* (1 + challenges) * sectors: ONE left out. */
size_t post_inputs_count(const PostProof *proof);
/* Per sector comm_r, then its leaves; a short last partition repeats its last sector. out:
 * post_inputs_count. FORMAT: randomness or a comm_r is not canonical. */
Status post_public_inputs(Fr *out, const PostPublic *p, size_t partition);

#endif
