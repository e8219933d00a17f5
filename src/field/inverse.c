/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Modular inversion: the binary GCD in batches of 31 steps on 64-bit approximations (T. Pornin,
 * "Optimized Binary GCD for Modular Inversion", 2020, algorithm 2). Variable number of batches. */
#include "field/field.h"

#include <string.h>

enum { STEPS = 31, MOST = 6 };

/* The batch's matrix: (a, b) <- (f0 a + g0 b, f1 a + g1 b) / 2^31. */
typedef struct {
    int64_t f0, g0, f1, g1;
} Matrix;

static unsigned bit_length(const uint64_t *a, const uint64_t *b, int n)
{
    for (int i = n; i-- > 0;) {
        uint64_t word = a[i] | b[i];
        if (word)
            return (unsigned)(64 * i + 64 - __builtin_clzll(word));
    }
    return 0;
}

/* The low 31 bits and the 33 bits from `length` down; exact when length <= 64. */
static uint64_t approximate(const uint64_t *a, unsigned length)
{
    if (length <= 64)
        return a[0];
    unsigned shift = length - 33;
    uint64_t high = a[shift / 64] >> (shift % 64);
    if (shift % 64 > 31)
        high |= a[shift / 64 + 1] << (64 - shift % 64);
    return (a[0] & 0x7fffffff) | (high & 0x1ffffffff) << 31;
}

static Matrix steps(uint64_t a, uint64_t b)
{
    int64_t f0 = 1, g0 = 0, f1 = 0, g1 = 1;
    for (int i = 0; i < STEPS; i++) {
        int64_t odd = -(int64_t)(a & 1);
        int64_t swap = odd & -(int64_t)(a < b);
        uint64_t x = (a ^ b) & (uint64_t)swap;
        int64_t y = (f0 ^ f1) & swap, z = (g0 ^ g1) & swap;
        a ^= x;
        b ^= x;
        f0 ^= y;
        f1 ^= y;
        g0 ^= z;
        g1 ^= z;
        a = (a - (b & (uint64_t)odd)) >> 1;
        f0 -= f1 & odd;
        g0 -= g1 & odd;
        f1 *= 2;
        g1 *= 2;
    }
    return (Matrix){f0, g0, f1, g1};
}

/* out = |f a + g b| / 2^31, which is exact; true when the sum was negative. */
static bool combine(uint64_t *out, const uint64_t *a, const uint64_t *b, int64_t f, int64_t g,
                    int n)
{
    uint64_t t[MOST + 1];
    __int128 carry = 0;
    for (int i = 0; i < n; i++) {
        /* |f|, |g| <= 2^31, so the two products and the carry fit. */
        __int128 s = (__int128)f * a[i] + (__int128)g * b[i] + carry;
        t[i] = (uint64_t)s;
        carry = s >> 64;
    }
    t[n] = (uint64_t)carry;
    bool negative = t[n] >> 63;
    if (negative) {
        uint64_t one = 1;
        for (int i = 0; i <= n; i++) {
            t[i] = ~t[i] + one;
            one = one && t[i] == 0;
        }
    }
    for (int i = 0; i < n; i++)
        out[i] = t[i] >> STEPS | t[i + 1] << (64 - STEPS);
    return negative;
}

/* out = (f u + g v) / 2^31 mod m, in [0, m). inv = -1/m mod 2^64. */
static void combine_mod(uint64_t *out, const uint64_t *u, const uint64_t *v, int64_t f, int64_t g,
                        const uint64_t *m, uint64_t inv, int n)
{
    uint64_t t[MOST + 1];
    uint64_t low = (uint64_t)f * u[0] + (uint64_t)g * v[0];
    uint64_t k = (low * inv) & 0x7fffffff; /* makes the sum divisible by 2^31 */
    __int128 carry = 0;
    for (int i = 0; i < n; i++) {
        __int128 s = (__int128)f * u[i] + (__int128)g * v[i] + (__int128)k * m[i] + carry;
        t[i] = (uint64_t)s;
        carry = s >> 64;
    }
    t[n] = (uint64_t)carry;
    for (int i = 0; i < n; i++)
        out[i] = t[i] >> STEPS | t[i + 1] << (64 - STEPS);
    /* |f| + |g| <= 2^31 and k < 2^31: the quotient lies in (-m, 2m). */
    bool negative = (int64_t)t[n] < 0;
    uint64_t s[MOST], borrow = 0;
    for (int i = 0; i < n; i++) {
        unsigned __int128 d = negative ? (unsigned __int128)out[i] + m[i] + borrow
                                       : (unsigned __int128)out[i] - m[i] - borrow;
        s[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
    }
    if (negative || !borrow)
        memcpy(out, s, (size_t)n * sizeof *out);
}

/* out = 1/x mod m for 0 < x < m; 0 for 0. */
static inline void invert(uint64_t *out, const uint64_t *x, const uint64_t *m, uint64_t inv, int n)
{
    uint64_t a[MOST] = {0}, b[MOST] = {0}, u[MOST] = {1}, v[MOST] = {0};
    memcpy(a, x, (size_t)n * sizeof *a);
    memcpy(b, m, (size_t)n * sizeof *b);
    /* Invariants: a = u x, b = v x mod m; b odd. */
    for (;;) {
        uint64_t any = 0;
        for (int i = 0; i < n; i++)
            any |= a[i];
        if (!any)
            break;
        unsigned length = bit_length(a, b, n);
        Matrix k = steps(approximate(a, length), approximate(b, length));
        uint64_t c[MOST], d[MOST];
        if (combine(c, a, b, k.f0, k.g0, n)) {
            k.f0 = -k.f0;
            k.g0 = -k.g0;
        }
        if (combine(d, a, b, k.f1, k.g1, n)) {
            k.f1 = -k.f1;
            k.g1 = -k.g1;
        }
        memcpy(a, c, (size_t)n * sizeof *a);
        memcpy(b, d, (size_t)n * sizeof *b);
        combine_mod(c, u, v, k.f0, k.g0, m, inv, n);
        combine_mod(d, u, v, k.f1, k.g1, m, inv, n);
        memcpy(u, c, (size_t)n * sizeof *u);
        memcpy(v, d, (size_t)n * sizeof *v);
    }
    memcpy(out, v, (size_t)n * sizeof *out);
}

void fr_inv(Fr *out, const Fr *a)
{
    static const uint64_t modulus[4] = FR_MODULUS;
    const Fr r3 = {FR_MONT_R3};
    Fr t;
    if (fr_is_zero(a)) {
        *out = FR_ZERO;
        return;
    }
    invert(t.l, a->l, modulus, FR_INV, 4);
    fr_mul(out, &t, &r3); /* (1/(aR)) R^3 / R = R/a */
}

void fp_inv(Fp *out, const Fp *a)
{
    static const uint64_t modulus[6] = FP_MODULUS;
    const Fp r3 = {FP_MONT_R3};
    Fp t;
    if (fp_is_zero(a)) {
        *out = FP_ZERO;
        return;
    }
    invert(t.l, a->l, modulus, FP_INV, 6);
    fp_mul(out, &t, &r3);
}
