/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Poseidon in a circuit.
 *
 * Constants as in the optimised permutation: the round's keys are added after the S-box, partial
 * rounds mix with sparse matrices. Three variables an S-box (x^2, x^4, x^5 + key), and one for
 * each element that is a linear combination when an S-box, or the caller, needs it. */
#include "circuits/poseidon_circuit.h"

#include <string.h>

enum {
    WIDTH_MAX = POSEIDON_MAX_WIDTH,
    HALF_FULL = POSEIDON_FULL_ROUNDS / 2,
    BASIS_MAX = WIDTH_MAX + 60, /* partial rounds are 57 at most */
};

/* Writing a witness: the values alone. */
typedef struct {
    const PoseidonParams *p;
    const Fr *key; /* next constant */
    Fr x[WIDTH_MAX];
} Values;

/* Recording: element j is the sum of coefficient[j][b] * basis[b]. A round's linear layer acts on
 * the coefficients alone; full rounds start a new basis, partial rounds add one variable to it. */
typedef struct {
    const PoseidonParams *p;
    const Fr *key;
    unsigned n_basis;
    Var basis[BASIS_MAX];
    Fr coefficient[WIDTH_MAX][BASIS_MAX];
} Symbols;

static void pow5(Fr *x, Fr *x2, Fr *x4)
{
    fr_sqr(x2, x);
    fr_sqr(x4, x2);
    fr_mul(x, x4, x);
}

/* The dense matrix of a full round, 0 .. full + partial - 1. */
static const Fr *full_matrix(const PoseidonParams *p, unsigned round)
{
    return round == HALF_FULL - 1 ? p->pre_sparse : p->matrix;
}

static bool is_last(const PoseidonParams *p, unsigned round)
{
    return round + 1 == POSEIDON_FULL_ROUNDS + p->partial_rounds;
}

/* x[j] = sum of x[i] * m[i][j] */
static void mix(Fr *x, const Fr *m, unsigned t)
{
    Fr out[WIDTH_MAX];
    for (unsigned j = 0; j < t; j++) {
        fr_mul(&out[j], &x[0], &m[j]);
        for (unsigned i = 1; i < t; i++) {
            Fr product;
            fr_mul(&product, &x[i], &m[i * t + j]);
            fr_add(&out[j], &out[j], &product);
        }
    }
    memcpy(x, out, t * sizeof *x);
}

/* The tag's S-box in the first round is a constant of the circuit: no variables. */
static void first_sbox(Fr *tag, const Fr *pre, const Fr *post)
{
    Fr x2, x4;
    fr_add(tag, tag, pre);
    pow5(tag, &x2, &x4);
    fr_add(tag, tag, post);
}

/* ---- values ---- */

static void values_sbox(Cs *cs, Fr *x, const Fr *post)
{
    Fr x2, x4;
    pow5(x, &x2, &x4);
    if (post)
        fr_add(x, x, post);
    cs_alloc(cs, &x2);
    cs_alloc(cs, &x4);
    cs_alloc(cs, x);
}

static void values_first_round(Cs *cs, Values *v)
{
    unsigned t = v->p->arity + 1;
    const Fr *pre = v->key, *post = v->key + t;
    first_sbox(&v->x[0], &pre[0], &post[0]);
    for (unsigned i = 1; i < t; i++) {
        fr_add(&v->x[i], &v->x[i], &pre[i]);
        values_sbox(cs, &v->x[i], &post[i]);
    }
    v->key += 2 * t;
    mix(v->x, full_matrix(v->p, 0), t);
}

static void values_full_round(Cs *cs, Values *v, unsigned round)
{
    unsigned t = v->p->arity + 1;
    bool last = is_last(v->p, round);
    for (unsigned i = 0; i < t; i++) {
        cs_alloc(cs, &v->x[i]);
        values_sbox(cs, &v->x[i], last ? NULL : &v->key[i]);
    }
    v->key += last ? 0 : t;
    mix(v->x, full_matrix(v->p, round), t);
}

static void values_partial_round(Cs *cs, Values *v, unsigned round)
{
    unsigned t = v->p->arity + 1;
    const Fr *column = v->p->sparse + (size_t)(round - HALF_FULL) * (2 * t - 1), *row = column + t;
    cs_alloc(cs, &v->x[0]);
    values_sbox(cs, &v->x[0], v->key++);
    Fr first = v->x[0], product;
    fr_mul(&v->x[0], &first, &column[0]);
    for (unsigned j = 1; j < t; j++) {
        fr_mul(&product, &v->x[j], &column[j]);
        fr_add(&v->x[0], &v->x[0], &product);
        fr_mul(&product, &first, &row[j - 1]);
        fr_add(&v->x[j], &v->x[j], &product);
    }
}

static Num hash_values(Cs *cs, const PoseidonParams *p, const Num *preimage, const Fr *tag)
{
    Values v = {.p = p, .key = p->compressed, .x = {*tag}};
    for (unsigned i = 1; i <= p->arity; i++)
        v.x[i] = preimage[i - 1].value;
    values_first_round(cs, &v);
    for (unsigned round = 1; round < POSEIDON_FULL_ROUNDS + p->partial_rounds; round++) {
        if (round < HALF_FULL || round >= HALF_FULL + p->partial_rounds)
            values_full_round(cs, &v, round);
        else
            values_partial_round(cs, &v, round);
    }
    return num_alloc(cs, &v.x[1]);
}

/* ---- rows ---- */

