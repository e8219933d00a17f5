/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Where tests find the vectors that no one on this project made. */
#ifndef CUZK_TESTS_VECTORS_H
#define CUZK_TESTS_VECTORS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Path of a vector file in a static buffer (four are kept), e.g. vectors_path("rust/x.proof"). */
static inline const char *vectors_path(const char *name)
{
    static char buffers[4][512];
    static unsigned turn;
    char *path = buffers[turn++ % 4];
    const char *folder = getenv("CUZK_VECTORS");
    snprintf(path, sizeof buffers[0], "%s/%s", folder && *folder ? folder : "../shared/vectors",
             name);
    return path;
}

/* Call in a test's main before what needs vectors, after what does not: exits 77 (skipped) where
 * the folder is absent, 1 where CUZK_CI is set, saying so. */
static inline void vectors_require(const char *test)
{
    if (access(vectors_path("README.md"), R_OK) == 0)
        return;
    const char *ci = getenv("CUZK_CI");
    fprintf(stderr, "%s: skipped: no test vectors at %s (set CUZK_VECTORS)\n", test,
            vectors_path(""));
    exit(ci && *ci ? 1 : 77);
}

#endif
