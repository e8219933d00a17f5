/* SPDX-License-Identifier: MIT OR Apache-2.0
 * MSM in G1 and G2 on the CPU. */
#include "base/mem.h"
#include "msm/msm_impl.h"

#include <string.h>

#define MSM_G g1
#define MSM_F fp
#define MSM_AFFINE G1Affine
#define MSM_XYZZ G1Xyzz
#define MSM_FIELD Fp
#define MSM_FIELD_ONE FP_ONE
#define MSM_QUEUE MSM_BATCH
#define MSM_CHUNK (2 * MSM_WORK_BYTES / sizeof(G1Affine))
#include "msm/msm_tmpl.h"

#define MSM_G g2
#define MSM_F fp2
#define MSM_AFFINE G2Affine
#define MSM_XYZZ G2Xyzz
#define MSM_FIELD Fp2
#define MSM_FIELD_ONE FP2_ONE
#define MSM_QUEUE MSM_BATCH
#define MSM_CHUNK (2 * MSM_WORK_BYTES / sizeof(G2Affine))
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
    return g1_msm_bytes(n_full, threads);
}

size_t msm_g2_scratch_bytes(size_t n_full, unsigned threads)
{
    return g2_msm_bytes(n_full, threads);
}
