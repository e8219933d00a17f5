/* SPDX-License-Identifier: MIT OR Apache-2.0
 * cuzk-bench: client, load, kernels, test data. */
#include "args.h"
#include "base/log.h"
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
    const char *level = NULL;
    LogLevel parsed;
    const Arg options[] = {
        {"addr", 'a', ARG_TEXT, &client_address, "the daemon: host:port or unix:///path"},
        {"log-level", 0, ARG_TEXT, &level, "error, warn, info, debug or trace"},
    };
    int code = args_take("cuzk-bench", options, sizeof options / sizeof *options, &argc, argv);
    if (code >= 0)
        return code;
    if (level && log_parse_level(level, &parsed) != OK) {
        args_fail("cuzk-bench");
        return EXIT_USAGE;
    }
    if (level)
        log_set_level(parsed);
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        printf("options of cuzk-bench, anywhere: -a, --addr ADDRESS (%s); --log-level LEVEL\n",
               client_address);
    return args_dispatch("cuzk-bench", commands, sizeof commands / sizeof *commands, argc, argv);
}
