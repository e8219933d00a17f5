/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Running a circuit in witness mode: preamble, then blocks in parallel. */
#include "r1cs/r1cs_impl.h"

#include <stdatomic.h>
#include <string.h>

typedef struct {
    const R1cs *r;
    const Circuit *circuit;
    const void *witness, *shared;
    Assignment *z;
} WitnessJob;

/* A block's bits are made in a bitmap of its own and moved to their place: the first and the last
 * word are shared with the neighbours, so they are OR-ed atomically. */
static void place_bits(uint64_t *to, size_t at, const uint64_t *bits, size_t n)
{
    size_t words = bitmap_words(n), shift = at % 64;
    _Atomic uint64_t *first = (_Atomic uint64_t *)(to + at / 64);
    uint64_t carry = 0;
    size_t last = (at + n - 1) / 64 - at / 64;
    for (size_t w = 0; w <= last; w++) {
        uint64_t here = w < words ? bits[w] : 0;
        uint64_t word = shift ? here << shift | carry : here;
        carry = shift ? here >> (64 - shift) : 0;
        if (w == 0 || w == last)
            atomic_fetch_or_explicit(&first[w], word, memory_order_relaxed);
        else
            to[at / 64 + w] = word;
    }
}

static Status check_counts(const Part *part, const Cs *cs, size_t aux, size_t inputs, size_t fields,
                           const char *what, size_t k)
{
    TRY(cs->status);
    if (aux != part->n_aux || inputs != part->n_inputs || fields != part->n_fields)
        FAIL(ERR_INTERNAL,
             "%s %zu: the witness has %zu variables, %zu inputs, %zu field elements; "
             "recorded were %zu, %zu, %zu",
             what, k, aux, inputs, fields, part->n_aux, part->n_inputs, part->n_fields);
    return OK;
}

static Status witness_part(const WitnessJob *job, const Part *part, size_t k, bool own,
                           uint64_t *bits, void *shared)
{
    const R1cs *r = job->r;
    size_t aux = own ? block_aux(r, k) : 0, input = own ? block_input(r, k) : 0;
    Fr *inputs = job->z->inputs + input;
    Fr *fields = job->z->fields + (own ? block_field(r, k) : 0);
    Cs cs = {.mode = CS_WITNESS,
             .next_aux = (uint32_t)aux,
             .next_input = (uint32_t)input,
             .inputs = inputs,
             .inputs_end = inputs + part->n_inputs,
             .fields = fields,
             .fields_end = fields + part->n_fields,
             .bits = bits,
             .bit_base = (uint32_t)aux,
             .aux_end = (uint32_t)(aux + part->n_aux)};
    if (own) {
        TRY(job->circuit->block(job->circuit, &cs, k, job->witness, job->shared));
    } else {
        cs_alloc_input(&cs, &FR_ONE);
        TRY(job->circuit->preamble(job->circuit, &cs, job->witness, shared));
    }
    TRY(check_counts(part, &cs, cs.next_aux - aux, cs.next_input - input,
                     (size_t)(cs.fields - fields), own ? "block" : "preamble", k));
    if (part->n_aux)
        place_bits(job->z->bits, aux, bits, part->n_aux);
    return OK;
}

static Status witness_blocks(void *raw, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    const WitnessJob *job = raw;
    const Part *block = &job->r->block;
    size_t words = bitmap_words(block->n_aux) + 1;
    uint64_t *bits = malloc(words * sizeof *bits);
    if (!bits)
        FAIL(ERR_MEMORY, "witness: out of memory");
    Status status = OK;
    for (size_t k = begin; k < end && status == OK; k++) {
        memset(bits, 0, words * sizeof *bits);
        status = witness_part(job, block, k, true, bits, NULL);
    }
    free(bits);
    return status;
}

static Status run(WitnessJob *job, Pool *pool)
{
    const R1cs *r = job->r;
    void *shared = calloc(1, job->circuit->shared_bytes + 1);
    uint64_t *bits = calloc(bitmap_words(r->preamble.n_aux) + 1, sizeof *bits);
    Status status = OK;
    if (!shared || !bits)
        status = status_fail(ERR_MEMORY, "witness: out of memory");
    if (status == OK)
        status = witness_part(job, &r->preamble, 0, false, bits, shared);
    job->shared = shared;
    if (status == OK)
        status = parallel_for(pool, r->n_blocks, 1, witness_blocks, job);
    free(shared);
    free(bits);
    return status;
}

Status r1cs_witness(Assignment *out, const R1cs *r, const Circuit *circuit, const void *witness,
                    Pool *pool)
{
    Assignment z;
    TRY(assignment_new(&z, r->shape.n_inputs, r->shape.n_aux, r->shape.n_fields));
    WitnessJob job = {.r = r, .circuit = circuit, .witness = witness, .z = &z};
    Status status = run(&job, pool);
    if (status != OK) {
        assignment_free(&z);
        return status_context(status, "circuit %s", circuit->name);
    }
    *out = z;
    return OK;
}
