/* SPDX-License-Identifier: MIT OR Apache-2.0
 * A random circuit with a preamble, blocks and slots, and a satisfying witness, for tests. */
#ifndef CUZK_TESTS_BLOCK_CIRCUIT_H
#define CUZK_TESTS_BLOCK_CIRCUIT_H

#include "r1cs/r1cs.h"

#include <string.h>

/* What is wrong with block fault_block in recording mode (or, WITNESS_*, when values are written).
 */
typedef enum {
    FAULT_NONE,
    FAULT_COEFFICIENT,
    FAULT_EXTRA_TERM,
    FAULT_EXTRA_ROW,
    FAULT_EXTRA_AUX,
    FAULT_EXTRA_INPUT,
    FAULT_MISSING_ROW,
    FAULT_KIND,
    FAULT_OWN_VARIABLE, /* another variable of its own */
    FAULT_OTHER_BLOCK,  /* a variable of the block before */
    FAULT_SLOT_KIND,    /* a bit where the others have a field element */
    FAULTS,
    WITNESS_EXTRA_BIT = FAULTS,
    WITNESS_EXTRA_BITS,
    WITNESS_EXTRA_FIELD,
    WITNESS_EXTRA_INPUT,
    WITNESS_MISSING_BIT,
    WITNESS_FAULTS,
} BlockFault;

enum { BLOCK_VARS = 4096, BLOCK_TERMS = 48 };

typedef struct {
    uint64_t seed; /* decides the structure */
    size_t preamble_steps, block_steps, n_blocks;
    bool slots;
    BlockFault fault;
    size_t fault_block;
} BlockParams;

typedef struct {
    uint64_t seed;
    size_t spoil; /* the value allocated at this step of the last block is one too large; 0: none */
} BlockWitness;

typedef struct {
    Var var;
    Fr value;
    bool is_bit;
} Known;

typedef struct {
    Known known[BLOCK_VARS];
    size_t n;
} BlockShared;

static inline uint64_t block_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

typedef struct {
    Cs *cs;
    uint64_t structure, values;
    const BlockShared *shared; /* of the blocks; the preamble: NULL */
    Known *known;
    size_t n, k;
    BlockFault fault;
    bool slots, spoil;
} Builder;

/* 0, 1, -1, powers of two, and larger ones. */
static inline Fr block_coefficient(uint64_t which)
{
    Fr c;
    uint64_t wide[8];
    fr_from_u64(&c, 1);
    if (which % 8 == 0)
        for (uint64_t i = which / 8 % 254; i; i--)
            fr_dbl(&c, &c);
    else if (which % 8 == 1)
        fr_neg(&c, &c);
    else if (which % 8 < 4)
        fr_from_u64(&c, which / 8 % 5);
    else if (which % 8 < 6) {
        for (int i = 0; i < 8; i++)
            wide[i] = block_random(&which);
        fr_from_wide_le(&c, (const uint8_t *)wide);
    }
    return c;
}

static inline void builder_add(Builder *b, Lc *lc, Fr *sum, const Known *known, const Fr *c)
{
    Fr term;
    fr_mul(&term, c, &known->value);
    fr_add(sum, sum, &term);
    if (cs_recording(b->cs) && lc_add(lc, c, known->var) != OK)
        abort();
}

static inline const Known *builder_pick(Builder *b)
{
    static const Known one = {VAR_ONE, {{0}}, false};
    static _Thread_local Known one_value;
    size_t shared = b->shared ? b->shared->n : 0;
    size_t at = block_random(&b->structure) % (b->n + shared + 1);
    if (at == 0) {
        one_value = one;
        one_value.value = FR_ONE;
        return &one_value;
    }
    return at <= b->n ? &b->known[at - 1] : &b->shared->known[at - 1 - b->n];
}

/* Few terms mostly, sometimes many; repeats, and pairs that cancel. */
static inline Fr builder_lc(Builder *b, Lc *lc)
{
    Fr sum = FR_ZERO;
    uint64_t kind = block_random(&b->structure);
    size_t n = kind % 16 == 0 ? kind / 16 % BLOCK_TERMS : kind / 16 % 4;
    lc_clear(lc);
    for (size_t i = 0; i < n; i++) {
        const Known *known = builder_pick(b);
        Fr c = block_coefficient(block_random(&b->structure) % 256);
        builder_add(b, lc, &sum, known, &c);
        if (block_random(&b->structure) % 16 == 0) {
            fr_neg(&c, &c);
            builder_add(b, lc, &sum, known, &c);
        }
    }
    return sum;
}

static inline void builder_keep(Builder *b, Var var, const Fr *value, bool is_bit)
{
    b->known[b->n++] = (Known){var, *value, is_bit};
    if (b->n + 128 >= BLOCK_VARS)
        abort();
}

