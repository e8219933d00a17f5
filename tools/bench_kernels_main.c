/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The kernel benchmark as a program of its own. */
#include "bench_kernels.h"

int main(int argc, char **argv)
{
    return bench_kernels(argc, argv);
}
