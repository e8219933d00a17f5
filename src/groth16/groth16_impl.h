/* SPDX-License-Identifier: MIT OR Apache-2.0
 * What the files of this folder share: domain constants, scalars of a query, the last step. */
#ifndef CUZK_GROTH16_GROTH16_IMPL_H
#define CUZK_GROTH16_GROTH16_IMPL_H

#include "groth16/groth16.h"
#include "msm/msm.h"

/* out = a^m - 1 with m = 2^log_m, the vanishing polynomial of the domain at a. */
void vanishing_at(Fr *out, const Fr *a, unsigned log_m);

/* The five sums of a proof over the points of a key. */
typedef struct {
    G1Xyzz h, l, a, b1;
    G2Xyzz b2;
} Sums;

/* A = alpha + a + r delta, B = beta + b2 + s delta, C = s A + r B1 - r s delta + h + l with B1 the
 * image of B in G1: the same C as the sum of its six terms, two multiplications fewer. */
void proof_assemble(Proof *out, const Vk *vk, const Sums *sums, const Fr *r, const Fr *s);

/* A packed assignment as MSM scalars, in blocks of BLOCK_WORDS bitmap words of aux.
 *
 * Points of the l query belong to all aux, of a and b to the dense ones; the scalar of a point is
 * a bit or a field element. A field element that is 0 or 1 moves to the bits. */
enum { BLOCK_WORDS = 512, BLOCK_AUX = BLOCK_WORDS * 64 };

typedef enum { QUERY_L, QUERY_A, QUERY_B } Query;

/* What is known of a block before its scalars are written. */
typedef struct {
    uint64_t points; /* dense aux before this block: the point number of its first */
    uint64_t full;   /* scalars that go through buckets, before this block */
} BlockStart;

typedef struct {
    const R1cs *r1cs;
    const Assignment *z;
    Query query;
    size_t n_words, n_blocks;
    size_t *fields_before; /* [n_blocks + 1] non-bit aux before each block */
    BlockStart *starts;    /* [n_blocks + 1], of query */
} QueryScalars;

Status query_scalars_new(QueryScalars *out, const R1cs *r1cs, const Assignment *z, Pool *pool);
void query_scalars_free(QueryScalars *q);
/* Count points and bucket scalars of every block under this query. */
Status query_scalars_select(QueryScalars *q, Query query, Pool *pool);

/* Scalars of the blocks [first, end): points starts[first].points .. starts[end].points, numbered
 * from the first of them. */
typedef struct {
    uint64_t *ones;
    uint32_t *index;
    FrCanon *full;
    size_t n_points, n_full;
    uint64_t first_point;
    size_t mapped[3]; /* bytes of ones, index, full */
} ScalarChunk;

Status scalar_chunk_fill(ScalarChunk *out, const QueryScalars *q, size_t first, size_t end,
                         Pool *pool);
void scalar_chunk_free(ScalarChunk *chunk);

/* Bits of word at the set positions of mask, packed to the low end. */
uint64_t bits_extract_portable(uint64_t word, uint64_t mask);
uint64_t bits_extract(uint64_t word, uint64_t mask);

#endif