static inline void builder_field(Builder *b, Fr *value)
{
    if (b->spoil)
        fr_add(value, value, &FR_ONE);
    builder_keep(b, cs_alloc(b->cs, value), value, false);
}

static inline void step_bit(Builder *b, Lc lc[3])
{
    bool bit = block_random(&b->values) & 1;
    Fr value = bit ? FR_ONE : FR_ZERO, minus, sum = FR_ZERO;
    fr_neg(&minus, &FR_ONE);
    builder_keep(b, cs_alloc_bit(b->cs, bit), &value, true);
    Known one = {VAR_ONE, FR_ONE, false};
    builder_add(b, &lc[0], &sum, &b->known[b->n - 1], &minus);
    builder_add(b, &lc[0], &sum, &one, &FR_ONE);
    builder_add(b, &lc[1], &sum, &b->known[b->n - 1], &FR_ONE);
    cs_enforce(b->cs, &lc[0], &lc[1], NULL);
}

static inline void step_bits(Builder *b)
{
    uint64_t words[2] = {block_random(&b->values), block_random(&b->values)};
    size_t n = block_random(&b->structure) % 100;
    Var first = cs_alloc_bits(b->cs, words, n);
    for (size_t i = 0; i < n; i++) {
        Fr value = words[i / 64] >> (i % 64) & 1 ? FR_ONE : FR_ZERO;
        if (i < 3)
            builder_keep(b, first + (Var)i, &value, true);
    }
}

static inline void step_input(Builder *b, Lc lc[3])
{
    Fr sum = builder_lc(b, &lc[0]);
    Fr unused = FR_ZERO;
    Known one = {VAR_ONE, FR_ONE, false};
    Known input = {cs_alloc_input(b->cs, &sum), sum, false};
    builder_add(b, &lc[1], &unused, &one, &FR_ONE);
    builder_add(b, &lc[2], &unused, &input, &FR_ONE);
    cs_enforce(b->cs, &lc[0], &lc[1], &lc[2]);
    b->known[b->n++] = input;
}

/* a * b = product + other */
static inline void step_product(Builder *b, Lc lc[3])
{
    Fr x = builder_lc(b, &lc[0]), y = builder_lc(b, &lc[1]), product, unused = FR_ZERO;
    Fr other = builder_lc(b, &lc[2]);
    fr_mul(&product, &x, &y);
    fr_sub(&product, &product, &other);
    builder_field(b, &product);
    builder_add(b, &lc[2], &unused, &b->known[b->n - 1], &FR_ONE);
    cs_enforce(b->cs, &lc[0], &lc[1], &lc[2]);
}

/* slot * own = product: the slot is a preamble variable of a kind, another one in each block. */
static inline void step_slot(Builder *b, Lc lc[3])
{
    uint64_t which = block_random(&b->structure) % 6;
    bool want_bit = which & 1;
    if (b->fault == FAULT_SLOT_KIND)
        want_bit = !want_bit;
    size_t at = (size_t)(which * 7 + b->k * (3 + which)) % b->shared->n;
    for (size_t tries = 0; tries < b->shared->n && (b->shared->known[at].is_bit != want_bit ||
                                                    b->shared->known[at].var & VAR_INPUT);
         tries++)
        at = (at + 1) % b->shared->n;
    const Known *slot = &b->shared->known[at], *own = &b->known[b->n - 1];
    bool swap = block_random(&b->structure) & 1; // slots in A or in B
    Fr product, unused = FR_ZERO;
    fr_mul(&product, &slot->value, &own->value);
    builder_add(b, &lc[swap], &unused, slot, &FR_ONE);
    builder_add(b, &lc[!swap], &unused, own, &FR_ONE);
    builder_field(b, &product);
    builder_add(b, &lc[2], &unused, &b->known[b->n - 1], &FR_ONE);
    cs_enforce(b->cs, &lc[0], &lc[1], &lc[2]);
}

static inline void builder_step(Builder *b, Lc lc[3])
{
    for (int i = 0; i < 3; i++)
        lc_clear(&lc[i]);
    uint64_t kind = block_random(&b->structure) % 16;
    if (kind < 4)
        step_bit(b, lc);
    else if (kind < 6)
        step_bits(b);
    else if (kind < 7)
        step_input(b, lc);
    else if (kind < 10 && b->slots && b->n)
        step_slot(b, lc);
    else
        step_product(b, lc);
}

