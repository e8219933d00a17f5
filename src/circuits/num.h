/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Field-element variables with their values; decomposition into bits and packing. */
#ifndef CUZK_CIRCUITS_NUM_H
#define CUZK_CIRCUITS_NUM_H

#include "circuits/word32.h"

enum { NUM_BITS = 255, PACK_BITS = 254, NODE_WORDS = 8 };

/* value: read only while writing a witness. */
typedef struct {
    Var var;
    Fr value;
} Num;

/* A new aux variable, no row. value may be NULL while recording. */
Num num_alloc(Cs *cs, const Fr *value);
/* A new input i and i * ONE = a. */
void num_inputize(Cs *cs, const Num *a);
/* a * ONE = b */
void num_enforce_equal(Cs *cs, const Num *a, const Num *b);
/* A new variable sum with (a + b) * ONE = sum. */
Num num_add(Cs *cs, const Num *a, const Num *b);

/* The 255 bits of a, not strict: bit rows, then 0 * 0 = sum of 2^i b_i - a. out: the node as
 * SHA-256 reads it, 8 big-endian words of its 32 little-endian bytes; the 256th bit is constant
 * false. */
void num_to_words(Cs *cs, Word32 out[NODE_WORDS], const Num *a);
/* The way back: a new variable x with (sum of 2^i bit_i) * ONE = x over the first 254 bits of the
 * node; the top two are dropped. */
Num num_from_words(Cs *cs, const Word32 node[NODE_WORDS]);

/* A new input x with (sum of 2^i bit_i) * ONE = x; n <= 254, value: what the bits say. */
void bits_pack_into_input(Cs *cs, const Bit *bits, size_t n);

#endif
