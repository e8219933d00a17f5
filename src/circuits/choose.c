/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Choosing between variables by bits. The order of the picks is part of the circuits. */
#include "circuits/choose.h"

Num num_pick(Cs *cs, Bit condition, const Num *a, const Num *b)
{
    Num c = num_alloc(cs, condition.value ? &a->value : &b->value);
    if (!cs_recording(cs))
        return c;
    Fr minus;
    fr_neg(&minus, &FR_ONE);
    STACK_LC(left, 2);
    STACK_LC(right, 2);
    STACK_LC(out, 2);
    lc_put(cs, &left, &FR_ONE, b->var);
    lc_put(cs, &left, &minus, a->var);
    lc_put_bit(cs, &right, &FR_ONE, condition);
    lc_put(cs, &out, &FR_ONE, b->var);
    lc_put(cs, &out, &minus, c.var);
    cs_enforce(cs, &left, &right, &out);
    return c;
}

Num num_select(Cs *cs, const Num *elements, const Bit *bits, unsigned n_bits)
{
    Num state[1 << SELECT_BITS_MAX];
    for (size_t j = 0; j < (size_t)1 << n_bits; j++)
        state[j] = elements[j];
    for (unsigned level = n_bits; level-- > 0;) {
        size_t half = (size_t)1 << level;
        for (size_t j = 0; j < half; j++)
            state[j] = num_pick(cs, bits[level], &state[half + j], &state[j]);
    }
    return state[0];
}

static void insert2(Cs *cs, Num out[2], const Num *a, const Bit *bits, const Num *b)
{
    out[0] = num_pick(cs, bits[0], b, a);
    out[1] = num_pick(cs, bits[0], a, b);
}

static void insert4(Cs *cs, Num out[4], const Num *a, const Bit *bits, const Num others[3])
{
    const Num *b = &others[0], *c = &others[1], *d = &others[2];
    Num t = num_pick(cs, bits[0], b, a);
    out[0] = num_pick(cs, bits[1], b, &t);
    t = num_pick(cs, bits[0], a, b);
    out[1] = num_pick(cs, bits[1], c, &t);
    t = num_pick(cs, bits[0], d, a);
    out[2] = num_pick(cs, bits[1], &t, c);
    t = num_pick(cs, bits[0], a, d);
    out[3] = num_pick(cs, bits[1], &t, d);
}

static void insert8(Cs *cs, Num out[8], const Num *a, const Bit *bits, const Num others[7])
{
    const Num *b = &others[0], *c = &others[1], *d = &others[2], *e = &others[3], *f = &others[4],
              *g = &others[5], *h = &others[6];
    Bit none = bit_nor(cs, bits[0], bits[1]);
    Bit both = bit_and(cs, bits[0], bits[1]);
    Num t = num_pick(cs, none, a, b);
    out[0] = num_pick(cs, bits[2], b, &t);
    t = num_pick(cs, bits[0], a, b);
    t = num_pick(cs, bits[1], c, &t);
    out[1] = num_pick(cs, bits[2], c, &t);
    t = num_pick(cs, bits[0], d, a);
    t = num_pick(cs, bits[1], &t, c);
    out[2] = num_pick(cs, bits[2], d, &t);
    t = num_pick(cs, both, a, d);
    out[3] = num_pick(cs, bits[2], e, &t);
    t = num_pick(cs, none, a, f);
    out[4] = num_pick(cs, bits[2], &t, e);
    t = num_pick(cs, bits[0], a, f);
    t = num_pick(cs, bits[1], g, &t);
    out[5] = num_pick(cs, bits[2], &t, f);
    t = num_pick(cs, bits[0], h, a);
    t = num_pick(cs, bits[1], &t, g);
    out[6] = num_pick(cs, bits[2], &t, g);
    t = num_pick(cs, both, a, h);
    out[7] = num_pick(cs, bits[2], &t, h);
}

void num_insert(Cs *cs, Num *out, const Num *element, const Bit *bits, unsigned n_bits,
                const Num *others)
{
    ENTER(cs, "insert");
    if (n_bits == 1)
        insert2(cs, out, element, bits, others);
    else if (n_bits == 2)
        insert4(cs, out, element, bits, others);
    else
        insert8(cs, out, element, bits, others);
    LEAVE(cs);
}
