/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Montgomery arithmetic on n 64-bit limbs, portable: the host's slow twin and the device's body.
 *
 * A template: define FIELD_T (type with member l), FIELD_N (limbs), FIELD_NAME(op), FIELD_MODULUS,
 * FIELD_INV and include; no guard. The modulus must leave the top bit of its last limb free.
 * Compiles as C17, and as device code under nvcc. */
#ifndef FIELD_HD
#ifdef __CUDACC__
#define FIELD_HD static __host__ __device__ inline
#else
#define FIELD_HD static inline
#endif
#endif

/* out = t - modulus when t >= modulus, else t; t < 2 * modulus. */
FIELD_HD void FIELD_NAME(reduce_once)(FIELD_T *out, const uint64_t t[FIELD_N])
{
    const uint64_t m[FIELD_N] = FIELD_MODULUS;
    uint64_t s[FIELD_N], borrow = 0;
    for (int i = 0; i < FIELD_N; i++) {
        unsigned __int128 d = (unsigned __int128)t[i] - m[i] - borrow;
        s[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
    }
    uint64_t keep = 0 - borrow; /* all ones: t was smaller */
    for (int i = 0; i < FIELD_N; i++)
        out->l[i] = (t[i] & keep) | (s[i] & ~keep);
}

FIELD_HD void FIELD_NAME(add_portable)(FIELD_T *out, const FIELD_T *a, const FIELD_T *b)
{
    uint64_t t[FIELD_N], carry = 0;
    for (int i = 0; i < FIELD_N; i++) {
        unsigned __int128 s = (unsigned __int128)a->l[i] + b->l[i] + carry;
        t[i] = (uint64_t)s;
        carry = (uint64_t)(s >> 64);
    }
    FIELD_NAME(reduce_once)(out, t);
}

FIELD_HD void FIELD_NAME(sub_portable)(FIELD_T *out, const FIELD_T *a, const FIELD_T *b)
{
    const uint64_t m[FIELD_N] = FIELD_MODULUS;
    uint64_t t[FIELD_N], borrow = 0, carry = 0;
    for (int i = 0; i < FIELD_N; i++) {
        unsigned __int128 d = (unsigned __int128)a->l[i] - b->l[i] - borrow;
        t[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
    }
    uint64_t wrapped = 0 - borrow;
    for (int i = 0; i < FIELD_N; i++) {
        unsigned __int128 s = (unsigned __int128)t[i] + (m[i] & wrapped) + carry;
        out->l[i] = (uint64_t)s;
        carry = (uint64_t)(s >> 64);
    }
}

/* a * b / 2^(64 n): operand scanning, one reduction a word (CIOS). */
FIELD_HD void FIELD_NAME(mul_portable)(FIELD_T *out, const FIELD_T *a, const FIELD_T *b)
{
    const uint64_t m[FIELD_N] = FIELD_MODULUS;
    uint64_t t[FIELD_N + 1] = {0};
    for (int i = 0; i < FIELD_N; i++) {
        unsigned __int128 s = 0;
        for (int j = 0; j < FIELD_N; j++) {
            s = (unsigned __int128)a->l[j] * b->l[i] + t[j] + (uint64_t)(s >> 64);
            t[j] = (uint64_t)s;
        }
        t[FIELD_N] = (uint64_t)(s >> 64);
        uint64_t q = t[0] * FIELD_INV;
        s = (unsigned __int128)q * m[0] + t[0];
        for (int j = 1; j < FIELD_N; j++) {
            s = (unsigned __int128)q * m[j] + t[j] + (uint64_t)(s >> 64);
            t[j - 1] = (uint64_t)s;
        }
        t[FIELD_N - 1] = t[FIELD_N] + (uint64_t)(s >> 64); /* the free top bit: no carry */
    }
    FIELD_NAME(reduce_once)(out, t);
}

#undef FIELD_T
#undef FIELD_N
#undef FIELD_NAME
#undef FIELD_MODULUS
#undef FIELD_INV