/* A last row that depends on the fault; honest: (own + own') * ONE = new, all of the block. */
static inline void step_fault(Builder *b, Lc lc[3], const BlockShared *shared)
{
    for (int i = 0; i < 3; i++)
        lc_clear(&lc[i]);
    (void)shared;
    Fr value = FR_ZERO, unused = FR_ZERO, two;
    fr_dbl(&two, &FR_ONE);
    Known one = {VAR_ONE, FR_ONE, false};
    Known first = b->known[0], last = b->known[b->n - 1];
    if (b->fault == FAULT_OWN_VARIABLE)
        last = b->known[b->n - 2];
    if (b->fault == FAULT_OTHER_BLOCK)
        last.var = first.var - 1;
    builder_add(b, &lc[0], &value, &first, b->fault == FAULT_COEFFICIENT ? &two : &FR_ONE);
    builder_add(b, &lc[0], &value, &last, &FR_ONE);
    if (b->fault == FAULT_EXTRA_TERM)
        builder_add(b, &lc[0], &value, &one, &FR_ONE);
    builder_add(b, &lc[1], &unused, &one, &FR_ONE);
    if (b->fault == FAULT_KIND)
        builder_keep(b, cs_alloc_bit(b->cs, false), &FR_ZERO, true);
    else
        builder_field(b, &value);
    builder_add(b, &lc[2], &unused, &b->known[b->n - 1], &FR_ONE);
    if (b->fault != FAULT_MISSING_ROW)
        cs_enforce(b->cs, &lc[0], &lc[1], &lc[2]);
    if (b->fault == FAULT_EXTRA_ROW)
        cs_enforce(b->cs, &lc[0], &lc[1], &lc[2]);
    if (b->fault == FAULT_EXTRA_AUX || b->fault == WITNESS_EXTRA_FIELD)
        cs_alloc(b->cs, &value);
    if (b->fault == FAULT_EXTRA_INPUT || b->fault == WITNESS_EXTRA_INPUT)
        cs_alloc_input(b->cs, &value);
    if (b->fault == WITNESS_EXTRA_BIT)
        cs_alloc_bit(b->cs, true);
    if (b->fault == WITNESS_EXTRA_BITS)
        cs_alloc_bits(b->cs, (const uint64_t[2]){UINT64_MAX, UINT64_MAX}, 100);
    if (b->fault != WITNESS_MISSING_BIT)
        cs_alloc_bit(b->cs, true);
}

static inline Status block_preamble(const Circuit *circuit, Cs *cs, const void *witness,
                                    void *shared_)
{
    const BlockParams *params = circuit->params;
    const BlockWitness *given = witness;
    BlockShared *shared = shared_;
    Lc lc[3] = {0};
    Builder b = {.cs = cs,
                 .structure = params->seed,
                 .values = given ? given->seed : 0,
                 .known = shared->known};
    cs_push(cs, "preamble %d", 7);
    for (size_t i = 0; i < params->preamble_steps; i++)
        builder_step(&b, lc);
    cs_pop(cs);
    shared->n = b.n;
    for (int i = 0; i < 3; i++)
        lc_free(&lc[i]);
    return cs->status;
}

static inline Status block_block(const Circuit *circuit, Cs *cs, size_t k, const void *witness,
                                 const void *shared)
{
    const BlockParams *params = circuit->params;
    const BlockWitness *given = witness;
    Lc lc[3] = {0};
    Known *known = calloc(BLOCK_VARS, sizeof *known);
    if (!known)
        FAIL(ERR_MEMORY, "block: out of memory");
    Builder b = {.cs = cs,
                 .structure = params->seed + 1,
                 .values = (given ? given->seed : 0) + 1000 * (k + 1),
                 .shared = shared,
                 .known = known,
                 .k = k,
                 .slots = params->slots};
    bool wrong_mode = given ? params->fault < FAULTS : params->fault >= FAULTS;
    if (k == params->fault_block && !wrong_mode)
        b.fault = params->fault;
    cs_push(cs, "block %zu", k);
    for (size_t i = 0; i < params->block_steps; i++) {
        cs_push(cs, "step %zu", i);
        b.spoil = given && given->spoil == i + 1 && k + 1 == params->n_blocks;
        builder_step(&b, lc);
        cs_pop(cs);
    }
    b.spoil = false;
    cs_push(cs, "end");
    step_fault(&b, lc, shared);
    cs_pop(cs);
    cs_pop(cs);
    for (int i = 0; i < 3; i++)
        lc_free(&lc[i]);
    free(known);
    return cs->status;
}

static inline Circuit block_circuit(const BlockParams *params)
{
    return (Circuit){.name = "blocks",
                     .version = 3,
                     .n_blocks = params->n_blocks,
                     .shared_bytes = sizeof(BlockShared),
                     .params = params,
                     .preamble = block_preamble,
                     .block = block_block};
}

#endif
