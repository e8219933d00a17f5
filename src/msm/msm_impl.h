/* SPDX-License-Identifier: MIT OR Apache-2.0
 * What the MSM template needs, and what the tests reach past the contract for. */
#ifndef CUZK_MSM_MSM_IMPL_H
#define CUZK_MSM_MSM_IMPL_H

#include "msm/msm.h"

enum {
    MSM_BATCH = 512, /* additions that share an inversion */
    MSM_ONES_TILE = 1 << 14,
    MSM_MOST_WINDOW = 16, /* a bucket number fits 15 bits, NO_BUCKET stays free */
    MSM_NO_BUCKET = 0xffff,
};

typedef struct {
    unsigned window, n_windows; /* c bits; ceil(256 / c) */
    size_t n_buckets;           /* 2^(c-1): digits are -2^(c-1) .. 2^(c-1) */
    size_t n_groups;            /* of points, each with buckets of its own */
    size_t tile;                /* points sorted at a time */
} MsmPlan;

/* window 0: chosen by the cost model. */
void msm_plan(MsmPlan *plan, FrCanon *bias, size_t n, unsigned threads, unsigned window);

/* Digit `window` of k: window of (k + bias), less 2^(c-1) but in the top window, where the bias has
 * no part and the digit is not negative. */
int32_t msm_digit(const FrCanon *k, const FrCanon *bias, const MsmPlan *plan, unsigned window);

/* With a given window, for tests. */
Status msm_g1_windowed(G1Xyzz *out, const G1Affine *points, size_t n, const MsmScalars *scalars,
                       unsigned window, Pool *pool);

#endif
