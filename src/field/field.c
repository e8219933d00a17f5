/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Fr, Fp, Fp2: conversions, powers, roots, batch inversion. */
#include "field/field.h"

#include "base/random.h"

#include <string.h>

const Fr FR_ZERO, FR_ONE = {FR_MONT_ONE};
const Fp FP_ZERO, FP_ONE = {FP_MONT_ONE};
const Fp2 FP2_ZERO, FP2_ONE = {{FP_MONT_ONE}, {{0}}};

static bool bit_at(const uint64_t *e, size_t i)
{
    return e[i / 64] >> (i % 64) & 1;
}

static size_t bit_length(const uint64_t *e, size_t limbs)
{
    size_t length = 64 * limbs;
    while (length && !bit_at(e, length - 1))
        length--;
    return length;
}

/* The longest window of at most `most` bits that begins with the set bit `top` and ends with a set
 * bit; *low: the place of its last bit. Its value is odd. */
static unsigned window_at(const uint64_t *e, size_t top, size_t most, size_t *low)
{
    size_t last = top + 1 >= most ? top + 1 - most : 0;
    unsigned value = 0;
    while (!bit_at(e, last))
        last++;
    for (size_t i = top + 1; i-- > last;)
        value = value << 1 | bit_at(e, i);
    *low = last;
    return value;
}

/* Sliding windows over a table of odd powers; short exponents do not repay the table. */
#define POWER(T, t, ONE)                                                                           \
    void t##_pow(T *out, const T *a, const uint64_t *e, size_t limbs)                              \
    {                                                                                              \
        enum { WINDOW = 5 };                                                                       \
        T odd[1 << (WINDOW - 1)] = {*a}, power = ONE, square;                                      \
        size_t at = bit_length(e, limbs), most = at > 64 ? WINDOW : 1, low;                        \
        t##_sqr(&square, a);                                                                       \
        for (size_t i = 1; i < (size_t)1 << (most - 1); i++)                                       \
            t##_mul(&odd[i], &odd[i - 1], &square);                                                \
        while (at > 0) {                                                                           \
            if (!bit_at(e, at - 1)) {                                                              \
                t##_sqr(&power, &power);                                                           \
                at--;                                                                              \
                continue;                                                                          \
            }                                                                                      \
            unsigned value = window_at(e, at - 1, most, &low);                                     \
            for (; at > low; at--)                                                                 \
                t##_sqr(&power, &power);                                                           \
            t##_mul(&power, &power, &odd[value / 2]);                                              \
        }                                                                                          \
        *out = power;                                                                              \
    }

