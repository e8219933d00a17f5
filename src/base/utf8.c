/* SPDX-License-Identifier: MIT OR Apache-2.0
 * UTF-8, checked. */
#include "base/utf8.h"

#include <stddef.h>

unsigned utf8_length(const uint8_t *at, const uint8_t *end)
{
    uint8_t lead = at[0];
    if (lead < 0x80)
        return 1;
    unsigned size = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (!size || (size_t)(end - at) < size)
        return 0;
    for (unsigned i = 1; i < size; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    /* The second byte of these four is narrower: overlong forms, surrogates, the last plane. */
    if ((lead == 0xe0 && at[1] < 0xa0) || (lead == 0xed && at[1] > 0x9f) ||
        (lead == 0xf0 && at[1] < 0x90) || (lead == 0xf4 && at[1] > 0x8f))
        return 0;
    return size;
}
