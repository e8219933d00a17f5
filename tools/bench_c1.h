/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The C1 benchmark, callable from a tool with commands. */
#ifndef CUZK_TOOLS_BENCH_C1_H
#define CUZK_TOOLS_BENCH_C1_H

/* argv[0] is the command's name. Options: --proof N (registered proof 0 .. 19, default 8, 32 GiB
 * V1_1), --repeat N (default 9). Makes a C1 of random nodes in that shape and prints, for each
 * form, size and time: CSV rows "c1,<form>,<bytes>,<min_ns>,<median_ns>,<max_ns>" after lines
 * "# key,value". Returns the exit status: 0, 1 (a failure), 2 (usage). */
int bench_c1(int argc, char **argv);

#endif
