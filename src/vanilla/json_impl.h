/* SPDX-License-Identifier: MIT OR Apache-2.0
 * What the files of the JSON reader share. */
#ifndef CUZK_VANILLA_JSON_IMPL_H
#define CUZK_VANILLA_JSON_IMPL_H

#include "vanilla/json.h"

static inline void json_skip_space(Json *json)
{
    const uint8_t *at = json->at;
    while (at < json->end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    json->at = at;
}

#endif
