/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The defining sums: the referee of the fast transforms. */
#include "ntt/ntt.h"

void ntt_ref_dft(Fr *out, const Fr *in, size_t n, const Fr *omega)
{
    Fr point = FR_ONE;
    for (size_t k = 0; k < n; k++) {
        Fr sum = FR_ZERO;
        for (size_t j = n; j-- > 0;) { /* Horner */
            fr_mul(&sum, &sum, &point);
            fr_add(&sum, &sum, &in[j]);
        }
        out[k] = sum;
        fr_mul(&point, &point, omega);
    }
}
