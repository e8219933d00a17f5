/* SPDX-License-Identifier: MIT OR Apache-2.0
 * MSM in G1 and G2 on the CPU. */
#include "base/mem.h"
#include "msm/msm_impl.h"

#include <string.h>

#define MSM_G g1
#define MSM_AFFINE G1Affine
#define MSM_XYZZ G1Xyzz
#define MSM_FIELD Fp
#include "msm/msm_tmpl.h"

#define MSM_G g2
#define MSM_AFFINE G2Affine
#define MSM_XYZZ G2Xyzz
#define MSM_FIELD Fp2
#include "msm/msm_tmpl.h"

Status msm_g1(G1Xyzz *out, const G1Affine *points, size_t n, const MsmScalars *scalars, Pool *pool)
{
    return g1_msm_windowed(out, points, n, scalars, 0, pool);
}

Status msm_g2(G2Xyzz *out, const G2Affine *points, size_t n, const MsmScalars *scalars, Pool *pool)
{
    return g2_msm_windowed(out, points, n, scalars, 0, pool);
}

Status msm_g1_windowed(G1Xyzz *out, const G1Affine *points, size_t n, const MsmScalars *scalars,
                       unsigned window, Pool *pool)
{
    return g1_msm_windowed(out, points, n, scalars, window, pool);
}

size_t msm_g1_scratch_bytes(size_t n_full, unsigned threads)
{
    MsmPlan plan, ones = {.n_buckets = 1, .tile = MSM_ONES_TILE};
    FrCanon bias;
    g1_msm_worker shape;
    msm_plan(&plan, &bias, n_full, threads, 0);
    size_t stride = g1_msm_carve(&shape, NULL, &plan), other = g1_msm_carve(&shape, NULL, &ones);
    return (stride > other ? stride : other) * threads +
           (plan.n_windows * plan.n_groups + threads) * sizeof(G1Xyzz);
}

size_t msm_g2_scratch_bytes(size_t n_full, unsigned threads)
{
    MsmPlan plan, ones = {.n_buckets = 1, .tile = MSM_ONES_TILE};
    FrCanon bias;
    g2_msm_worker shape;
    msm_plan(&plan, &bias, n_full, threads, 0);
    size_t stride = g2_msm_carve(&shape, NULL, &plan), other = g2_msm_carve(&shape, NULL, &ones);
    return (stride > other ? stride : other) * threads +
           (plan.n_windows * plan.n_groups + threads) * sizeof(G2Xyzz);
}
