/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Booleans of a circuit. */
#include "circuits/boolean.h"

Bit bit_not(Bit a)
{
    a.value = !a.value;
    if (a.kind != BIT_CONSTANT)
        a.kind = a.kind == BIT_IS ? BIT_NOT : BIT_IS;
    return a;
}

void lc_put_bit(Cs *cs, Lc *lc, const Fr *coefficient, Bit bit)
{
    if (bit.kind == BIT_CONSTANT) {
        if (bit.value)
            lc_put(cs, lc, coefficient, VAR_ONE);
        return;
    }
    if (bit.kind == BIT_IS) {
        lc_put(cs, lc, coefficient, bit.var);
        return;
    }
    Fr minus;
    fr_neg(&minus, coefficient);
    lc_put(cs, lc, coefficient, VAR_ONE);
    lc_put(cs, lc, &minus, bit.var);
}

static Bit negated_if(Bit a, bool negate)
{
    return negate ? bit_not(a) : a;
}

/* The row (a, negated if not_a) * (b, negated if not_b) = c. */
static void enforce_product(Cs *cs, Var a, bool not_a, Var b, bool not_b, Var c)
{
    if (!cs_recording(cs))
        return;
    STACK_LC(left, 2);
    STACK_LC(right, 2);
    STACK_LC(product, 1);
    lc_put_bit(cs, &left, &FR_ONE, (Bit){not_a ? BIT_NOT : BIT_IS, false, a});
    lc_put_bit(cs, &right, &FR_ONE, (Bit){not_b ? BIT_NOT : BIT_IS, false, b});
    lc_put(cs, &product, &FR_ONE, c);
    cs_enforce(cs, &left, &right, &product);
}

static void enforce_boolean(Cs *cs, Var a)
{
    if (!cs_recording(cs))
        return;
    STACK_LC(left, 2);
    STACK_LC(right, 1);
    lc_put_bit(cs, &left, &FR_ONE, (Bit){BIT_NOT, false, a});
    lc_put(cs, &right, &FR_ONE, a);
    cs_enforce(cs, &left, &right, NULL);
}

Bit bit_alloc(Cs *cs, bool value)
{
    Bit a = {BIT_IS, value, cs_alloc_bit(cs, value)};
    enforce_boolean(cs, a.var);
    return a;
}

void bit_alloc_many(Cs *cs, Bit *out, const uint64_t *words, size_t n)
{
    if (cs_recording(cs)) {
        for (size_t i = 0; i < n; i++)
            out[i] = bit_alloc(cs, false);
        return;
    }
    Var first = cs_alloc_bits(cs, words, n);
    for (size_t i = 0; i < n; i++)
        out[i] = (Bit){BIT_IS, words[i / 64] >> (i % 64) & 1, first + (Var)i};
}

/* 2a * b = a + b - c */
static Bit xor_variables(Cs *cs, Bit a, Bit b)
{
    bool value = a.value ^ b.value;
    Bit c = {BIT_IS, value, cs_alloc_bit(cs, value)};
    if (!cs_recording(cs))
        return c;
    Fr two, minus;
    fr_dbl(&two, &FR_ONE);
    fr_neg(&minus, &FR_ONE);
    STACK_LC(left, 1);
    STACK_LC(right, 1);
    STACK_LC(out, 3);
    lc_put(cs, &left, &two, a.var);
    lc_put(cs, &right, &FR_ONE, b.var);
    lc_put(cs, &out, &FR_ONE, a.var);
    lc_put(cs, &out, &FR_ONE, b.var);
    lc_put(cs, &out, &minus, c.var);
    cs_enforce(cs, &left, &right, &out);
    return c;
}

Bit bit_xor(Cs *cs, Bit a, Bit b)
{
    if (a.kind == BIT_CONSTANT)
        return negated_if(b, a.value);
    if (b.kind == BIT_CONSTANT)
        return negated_if(a, b.value);
    if (a.kind == b.kind) {
        bool both_not = a.kind == BIT_NOT;
        return xor_variables(cs, negated_if(a, both_not), negated_if(b, both_not));
    }
    // the row is written for the bare variables, the plain operand first; the result negated
    if (a.kind == BIT_IS)
        return bit_not(xor_variables(cs, a, bit_not(b)));
    return bit_not(xor_variables(cs, b, bit_not(a)));
}

