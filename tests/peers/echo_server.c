/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The proving service with a fake behind it: every message's fields come back in a reply, so that a
 * peer can compare our codec and transport with its own.
 * Usage: echo_server GRACE_MS MAX_MESSAGE_BYTES BUDGET_BYTES ADDRESS... Prints "ready PORT". */
#include "rpc/grpc.h"
#include "rpc/proving.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int active, cancelled;

static void answer(GrpcReply *reply, WireWriter *writer)
{
    if (writer->failed)
        reply->code = GRPC_RESOURCE_EXHAUSTED;
    reply->message = writer->data;
    reply->size = writer->size;
}

static void refuse(GrpcReply *reply)
{
    reply->code = GRPC_INVALID_ARGUMENT;
    snprintf(reply->text, sizeof reply->text, "%s", status_message());
}

/* proof: the request, encoded anew (sector_number 1), else the size of vanilla_proof. The call
 * takes partition_index milliseconds. */
static void fill_result(AwaitResponse *result, WireWriter *again, const SubmitRequest *request,
                        uint8_t size[8])
{
    for (int i = 0; i < 8; i++)
        size[i] = (uint8_t)(request->vanilla_proof.size >> 8 * i);
    *result = (AwaitResponse){.job_id = request->request_id,
                              .status = AWAIT_COMPLETED,
                              .proof = {size, 8},
                              .total_ms = request->partition_index};
    if (request->sector_number == 1) {
        submit_request_encode(again, request);
        result->proof = (WireBytes){again->data, again->size};
    }
}

static void prove(void *context, GrpcCall *call, const uint8_t *data, size_t size, GrpcReply *reply)
{
    (void)context;
    SubmitRequest request;
    bool present;
    if (prove_request_decode(&request, &present, data, size) != OK) {
        refuse(reply);
        return;
    }
    atomic_fetch_add(&active, 1);
    if (!present || grpc_call_wait(call, request.partition_index * 1000000)) {
        atomic_fetch_add(&cancelled, present);
        reply->code = present ? GRPC_CANCELLED : GRPC_INVALID_ARGUMENT;
        snprintf(reply->text, sizeof reply->text, "missing submit field");
    } else {
        AwaitResponse result;
        WireWriter again = {0}, child = {0}, writer = {0};
        uint8_t digits[8];
        fill_result(&result, &again, &request, digits);
        await_response_encode(&child, &result);
        wire_put_message(&writer, 1, &child);
        wire_free(&again);
        answer(reply, &writer);
    }
    atomic_fetch_sub(&active, 1);
    submit_request_free(&request);
}

static void submit(void *context, GrpcCall *call, const uint8_t *data, size_t size,
                   GrpcReply *reply)
{
    (void)context, (void)call;
    SubmitRequest request;
    if (submit_request_decode(&request, data, size) != OK) {
        refuse(reply);
        return;
    }
    WireWriter writer = {0};
    wire_put_bytes(&writer, 1, request.request_id);
    wire_put_uint(&writer, 2, request.n_vanilla_proofs);
    wire_put_text(&writer, 3, "gpu \xc3\xa9");
    answer(reply, &writer);
    submit_request_free(&request);
}

/* Every field of the response from the two of the request. */
static void await(void *context, GrpcCall *call, const uint8_t *data, size_t size, GrpcReply *reply)
{
    (void)context, (void)call;
    WireBytes id;
    uint64_t n;
    if (text_number_decode(&id, &n, data, size) != OK) {
        refuse(reply);
        return;
    }
    const AwaitResponse result = {id, n % 5, id, id, n, n + 1, n + 2, n + 3, n + 4};
    WireWriter writer = {0};
    await_response_encode(&writer, &result);
    answer(reply, &writer);
}

/* The three messages of one name: (true, its length) comes back. */
static void one_name(void *context, GrpcCall *call, const uint8_t *data, size_t size,
                     GrpcReply *reply)
{
    (void)context, (void)call;
    WireBytes name;
    if (wire_text_field(&name, 1, data, size) != OK) {
        refuse(reply);
        return;
    }
    WireWriter writer = {0};
    wire_put_uint(&writer, 1, name.size > 0);
    wire_put_uint(&writer, 2, name.size);
    answer(reply, &writer);
}

static void status(void *context, GrpcCall *call, const uint8_t *data, size_t size,
                   GrpcReply *reply)
{
    (void)context, (void)call, (void)data, (void)size;
    WireWriter queue = {0}, writer = {0};
    wire_put_text(&queue, 1, "all");
    wire_put_uint(&queue, 3, (uint64_t)atomic_load(&active));
    wire_put_message(&writer, 3, &queue);
    wire_put_uint(&writer, 5, (uint64_t)atomic_load(&cancelled));
    answer(reply, &writer);
}

static void refuse_metrics(void *context, GrpcCall *call, const uint8_t *data, size_t size,
                           GrpcReply *reply)
{
    (void)context, (void)call, (void)data, (void)size;
    reply->code = GRPC_FAILED_PRECONDITION;
    snprintf(reply->text, sizeof reply->text, "100%% na\xc3\xafve,\nreally");
}

static const GrpcMethod methods[] = {
    {PROVING_SERVICE "Prove", prove},         {PROVING_SERVICE "SubmitProof", submit},
    {PROVING_SERVICE "AwaitProof", await},    {PROVING_SERVICE "CancelProof", one_name},
    {PROVING_SERVICE "PreloadSRS", one_name}, {PROVING_SERVICE "EvictSRS", one_name},
    {PROVING_SERVICE "GetStatus", status},    {PROVING_SERVICE "GetMetrics", refuse_metrics},
};

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: %s GRACE_MS MAX_MESSAGE_BYTES BUDGET_BYTES ADDRESS...\n", argv[0]);
        return 2;
    }
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    const GrpcServerOptions options = {.listen = (const char *const *)argv + 4,
                                       .n_listen = (size_t)argc - 4,
                                       .methods = methods,
                                       .n_methods = sizeof methods / sizeof *methods,
                                       .max_message = strtoull(argv[2], NULL, 10),
                                       .memory_budget = strtoull(argv[3], NULL, 10),
                                       .stall_ns = 60000000000};
    GrpcServer *server;
    if (grpc_server_start(&server, &options) != OK) {
        fprintf(stderr, "%s\n", status_message());
        return 1;
    }
    printf("ready %u\n", grpc_server_port(server, 0));
    fflush(stdout);
    int number;
    sigwait(&signals, &number);
    return grpc_server_stop(&server, strtoull(argv[1], NULL, 10) * 1000000) ? 0 : 3;
}
