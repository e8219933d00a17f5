/* SPDX-License-Identifier: MIT OR Apache-2.0
 * UTF-8, checked (RFC 3629). */
#ifndef CUZK_BASE_UTF8_H
#define CUZK_BASE_UTF8_H

#include <stdint.h>

/* Bytes of the well-formed sequence at `at` (1 .. 4; at < end); 0 where it is malformed: overlong,
 * a surrogate, above U+10FFFF, cut off at end. */
unsigned utf8_length(const uint8_t *at, const uint8_t *end);

#endif
