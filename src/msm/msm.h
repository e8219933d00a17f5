/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Multi-scalar multiplication in G1 and G2. */
#ifndef CUZK_MSM_MSM_H
#define CUZK_MSM_MSM_H

#include "base/pool.h"
#include "curve/curve.h"

/* The scalars of n points, classified: a witness is mostly bits.
 * ones:  bitmap over the points (bit i of word i/64), [ceil(n/64)] words, bits past n zero; a set
 *        bit adds the point once by plain addition. NULL: none.
 * index: [n_full], strictly increasing point numbers, disjoint from ones; NULL: 0..n_full-1.
 * full:  [n_full] canonical scalars (0 and 1 allowed). */
typedef struct {
    const uint64_t *ones;
    size_t n_full;
    const uint32_t *index;
    const FrCanon *full;
} MsmScalars;

/* out = sum scalar[i] * points[i]. points: n affine points, infinity allowed, not necessarily
 * distinct. n = 0 gives infinity. Scratch is allocated inside, bounded by msm_scratch_bytes. */
Status msm_g1(G1Xyzz *out, const G1Affine *points, size_t n, const MsmScalars *scalars, Pool *pool);
Status msm_g2(G2Xyzz *out, const G2Affine *points, size_t n, const MsmScalars *scalars, Pool *pool);

/* Upper bound of what a call allocates. */
size_t msm_g1_scratch_bytes(size_t n_full, unsigned threads);
size_t msm_g2_scratch_bytes(size_t n_full, unsigned threads);

/* Slow twins: double-and-add, serial. scalars: n canonical. */
void msm_g1_ref(G1Xyzz *out, const G1Affine *points, const FrCanon *scalars, size_t n);
void msm_g2_ref(G2Xyzz *out, const G2Affine *points, const FrCanon *scalars, size_t n);

#endif
