/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Windows, groups and tiles of an MSM. */
#include "msm/msm_impl.h"

/* Two additions a bucket in step over the segments, one inversion a step: at least 32 segments, or
 * plain running sums. */
static size_t choose_segments(unsigned window)
{
    return window < 9 ? 0 : (size_t)1 << ((window + 1) / 2);
}

/* The last of the threads to finish, in affine additions (one inversion: 15; one XYZZ addition: 2).
 * The first point of a bucket costs nothing; digits and sorting cost 1/25 a point. */
static double cost(size_t n, unsigned threads, unsigned c, size_t groups)
{
    size_t tasks = (MSM_SCALAR_BITS + c - 1) / c * groups, segments = choose_segments(c);
    size_t turns = (tasks + threads - 1) / threads;
    double points = (double)n / (double)groups, buckets = (double)(1ull << (c - 1));
    double filled = buckets * points / (buckets + points), fold = 4 * buckets;
    if (segments)
        fold = 2 * buckets + 6 * (double)segments + 15 * buckets / (double)segments;
    return (double)turns * (1.04 * points - filled + fold + 150);
}

static size_t clamp(size_t x, size_t least, size_t most)
{
    return x < least ? least : x > most ? most : x;
}

void msm_plan(MsmPlan *plan, size_t n, unsigned threads, unsigned window)
{
    enum { LEAST_GROUP = 2048 };
    size_t best_groups = 1, most_groups = clamp(n / LEAST_GROUP, 1, 4 * (size_t)threads);
    unsigned best = window ? window : 2;
    for (unsigned c = best; c <= (window ? window : MSM_MOST_WINDOW); c++) {
        for (size_t groups = 1; groups <= (threads > 1 ? most_groups : 1); groups++) {
            if (cost(n, threads, c, groups) < cost(n, threads, best, best_groups)) {
                best = c;
                best_groups = groups;
            }
        }
    }
    size_t buckets = (size_t)1 << (best - 1), share = (n + best_groups - 1) / best_groups;
    *plan = (MsmPlan){
        .window = best,
        .n_windows = (MSM_SCALAR_BITS + best - 1) / best,
        .n_buckets = buckets,
        .n_groups = best_groups,
        .tile = clamp(share, 1, clamp(32 * buckets, 1 << 14, MSM_MOST_TILE)),
        .segments = choose_segments(best),
    };
}
