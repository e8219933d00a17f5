/* SPDX-License-Identifier: MIT OR Apache-2.0
 * cuzk-bench: proofs through a daemon. */
#include "client.h"

#include "args.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/pool.h"
#include "base/random.h"
#include "client_request.h"
#include "rpc/grpc.h"

#include <string.h>

const char *client_address = "127.0.0.1:9820";

typedef struct {
    RequestFlags request;
    const char *request_id, *proof_out;
    uint64_t timeout_s, count, concurrency;
    bool json;
} ProveArgs;

/* The outcome of one Prove call. */
typedef struct {
    GrpcReply reply; /* owns what result views */
    AwaitResponse result;
    uint64_t wall_ns;
    Status status; /* of the transport */
    char message[1100];
} Outcome;

static bool completed(const Outcome *o)
{
    return o->status == OK && o->reply.code == GRPC_OK && o->result.status == AWAIT_COMPLETED;
}

static Status random_id(char id[17])
{
    uint8_t random[8];
    TRY(random_bytes(random, sizeof random));
    for (int i = 0; i < 8; i++)
        snprintf(id + 2 * i, 3, "%02x", random[i]);
    return OK;
}

static Status call_prove(GrpcReply *reply, const ProveArgs *a, SubmitRequest submit)
{
    GrpcClient *client;
    WireWriter child = {0}, message = {0};
    char random[17];
    const char *id = a->request_id;
    if (!id) {
        TRY(random_id(random));
        id = random;
    }
    submit.request_id = (WireBytes){(const uint8_t *)id, strlen(id)};
    submit_request_encode(&child, &submit);
    wire_put_message(&message, 1, &child);
    Status status = message.failed ? status_fail(ERR_MEMORY, "out of memory")
                                   : grpc_client_new(&client, client_address);
    if (status == OK) {
        status = grpc_client_call(client, PROVING_SERVICE "Prove", message.data, message.size,
                                  a->timeout_s * 1000000000, reply);
        grpc_client_free(&client);
    }
    wire_free(&message);
    return status;
}

/* One call on a connection of its own. */
static void prove_once(Outcome *out, const ProveArgs *a, const SubmitRequest *submit)
{
    *out = (Outcome){0};
    uint64_t begin = clock_ns();
    out->status = call_prove(&out->reply, a, *submit);
    out->wall_ns = clock_ns() - begin;
    if (out->status == OK && out->reply.code == GRPC_OK)
        out->status = prove_response_decode(&out->result, out->reply.message, out->reply.size);
    if (out->status != OK)
        snprintf(out->message, sizeof out->message, "%s", status_message());
    else if (out->reply.code != GRPC_OK)
        snprintf(out->message, sizeof out->message, "refused (%d): %s", (int)out->reply.code,
                 out->reply.text);
    else
        snprintf(out->message, sizeof out->message, "%.*s", (int)out->result.error_message.size,
                 (const char *)out->result.error_message.data);
}

static const char *state_name(const Outcome *o)
{
    static const char *const names[] = {"UNKNOWN", "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT"};
    if (o->status != OK)
        return "ERROR";
    if (o->reply.code != GRPC_OK)
        return "REFUSED";
    return o->result.status < 5 ? names[o->result.status] : "UNKNOWN";
}

static void print_json_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar((unsigned char)*text < 0x20 ? ' ' : *text);
    }
    putchar('"');
}

static void print_hex(WireBytes bytes, size_t most)
{
    for (size_t i = 0; i < bytes.size && i < most; i++)
        printf("%02x", bytes.data[i]);
}

static void print_json(const Outcome *o)
{
    const AwaitResponse *r = &o->result;
    printf("{\"status\":\"%s\",\"job_id\":\"%.*s\",\"wall_ms\":%llu,\"queue_ms\":%llu,"
           "\"load_ms\":%llu,\"synthesis_ms\":%llu,\"compute_ms\":%llu,\"total_ms\":%llu,",
           state_name(o), (int)r->job_id.size, (const char *)r->job_id.data,
           (unsigned long long)(o->wall_ns / 1000000), (unsigned long long)r->queue_wait_ms,
           (unsigned long long)r->srs_load_ms, (unsigned long long)r->synthesis_ms,
           (unsigned long long)r->gpu_compute_ms, (unsigned long long)r->total_ms);
    printf("\"proof\":\"");
    print_hex(r->proof, SIZE_MAX);
    printf("\",\"message\":");
    print_json_text(o->message);
    printf("}\n");
}