/* Montgomery's trick: prefix products forward, one inversion, backward. */
#define INVERT_BATCH(T, t, ONE)                                                                    \
    void t##_inv_batch(T *a, size_t n, T *scratch)                                                 \
    {                                                                                              \
        T product = ONE;                                                                           \
        for (size_t i = 0; i < n; i++) {                                                           \
            scratch[i] = product;                                                                  \
            if (!t##_is_zero(&a[i]))                                                               \
                t##_mul(&product, &product, &a[i]);                                                \
        }                                                                                          \
        t##_inv(&product, &product);                                                               \
        for (size_t i = n; i-- > 0;) {                                                             \
            if (t##_is_zero(&a[i]))                                                                \
                continue;                                                                          \
            T inverse;                                                                             \
            t##_mul(&inverse, &product, &scratch[i]);                                              \
            t##_mul(&product, &product, &a[i]);                                                    \
            a[i] = inverse;                                                                        \
        }                                                                                          \
    }

/* clang-format off */
POWER(Fr, fr, FR_ONE)
POWER(Fp, fp, FP_ONE)
POWER(Fp2, fp2, FP2_ONE)
INVERT_BATCH(Fr, fr, FR_ONE)
INVERT_BATCH(Fp, fp, FP_ONE)
INVERT_BATCH(Fp2, fp2, FP2_ONE)
/* clang-format on */

/* (a, b) of norm a^2 + b^2: conjugate over norm. */
void fp2_inv(Fp2 *out, const Fp2 *a)
{
    Fp s, t;
    fp_sqr(&s, &a->c0);
    fp_sqr(&t, &a->c1);
    fp_add(&s, &s, &t);
    fp_inv(&s, &s);
    fp_mul(&out->c0, &a->c0, &s);
    fp_mul(&t, &a->c1, &s);
    fp_neg(&out->c1, &t);
}

/* Tonelli and Shanks: r - 1 = 2^32 * odd. */
bool fr_sqrt(Fr *out, const Fr *a)
{
    const uint64_t half[4] = FR_TWO_ADIC_ODD_HALF;
    Fr w, x, b, z = FR_ROOT_OF_UNITY, t;
    fr_pow(&w, a, half, 4);
    fr_mul(&x, a, &w);  /* a^((odd+1)/2) */
    fr_mul(&b, &x, &w); /* a^odd */
    unsigned order = 32;
    while (!fr_eq(&b, &FR_ONE)) {
        if (fr_is_zero(&b))
            break;
        unsigned k = 0;
        for (t = b; !fr_eq(&t, &FR_ONE) && k < order; k++)
            fr_sqr(&t, &t);
        if (k == order)
            return false;
        for (unsigned i = k + 1; i < order; i++)
            fr_sqr(&z, &z);
        fr_mul(&x, &x, &z);
        fr_sqr(&z, &z);
        fr_mul(&b, &b, &z);
        order = k;
    }
    *out = x;
    return true;
}

/* p = 3 mod 4: w = a^((p-3)/4), x = a w; then x^2 = +-a and x w = x^2/a = +-1. */
static void fp_sqrt_candidate(Fp *x, Fp *w, const Fp *a)
{
    const uint64_t e[6] = FP_SQRT_EXPONENT;
    fp_pow(w, a, e, 6);
    fp_mul(x, a, w);
}

bool fp_sqrt(Fp *out, const Fp *a)
{
    Fp x, w, square;
    fp_sqrt_candidate(&x, &w, a);
    fp_sqr(&square, &x);
    if (!fp_eq(&square, a))
        return false;
    *out = x;
    return true;
}

/* A root of an element of Fp always exists in Fp2: x, or x u when x^2 = -a. */
static void fp2_sqrt_of_fp(Fp2 *out, const Fp *a)
{
    Fp x, w, square;
    Fp2 root = FP2_ZERO;
    fp_sqrt_candidate(&x, &w, a);
    fp_sqr(&square, &x);
    if (fp_eq(&square, a))
        root.c0 = x;
    else
        root.c1 = x;
    *out = root;
}

/* The norm method: n^2 = c0^2 + c1^2, t = (c0 + n)/2, y = c1/(2x), where x^2 = +-t and 1/x = +-w.
 * x^2 =  t: (x + y u)^2 = t - c1^2/(4t) + c1 u, and c1^2 = (n - c0)(n + c0) = 4t (t - c0).
 * x^2 = -t: (y + x u)^2 = c1^2/(-4t) + t + c1 u, the same. So two powers and no inversion. */
bool fp2_sqrt(Fp2 *out, const Fp2 *a)
{
    static const Fp half = FP_MONT_HALF;
    Fp norm, t, x, w, y;
    if (fp_is_zero(&a->c1)) {
        fp2_sqrt_of_fp(out, &a->c0);
        return true;
    }
    fp_sqr(&norm, &a->c0);
    fp_sqr(&t, &a->c1);
    fp_add(&norm, &norm, &t);
    if (!fp_sqrt(&norm, &norm))
        return false;
    fp_add(&t, &a->c0, &norm);
    fp_mul(&t, &t, &half);
    fp_sqrt_candidate(&x, &w, &t);
    fp_mul(&y, &a->c1, &half);
    fp_mul(&y, &y, &w);
    fp_sqr(&w, &x);
    if (fp_eq(&w, &t)) {
        *out = (Fp2){x, y};
    } else {
        fp_neg(&y, &y);
        *out = (Fp2){y, x};
    }
    return true;
}

void fr_from_u64(Fr *out, uint64_t value)
{
    FrCanon canon = {{value}};
    fr_from_canon(out, &canon);
}

void fr_from_canon(Fr *out, const FrCanon *a)
{
    const Fr r2 = {FR_MONT_R2};
    Fr plain;
    memcpy(&plain, a, sizeof plain);
    fr_mul(out, &plain, &r2);
}

void fr_to_canon(FrCanon *out, const Fr *a)
{
    const Fr one = {{1}};
    Fr plain;
    fr_mul(&plain, a, &one);
    memcpy(out, &plain, sizeof plain);
}

static uint64_t load_le(const uint8_t *bytes)
{
    uint64_t word = 0;
    for (int i = 8; i-- > 0;)
        word = word << 8 | bytes[i];
    return word;
}

static void store_le(uint8_t *bytes, uint64_t word)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(word >> (8 * i));
}

static bool less(const uint64_t *a, const uint64_t *b, size_t n)
{
    for (size_t i = n; i-- > 0;)
        if (a[i] != b[i])
            return a[i] < b[i];
    return false;
}

bool fr_from_le(Fr *out, const uint8_t bytes[32])
{
    static const uint64_t modulus[4] = FR_MODULUS;
    FrCanon canon;
    for (int i = 0; i < 4; i++)
        canon.l[i] = load_le(bytes + 8 * i);
    if (!less(canon.l, modulus, 4))
        return false;
    fr_from_canon(out, &canon);
    return true;
}

void fr_to_le(uint8_t bytes[32], const Fr *a)
{
    FrCanon canon;
    fr_to_canon(&canon, a);
    for (int i = 0; i < 4; i++)
        store_le(bytes + 8 * i, canon.l[i]);
}

/* low + 2^256 high: each half is below 2^256 < 3r, so the products by R^2 and R^3 need the halves
 * reduced first. */
void fr_from_wide_le(Fr *out, const uint8_t bytes[64])
{
    const Fr r2 = {FR_MONT_R2}, r3 = {FR_MONT_R3};
    Fr half[2];
    for (int h = 0; h < 2; h++) {
        for (int i = 0; i < 4; i++)
            half[h].l[i] = load_le(bytes + 32 * h + 8 * i);
        for (int i = 0; i < 2; i++)
            fr_reduce_once(&half[h], half[h].l);
    }
    fr_mul(&half[0], &half[0], &r2);
    fr_mul(&half[1], &half[1], &r3);
    fr_add(out, &half[0], &half[1]);
}

Status fr_random(Fr *out)
{
    uint8_t wide[64];
    TRY(random_bytes(wide, sizeof wide));
    fr_from_wide_le(out, wide);
    wipe(wide, sizeof wide);
    return OK;
}

void fp_from_u64(Fp *out, uint64_t value)
{
    FpCanon canon = {{value}};
    fp_from_canon(out, &canon);
}

void fp_from_canon(Fp *out, const FpCanon *a)
{
    const Fp r2 = {FP_MONT_R2};
    Fp plain;
    memcpy(&plain, a, sizeof plain);
    fp_mul(out, &plain, &r2);
}

void fp_to_canon(FpCanon *out, const Fp *a)
{
    const Fp one = {{1}};
    Fp plain;
    fp_mul(&plain, a, &one);
    memcpy(out, &plain, sizeof plain);
}

bool fp_from_be(Fp *out, const uint8_t bytes[48])
{
    static const uint64_t modulus[6] = FP_MODULUS;
    FpCanon canon;
    for (int i = 0; i < 6; i++) {
        uint64_t word;
        memcpy(&word, bytes + 8 * (5 - i), 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        canon.l[i] = word;
    }
    if (!less(canon.l, modulus, 6))
        return false;
    fp_from_canon(out, &canon);
    return true;
}

void fp_to_be(uint8_t bytes[48], const Fp *a)
{
    FpCanon canon;
    fp_to_canon(&canon, a);
    for (int i = 0; i < 48; i++)
        bytes[47 - i] = (uint8_t)(canon.l[i / 8] >> (8 * (i % 8)));
}

bool fp_is_larger(const Fp *a)
{
    static const uint64_t half[6] = FP_HALF;
    FpCanon canon;
    fp_to_canon(&canon, a);
    return less(half, canon.l, 6);
}

bool fp2_is_larger(const Fp2 *a)
{
    return fp_is_zero(&a->c1) ? fp_is_larger(&a->c0) : fp_is_larger(&a->c1);
}
