/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Number-theoretic transforms over Fr. */
#ifndef CUZK_NTT_NTT_H
#define CUZK_NTT_NTT_H

#include "base/pool.h"
#include "field/field.h"

/* The subgroup of order n = 2^log_n, 0 <= log_n <= 32, with
 * omega = ROOT_OF_UNITY^(2^(32-log_n)), ROOT_OF_UNITY = 7^((r-1)/2^32), coset generator 7. */
typedef struct Domain Domain;

/* Twiddle tables are made here, threaded; domain_bytes says how large. */
Status domain_new(Domain **domain, unsigned log_n, Pool *pool);
void domain_free(Domain **domain);
unsigned domain_log(const Domain *domain);
size_t domain_size(const Domain *domain);
/* Tables: at most 1.2 n Fr up to 2^20, about 2^(log_n/2 + 2) Fr above. */
size_t domain_bytes(unsigned log_n);
const Fr *domain_omega(const Domain *domain);

/* data: n Fr, Montgomery, natural order in and out, in place. Any thread; one call at a time a
 * buffer. Scratch is allocated inside: ntt_scratch_bytes.
 *   forward:        data[k] <- sum_j data[j] omega^(jk)
 *   inverse:        its inverse (1/n included)
 *   coset_forward:  evaluations on 7*<omega>: data[k] <- sum_j data[j] (7 omega^k)^j
 *   coset_inverse:  its inverse */
Status ntt_forward(Fr *data, const Domain *domain, Pool *pool);
Status ntt_inverse(Fr *data, const Domain *domain, Pool *pool);
Status ntt_coset_forward(Fr *data, const Domain *domain, Pool *pool);
Status ntt_coset_inverse(Fr *data, const Domain *domain, Pool *pool);

/* What one transform allocates: a column buffer a thread, at most 1 MiB up to 2^29. */
size_t ntt_scratch_bytes(unsigned log_n, unsigned threads);

/* The slow twin: out[k] = sum_j in[j] omega^(jk) by the defining sums, O(n^2). */
void ntt_ref_dft(Fr *out, const Fr *in, size_t n, const Fr *omega);

#endif
