/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Fuzz target: the JSON reader over any bytes, and byte arrays both ways. */
#include "fuzz.h"
#include "vanilla/json.h"

#include <string.h>

/* Where a text is valid JSON, reading it member by member must find the same end. */
static Status walk(Json *json)
{
    JsonText text;
    bool more;
    while (json->at < json->end && strchr(" \t\r\n", *json->at) && *json->at)
        json->at++;
    uint8_t first = json->at < json->end ? *json->at : 0;
    if (first == '{') {
        TRY(json_enter_object(json));
        for (;;) {
            TRY(json_member(json, &text, &more));
            if (!more)
                return OK;
            TRY(walk(json));
        }
    }
    if (first == '[') {
        TRY(json_enter_array(json));
        for (;;) {
            TRY(json_element(json, &more));
            if (!more)
                return OK;
            TRY(walk(json));
        }
    }
    return json_skip(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Json skipped, walked, bytes;
    uint8_t out[32];
    json_init(&skipped, "fuzz", data, size);
    walked = bytes = skipped;
    Status a = json_skip(&skipped), b = walk(&walked);
    if (a != b || (a == OK && json_offset(&skipped) != json_offset(&walked)))
        abort();
    if (json_bytes(&bytes, out, sizeof out) == OK &&
        (a != OK || json_offset(&bytes) != json_offset(&skipped)))
        abort();
    return 0;
}
