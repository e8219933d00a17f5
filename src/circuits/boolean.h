/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Booleans of a circuit: a bit variable, its negation, or a constant; with the value it has. */
#ifndef CUZK_CIRCUITS_BOOLEAN_H
#define CUZK_CIRCUITS_BOOLEAN_H

#include "r1cs/cs.h"

/* Gadgets are void: a failure of the sink or of memory stays in cs->status, and whoever runs the
 * circuit looks there once. They run in both modes: recording, values are ignored (only those of
 * constants count); writing a witness, variable numbers are not read and no row is built. */

/* Name the gadget at work, recording only: names cost a format each. */
#define ENTER(cs, ...)                                                                             \
    do {                                                                                           \
        if (cs_recording(cs))                                                                      \
            cs_push(cs, __VA_ARGS__);                                                              \
    } while (0)
#define LEAVE(cs)                                                                                  \
    do {                                                                                           \
        if (cs_recording(cs))                                                                      \
            cs_pop(cs);                                                                            \
    } while (0)

/* A row's LC on the stack; room must bound what is put into it. */
#define STACK_LC(name, room_)                                                                      \
    Term name##_terms[room_];                                                                      \
    Lc name = {name##_terms, 0, room_}

/* lc += coefficient * var; memory failures go to cs->status. */
static inline void lc_put(Cs *cs, Lc *lc, const Fr *coefficient, Var var)
{
    if (lc->n < lc->room) {
        lc->terms[lc->n++] = (Term){var, *coefficient};
        return;
    }
    Status status = lc_add(lc, coefficient, var);
    if (cs->status == OK)
        cs->status = status;
}

typedef enum { BIT_CONSTANT, BIT_IS, BIT_NOT } BitKind;

/* value: of the Boolean itself, so of BIT_NOT the negation of its variable's. */
typedef struct {
    BitKind kind;
    bool value;
    Var var; /* not read for BIT_CONSTANT */
} Bit;

static inline Bit bit_constant(bool value)
{
    return (Bit){BIT_CONSTANT, value, 0};
}

static inline bool bit_is_false(Bit a)
{
    return a.kind == BIT_CONSTANT && !a.value;
}

static inline bool bit_is_true(Bit a)
{
    return a.kind == BIT_CONSTANT && a.value;
}

Bit bit_not(Bit a);

/* A new bit variable and its row (ONE - a) * a = 0. */
Bit bit_alloc(Cs *cs, bool value);
/* n of them, LSB of words[0] first; the rows follow one another. Writing a witness this is the
 * only cost of the bits. words may be NULL while recording. */
void bit_alloc_many(Cs *cs, Bit *out, const uint64_t *words, size_t n);

/* One row and one variable unless a constant folds them away. Which operand stands in A decides
 * densities: the first one, or of a mixed pair the one that is not negated. */
Bit bit_xor(Cs *cs, Bit a, Bit b);
Bit bit_and(Cs *cs, Bit a, Bit b);
/* Of two bit variables: (ONE - a) * (ONE - b) = c. */
Bit bit_nor(Cs *cs, Bit a, Bit b);

/* SHA-256's choice (a and b) xor (not a and c), and majority. */
Bit bit_ch(Cs *cs, Bit a, Bit b, Bit c);
Bit bit_maj(Cs *cs, Bit a, Bit b, Bit c);

/* lc += coefficient * bit; up to two terms. */
void lc_put_bit(Cs *cs, Lc *lc, const Fr *coefficient, Bit bit);

#endif
