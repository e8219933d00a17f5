/* SPDX-License-Identifier: MIT OR Apache-2.0
 * SHA-256 in a circuit: recorded bit by bit, its witness written a word at a time. */
#ifndef CUZK_CIRCUITS_SHA256_CIRCUIT_H
#define CUZK_CIRCUITS_SHA256_CIRCUIT_H

#include "circuits/word32.h"

/* state = compression of state and block, 16 words in message order (big-endian words). */
void sha256_compress_circuit(Cs *cs, Word32 state[8], const Word32 block[16]);

/* The hash of n words with FIPS padding, n * 4 bytes; digest: 8 words in message order. */
void sha256_circuit(Cs *cs, Word32 digest[8], const Word32 *message, size_t n);

/* The two ways to do sha256_compress_circuit. The bitwise one serves both modes and is the slow
 * twin; the other only writes a witness: the same variables, in the same order. Results carry no
 * variable numbers there. */
void sha256_compress_bitwise(Cs *cs, Word32 state[8], const Word32 block[16]);
void sha256_compress_witness(Cs *cs, Word32 state[8], const Word32 block[16]);

#endif
