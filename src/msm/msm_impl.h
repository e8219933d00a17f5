/* SPDX-License-Identifier: MIT OR Apache-2.0
 * What the MSM template needs, and what the tests reach past the contract for. */
#ifndef CUZK_MSM_MSM_IMPL_H
#define CUZK_MSM_MSM_IMPL_H

#include "msm/msm.h"

enum {
    MSM_BATCH = 512,          /* additions that share an inversion */
    MSM_WORK_BYTES = 1 << 19, /* points after the first round of additions: stay in the L2 cache */
    MSM_ONES_TILE = 1 << 14,
    MSM_MOST_TILE = 1 << 21,
    MSM_MOST_WINDOW = 17,
    MSM_SCALAR_BITS = 255, /* of a folded scalar, the top one 0 */
};

typedef struct {
    unsigned window, n_windows; /* c bits; ceil(255 / c) */
    size_t n_buckets;           /* 2^(c-1): digits are -2^(c-1) .. 2^(c-1) */
    size_t n_groups;            /* of points, each with buckets of its own */
    size_t tile;                /* points sorted at a time */
    size_t segments;            /* of the buckets when they are folded; 0: by running sums */
} MsmPlan;

/* window 0: chosen by the cost model. */
void msm_plan(MsmPlan *plan, size_t n, unsigned threads, unsigned window);

/* out = k, or r - k when k >= 2^254 (true: the point is to be negated). Either is < 2^254, which
 * saves a window where c divides 255. */
static inline bool msm_fold_scalar(FrCanon *out, const FrCanon *k)
{
    static const FrCanon order = {FR_ORDER};
    uint64_t mask = -(k->l[3] >> 62), borrow = 0;
    for (int i = 0; i < 4; i++) {
        unsigned __int128 d = (unsigned __int128)order.l[i] - k->l[i] - borrow;
        borrow = (uint64_t)(d >> 64) & 1;
        out->l[i] = ((uint64_t)d & mask) | (k->l[i] & ~mask);
    }
    return mask & 1;
}

/* Digit `window` of a folded scalar in Booth's recoding: bits [at, at + c) and the bit below count
 * up, the highest of them counts down 2^c; no carry between windows. */
static inline int32_t msm_digit(const FrCanon *k, unsigned c, unsigned window)
{
    unsigned at = window * c;
    uint64_t bits = k->l[0] << 1;
    if (at) {
        unsigned word = (at - 1) / 64, shift = (at - 1) % 64;
        bits = k->l[word] >> shift;
        if (shift && word < 3)
            bits |= k->l[word + 1] << (64 - shift);
    }
    bits &= (2ull << c) - 1;
    return (int32_t)((bits >> 1) + (bits & 1)) - (int32_t)(bits >> c << c);
}

/* With a given window, for tests. */
Status msm_g1_windowed(G1Xyzz *out, const G1Affine *points, size_t n, const MsmScalars *scalars,
                       unsigned window, Pool *pool);

#endif
