/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The witness of SHA-256 a word at a time: what the bitwise gadget allocates, 32 bits a step.
 *
 * A word is its value and two masks, constant and negated; each operation finds by masks which
 * bit positions get a variable (constants fold away as in boolean.c), and what the variable
 * holds: the value of the Booleans, without the negation of a Not. Bits are gathered in a buffer
 * and handed over once a block. */
#include "circuits/sha256_circuit.h"
#include "hash/sha256.h"

typedef struct {
    uint32_t v, k, n; /* value, constant, negated */
} Masked;

/* 64 rounds of two sums, five 32-bit steps and a 64-bit one, 48 schedule words, 8 results. */
enum { BLOCK_BITS_MAX = 64 * (36 + 36 + 7 * 32) + 48 * (4 * 32 + 34) + 8 * 36 };

typedef struct {
    uint64_t word;
    unsigned fill;
    size_t n;
    uint64_t words[BLOCK_BITS_MAX / 64 + 2];
} BitSink;

/* n low bits of bits, 1 <= n <= 64; the rest of bits is zero. */
static inline void sink_put(BitSink *sink, uint64_t bits, unsigned n)
{
    sink->word |= bits << sink->fill;
    unsigned fill = sink->fill + n;
    if (fill >= 64) {
        sink->words[sink->n++] = sink->word;
        fill -= 64;
        // the bits that did not fit; none of n when the word was filled exactly
        sink->word = fill ? bits >> (n - fill) : 0;
    }
    sink->fill = fill;
}

/* The bits of bits at mask, packed to the low end. */
static void sink_put_masked(BitSink *sink, uint64_t bits, uint64_t mask)
{
    if (mask == 0)
        return;
    unsigned n = (unsigned)__builtin_popcountll(mask);
    if ((mask & (mask + 1)) == 0) { // a run from bit 0, as after a shift
        sink_put(sink, bits & mask, n);
        return;
    }
    uint64_t packed = 0;
    for (unsigned i = 0; i < n; i++) {
        packed |= (bits >> __builtin_ctzll(mask) & 1) << i;
        mask &= mask - 1;
    }
    sink_put(sink, packed, n);
}

static void sink_finish(BitSink *sink, Cs *cs)
{
    size_t n_bits = sink->n * 64 + sink->fill;
    sink->words[sink->n] = sink->word;
    if (n_bits > 0)
        cs_alloc_bits(cs, sink->words, n_bits);
}

static inline uint32_t rotate(uint32_t a, unsigned n)
{
    return a >> n | a << (32 - n);
}

static inline Masked rotr(Masked a, unsigned n)
{
    return (Masked){rotate(a.v, n), rotate(a.k, n), rotate(a.n, n)};
}

static inline Masked shr(Masked a, unsigned n)
{
    return (Masked){a.v >> n, a.k >> n | ~(UINT32_MAX >> n), a.n >> n};
}

static inline Masked masked_not(Masked a)
{
    return (Masked){~a.v, a.k, ~a.n & ~a.k};
}

static inline Masked masked_xor(BitSink *sink, Masked a, Masked b)
{
    Masked out = {.v = a.v ^ b.v};
    if ((a.k | b.k | a.n | b.n) == 0) {
        sink_put(sink, out.v, 32);
        return out;
    }
    // true ^ x is not x; Not ^ Is is Not; Not ^ Not is Is
    out.k = a.k & b.k;
    out.n = (a.n ^ b.n ^ (a.k & a.v) ^ (b.k & b.v)) & ~out.k;
    sink_put_masked(sink, (a.v ^ a.n) ^ (b.v ^ b.n), ~(a.k | b.k));
    return out;
}

/* The result of an AND at the positions in at, merged into out; what it allocates is put into
 * *allocated and its value into *bits. */
