/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Eight Poseidon hashes at once: a lane each, limbs of 52 bits, products by AVX-512 IFMA.
 *
 * Values are x * 2^260, not reduced: a product of a < A r and b < B r, with c < C r added, comes
 * out below (A B / 35.3 + 1 + C) r, since 2^260 > 35.3 r; nothing may reach 2^260. Sums of products
 * share one reduction. Every stored limb is below 2^52, which is all that the multiplier reads. */
#include "hash/poseidon_impl.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define LANES_TARGET __attribute__((target("avx512f,avx512dq,avx512ifma")))
#define LANES_INLINE static inline __attribute__((always_inline)) LANES_TARGET
#define UNROLL _Pragma("GCC unroll 5")

enum { LIMBS = 5, LIMB_BITS = 52 };

typedef struct {
    __m512i l[LIMBS];
} Lanes;

/* Columns of a sum of products: at most 12 products, so far below 2^64. */
typedef struct {
    __m512i c[2 * LIMBS];
} Columns;

LANES_INLINE __m512i broadcast(uint64_t x)
{
    return _mm512_set1_epi64((long long)x);
}

/* Start a sum with addend * 2^260; NULL: with zero. */
LANES_INLINE void columns_init(Columns *sum, const Lanes *addend)
{
    UNROLL for (int i = 0; i < LIMBS; i++)
    {
        sum->c[i] = _mm512_setzero_si512();
        sum->c[LIMBS + i] = addend ? addend->l[i] : _mm512_setzero_si512();
    }
}

LANES_INLINE void columns_add_limb(Columns *sum, const Lanes *a, __m512i b, int i)
{
    UNROLL for (int j = 0; j < LIMBS; j++)
    {
        sum->c[i + j] = _mm512_madd52lo_epu64(sum->c[i + j], a->l[j], b);
        sum->c[i + j + 1] = _mm512_madd52hi_epu64(sum->c[i + j + 1], a->l[j], b);
    }
}

LANES_INLINE void columns_add_product(Columns *sum, const Lanes *a, const Lanes *b)
{
    UNROLL for (int i = 0; i < LIMBS; i++) columns_add_limb(sum, a, b->l[i], i);
}

LANES_INLINE void columns_add_scaled(Columns *sum, const Lanes *a, const Fr52 *b)
{
    UNROLL for (int i = 0; i < LIMBS; i++) columns_add_limb(sum, a, broadcast(b->l[i]), i);
}

/* Carry five columns into limbs. */
LANES_INLINE void normalise(Lanes *out, const __m512i *c)
{
    const __m512i mask = broadcast(((uint64_t)1 << LIMB_BITS) - 1);
    __m512i carry = _mm512_setzero_si512();
    UNROLL for (int i = 0; i < LIMBS; i++)
    {
        __m512i t = _mm512_add_epi64(c[i], carry);
        out->l[i] = i < LIMBS - 1 ? _mm512_and_si512(t, mask) : t;
        carry = _mm512_srli_epi64(t, LIMB_BITS);
    }
}

/* Montgomery: clear the five low columns by multiples of r. */
LANES_INLINE void columns_reduce(Lanes *out, Columns *sum)
{
    const __m512i zero = _mm512_setzero_si512();
    UNROLL for (int i = 0; i < LIMBS; i++)
    {
        __m512i q = _mm512_madd52lo_epu64(zero, sum->c[i], broadcast(FR52_INVERSE));
        UNROLL for (int j = 0; j < LIMBS; j++)
        {
            sum->c[i + j] = _mm512_madd52lo_epu64(sum->c[i + j], q, broadcast(FR52_MODULUS.l[j]));
            sum->c[i + j + 1] =
                _mm512_madd52hi_epu64(sum->c[i + j + 1], q, broadcast(FR52_MODULUS.l[j]));
        }
        sum->c[i + 1] = _mm512_add_epi64(sum->c[i + 1], _mm512_srli_epi64(sum->c[i], LIMB_BITS));
    }
    normalise(out, sum->c + LIMBS);
}

LANES_INLINE void multiply(Lanes *out, const Lanes *a, const Lanes *b, const Lanes *addend)
{
    Columns sum;
    columns_init(&sum, addend);
    columns_add_product(&sum, a, b);
    columns_reduce(out, &sum);
}

/* a * b, and addend when there is one. */
LANES_INLINE void scale(Lanes *out, const Lanes *a, const Fr52 *b, const Lanes *addend)
{
    Columns sum;
    columns_init(&sum, addend);
    columns_add_scaled(&sum, a, b);
    columns_reduce(out, &sum);
}

LANES_INLINE void broadcast_all(Lanes *out, const Fr52 *a)
{
    UNROLL for (int i = 0; i < LIMBS; i++) out->l[i] = broadcast(a->l[i]);
}

/* x^5 + key. Below 16 r before, below 4 r after. */
static LANES_TARGET void quintic(Lanes *x, const Fr52 *key)
{
    Lanes square, fourth, addend;
    multiply(&square, x, x, NULL);
    multiply(&fourth, &square, &square, NULL);
    if (key)
        broadcast_all(&addend, key);
    multiply(x, x, &fourth, key ? &addend : NULL);
}

/* sum over i of state[i] column[i * stride] */
static LANES_TARGET void dot(Lanes *out, const Lanes *state, const Fr52 *column, unsigned stride,
                             unsigned t)
{
    Columns sum;
    columns_init(&sum, NULL);
    for (unsigned i = 0; i < t; i++)
        columns_add_scaled(&sum, &state[i], &column[i * stride]);
    columns_reduce(out, &sum);
}

