/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The element types of Fr, Fp and Fp2: layout only, for host and device. */
#ifndef CUZK_FIELD_TYPES_H
#define CUZK_FIELD_TYPES_H

#include <stdint.h>

/* r = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001
 * p =
 * 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab
 *
 * Fr, Fp: Montgomery form, R = 2^256 and 2^384, little-endian 64-bit limbs, always reduced (< r,
 * < p), so that equal values have equal bytes. The same layout as blst, sppark and 8x32/12x32-bit
 * device code. FrCanon, FpCanon: the plain integer, reduced; a type of its own so that the
 * two forms cannot be confused. */
typedef struct {
    uint64_t l[4];
} Fr;
typedef struct {
    uint64_t l[4];
} FrCanon;
typedef struct {
    uint64_t l[6];
} Fp;
typedef struct {
    uint64_t l[6];
} FpCanon;
/* c0 + c1 u, u^2 = -1 */
typedef struct {
    Fp c0, c1;
} Fp2;

#endif
