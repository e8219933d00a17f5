/* SPDX-License-Identifier: MIT OR Apache-2.0
 * SHA-256 in a circuit, bit by bit. */
#include "circuits/sha256_circuit.h"
#include "hash/sha256.h"

/* out = a rotated by r0 xor a rotated by r1, then xor a rotated (last_shifts: shifted) by r2 */
static void sigma(Cs *cs, Word32 *out, const Word32 *a, const unsigned r[3], bool last_shifts)
{
    Word32 x, y;
    word_rotr(&x, a, r[0]);
    word_rotr(&y, a, r[1]);
    word_xor(cs, &x, &x, &y);
    (last_shifts ? word_shr : word_rotr)(&y, a, r[2]);
    word_xor(cs, out, &x, &y);
}

static void expand(Cs *cs, MultiEq *eq, Word32 w[64])
{
    for (unsigned i = 16; i < 64; i++) {
        Word32 terms[4] = {w[i - 16], {0}, w[i - 7], {0}};
        sigma(cs, &terms[1], &w[i - 15], (const unsigned[]){7, 18, 3}, true);
        sigma(cs, &terms[3], &w[i - 2], (const unsigned[]){17, 19, 10}, true);
        word_sum(cs, eq, &w[i], terms, 4);
    }
}

/* A word not summed yet: what it will be the sum of. One term: the word itself. The sum is put
 * off to where the word is first needed, and gathers another term at the very end. */
typedef struct {
    Word32 terms[WORD_SUM_MAX];
    unsigned n;
} Deferred;

static void deferred_put(Deferred *a, const Word32 *term)
{
    a->terms[a->n++] = *term;
}

static void deferred_compute(Cs *cs, MultiEq *eq, Word32 *out, const Deferred *a)
{
    if (a->n == 1)
        *out = a->terms[0];
    else
        word_sum(cs, eq, out, a->terms, a->n);
}

/* s[0], s[4] (a and e) live in the Deferred; s[1..3], s[5..7] are b, c, d and f, g, h. */
static void round_bitwise(Cs *cs, MultiEq *eq, Word32 s[8], Deferred *a, Deferred *e, unsigned i,
                          const Word32 *w)
{
    Word32 new_a, new_e, s0, s1, ch, maj, k;
    deferred_compute(cs, eq, &new_e, e);
    sigma(cs, &s1, &new_e, (const unsigned[]){6, 11, 25}, false);
    word_ch(cs, &ch, &new_e, &s[5], &s[6]);
    deferred_compute(cs, eq, &new_a, a);
    sigma(cs, &s0, &new_a, (const unsigned[]){2, 13, 22}, false);
    word_maj(cs, &maj, &new_a, &s[1], &s[2]);
    word_constant(&k, sha256_constants[i]);
    const Word32 *temp1[5] = {&s[7], &s1, &ch, &k, w};
    a->n = e->n = 0;
    for (unsigned t = 0; t < 5; t++) {
        deferred_put(a, temp1[t]);
        deferred_put(e, temp1[t]);
    }
    deferred_put(e, &s[3]);
    deferred_put(a, &s0);
    deferred_put(a, &maj);
    s[7] = s[6];
    s[6] = s[5];
    s[5] = new_e;
    s[3] = s[2];
    s[2] = s[1];
    s[1] = new_a;
}

void sha256_compress_bitwise(Cs *cs, Word32 state[8], const Word32 block[16])
{
    MultiEq eq = {0};
    Word32 w[64], s[8];
    for (unsigned i = 0; i < 16; i++)
        w[i] = block[i];
    for (unsigned i = 0; i < 8; i++)
        s[i] = state[i];
    expand(cs, &eq, w);
    Deferred a = {{state[0]}, 1}, e = {{state[4]}, 1};
    for (unsigned i = 0; i < 64; i++)
        round_bitwise(cs, &eq, s, &a, &e, i, &w[i]);
    deferred_put(&a, &state[0]);
    deferred_put(&e, &state[4]);
    for (unsigned i = 0; i < 8; i++) {
        if (i % 4 == 0)
            word_sum(cs, &eq, &state[i], i == 0 ? a.terms : e.terms, i == 0 ? a.n : e.n);
        else
            word_sum(cs, &eq, &state[i], (const Word32[]){state[i], s[i]}, 2);
    }
    multieq_finish(cs, &eq);
}

void sha256_compress_circuit(Cs *cs, Word32 state[8], const Word32 block[16])
{
    if (cs_recording(cs))
        sha256_compress_bitwise(cs, state, block);
    else
        sha256_compress_witness(cs, state, block);
}

/* Word i of the padded message of n words. */
static void padded_word(Word32 *out, const Word32 *message, size_t n, size_t i, size_t n_padded)
{
    uint64_t n_bits = (uint64_t)n * 32;
    if (i < n)
        *out = message[i];
    else if (i == n)
        word_constant(out, 0x80000000u);
    else if (i + 2 >= n_padded)
        word_constant(out, (uint32_t)(i + 2 == n_padded ? n_bits >> 32 : n_bits));
    else
        word_constant(out, 0);
}

void sha256_circuit(Cs *cs, Word32 digest[8], const Word32 *message, size_t n)
{
    size_t n_padded = (n + 3 + 15) / 16 * 16;
    Word32 state[8], block[16];
    for (unsigned i = 0; i < 8; i++)
        word_constant(&state[i], sha256_initial[i]);
    for (size_t b = 0; b < n_padded; b += 16) {
        for (size_t i = 0; i < 16; i++)
            padded_word(&block[i], message, n, b + i, n_padded);
        ENTER(cs, "sha256 block %zu", b / 16);
        sha256_compress_circuit(cs, state, block);
        LEAVE(cs);
    }
    for (unsigned i = 0; i < 8; i++)
        digest[i] = state[i];
}
