/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The constraint system that gadgets write to, recording rows or writing a witness. */
#ifndef CUZK_R1CS_CS_H
#define CUZK_R1CS_CS_H

#include "base/status.h"
#include "field/field.h"

/* A variable: bit 31 set: input, else aux; the rest its index in allocation order. */
typedef uint32_t Var;
#define VAR_INPUT 0x80000000u
#define VAR_ONE (VAR_INPUT | 0u)

typedef struct {
    Var var;
    Fr coefficient;
} Term;

/* A linear combination as gadgets hold it: terms in any order, repeats allowed (they are merged
 * when a row is recorded; zero coefficients vanish). Owned storage grows; lc_free releases.
 * Gadgets build LCs only while recording: in witness mode the lc_* calls on a Cs do nothing. */
typedef struct {
    Term *terms;
    uint32_t n, room;
} Lc;

typedef struct Cs Cs;

typedef enum { CS_RECORD, CS_WITNESS } CsMode;

/* The sink behind a Cs. One implementation records rows (record.c), others compare, hash or
 * export them, and the witness mode writes an Assignment and ignores rows. */
enum { CS_PATH_BYTES = 256, CS_PATH_DEPTH = 24 };
struct Cs {
    CsMode mode;
    Status status; /* first failure of the sink; checked by whoever runs the circuit */
    uint32_t next_input, next_aux;
    void *sink;
    /* Recording: note a new aux variable's kind / a row; terms are merged, sorted (inputs first,
     * then aux, by index), non-zero. */
    void (*on_aux)(Cs *cs, Var var, bool is_bit);
    void (*on_row)(Cs *cs, const Term *a, uint32_t na, const Term *b, uint32_t nb, const Term *c,
                   uint32_t nc);
    /* Witness: where the next values go (assignment.h). Nothing is written at or past an end: the
     * circuit has failed then, and status says so. */
    Fr *inputs, *inputs_end; /* next input */
    Fr *fields, *fields_end; /* next field-element aux */
    uint64_t *bits;          /* zeroed bitmap over aux, bit j%64 of word j/64 */
    uint32_t bit_base;       /* the aux that bit 0 of bits stands for */
    uint32_t aux_end;        /* the first aux that may not be allocated */
    /* Rows under construction, and room to sort them. */
    Lc scratch[3];
    uint64_t *keys; /* [2 * keys_room] */
    uint32_t keys_room;
    /* Namespace of the gadget at work, "challenge/label 3/sha256", and where its parts begin. */
    char path[CS_PATH_BYTES];
    uint16_t path_part[CS_PATH_DEPTH];
    uint16_t path_depth;
};

static inline bool cs_recording(const Cs *cs)
{
    return cs->mode == CS_RECORD;
}

/* The ways off the fast path: recording, and failure. */
Var cs_alloc_slowly(Cs *cs, bool is_bit);
Var cs_alloc_input_slowly(Cs *cs);

/* Allocation. In witness mode value is stored, in recording mode it is ignored (pass anything,
 * NULL too). A bit variable is one that is 0 or 1 in every satisfying assignment. */
static inline Var cs_alloc_bit(Cs *cs, bool value)
{
    if (cs_recording(cs) || cs->next_aux >= cs->aux_end)
        return cs_alloc_slowly(cs, true);
    uint32_t at = cs->next_aux - cs->bit_base;
    cs->bits[at / 64] |= (uint64_t)value << (at % 64);
    return cs->next_aux++;
}

static inline Var cs_alloc(Cs *cs, const Fr *value)
{
    if (cs_recording(cs) || cs->next_aux >= cs->aux_end || cs->fields == cs->fields_end)
        return cs_alloc_slowly(cs, false);
    *cs->fields++ = *value;
    return cs->next_aux++;
}

static inline Var cs_alloc_input(Cs *cs, const Fr *value)
{
    if (cs_recording(cs) || cs->inputs == cs->inputs_end)
        return cs_alloc_input_slowly(cs);
    *cs->inputs++ = *value;
    return VAR_INPUT | cs->next_input++;
}

/* n bits at once, LSB of words[0] first; returns the first; the fast witness writers' door. */
Var cs_alloc_bits(Cs *cs, const uint64_t *words, size_t n);

/* Namespaces for messages only; no effect on rows, nothing at all in witness mode. */
void cs_push(Cs *cs, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cs_pop(Cs *cs);

/* Linear combinations. */
void lc_clear(Lc *lc);
void lc_free(Lc *lc);
Status lc_add(Lc *lc, const Fr *coefficient, Var var); /* += coefficient * var */
Status lc_add_lc(Lc *lc, const Fr *coefficient, const Lc *other);
/* Sort, merge, drop zeros. */
Status lc_normalize(Lc *lc);

/* Free the scratch; cs itself is the caller's. */
void cs_free(Cs *cs);

/* One row A * B = C. NULL means the empty LC. In witness mode: nothing. */
void cs_enforce(Cs *cs, const Lc *a, const Lc *b, const Lc *c);

#endif
