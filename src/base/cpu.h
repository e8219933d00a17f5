/* SPDX-License-Identifier: MIT OR Apache-2.0
 * What this processor can do, asked once. */
#ifndef CUZK_BASE_CPU_H
#define CUZK_BASE_CPU_H

#include <stdbool.h>

typedef struct {
    bool adx;    /* BMI2 mulx and ADX adcx/adox */
    bool sha_ni; /* SHA-256 instructions, with SSE4.1 */
    bool avx2;
    bool avx512_ifma; /* AVX-512 F, DQ, BW, VL and IFMA, zmm state enabled by the system */
} CpuFeatures;

/* Any thread. The environment variable CUZK_CPU=portable turns everything off, a comma-separated
 * list (adx,sha,avx2,ifma) leaves only what it names; read once, before main. */
extern CpuFeatures cpu_features;

#endif