/* Element j becomes a variable: LC * ONE = variable. */
static Var ensure_variable(Cs *cs, const Symbols *r, unsigned j)
{
    STACK_LC(left, BASIS_MAX);
    STACK_LC(one, 1);
    STACK_LC(right, 1);
    Var v = cs_alloc(cs, NULL);
    for (unsigned b = 0; b < r->n_basis; b++)
        lc_put(cs, &left, &r->coefficient[j][b], r->basis[b]);
    lc_put(cs, &one, &FR_ONE, VAR_ONE);
    lc_put(cs, &right, &FR_ONE, v);
    cs_enforce(cs, &left, &one, &right);
    return v;
}

static void enforce_square(Cs *cs, const Lc *x, Var square)
{
    STACK_LC(right, 1);
    lc_put(cs, &right, &FR_ONE, square);
    cs_enforce(cs, x, x, &right);
}

/* x^2, x^4 and x^5 + post for x = v + pre; the last one's variable. NULL: no such key. */
static Var record_sbox(Cs *cs, Var v, const Fr *pre, const Fr *post)
{
    STACK_LC(x, 2);
    STACK_LC(x2, 1);
    STACK_LC(x4, 1);
    STACK_LC(right, 2);
    lc_put(cs, &x, &FR_ONE, v);
    if (pre)
        lc_put(cs, &x, pre, VAR_ONE);
    Var v2 = cs_alloc(cs, NULL);
    enforce_square(cs, &x, v2);
    lc_put(cs, &x2, &FR_ONE, v2);
    Var v4 = cs_alloc(cs, NULL);
    enforce_square(cs, &x2, v4);
    lc_put(cs, &x4, &FR_ONE, v4);
    Var v5 = cs_alloc(cs, NULL);
    lc_put(cs, &right, &FR_ONE, v5);
    if (post) {
        Fr minus;
        fr_neg(&minus, post);
        lc_put(cs, &right, &minus, VAR_ONE);
    }
    cs_enforce(cs, &x, &x4, &right);
    return v5;
}

/* A full round's linear layer where element i is scale * basis[i]: scale for element 0 only. */
static void record_mix(Symbols *r, const Fr *m, const Fr *scale)
{
    unsigned t = r->p->arity + 1;
    r->n_basis = t;
    for (unsigned j = 0; j < t; j++) {
        for (unsigned i = 0; i < t; i++)
            r->coefficient[j][i] = m[i * t + j];
        if (scale)
            fr_mul(&r->coefficient[j][0], &r->coefficient[j][0], scale);
    }
}

static void record_first_round(Cs *cs, Symbols *r, const Num *preimage, const Fr *tag)
{
    unsigned t = r->p->arity + 1;
    const Fr *pre = r->key, *post = r->key + t;
    Fr constant = *tag;
    first_sbox(&constant, &pre[0], &post[0]);
    r->basis[0] = VAR_ONE;
    for (unsigned i = 1; i < t; i++)
        r->basis[i] = record_sbox(cs, preimage[i - 1].var, &pre[i], &post[i]);
    r->key += 2 * t;
    record_mix(r, full_matrix(r->p, 0), &constant);
}

static void record_full_round(Cs *cs, Symbols *r, unsigned round)
{
    unsigned t = r->p->arity + 1;
    bool last = is_last(r->p, round);
    Var out[WIDTH_MAX];
    for (unsigned i = 0; i < t; i++)
        out[i] = record_sbox(cs, ensure_variable(cs, r, i), NULL, last ? NULL : &r->key[i]);
    r->key += last ? 0 : t;
    memcpy(r->basis, out, t * sizeof *out);
    record_mix(r, full_matrix(r->p, round), NULL);
}

static void record_partial_round(Cs *cs, Symbols *r, unsigned round)
{
    unsigned t = r->p->arity + 1, last = r->n_basis;
    const Fr *column = r->p->sparse + (size_t)(round - HALF_FULL) * (2 * t - 1), *row = column + t;
    r->basis[last] = record_sbox(cs, ensure_variable(cs, r, 0), NULL, r->key++);
    r->n_basis++;
    for (unsigned b = 0; b < last; b++) {
        Fr sum = FR_ZERO, product;
        for (unsigned j = 1; j < t; j++) {
            fr_mul(&product, &r->coefficient[j][b], &column[j]);
            fr_add(&sum, &sum, &product);
        }
        r->coefficient[0][b] = sum;
    }
    r->coefficient[0][last] = column[0];
    for (unsigned j = 1; j < t; j++)
        r->coefficient[j][last] = row[j - 1];
}

static Num hash_rows(Cs *cs, const PoseidonParams *p, const Num *preimage, const Fr *tag)
{
    Symbols r;
    r.p = p;
    r.key = p->compressed;
    record_first_round(cs, &r, preimage, tag);
    for (unsigned round = 1; round < POSEIDON_FULL_ROUNDS + p->partial_rounds; round++) {
        if (round < HALF_FULL || round >= HALF_FULL + p->partial_rounds)
            record_full_round(cs, &r, round);
        else
            record_partial_round(cs, &r, round);
    }
    return (Num){ensure_variable(cs, &r, 1), FR_ZERO};
}

Num poseidon_circuit_tagged(Cs *cs, const Num *preimage, unsigned n, const Fr *tag)
{
    const PoseidonParams *p = poseidon_params(n);
    if (!p || n >= WIDTH_MAX) {
        if (cs->status == OK)
            cs->status = status_fail(ERR_INTERNAL, "poseidon: arity %u in a circuit", n);
        return (Num){VAR_ONE, FR_ZERO};
    }
    if (!cs_recording(cs))
        return hash_values(cs, p, preimage, tag);
    cs_push(cs, "poseidon%u", n);
    Num out = hash_rows(cs, p, preimage, tag);
    cs_pop(cs);
    return out;
}

Num poseidon_circuit(Cs *cs, const Num *preimage, unsigned n)
{
    Fr tag;
    poseidon_merkle_tag(&tag, n);
    return poseidon_circuit_tagged(cs, preimage, n, &tag);
}
