/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The C1 benchmark as a program of its own. */
#include "bench_c1.h"

int main(int argc, char **argv)
{
    return bench_c1(argc, argv);
}
