/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The thread pool: the one place where compute threads meet.
 *
 * DESIGN: a Pool owns threads - 1 workers that sleep on a condition variable. parallel_for hands
 * out ranges from an atomic counter; the caller works too, so a pool of 1 has no thread of its
 * own. One loop runs at a time a pool; callers on other threads queue on a mutex. A parallel_for
 * called from inside a body runs serially in that body's thread. */
#ifndef CUZK_BASE_POOL_H
#define CUZK_BASE_POOL_H

#include "base/status.h"

typedef struct Pool Pool;

/* threads = 0: one a CPU that this process may run on (affinity mask, cgroup quota rounded up). */
Status pool_new(Pool **pool, unsigned threads);
void pool_free(Pool **pool);

/* Threads that take part in a loop, the caller included; 1 for NULL. */
unsigned pool_threads(const Pool *pool);

/* Handle [begin, end). worker: 0 .. pool_threads - 1, distinct among bodies that run at the same
 * time, for scratch. */
typedef Status (*PoolBody)(void *argument, size_t begin, size_t end, unsigned worker);

/* Run body over [0, n) in ranges of at most grain (0: chosen so that each thread gets several).
 * Returns when all are done. On failure the remaining ranges are skipped; the first failure and
 * its message are returned. pool NULL: runs in the caller. */
Status parallel_for(Pool *pool, size_t n, size_t grain, PoolBody body, void *argument);

#endif
