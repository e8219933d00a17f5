/* SPDX-License-Identifier: MIT OR Apache-2.0
 * cuzk-bench: client, load, kernels, test data. */
#include "args.h"
#include "bench_c1.h"
#include "bench_kernels.h"
#include "client.h"
#include "gen_vanilla.h"

#include <string.h>

static const Command commands[] = {
    {"single", "one proof through a daemon", client_single},
    {"batch", "several proofs through a daemon", client_batch},
    {"status", "what the daemon is doing", client_status},
    {"preload", "load a circuit's parameters in the daemon", client_preload},
    {"metrics", "the daemon's metrics, Prometheus text", client_metrics},
    {"gen-vanilla porep", "seal a small sector and write its C1", gen_vanilla_porep},
    {"kernels", "time fields, curves, transforms and sums; CSV", bench_kernels},
    {"parse", "time the reading of a C1 of the 32 GiB shape", bench_c1},
};

int main(int argc, char **argv)
{
    /* -a ADDRESS stands before the command. */
    while (argc > 2 && (strcmp(argv[1], "-a") == 0 || strcmp(argv[1], "--addr") == 0)) {
        client_address = argv[2];
        argv[2] = argv[0];
        argv += 2;
        argc -= 2;
    }
    return args_dispatch("cuzk-bench", commands, sizeof commands / sizeof *commands, argc, argv);
}
