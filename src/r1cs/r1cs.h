/* SPDX-License-Identifier: MIT OR Apache-2.0
 * A block-coded R1CS: preamble, one block, count; record, verify, save, load, evaluate, check. */
#ifndef CUZK_R1CS_R1CS_H
#define CUZK_R1CS_R1CS_H

#include "base/pool.h"
#include "r1cs/assignment.h"
#include "r1cs/circuit.h"

typedef struct R1cs R1cs;

/* Counts of the whole circuit; rows include the trailing input rows (Input(i) * 0 = 0). */
typedef struct {
    size_t n_inputs, n_aux, n_rows; /* inputs: ONE included */
    size_t n_circuit_rows;          /* without the trailing input rows */
    size_t n_fields;                /* aux that are not bits */
    size_t nnz[3];                  /* A, B, C; trailing rows included */
    size_t a_aux_density, b_input_density, b_aux_density;
    size_t n_blocks, block_aux, block_inputs, block_rows;
    size_t preamble_aux, preamble_inputs, preamble_rows; /* inputs: ONE included */
} R1csShape;

/* Record preamble and block 0, then run the other blocks and compare each with block 0
 * (ERR_INTERNAL naming block, row and gadget where they differ). */
Status r1cs_compile(R1cs **out, const Circuit *circuit, Pool *pool);
void r1cs_free(R1cs **r1cs);
const R1csShape *r1cs_shape(const R1cs *r1cs);
size_t r1cs_bytes(const R1cs *r1cs);
/* log2 of the smallest power of two >= n_rows */
unsigned r1cs_log_domain(const R1cs *r1cs);

/* SHA-256 of the row stream (docs/FORMATS.md, "row stream"), streamed from the expansion. */
Status r1cs_digest(const R1cs *r1cs, uint8_t digest[32]);
/* The row stream itself, in order, to a callback. */
typedef Status (*R1csStream)(void *context, const void *bytes, size_t size);
Status r1cs_stream(const R1cs *r1cs, R1csStream sink, void *context);

/* File with a header that binds circuit name, version and digest. */
Status r1cs_save(const R1cs *r1cs, const char *path);
Status r1cs_load(R1cs **out, const char *path, const Circuit *circuit);

/* Kinds and densities of variables, as bitmaps over aux of the whole circuit, produced for a
 * range of words: word w covers aux 64w .. 64w+63; bits past n_aux are zero. Cheap, any thread. */
void r1cs_is_bit(const R1cs *r1cs, uint64_t *words, size_t first_word, size_t n_words);
void r1cs_a_density(const R1cs *r1cs, uint64_t *words, size_t first_word, size_t n_words);
void r1cs_b_density(const R1cs *r1cs, uint64_t *words, size_t first_word, size_t n_words);
bool r1cs_b_input_density(const R1cs *r1cs, size_t input);

/* Run the circuit in witness mode: preamble, then blocks in parallel. out is made here. */
Status r1cs_witness(Assignment *out, const R1cs *r1cs, const Circuit *circuit, const void *witness,
                    Pool *pool);

/* a[k], b[k] = row values for k < n_rows, zero for n_rows <= k < n (n >= n_rows); either may be
 * NULL. Montgomery. */
Status r1cs_eval(const R1cs *r1cs, const Assignment *z, Fr *a, Fr *b, size_t n, Pool *pool);
/* The checking mode: C is computed too; ERR_UNSATISFIED names the first row, its block and the
 * gadget it came from. */
Status r1cs_check(const R1cs *r1cs, const Circuit *circuit, const Assignment *z, Pool *pool);

/* Transposed products for key generation: for every variable v (inputs then aux),
 *   a_out[v] += sum over rows k of A[k][v] * weight[k], likewise b_out, c_out.
 * weight: n_rows Fr. Threaded without locks (each thread owns ranges of variables or blocks). */
Status r1cs_transpose_mul(const R1cs *r1cs, const Fr *weight, Fr *a_out, Fr *b_out, Fr *c_out,
                          Pool *pool);

#endif
