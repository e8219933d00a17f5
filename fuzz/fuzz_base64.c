/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Fuzz target: base64, the fast decoder against the slow one, and back. */
#include "fuzz.h"
#include "vanilla/base64.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t room = base64_decoded_max(size) + 1, got[2] = {0}, fault[2] = {0};
    uint8_t *fast = malloc(room), *slow = malloc(room);
    char *text = malloc(size + 1);
    Status a = base64_decode(fast, &got[0], data, size, &fault[0]);
    Status b = base64_decode_ref(slow, &got[1], data, size, &fault[1]);
    if (a != b || got[0] != got[1] || fault[0] != fault[1])
        abort();
    if (a == OK) {
        base64_encode(text, fast, got[0]);
        if (memcmp(fast, slow, got[0]) || memcmp(text, data, size))
            abort();
    }
    free(fast);
    free(slow);
    free(text);
    return 0;
}