static LANES_TARGET void multiply_dense(Lanes *state, const Fr52 *m, unsigned t)
{
    Lanes out[POSEIDON_MAX_WIDTH];
    for (unsigned j = 0; j < t; j++)
        dot(&out[j], state, m + j, t, t);
    memcpy(state, out, t * sizeof *out);
}

/* Element 0 below 4 r: elements 1 .. t-1 grow by less than 1.12 r. */
static LANES_TARGET void multiply_sparse(Lanes *state, const Fr52 *sparse, unsigned t)
{
    Lanes head;
    dot(&head, state, sparse, 1, t);
    for (unsigned i = 1; i < t; i++)
        scale(&state[i], &state[0], &sparse[t + i - 1], &state[i]);
    state[0] = head;
}

/* From below 2.5 r (a dense product, or a product by one), twelve rounds lead to below 16 r. */
enum { ROUNDS_BETWEEN_REDUCTIONS = 12 };

static LANES_TARGET void partial_rounds(Lanes *state, const PoseidonParams52 *p, const Fr52 *keys,
                                        unsigned t)
{
    for (unsigned round = 0; round < p->partial_rounds; round++) {
        if (round % ROUNDS_BETWEEN_REDUCTIONS == ROUNDS_BETWEEN_REDUCTIONS - 1)
            for (unsigned i = 1; i < t; i++)
                scale(&state[i], &state[i], &FR52_ONE, NULL);
        quintic(&state[0], keys + round);
        multiply_sparse(state, p->sparse + round * (2 * t - 1), t);
    }
}

static LANES_TARGET void permute(Lanes *state, const PoseidonParams52 *p, unsigned t)
{
    const Fr52 *keys = p->compressed + t;
    for (int round = 0; round < 4; round++, keys += t) {
        for (unsigned i = 0; i < t; i++)
            quintic(&state[i], &keys[i]);
        multiply_dense(state, round < 3 ? p->matrix : p->pre_sparse, t);
    }
    partial_rounds(state, p, keys, t);
    keys += p->partial_rounds;
    for (int round = 0; round < 4; round++, keys += t) {
        for (unsigned i = 0; i < t; i++)
            quintic(&state[i], round < 3 ? &keys[i] : NULL);
        if (round < 3)
            multiply_dense(state, p->matrix, t);
    }
    dot(&state[1], state, p->matrix + 1, t, t);
}

/* Eight elements, stride apart, from x * 2^256 to x * 2^260, key added. */
static LANES_TARGET void load(Lanes *out, const Fr *in, size_t stride, const Fr52 *key)
{
    const __m512i mask = broadcast(((uint64_t)1 << LIMB_BITS) - 1);
    __m512i w[4];
    Lanes plain, addend;
    for (int i = 0; i < 4; i++) {
        const Fr *at = in;
        uint64_t lane[POSEIDON_LANES];
        for (int k = 0; k < POSEIDON_LANES; k++, at += stride)
            lane[k] = at->l[i];
        w[i] = _mm512_loadu_si512(lane);
    }
    plain.l[0] = _mm512_and_si512(w[0], mask);
    for (int i = 1; i < 4; i++) {
        __m512i low = _mm512_srli_epi64(w[i - 1], 64 - 12 * (unsigned)i);
        __m512i high = _mm512_slli_epi64(w[i], 12 * (unsigned)i);
        plain.l[i] = _mm512_and_si512(_mm512_or_si512(low, high), mask);
    }
    plain.l[4] = _mm512_srli_epi64(w[3], 16);
    broadcast_all(&addend, key);
    scale(out, &plain, &FR52_ENTER, &addend);
}

/* To x * 2^256, canonical. */
static LANES_TARGET void store(Fr *out, const Lanes *in)
{
    uint64_t l[LIMBS][POSEIDON_LANES];
    Lanes plain;
    scale(&plain, in, &FR52_LEAVE, NULL);
    for (int i = 0; i < LIMBS; i++)
        _mm512_storeu_si512(l[i], plain.l[i]);
    for (int k = 0; k < POSEIDON_LANES; k++) {
        const uint64_t word[4] = {l[0][k] | l[1][k] << 52, l[1][k] >> 12 | l[2][k] << 40,
                                  l[2][k] >> 24 | l[3][k] << 28, l[3][k] >> 36 | l[4][k] << 16};
        fr_reduce_once(&out[k], word);
    }
}

void LANES_TARGET poseidon_hash_8_ifma(Fr out[POSEIDON_LANES], unsigned arity, const Fr *in,
                                       const Fr *tag)
{
    const PoseidonParams52 *p = poseidon_params_52;
    Lanes state[POSEIDON_MAX_WIDTH];
    while (p->arity != arity)
        p++;
    load(&state[0], tag, 0, &p->compressed[0]);
    for (unsigned i = 0; i < arity; i++)
        load(&state[1 + i], in + i, arity, &p->compressed[1 + i]);
    permute(state, p, arity + 1);
    store(out, &state[1]);
}
#else
void poseidon_hash_8_ifma(Fr out[POSEIDON_LANES], unsigned arity, const Fr *in, const Fr *tag)
{
    for (int i = 0; i < POSEIDON_LANES; i++)
        poseidon_hash_tagged(&out[i], arity, in + (size_t)i * arity, tag);
}
#endif
