/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The portable field bodies compile as device code. */
#include "field/field_consts.h"
#include "field/types.h"

#define FIELD_T Fr
#define FIELD_N 4
#define FIELD_NAME(op) fr_##op
#define FIELD_MODULUS FR_MODULUS
#define FIELD_INV FR_INV
#include "field/mont_tmpl.h"

#define FIELD_T Fp
#define FIELD_N 6
#define FIELD_NAME(op) fp_##op
#define FIELD_MODULUS FP_MODULUS
#define FIELD_INV FP_INV
#include "field/mont_tmpl.h"

/* out[3 i ..] = a[i] b[i], a[i] + b[i], a[i] - b[i] */
#define CHECK_KERNEL(T, t)                                                                         \
    extern "C" __global__ void t##_check(T *out, const T *a, const T *b, unsigned n)               \
    {                                                                                              \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                        \
        if (i >= n)                                                                                \
            return;                                                                                \
        t##_mul_portable(&out[3 * i], &a[i], &b[i]);                                               \
        t##_add_portable(&out[3 * i + 1], &a[i], &b[i]);                                           \
        t##_sub_portable(&out[3 * i + 2], &a[i], &b[i]);                                           \
    }

/* clang-format off */
CHECK_KERNEL(Fr, fr)
CHECK_KERNEL(Fp, fp)
/* clang-format on */
