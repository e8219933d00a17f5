/* SPDX-License-Identifier: MIT OR Apache-2.0
 * What the files of the JSON reader share. */
#ifndef CUZK_VANILLA_JSON_IMPL_H
#define CUZK_VANILLA_JSON_IMPL_H

#include "vanilla/json.h"

/* Length of the well-formed UTF-8 sequence that starts at `at` with a byte of 0x80 or more; 0 where
 * it is malformed (overlong, surrogate, above U+10FFFF, cut off at end). */
unsigned json_utf8_length(const uint8_t *at, const uint8_t *end);

static inline void json_skip_space(Json *json)
{
    const uint8_t *at = json->at;
    while (at < json->end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    json->at = at;
}

#endif