static void print_text(const Outcome *o)
{
    const AwaitResponse *r = &o->result;
    printf("=== Proof Result ===\n");
    printf("status      %s\n", state_name(o));
    if (r->job_id.size)
        printf("job         %.*s\n", (int)r->job_id.size, (const char *)r->job_id.data);
    printf("wall        %.3f s\n", (double)o->wall_ns / 1e9);
    if (completed(o)) {
        printf("total       %.3f s\n", (double)r->total_ms / 1e3);
        printf("queue       %.3f s\n", (double)r->queue_wait_ms / 1e3);
        printf("load        %.3f s\n", (double)r->srs_load_ms / 1e3);
        printf("synthesis   %.3f s\n", (double)r->synthesis_ms / 1e3);
        printf("compute     %.3f s\n", (double)r->gpu_compute_ms / 1e3);
        printf("proof       %zu bytes ", r->proof.size);
        print_hex(r->proof, 128);
        printf("\n");
    }
    if (o->message[0])
        printf("message     %s\n", o->message);
}

static int parse(ProveArgs *a, const char *command, bool batch, int argc, char **argv)
{
    RequestFlags *r = &a->request;
    const Arg args[] = {
        {"type", 't', ARG_TEXT, &r->type, "porep, snap, wpost or winning"},
        {"c1", 0, ARG_TEXT, &r->c1, "porep: C1 file, envelope or inner JSON"},
        {"vanilla", 0, ARG_TEXT, &r->vanilla, "others: JSON array of base64, or one raw proof"},
        {"sector-num", 0, ARG_NUMBER, &r->sector_num, "0: not checked against replica_id"},
        {"miner-id", 0, ARG_NUMBER, &r->miner_id, "0: not checked against replica_id"},
        {"registered-proof", 0, ARG_NUMBER, &r->registered_proof, "0: the C1 decides"},
        {"sector-size", 0, ARG_NUMBER, &r->sector_size, "bytes; 0: the C1 decides"},
        {"randomness", 0, ARG_TEXT, &r->randomness, "wpost, winning: 64 hex digits"},
        {"comm-r-old", 0, ARG_TEXT, &r->comm_r_old, "snap: 64 hex digits"},
        {"comm-r-new", 0, ARG_TEXT, &r->comm_r_new, "snap: 64 hex digits"},
        {"comm-d-new", 0, ARG_TEXT, &r->comm_d_new, "snap: 64 hex digits"},
        {"priority", 0, ARG_NUMBER, &r->priority, "1 low .. 4 critical; 0: by kind"},
        {"timeout", 0, ARG_NUMBER, &a->timeout_s, "seconds; 0: none"},
        {"json", 0, ARG_FLAG, &a->json, "one JSON object a proof"},
        {"request-id", 0, ARG_TEXT, &a->request_id, "default: random"},
        {"proof-out", 'o', ARG_TEXT, &a->proof_out, "write the proof here"},
        {"partition", 0, ARG_NUMBER, &r->partition, "wpost: partition index"},
        {"count", 'c', ARG_NUMBER, &a->count, "proofs (3)"},
        {"concurrency", 'j', ARG_NUMBER, &a->concurrency, "calls at a time (1)"},
    };
    int code = args_parse(command, args, sizeof args / sizeof *args - (batch ? 0 : 2), argc, argv);
    if (code >= 0)
        return code;
    if (!r->type) {
        fprintf(stderr, "%s: wanted: --type\n", command);
        return EXIT_USAGE;
    }
    return -1;
}

/* As args_fail; wrong flags are wrong usage. */
static int request_failed(Status status)
{
    args_fail("cuzk-bench");
    return status == ERR_ARG ? EXIT_USAGE : EXIT_FAILED;
}

static int save_proof(const Outcome *o, const char *path)
{
    if (!path || !completed(o))
        return EXIT_DONE;
    if (file_replace(path, o->result.proof.data, o->result.proof.size) != OK)
        return args_fail("cuzk-bench");
    return EXIT_DONE;
}

