/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Windows, groups and tiles of an MSM. */
#include "msm/msm_impl.h"

/* Additions a window costs: every point once, every bucket once a tile and about five affine
 * additions' worth in the fold (two XYZZ additions). */
static double cost(size_t n, unsigned c)
{
    double windows = (256 + c - 1) / c, buckets = (double)(1ull << (c - 1));
    return windows * ((double)n * 1.06 + 5.0 * buckets);
}

static size_t choose_tile(size_t n_buckets)
{
    size_t tile = 16 * n_buckets;
    return tile < (1 << 14) ? 1 << 14 : tile;
}

void msm_plan(MsmPlan *plan, FrCanon *bias, size_t n, unsigned threads, unsigned window)
{
    unsigned best = window;
    for (unsigned c = 2; c <= MSM_MOST_WINDOW && !window; c++)
        if (best == 0 || cost(n, c) < cost(n, best))
            best = c;
    unsigned n_windows = (256 + best - 1) / best;
    size_t tile = choose_tile((size_t)1 << (best - 1));
    /* Enough tasks that the last ones do not leave threads idle for long, each of a full tile. */
    size_t groups = threads > 1 ? (6 * (size_t)threads + n_windows - 1) / n_windows : 1;
    if (groups > n / tile)
        groups = n / tile ? n / tile : 1;
    *plan = (MsmPlan){best, n_windows, (size_t)1 << (best - 1), groups, tile < n ? tile : n};
    *bias = (FrCanon){{0}};
    for (unsigned w = 0; w + 1 < n_windows; w++) {
        unsigned bit = best * w + best - 1;
        bias->l[bit / 64] |= 1ull << (bit % 64);
    }
}

int32_t msm_digit(const FrCanon *k, const FrCanon *bias, const MsmPlan *plan, unsigned window)
{
    uint64_t sum[5], carry = 0;
    for (int i = 0; i < 4; i++) {
        unsigned __int128 s = (unsigned __int128)k->l[i] + bias->l[i] + carry;
        sum[i] = (uint64_t)s;
        carry = (uint64_t)(s >> 64);
    }
    sum[4] = carry; /* always 0: k < 2^255 and the bias < 2^256 - 2^255 */
    unsigned at = window * plan->window;
    uint64_t bits = sum[at / 64] >> (at % 64);
    if (at % 64)
        bits |= sum[at / 64 + 1] << (64 - at % 64);
    bits &= (1ull << plan->window) - 1;
    bool top = window + 1 == plan->n_windows;
    return (int32_t)bits - (top ? 0 : (int32_t)1 << (plan->window - 1));
}
