/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Randomness of the system, nothing else. */
#ifndef CUZK_BASE_RANDOM_H
#define CUZK_BASE_RANDOM_H

#include "base/status.h"

/* Fill out with bytes from getrandom(2); waits for the system's generator to be seeded. */
Status random_bytes(void *out, size_t bytes);

/* Overwrite a secret; not removed by the compiler. */
void wipe(void *secret, size_t bytes);

#endif
