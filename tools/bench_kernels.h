/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The kernel benchmark, callable from a tool with commands. */
#ifndef CUZK_TOOLS_BENCH_KERNELS_H
#define CUZK_TOOLS_BENCH_KERNELS_H

/* argv[0] is the command's name. Options: --filter TEXT (kernels whose name contains it),
 * --threads N (default 1; 0: one a CPU), --max-log K (largest NTT and MSM 2^K; default 22).
 * Standard output: header lines "# key,value", then CSV rows
 *   ours,<kernel>,<size>,<min_ns>,<median_ns>,<max_ns>
 * where the time is that of one operation for arithmetic (size 1, always one thread) and of one
 * call for transforms and sums. Returns the exit status: 0, 1 (a kernel failed), 2 (usage). */
int bench_kernels(int argc, char **argv);

#endif