Bit bit_and(Cs *cs, Bit a, Bit b)
{
    if (bit_is_false(a) || bit_is_false(b))
        return bit_constant(false);
    if (a.kind == BIT_CONSTANT)
        return b;
    if (b.kind == BIT_CONSTANT)
        return a;
    if (a.kind == BIT_NOT && b.kind == BIT_IS) { // the plain operand stands in A
        Bit swap = a;
        a = b;
        b = swap;
    }
    bool value = a.value && b.value;
    Bit c = {BIT_IS, value, cs_alloc_bit(cs, value)};
    enforce_product(cs, a.var, a.kind == BIT_NOT, b.var, b.kind == BIT_NOT, c.var);
    return c;
}

Bit bit_nor(Cs *cs, Bit a, Bit b)
{
    bool value = !a.value && !b.value;
    Bit c = {BIT_IS, value, cs_alloc_bit(cs, value)};
    enforce_product(cs, a.var, true, b.var, true, c.var);
    return c;
}

/* (b - c) * a = ch - c */
static Bit ch_variables(Cs *cs, Bit a, Bit b, Bit c)
{
    bool value = a.value ? b.value : c.value;
    Bit ch = {BIT_IS, value, cs_alloc_bit(cs, value)};
    if (!cs_recording(cs))
        return ch;
    Fr minus;
    fr_neg(&minus, &FR_ONE);
    STACK_LC(left, 4);
    STACK_LC(right, 2);
    STACK_LC(out, 3);
    lc_put_bit(cs, &left, &FR_ONE, b);
    lc_put_bit(cs, &left, &minus, c);
    lc_put_bit(cs, &right, &FR_ONE, a);
    lc_put(cs, &out, &FR_ONE, ch.var);
    lc_put_bit(cs, &out, &minus, c);
    cs_enforce(cs, &left, &right, &out);
    return ch;
}

/* The order of the tests is part of the circuit. */
Bit bit_ch(Cs *cs, Bit a, Bit b, Bit c)
{
    if (a.kind == BIT_CONSTANT && b.kind == BIT_CONSTANT && c.kind == BIT_CONSTANT)
        return bit_constant(a.value ? b.value : c.value);
    if (bit_is_false(a))
        return c;
    if (bit_is_false(b))
        return bit_and(cs, bit_not(a), c);
    if (bit_is_false(c))
        return bit_and(cs, a, b);
    if (bit_is_true(c))
        return bit_not(bit_and(cs, a, bit_not(b)));
    if (bit_is_true(b))
        return bit_not(bit_and(cs, bit_not(a), bit_not(c)));
    return ch_variables(cs, a, b, c);
}

/* maj first, then bc = b and c with its row, then (2 bc - b - c) * a = bc - maj */
static Bit maj_variables(Cs *cs, Bit a, Bit b, Bit c)
{
    bool value = (a.value && b.value) || (a.value && c.value) || (b.value && c.value);
    Bit maj = {BIT_IS, value, cs_alloc_bit(cs, value)};
    Bit bc = bit_and(cs, b, c);
    if (!cs_recording(cs))
        return maj;
    Fr two, minus;
    fr_dbl(&two, &FR_ONE);
    fr_neg(&minus, &FR_ONE);
    STACK_LC(left, 6);
    STACK_LC(right, 2);
    STACK_LC(out, 3);
    lc_put_bit(cs, &left, &two, bc);
    lc_put_bit(cs, &left, &minus, b);
    lc_put_bit(cs, &left, &minus, c);
    lc_put_bit(cs, &right, &FR_ONE, a);
    lc_put_bit(cs, &out, &FR_ONE, bc);
    lc_put(cs, &out, &minus, maj.var);
    cs_enforce(cs, &left, &right, &out);
    return maj;
}

/* The order of the tests is part of the circuit. */
Bit bit_maj(Cs *cs, Bit a, Bit b, Bit c)
{
    if (a.kind == BIT_CONSTANT && b.kind == BIT_CONSTANT && c.kind == BIT_CONSTANT)
        return bit_constant((a.value && b.value) || (a.value && c.value) || (b.value && c.value));
    if (bit_is_false(a))
        return bit_and(cs, b, c);
    if (bit_is_false(b))
        return bit_and(cs, a, c);
    if (bit_is_false(c))
        return bit_and(cs, a, b);
    if (bit_is_true(c))
        return bit_not(bit_and(cs, bit_not(a), bit_not(b)));
    if (bit_is_true(b))
        return bit_not(bit_and(cs, bit_not(a), bit_not(c)));
    if (bit_is_true(a))
        return bit_not(bit_and(cs, bit_not(b), bit_not(c)));
    return maj_variables(cs, a, b, c);
}
