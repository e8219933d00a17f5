/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The entry that libFuzzer and the replayer call. */
#ifndef CUZK_FUZZ_H
#define CUZK_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* So that the next message is known to be new. */
static inline void clear_message(void)
{
    status_fail(OK, "%s", "");
}

#endif
