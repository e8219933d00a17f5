/* SPDX-License-Identifier: MIT OR Apache-2.0
 * 32 Booleans as a machine word, sums of words, and the row that checks many sums at once. */
#ifndef CUZK_CIRCUITS_WORD32_H
#define CUZK_CIRCUITS_WORD32_H

#include "circuits/boolean.h"

/* Bit i of the masks describes bit i of the word (weight 2^i): constant, or negated variable, or
 * plain variable. A constant bit is not negated. value: what the Booleans say. */
typedef struct {
    uint32_t value, constant, negated;
    Var var[32];
} Word32;

static inline Bit word_bit(const Word32 *a, unsigned i)
{
    bool value = a->value >> i & 1;
    if (a->constant >> i & 1)
        return bit_constant(value);
    return (Bit){a->negated >> i & 1 ? BIT_NOT : BIT_IS, value, a->var[i]};
}

void word_set_bit(Word32 *a, unsigned i, Bit bit);
void word_constant(Word32 *out, uint32_t value);

/* Moves of bits, no rows; out may be a. shr fills with false. 0 < n < 32. */
void word_rotr(Word32 *out, const Word32 *a, unsigned n);
void word_shr(Word32 *out, const Word32 *a, unsigned n);

/* Bit by bit, bit 0 first; out may alias operands. */
void word_xor(Cs *cs, Word32 *out, const Word32 *a, const Word32 *b);
void word_ch(Cs *cs, Word32 *out, const Word32 *a, const Word32 *b, const Word32 *c);
void word_maj(Cs *cs, Word32 *out, const Word32 *a, const Word32 *b, const Word32 *c);

/* Equalities of sums packed side by side into one row while they fit below the field's capacity.
 * Start with zeros, end with multieq_finish. Nothing is kept while writing a witness. */
typedef struct {
    unsigned bits_used;
    Lc left, right;
} MultiEq;

/* The row that is still open, if any; releases what eq holds. */
void multieq_finish(Cs *cs, MultiEq *eq);

enum { WORD_SUM_MAX = 10 };

/* Bits of the sum of n words: of n * (2^32 - 1). */
static inline unsigned word_sum_bits(unsigned n)
{
    return 64 - (unsigned)__builtin_clzll(n * (uint64_t)UINT32_MAX);
}

/* out = low 32 bits of the sum of n words, 2 .. 10. Constants only: a constant. Else the bits of
 * the whole sum are allocated and the equality goes to eq. */
void word_sum(Cs *cs, MultiEq *eq, Word32 *out, const Word32 *terms, unsigned n);

#endif
