/* SPDX-License-Identifier: MIT OR Apache-2.0
 * 32 Booleans as a machine word, bit by bit. */
#include "circuits/word32.h"

#include <string.h>

/* 2^254 < r < 2^255: a packed row holds fewer bits than this. */
enum { CAPACITY = 254 };

void word_set_bit(Word32 *a, unsigned i, Bit bit)
{
    uint32_t mask = (uint32_t)1 << i;
    a->value = (a->value & ~mask) | (bit.value ? mask : 0);
    a->constant = (a->constant & ~mask) | (bit.kind == BIT_CONSTANT ? mask : 0);
    a->negated = (a->negated & ~mask) | (bit.kind == BIT_NOT ? mask : 0);
    a->var[i] = bit.var;
}

void word_constant(Word32 *out, uint32_t value)
{
    *out = (Word32){.value = value, .constant = UINT32_MAX};
}

static uint32_t rotate(uint32_t a, unsigned n)
{
    return a >> n | a << (32 - n);
}

void word_rotr(Word32 *out, const Word32 *a, unsigned n)
{
    Word32 turned = {rotate(a->value, n), rotate(a->constant, n), rotate(a->negated, n), {0}};
    memcpy(turned.var, a->var + n, (32 - n) * sizeof(Var));
    memcpy(turned.var + 32 - n, a->var, n * sizeof(Var));
    *out = turned;
}

void word_shr(Word32 *out, const Word32 *a, unsigned n)
{
    Word32 moved = {a->value >> n, a->constant >> n | ~(UINT32_MAX >> n), a->negated >> n, {0}};
    memcpy(moved.var, a->var + n, (32 - n) * sizeof(Var));
    *out = moved;
}

void word_xor(Cs *cs, Word32 *out, const Word32 *a, const Word32 *b)
{
    for (unsigned i = 0; i < 32; i++)
        word_set_bit(out, i, bit_xor(cs, word_bit(a, i), word_bit(b, i)));
}

void word_ch(Cs *cs, Word32 *out, const Word32 *a, const Word32 *b, const Word32 *c)
{
    for (unsigned i = 0; i < 32; i++)
        word_set_bit(out, i, bit_ch(cs, word_bit(a, i), word_bit(b, i), word_bit(c, i)));
}

void word_maj(Cs *cs, Word32 *out, const Word32 *a, const Word32 *b, const Word32 *c)
{
    for (unsigned i = 0; i < 32; i++)
        word_set_bit(out, i, bit_maj(cs, word_bit(a, i), word_bit(b, i), word_bit(c, i)));
}

/* A left side has up to this many terms: sums of 33 bits and more, of ten words of negations. */
enum { LEFT_MAX = CAPACITY / 33 * WORD_SUM_MAX * 64, DIGIT_BITS = 11, DIGITS = 3 };

/* One pass of a radix sort; entries carry their keys in the upper half. */
static void sort_digit(uint64_t *to, const uint64_t *from, uint32_t n, unsigned shift)
{
    uint32_t start[1 << DIGIT_BITS] = {0}, mask = (1 << DIGIT_BITS) - 1, sum = 0;
    for (uint32_t i = 0; i < n; i++)
        start[from[i] >> shift & mask]++;
    for (uint32_t d = 0; d <= mask; d++) {
        uint32_t count = start[d];
        start[d] = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < n; i++)
        to[start[from[i] >> shift & mask]++] = from[i];
}

/* Rows want their terms in order, and these are by far the longest: thousands of terms from a
 * dozen words. ONE comes first. */
static void sort_by_variable(Cs *cs, Lc *lc)
{
    uint64_t keys[2][LEFT_MAX];
    Lc sorted = {0};
    if (lc->n > LEFT_MAX)
        return;
    for (uint32_t i = 0; i < lc->n; i++)
        keys[0][i] = (uint64_t)(lc->terms[i].var ^ VAR_INPUT) << 32 | i;
    for (unsigned d = 0; d < DIGITS; d++)
        sort_digit(keys[(d + 1) % 2], keys[d % 2], lc->n, 32 + d * DIGIT_BITS);
    for (uint32_t i = 0; i < lc->n; i++) {
        const Term *term = &lc->terms[(uint32_t)keys[DIGITS % 2][i]];
        lc_put(cs, &sorted, &term->coefficient, term->var);
    }
    lc_free(lc);
    *lc = sorted;
}

static void flush(Cs *cs, MultiEq *eq)
{
    sort_by_variable(cs, &eq->left);
    STACK_LC(one, 1);
    lc_put(cs, &one, &FR_ONE, VAR_ONE);
    cs_enforce(cs, &eq->left, &one, &eq->right);
    lc_clear(&eq->left);
    lc_clear(&eq->right);
    eq->bits_used = 0;
}

void multieq_finish(Cs *cs, MultiEq *eq)
{
    if (eq->bits_used > 0)
        flush(cs, eq);
    lc_free(&eq->left);
    lc_free(&eq->right);
}

static void enforce_sum(Cs *cs, MultiEq *eq, const Word32 *terms, unsigned n, Var first,
                        unsigned bits)
{
    if (eq->bits_used + bits >= CAPACITY)
        flush(cs, eq);
    Fr weight;
    fr_from_u64(&weight, 1);
    for (unsigned i = 0; i < eq->bits_used; i++)
        fr_dbl(&weight, &weight);
    for (unsigned i = 0; i < bits; i++) {
        for (unsigned k = 0; k < n && i < 32; k++)
            lc_put_bit(cs, &eq->left, &weight, word_bit(&terms[k], i));
        lc_put(cs, &eq->right, &weight, first + i);
        fr_dbl(&weight, &weight);
    }
    eq->bits_used += bits;
}

void word_sum(Cs *cs, MultiEq *eq, Word32 *out, const Word32 *terms, unsigned n)
{
    uint64_t sum = 0;
    uint32_t constant = UINT32_MAX;
    for (unsigned k = 0; k < n; k++) {
        sum += terms[k].value;
        constant &= terms[k].constant;
    }
    if (constant == UINT32_MAX) {
        word_constant(out, (uint32_t)sum);
        return;
    }
    unsigned n_bits = word_sum_bits(n);
    Bit bits[36];
    bit_alloc_many(cs, bits, &sum, n_bits);
    if (cs_recording(cs))
        enforce_sum(cs, eq, terms, n, bits[0].var, n_bits);
    *out = (Word32){0};
    for (unsigned i = 0; i < 32; i++)
        word_set_bit(out, i, bits[i]);
}
