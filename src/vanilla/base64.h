/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Base64 (RFC 4648 section 4: standard alphabet, padded), strict. */
#ifndef CUZK_VANILLA_BASE64_H
#define CUZK_VANILLA_BASE64_H

#include "base/status.h"

/* Bytes that text of this size decodes to at most; also what base64_decode needs room for. */
static inline size_t base64_decoded_max(size_t text_size)
{
    return text_size / 4 * 3;
}

/* Decode; any thread. Refused with the offset in the text: a character outside the alphabet (white
 * space too), a length that is no multiple of four, padding anywhere but at the end, non-zero bits
 * under the padding. *fault (may be NULL) receives that offset. out: base64_decoded_max(text_size)
 * bytes, no overlap with text; holds garbage after a failure. */
Status base64_decode(uint8_t *out, size_t *out_size, const uint8_t *text, size_t text_size,
                     size_t *fault);

/* The same, one character at a time: the referee. */
Status base64_decode_ref(uint8_t *out, size_t *out_size, const uint8_t *text, size_t text_size,
                         size_t *fault);

static inline size_t base64_encoded_size(size_t size)
{
    return (size + 2) / 3 * 4;
}

/* out: base64_encoded_size(size) characters, no NUL behind them. */
void base64_encode(char *out, const uint8_t *bytes, size_t size);

#endif
