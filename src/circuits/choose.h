/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Choosing between variables by bits: pick, select, insert. */
#ifndef CUZK_CIRCUITS_CHOOSE_H
#define CUZK_CIRCUITS_CHOOSE_H

#include "circuits/num.h"

/* A new variable c = condition ? a : b with (b - a) * condition = b - c. */
Num num_pick(Cs *cs, Bit condition, const Num *a, const Num *b);

enum { SELECT_BITS_MAX = 8 };

/* elements[index] by n_bits index bits, LSB first; 2^n_bits - 1 rows. */
Num num_select(Cs *cs, const Num *elements, const Bit *bits, unsigned n_bits);

/* out[0 .. 2^n_bits): element at the position the bits say (LSB first), the others around it in
 * order. n_bits 1, 2 or 3; bits are plain bit variables. 2, 8, 22 rows. */
void num_insert(Cs *cs, Num *out, const Num *element, const Bit *bits, unsigned n_bits,
                const Num *others);

#endif
