/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Access to a block-coded R1CS: shape, sizes, bitmaps of the whole circuit. */
#include "r1cs/r1cs_impl.h"

void r1cs_free(R1cs **r1cs)
{
    R1cs *r = *r1cs;
    if (!r)
        return;
    part_free(&r->preamble);
    part_free(&r->block);
    free(r->dictionary);
    free(r->slots);
    free(r->forms);
    free(r->form_codes);
    free(r);
    *r1cs = NULL;
}

const R1csShape *r1cs_shape(const R1cs *r)
{
    return &r->shape;
}

static size_t part_bytes(const Part *p)
{
    return p->n_fields * sizeof *p->field_aux + 3 * bitmap_words(p->n_aux) * sizeof(uint64_t) +
           p->n_rows * sizeof *p->form + p->n_rows / MARK * sizeof *p->mark +
           p->n_entries * sizeof *p->column;
}

size_t r1cs_bytes(const R1cs *r)
{
    return part_bytes(&r->preamble) + part_bytes(&r->block) + r->n_codes * sizeof(Fr) +
           r->n_slots * r->n_blocks * sizeof *r->slots + r->n_forms * sizeof *r->forms +
           r->n_form_codes * sizeof *r->form_codes;
}

unsigned r1cs_log_domain(const R1cs *r)
{
    unsigned log_n = 0;
    while (((size_t)1 << log_n) < r->shape.n_rows)
        log_n++;
    return log_n;
}

/* Up to 64 bits of a bitmap of `size` bits, from bit `at` on. */
static uint64_t bits_at(const uint64_t *bitmap, size_t size, size_t at)
{
    uint64_t bits = bitmap[at / 64] >> (at % 64);
    if (at % 64 && at / 64 + 1 < bitmap_words(size))
        bits |= bitmap[at / 64 + 1] << (64 - at % 64);
    return bits;
}

/* Words of the whole circuit's bitmap from those of its parts. */
static void expand(const R1cs *r, const uint64_t *preamble, const uint64_t *block, uint64_t *words,
                   size_t first, size_t n)
{
    size_t shared = r->preamble.n_aux, own = r->block.n_aux;
    size_t at = 64 * first, local = 0;
    bool of_block = at >= shared;
    if (of_block && own)
        local = (at - shared) % own;
    else
        local = at;
    for (size_t w = 0; w < n; w++) {
        uint64_t word = 0;
        for (size_t bit = 0; bit < 64 && at < r->shape.n_aux;) {
            size_t size = of_block ? own : shared;
            size_t run = size - local < 64 - bit ? size - local : 64 - bit;
            if (run) {
                uint64_t bits = bits_at(of_block ? block : preamble, size, local);
                word |= (run < 64 ? bits & ((1ull << run) - 1) : bits) << bit;
            }
            bit += run;
            at += run;
            local += run;
            if (local == size) {
                local = 0;
                of_block = true;
            }
        }
        words[w] = word;
    }
}

void r1cs_is_bit(const R1cs *r, uint64_t *words, size_t first, size_t n)
{
    expand(r, r->preamble.is_bit, r->block.is_bit, words, first, n);
}

void r1cs_a_density(const R1cs *r, uint64_t *words, size_t first, size_t n)
{
    expand(r, r->preamble.a_density, r->block.a_density, words, first, n);
}

void r1cs_b_density(const R1cs *r, uint64_t *words, size_t first, size_t n)
{
    expand(r, r->preamble.b_density, r->block.b_density, words, first, n);
}

bool r1cs_b_input_density(const R1cs *r, size_t input)
{
    if (input < r->preamble.n_inputs)
        return bitmap_get(r->preamble.b_inputs, input);
    return bitmap_get(r->block.b_inputs, (input - r->preamble.n_inputs) % r->block.n_inputs);
}