int client_single(int argc, char **argv)
{
    ProveArgs a = {0};
    int code = parse(&a, "cuzk-bench single", false, argc, argv);
    if (code >= 0)
        return code;
    ClientRequest request;
    Status status = client_request_new(&request, &a.request);
    if (status != OK)
        return request_failed(status);
    Outcome outcome;
    prove_once(&outcome, &a, &request.submit);
    client_request_free(&request);
    if (a.json)
        print_json(&outcome);
    else
        print_text(&outcome);
    code = completed(&outcome) ? save_proof(&outcome, a.proof_out) : EXIT_FAILED;
    free(outcome.reply.message);
    return code;
}

typedef struct {
    const ProveArgs *args;
    const SubmitRequest *submit;
    uint64_t *wall_ns; /* [count]; 0: failed */
    uint64_t *total_ms;
} Batch;

static Status batch_range(void *raw, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    const Batch *batch = raw;
    for (size_t i = begin; i < end; i++) {
        Outcome o;
        prove_once(&o, batch->args, batch->submit);
        if (batch->args->json)
            print_json(&o);
        else
            printf("[%zu/%llu] %s: %.3f s (prove %.3f s, queue %.3f s) %s\n", i + 1,
                   (unsigned long long)batch->args->count, state_name(&o), (double)o.wall_ns / 1e9,
                   (double)o.result.total_ms / 1e3, (double)o.result.queue_wait_ms / 1e3,
                   o.message);
        fflush(stdout);
        batch->wall_ns[i] = completed(&o) ? o.wall_ns : 0;
        batch->total_ms[i] = o.result.total_ms;
        free(o.reply.message);
    }
    return OK;
}

static int summarize(const Batch *batch, uint64_t wall_ns)
{
    uint64_t n = batch->args->count, done = 0, sum = 0, low = UINT64_MAX, high = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t t = batch->wall_ns[i];
        if (!t)
            continue;
        done++;
        sum += t;
        low = t < low ? t : low;
        high = t > high ? t : high;
    }
    double seconds = (double)wall_ns / 1e9;
    if (batch->args->json)
        printf("{\"completed\":%llu,\"failed\":%llu,\"wall_s\":%.3f}\n", (unsigned long long)done,
               (unsigned long long)(n - done), seconds);
    else if (done)
        printf("%llu completed, %llu failed in %.3f s; wall avg %.3f min %.3f max %.3f s; %.2f "
               "proofs/min, %.3f s/proof\n",
               (unsigned long long)done, (unsigned long long)(n - done), seconds,
               (double)sum / 1e9 / (double)done, (double)low / 1e9, (double)high / 1e9,
               60 * (double)done / seconds, seconds / (double)done);
    else
        printf("all %llu failed\n", (unsigned long long)n);
    return done == n ? EXIT_DONE : EXIT_FAILED;
}

int client_batch(int argc, char **argv)
{
    ProveArgs a = {.count = 3, .concurrency = 1};
    int code = parse(&a, "cuzk-bench batch", true, argc, argv);
    if (code >= 0)
        return code;
    if (a.count < 1 || a.count > 100000 || a.concurrency < 1 || a.concurrency > 1024) {
        fprintf(stderr, "cuzk-bench batch: --count 1..100000, --concurrency 1..1024\n");
        return EXIT_USAGE;
    }
    ClientRequest request;
    Pool *pool = NULL;
    Status status = client_request_new(&request, &a.request);
    if (status != OK)
        return request_failed(status);
    if (pool_new(&pool, (unsigned)a.concurrency) != OK) {
        client_request_free(&request);
        return args_fail("cuzk-bench");
    }
    Batch batch = {&a, &request.submit, calloc(a.count, sizeof(uint64_t)),
                   calloc(a.count, sizeof(uint64_t))};
    uint64_t begin = clock_ns();
    if (batch.wall_ns && batch.total_ms)
        parallel_for(pool, a.count, 1, batch_range, &batch);
    code = summarize(&batch, clock_ns() - begin);
    pool_free(&pool);
    free(batch.wall_ns);
    free(batch.total_ms);
    client_request_free(&request);
    return code;
}