static void and_at(Masked *out, uint32_t *allocated, uint32_t *bits, uint32_t at, Masked a,
                   Masked b, bool negate)
{
    Masked r = {.v = a.v & b.v};
    uint32_t variables = ~(a.k | b.k);
    *allocated |= variables & at;
    *bits |= r.v & variables & at;
    r.k = (a.k & b.k) | (a.k & ~a.v) | (b.k & ~b.v);
    r.n = ((a.n & b.k & b.v) | (b.n & a.k & a.v)) & ~r.k;
    if (negate)
        r = masked_not(r);
    out->v = (out->v & ~at) | (r.v & at);
    out->k = (out->k & ~at) | (r.k & at);
    out->n = (out->n & ~at) | (r.n & at);
}

static void copy_at(Masked *out, uint32_t at, Masked a)
{
    out->v = (out->v & ~at) | (a.v & at);
    out->k = (out->k & ~at) | (a.k & at);
    out->n = (out->n & ~at) | (a.n & at);
}

/* Take from *left the positions that satisfy the test. */
static inline uint32_t take(uint32_t *left, uint32_t test)
{
    uint32_t taken = *left & test;
    *left &= ~test;
    return taken;
}

static Masked ch_mixed(BitSink *sink, Masked a, Masked b, Masked c)
{
    Masked out = {.v = (a.v & b.v) | (~a.v & c.v)};
    uint32_t left = UINT32_MAX, allocated = 0, bits = 0;
    out.k = take(&left, a.k & b.k & c.k);
    copy_at(&out, take(&left, a.k & ~a.v), c);
    and_at(&out, &allocated, &bits, take(&left, b.k & ~b.v), masked_not(a), c, false);
    and_at(&out, &allocated, &bits, take(&left, c.k & ~c.v), a, b, false);
    and_at(&out, &allocated, &bits, take(&left, c.k & c.v), a, masked_not(b), true);
    and_at(&out, &allocated, &bits, take(&left, b.k & b.v), masked_not(a), masked_not(c), true);
    sink_put_masked(sink, bits | (out.v & left), allocated | left);
    return out;
}

static inline Masked ch(BitSink *sink, Masked a, Masked b, Masked c)
{
    if ((a.k | b.k | c.k) != 0)
        return ch_mixed(sink, a, b, c);
    Masked out = {.v = (a.v & b.v) | (~a.v & c.v)};
    sink_put(sink, out.v, 32);
    return out;
}

/* Bit i of a to bit 2i. */
static inline uint64_t spread(uint32_t a)
{
    uint64_t x = a;
    x = (x | x << 16) & 0x0000ffff0000ffff;
    x = (x | x << 8) & 0x00ff00ff00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
    x = (x | x << 2) & 0x3333333333333333;
    return (x | x << 1) & 0x5555555555555555;
}

static Masked maj_mixed(BitSink *sink, Masked a, Masked b, Masked c)
{
    Masked out = {.v = (a.v & b.v) | (a.v & c.v) | (b.v & c.v)};
    uint32_t left = UINT32_MAX, allocated = 0, bits = 0;
    out.k = take(&left, a.k & b.k & c.k);
    and_at(&out, &allocated, &bits, take(&left, a.k & ~a.v), b, c, false);
    and_at(&out, &allocated, &bits, take(&left, b.k & ~b.v), a, c, false);
    and_at(&out, &allocated, &bits, take(&left, c.k & ~c.v), a, b, false);
    and_at(&out, &allocated, &bits, take(&left, c.k & c.v), masked_not(a), masked_not(b), true);
    and_at(&out, &allocated, &bits, take(&left, b.k & b.v), masked_not(a), masked_not(c), true);
    and_at(&out, &allocated, &bits, take(&left, a.k & a.v), masked_not(b), masked_not(c), true);
    sink_put_masked(sink, spread(bits | (out.v & left)) | spread(b.v & c.v & left) << 1,
                    spread(allocated | left) | spread(left) << 1);
    return out;
}

static inline Masked maj(BitSink *sink, Masked a, Masked b, Masked c)
{
    if ((a.k | b.k | c.k) != 0)
        return maj_mixed(sink, a, b, c);
    Masked out = {.v = (a.v & b.v) | (a.v & c.v) | (b.v & c.v)};
    sink_put(sink, spread(out.v) | spread(b.v & c.v) << 1, 64);
    return out;
}

