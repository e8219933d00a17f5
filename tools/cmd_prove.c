/* SPDX-License-Identifier: MIT OR Apache-2.0
 * cuzk prove: one proof in this process, through the library's own door. */
#include "args.h"
#include "base/file.h"
#include "commands.h"
#include "cuzk.h"

static int finish(const cuzk_result *result, const char *out)
{
    if (result->state != CUZK_JOB_COMPLETED) {
        fprintf(stderr, "cuzk prove: %s\n", result->message);
        return EXIT_FAILED;
    }
    if (result->message[0])
        fprintf(stderr, "cuzk prove: warning: %s\n", result->message);
    if (file_replace(out, result->proof, result->proof_size) != OK)
        return args_fail("cuzk prove");
    printf("%s: %zu bytes; load %.2f s, synthesis %.2f s, compute %.2f s, total %.2f s\n", out,
           result->proof_size, (double)result->load_ns / 1e9, (double)result->synthesis_ns / 1e9,
           (double)result->compute_ns / 1e9, (double)result->total_ns / 1e9);
    return EXIT_DONE;
}

static int prove_file(const cuzk_options *options, cuzk_request *request, const char *path,
                      const char *out)
{
    cuzk_engine *engine;
    uint8_t *text;
    size_t size;
    char job[CUZK_JOB_ID_BYTES];
    if (file_read(path, (size_t)1 << 30, &text, &size) != OK)
        return args_fail("cuzk prove");
    if (cuzk_open(&engine, options) != CUZK_OK) {
        free(text);
        return args_fail("cuzk prove");
    }
    request->vanilla_proof = (cuzk_bytes){text, size};
    cuzk_status status = cuzk_submit(engine, request, job, NULL);
    free(text);
    cuzk_result result = {0};
    if (status == CUZK_OK)
        status = cuzk_await(engine, job, 0, NULL, NULL, &result);
    int code = status == CUZK_OK ? finish(&result, out) : args_fail("cuzk prove");
    cuzk_result_free(&result);
    cuzk_close(&engine);
    return code;
}

int cmd_prove(int argc, char **argv)
{
    const char *c1 = NULL, *out = NULL, *params = NULL;
    cuzk_options options = {0};
    cuzk_request request = {.kind = CUZK_KIND_POREP};
    uint64_t threads = 0;
    const Arg args[] = {
        {"c1", 0, ARG_TEXT, &c1, "C1 output: envelope or inner JSON"},
        {"out", 'o', ARG_TEXT, &out, "proof file"},
        {"param-cache", 0, ARG_TEXT, &params, "parameter folder"},
        {"miner-id", 0, ARG_NUMBER, &request.miner_id, "must lead to the C1's replica_id"},
        {"sector-num", 0, ARG_NUMBER, &request.sector_number, "must lead to the C1's replica_id"},
        {"threads", 0, ARG_NUMBER, &threads, "default: one a CPU"},
    };
    int code = args_parse("cuzk prove", args, sizeof args / sizeof *args, argc, argv);
    if (code >= 0)
        return code;
    if (!c1 || !out || threads > 4096) {
        fprintf(stderr, "cuzk prove: wanted: --c1 and --out\n");
        return EXIT_USAGE;
    }
    options.param_cache = params;
    options.param_source = "--param-cache";
    options.threads = (unsigned)threads;
    return prove_file(&options, &request, c1, out);
}
