/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Field-element variables with their values. */
#include "circuits/num.h"

#include <string.h>

Num num_alloc(Cs *cs, const Fr *value)
{
    Num a = {cs_alloc(cs, value), FR_ZERO};
    if (!cs_recording(cs))
        a.value = *value;
    return a;
}

static void enforce_equal(Cs *cs, Var a, Var b)
{
    if (!cs_recording(cs))
        return;
    STACK_LC(left, 1);
    STACK_LC(one, 1);
    STACK_LC(right, 1);
    lc_put(cs, &left, &FR_ONE, a);
    lc_put(cs, &one, &FR_ONE, VAR_ONE);
    lc_put(cs, &right, &FR_ONE, b);
    cs_enforce(cs, &left, &one, &right);
}

void num_inputize(Cs *cs, const Num *a)
{
    enforce_equal(cs, cs_alloc_input(cs, &a->value), a->var);
}

void num_enforce_equal(Cs *cs, const Num *a, const Num *b)
{
    enforce_equal(cs, a->var, b->var);
}

Num num_add(Cs *cs, const Num *a, const Num *b)
{
    Fr value;
    fr_add(&value, &a->value, &b->value);
    Num sum = num_alloc(cs, &value);
    if (!cs_recording(cs))
        return sum;
    STACK_LC(left, 2);
    STACK_LC(one, 1);
    STACK_LC(right, 1);
    lc_put(cs, &left, &FR_ONE, a->var);
    lc_put(cs, &left, &FR_ONE, b->var);
    lc_put(cs, &one, &FR_ONE, VAR_ONE);
    lc_put(cs, &right, &FR_ONE, sum.var);
    cs_enforce(cs, &left, &one, &right);
    return sum;
}

/* Bit i of the little-endian number stands in byte i / 8 of the node, so in word i / 32, whose
 * first byte is the most significant. */
static unsigned word_position(unsigned i)
{
    return 24 - i % 32 / 8 * 8 + i % 8;
}

static void enforce_bits(Cs *cs, const Bit bits[NUM_BITS], Var a)
{
    STACK_LC(sum, NUM_BITS + 1);
    Fr weight = FR_ONE, minus;
    for (unsigned i = 0; i < NUM_BITS; i++) {
        lc_put(cs, &sum, &weight, bits[i].var);
        fr_dbl(&weight, &weight);
    }
    fr_neg(&minus, &FR_ONE);
    lc_put(cs, &sum, &minus, a);
    cs_enforce(cs, NULL, NULL, &sum);
}

static void words_record(Cs *cs, Word32 out[NODE_WORDS], Var a)
{
    Bit bits[NUM_BITS];
    bit_alloc_many(cs, bits, NULL, NUM_BITS);
    enforce_bits(cs, bits, a);
    for (unsigned i = 0; i < NUM_BITS; i++)
        word_set_bit(&out[i / 32], word_position(i), bits[i]);
    word_set_bit(&out[NODE_WORDS - 1], word_position(NUM_BITS), bit_constant(false));
}

static void words_write(Cs *cs, Word32 out[NODE_WORDS], const Fr *value)
{
    FrCanon canon;
    fr_to_canon(&canon, value);
    cs_alloc_bits(cs, canon.l, NUM_BITS);
    for (unsigned i = 0; i < NODE_WORDS; i++) {
        out[i].value = __builtin_bswap32((uint32_t)(canon.l[i / 2] >> (i % 2 * 32)));
        out[i].constant = out[i].negated = 0;
    }
    out[NODE_WORDS - 1].constant = (uint32_t)1 << word_position(NUM_BITS);
}

void num_to_words(Cs *cs, Word32 out[NODE_WORDS], const Num *a)
{
    if (cs_recording(cs))
        words_record(cs, out, a->var);
    else
        words_write(cs, out, &a->value);
}

/* (sum of 2^i bit_i) * ONE = x */
static void enforce_packed(Cs *cs, const Bit *bits, size_t n, Var x)
{
    STACK_LC(sum, 2 * PACK_BITS);
    STACK_LC(one, 1);
    STACK_LC(right, 1);
    Fr weight = FR_ONE;
    for (size_t i = 0; i < n; i++) {
        lc_put_bit(cs, &sum, &weight, bits[i]);
        fr_dbl(&weight, &weight);
    }
    lc_put(cs, &one, &FR_ONE, VAR_ONE);
    lc_put(cs, &right, &FR_ONE, x);
    cs_enforce(cs, &sum, &one, &right);
}

Num num_from_words(Cs *cs, const Word32 node[NODE_WORDS])
{
    if (cs_recording(cs)) {
        Num x = num_alloc(cs, NULL);
        Bit bits[PACK_BITS];
        for (unsigned i = 0; i < PACK_BITS; i++)
            bits[i] = word_bit(&node[i / 32], word_position(i));
        enforce_packed(cs, bits, PACK_BITS, x.var);
        return x;
    }
    FrCanon canon = {0};
    for (unsigned i = 0; i < NODE_WORDS; i++)
        canon.l[i / 2] |= (uint64_t)__builtin_bswap32(node[i].value) << (i % 2 * 32);
    canon.l[3] &= UINT64_MAX >> (256 - PACK_BITS); // below 2^254, so below r
    Fr value;
    fr_from_canon(&value, &canon);
    return num_alloc(cs, &value);
}

void bits_pack_into_input(Cs *cs, const Bit *bits, size_t n)
{
    if (cs_recording(cs)) {
        enforce_packed(cs, bits, n, cs_alloc_input(cs, NULL));
        return;
    }
    FrCanon canon = {0};
    for (size_t i = 0; i < n; i++)
        canon.l[i / 64] |= (uint64_t)bits[i].value << (i % 64);
    Fr value;
    fr_from_canon(&value, &canon);
    cs_alloc_input(cs, &value);
}
