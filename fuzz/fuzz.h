/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The entry that libFuzzer and the replayer call. */
#ifndef CUZK_FUZZ_H
#define CUZK_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
