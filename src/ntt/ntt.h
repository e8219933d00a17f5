/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Number-theoretic transforms over Fr. */
#ifndef CUZK_NTT_NTT_H
#define CUZK_NTT_NTT_H

#include "base/pool.h"
#include "field/field.h"

/* The subgroup of order n = 2^log_n, 0 <= log_n <= 32, with
 * omega = ROOT_OF_UNITY^(2^(32-log_n)), ROOT_OF_UNITY = 7^((r-1)/2^32), coset generator 7. */
typedef struct Domain Domain;

/* Twiddle tables are made here, threaded; memory O(n / small factor), stated by domain_bytes. */
Status domain_new(Domain **domain, unsigned log_n, Pool *pool);
void domain_free(Domain **domain);
unsigned domain_log(const Domain *domain);
size_t domain_size(const Domain *domain);
size_t domain_bytes(unsigned log_n);
/* omega and 1/omega, Montgomery */
const Fr *domain_omega(const Domain *domain);

/* data: n Fr, Montgomery, natural order in and out, in place. Any thread; one call at a time a
 * buffer.
 *   forward:        data[k] <- sum_j data[j] omega^(jk)
 *   inverse:        its inverse (1/n included)
 *   coset_forward:  evaluations on 7*<omega>: data[k] <- sum_j data[j] (7 omega^k)^j
 *   coset_inverse:  its inverse */
Status ntt_forward(Fr *data, const Domain *domain, Pool *pool);
Status ntt_inverse(Fr *data, const Domain *domain, Pool *pool);
Status ntt_coset_forward(Fr *data, const Domain *domain, Pool *pool);
Status ntt_coset_inverse(Fr *data, const Domain *domain, Pool *pool);

/* The slow twin: the defining sums, O(n^2). omega_power: omega, or 1/omega. */
void ntt_ref_dft(Fr *out, const Fr *in, size_t n, const Fr *omega);

#endif
