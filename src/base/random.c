/* SPDX-License-Identifier: MIT OR Apache-2.0
 * getrandom(2). */
#include "base/random.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

Status random_bytes(void *out, size_t bytes)
{
    uint8_t *next = out;
    while (bytes) {
        ssize_t got = getrandom(next, bytes, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            FAIL(ERR_IO, "getrandom: %s", strerror(errno));
        next += got;
        bytes -= (size_t)got;
    }
    return OK;
}

void wipe(void *secret, size_t bytes)
{
    explicit_bzero(secret, bytes);
}
