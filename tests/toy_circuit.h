/* SPDX-License-Identifier: MIT OR Apache-2.0
 * A random small circuit with a satisfying witness, for tests of everything above r1cs. */
#ifndef CUZK_TESTS_TOY_CIRCUIT_H
#define CUZK_TESTS_TOY_CIRCUIT_H

#include "r1cs/r1cs.h"

#include <stdlib.h>
#include <string.h>

/* rows: of the circuit proper. seed decides the structure; the witness's seed the values. */
typedef struct {
    size_t rows, inputs; /* inputs: ONE included */
    uint64_t seed;
    bool loose; /* the last aux is in no row */
} ToyParams;

typedef struct {
    uint64_t seed;
    const Fr *inputs; /* [inputs - 1], or NULL: random */
    bool wrong;       /* products are one too large: no row of them is satisfied */
} ToyWitness;

static inline uint64_t toy_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* One in eight is 0, one in eight 1. */
static inline void toy_random_fr(Fr *out, uint64_t *state)
{
    uint64_t kind = toy_random(state) % 8, wide[8];
    for (int i = 0; i < 8; i++)
        wide[i] = toy_random(state);
    if (kind < 2)
        fr_from_u64(out, kind);
    else
        fr_from_wide_le(out, (const uint8_t *)wide);
}

typedef struct {
    Cs *cs;
    uint64_t structure, values;
    Var *vars; /* all variables so far, inputs first */
    Fr *value;
    size_t n;
    bool wrong;
} Toy;

static inline void toy_push(Toy *toy, Var var, const Fr *value)
{
    toy->vars[toy->n] = var;
    toy->value[toy->n++] = *value;
}

/* 1..3 known variables with coefficients out of 500 small and large ones; sum: its value. */
static inline Status toy_lc(Toy *toy, Lc *lc, Fr *sum)
{
    lc_clear(lc);
    *sum = FR_ZERO;
    size_t terms = 1 + toy_random(&toy->structure) % 3;
    for (size_t i = 0; i < terms; i++) {
        size_t at = toy_random(&toy->structure) % toy->n;
        Fr coefficient, term;
        uint64_t which = toy_random(&toy->structure) % 500;
        toy_random_fr(&coefficient, &which);
        if (i == 0)
            coefficient = FR_ONE;
        if (cs_recording(toy->cs))
            TRY(lc_add(lc, &coefficient, toy->vars[at]));
        fr_mul(&term, &coefficient, &toy->value[at]);
        fr_add(sum, sum, &term);
    }
    return OK;
}

static inline Status toy_row_bit(Toy *toy, Lc lc[3])
{
    bool bit = toy_random(&toy->values) & 1;
    Var var = cs_alloc_bit(toy->cs, bit);
    Fr minus_one;
    fr_neg(&minus_one, &FR_ONE);
    if (cs_recording(toy->cs)) {
        TRY(lc_add(&lc[0], &FR_ONE, VAR_ONE));
        TRY(lc_add(&lc[0], &minus_one, var));
        TRY(lc_add(&lc[1], &FR_ONE, var));
    }
    cs_enforce(toy->cs, &lc[0], &lc[1], NULL);
    toy_push(toy, var, bit ? &FR_ONE : &FR_ZERO);
    return OK;
}

/* a * b = product + other, product new */
static inline Status toy_row_product(Toy *toy, Lc lc[3])
{
    Fr a, b, other, product;
    TRY(toy_lc(toy, &lc[0], &a));
    TRY(toy_lc(toy, &lc[1], &b));
    if (toy_random(&toy->structure) % 4 == 0) {
        TRY(toy_lc(toy, &lc[2], &other));
    } else {
        other = FR_ZERO;
        lc_clear(&lc[2]);
    }
    fr_mul(&product, &a, &b);
    fr_sub(&product, &product, &other);
    if (toy->wrong)
        fr_add(&product, &product, &FR_ONE);
    Var var = cs_alloc(toy->cs, &product);
    if (cs_recording(toy->cs))
        TRY(lc_add(&lc[2], &FR_ONE, var));
    cs_enforce(toy->cs, &lc[0], &lc[1], &lc[2]);
    toy_push(toy, var, &product);
    return OK;
}

static inline Status toy_rows(Toy *toy, const ToyParams *params, const ToyWitness *witness)
{
    Lc lc[3] = {0};
    Status status = OK;
    toy_push(toy, VAR_ONE, &FR_ONE);
    for (size_t i = 1; i < params->inputs; i++) {
        Fr value;
        toy_random_fr(&value, &toy->values);
        if (witness && witness->inputs)
            value = witness->inputs[i - 1];
        toy_push(toy, cs_alloc_input(toy->cs, &value), &value);
    }
    for (size_t k = 0; status == OK && k < params->rows; k++) {
        lc_clear(&lc[0]);
        lc_clear(&lc[1]);
        lc_clear(&lc[2]);
        status = toy_random(&toy->structure) % 3 ? toy_row_product(toy, lc) : toy_row_bit(toy, lc);
    }
    if (params->loose)
        cs_alloc(toy->cs, &FR_ONE);
    for (int i = 0; i < 3; i++)
        lc_free(&lc[i]);
    return status;
}

static inline Status toy_preamble(const Circuit *circuit, Cs *cs, const void *witness, void *shared)
{
    (void)shared;
    const ToyParams *params = circuit->params;
    const ToyWitness *given = witness;
    size_t room = params->rows + params->inputs + 1;
    Toy toy = {.cs = cs, .structure = params->seed};
    if (given) {
        toy.values = given->seed;
        toy.wrong = given->wrong;
    }
    toy.vars = calloc(room, sizeof *toy.vars);
    toy.value = calloc(room, sizeof *toy.value);
    Status status = OK;
    if (!toy.vars || !toy.value)
        status = status_fail(ERR_MEMORY, "toy: out of memory");
    if (status == OK)
        status = toy_rows(&toy, params, given);
    free(toy.vars);
    free(toy.value);
    return status;
}

static inline Circuit toy_circuit(const ToyParams *params)
{
    return (Circuit){.name = "toy", .version = 1, .params = params, .preamble = toy_preamble};
}

#endif
