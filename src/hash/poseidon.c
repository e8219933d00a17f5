/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Poseidon: the compressed form, and the permutation as published. */
#include "hash/poseidon.h"

#include "hash/poseidon_impl.h"

#include <string.h>

/* x^5 + key */
static inline void quintic(Fr *x, const Fr *key)
{
    Fr t;
    fr_sqr(&t, x);
    fr_sqr(&t, &t);
    fr_mul(x, x, &t);
    if (key)
        fr_add(x, x, key);
}

/* Element j of the product of the state with a matrix. */
static void multiply_column(Fr *out, const Fr *state, const Fr *m, unsigned t, unsigned j)
{
    Fr sum, p;
    fr_mul(&sum, &state[0], &m[j]);
    for (unsigned i = 1; i < t; i++) {
        fr_mul(&p, &state[i], &m[i * t + j]);
        fr_add(&sum, &sum, &p);
    }
    *out = sum;
}

static void multiply_dense(Fr *state, const Fr *m, unsigned t)
{
    Fr out[POSEIDON_MAX_WIDTH];
    for (unsigned j = 0; j < t; j++)
        multiply_column(&out[j], state, m, t, j);
    memcpy(state, out, t * sizeof *out);
}

/* sparse: first column (t), then the rest of the first row (t - 1). */
static void multiply_sparse(Fr *state, const Fr *sparse, unsigned t)
{
    Fr head, p;
    fr_mul(&head, &state[0], &sparse[0]);
    for (unsigned i = 1; i < t; i++) {
        fr_mul(&p, &state[i], &sparse[i]);
        fr_add(&head, &head, &p);
        fr_mul(&p, &state[0], &sparse[t + i - 1]);
        fr_add(&state[i], &state[i], &p);
    }
    state[0] = head;
}

static void full_round(Fr *state, const Fr *keys, unsigned t)
{
    for (unsigned i = 0; i < t; i++)
        quintic(&state[i], keys ? &keys[i] : NULL);
}

void poseidon_hash_tagged(Fr *out, unsigned arity, const Fr *in, const Fr *tag)
{
    const PoseidonParams *p = poseidon_params(arity);
    unsigned t = arity + 1;
    Fr state[POSEIDON_MAX_WIDTH];
    const Fr *keys = p->compressed;
    state[0] = *tag;
    memcpy(state + 1, in, arity * sizeof *in);
    for (unsigned i = 0; i < t; i++)
        fr_add(&state[i], &state[i], keys++);
    for (int round = 0; round < 4; round++, keys += t) {
        full_round(state, keys, t);
        multiply_dense(state, round < 3 ? p->matrix : p->pre_sparse, t);
    }
    for (unsigned round = 0; round < p->partial_rounds; round++) {
        quintic(&state[0], keys++);
        multiply_sparse(state, p->sparse + round * (2 * t - 1), t);
    }
    for (int round = 0; round < 3; round++, keys += t) {
        full_round(state, keys, t);
        multiply_dense(state, p->matrix, t);
    }
    full_round(state, NULL, t);
    multiply_column(out, state, p->matrix, t, 1);
}

void poseidon_hash_ref(Fr *out, unsigned arity, const Fr *in, const Fr *tag)
{
    const PoseidonParams *p = poseidon_params(arity);
    unsigned t = arity + 1, rounds = POSEIDON_FULL_ROUNDS + p->partial_rounds;
    Fr state[POSEIDON_MAX_WIDTH];
    state[0] = *tag;
    memcpy(state + 1, in, arity * sizeof *in);
    for (unsigned round = 0; round < rounds; round++) {
        bool full = round < 4 || round >= 4 + p->partial_rounds;
        for (unsigned i = 0; i < t; i++) {
            fr_add(&state[i], &state[i], &p->round[round * t + i]);
            if (full || i == 0)
                quintic(&state[i], NULL);
        }
        multiply_dense(state, p->matrix, t);
    }
    *out = state[1];
}

void poseidon_merkle_tag(Fr *tag, unsigned arity)
{
    fr_from_u64(tag, ((uint64_t)1 << arity) - 1);
}

void poseidon_randomness_tag(Fr *tag)
{
    fr_from_u64(tag, (uint64_t)1 << 40);
}

void poseidon_hash(Fr *out, unsigned arity, const Fr *in)
{
    Fr tag;
    poseidon_merkle_tag(&tag, arity);
    poseidon_hash_tagged(out, arity, in, &tag);
}

void poseidon_hash_many_tagged(Fr *out, unsigned arity, const Fr *in, size_t n, const Fr *tag)
{
    enum { WORTH_LANES = 3 }; // fewer hashes are faster one by one
    size_t done = 0;
    if (cpu_features.avx512_ifma)
        for (; done + POSEIDON_LANES <= n; done += POSEIDON_LANES)
            poseidon_hash_8_ifma(out + done, arity, in + done * arity, tag);
    if (cpu_features.avx512_ifma && n - done >= WORTH_LANES) {
        Fr rest[POSEIDON_LANES * (POSEIDON_MAX_WIDTH - 1)] = {{{0}}}, hashes[POSEIDON_LANES];
        memcpy(rest, in + done * arity, (n - done) * arity * sizeof *in);
        poseidon_hash_8_ifma(hashes, arity, rest, tag);
        memcpy(out + done, hashes, (n - done) * sizeof *out);
        done = n;
    }
    for (; done < n; done++)
        poseidon_hash_tagged(&out[done], arity, in + done * arity, tag);
}

void poseidon_hash_many(Fr *out, unsigned arity, const Fr *in, size_t n)
{
    Fr tag;
    poseidon_merkle_tag(&tag, arity);
    poseidon_hash_many_tagged(out, arity, in, n, &tag);
}