static inline Masked sum(BitSink *sink, const Masked *terms, unsigned n)
{
    uint64_t total = 0;
    uint32_t constant = UINT32_MAX;
    for (unsigned i = 0; i < n; i++) {
        total += terms[i].v;
        constant &= terms[i].k;
    }
    if (constant == UINT32_MAX)
        return (Masked){.v = (uint32_t)total, .k = UINT32_MAX};
    sink_put(sink, total, word_sum_bits(n));
    return (Masked){.v = (uint32_t)total};
}

static inline Masked schedule(BitSink *sink, const Masked *w)
{
    Masked s0 = masked_xor(sink, rotr(w[-15], 7), rotr(w[-15], 18));
    s0 = masked_xor(sink, s0, shr(w[-15], 3));
    Masked s1 = masked_xor(sink, rotr(w[-2], 17), rotr(w[-2], 19));
    s1 = masked_xor(sink, s1, shr(w[-2], 10));
    return sum(sink, (const Masked[]){w[-16], s0, w[-7], s1}, 4);
}

/* Terms of the next a and e, as in sha256_circuit.c: [h, s1, ch, k, w, s0, maj], [.. w, d] */
typedef struct {
    Masked s[8], a_terms[8], e_terms[7];
    bool first;
} Rounds;

static inline void round_step(BitSink *sink, Rounds *r, uint32_t k, Masked w)
{
    Masked *s = r->s;
    Masked e = r->first ? s[4] : sum(sink, r->e_terms, 6);
    Masked s1 = masked_xor(sink, rotr(e, 6), rotr(e, 11));
    s1 = masked_xor(sink, s1, rotr(e, 25));
    Masked choice = ch(sink, e, s[5], s[6]);
    Masked a = r->first ? s[0] : sum(sink, r->a_terms, 7);
    Masked s0 = masked_xor(sink, rotr(a, 2), rotr(a, 13));
    s0 = masked_xor(sink, s0, rotr(a, 22));
    Masked majority = maj(sink, a, s[1], s[2]);
    Masked constant = {.v = k, .k = UINT32_MAX};
    Masked temp1[5] = {s[7], s1, choice, constant, w};
    for (unsigned t = 0; t < 5; t++)
        r->a_terms[t] = r->e_terms[t] = temp1[t];
    r->a_terms[5] = s0;
    r->a_terms[6] = majority;
    r->e_terms[5] = s[3];
    r->first = false;
    s[7] = s[6], s[6] = s[5], s[5] = e;
    s[3] = s[2], s[2] = s[1], s[1] = a;
}

static Masked masked(const Word32 *a)
{
    return (Masked){a->value, a->constant, a->negated};
}

/* Variable numbers are not read while writing a witness, so they are not set. */
static void unmask(Word32 *out, Masked a)
{
    out->value = a.v;
    out->constant = a.k;
    out->negated = a.n;
}

void sha256_compress_witness(Cs *cs, Word32 state[8], const Word32 block[16])
{
    BitSink sink;
    sink.word = sink.fill = 0;
    sink.n = 0;
    Masked w[64];
    for (unsigned i = 0; i < 16; i++)
        w[i] = masked(&block[i]);
    for (unsigned i = 16; i < 64; i++)
        w[i] = schedule(&sink, &w[i]);
    Rounds r = {.first = true};
    for (unsigned i = 0; i < 8; i++)
        r.s[i] = masked(&state[i]);
    for (unsigned i = 0; i < 64; i++)
        round_step(&sink, &r, sha256_constants[i], w[i]);
    r.a_terms[7] = masked(&state[0]);
    r.e_terms[6] = masked(&state[4]);
    for (unsigned i = 0; i < 8; i++) {
        Masked out;
        if (i == 0)
            out = sum(&sink, r.a_terms, 8);
        else if (i == 4)
            out = sum(&sink, r.e_terms, 7);
        else
            out = sum(&sink, (const Masked[]){masked(&state[i]), r.s[i]}, 2);
        unmask(&state[i], out);
    }
    sink_finish(&sink, cs);
}
