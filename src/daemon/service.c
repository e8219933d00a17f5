/* SPDX-License-Identifier: MIT OR Apache-2.0
 * gRPC handlers: messages to engine calls and back. */
#include "daemon/service.h"

#include "base/clock.h"
#include "rpc/proving.h"

#include <string.h>

static GrpcCode code_of(cuzk_status status)
{
    switch (status) {
    case CUZK_OK:
        return GRPC_OK;
    case CUZK_ERR_ARG:
    case CUZK_ERR_FORMAT:
    case CUZK_ERR_INVALID:
        return GRPC_INVALID_ARGUMENT;
    case CUZK_ERR_UNSUPPORTED:
        return GRPC_UNIMPLEMENTED;
    case CUZK_ERR_BUDGET:
        return GRPC_FAILED_PRECONDITION;
    case CUZK_ERR_FULL:
        return GRPC_RESOURCE_EXHAUSTED;
    case CUZK_ERR_CANCELLED:
        return GRPC_CANCELLED;
    case CUZK_ERR_TIMEOUT:
        return GRPC_DEADLINE_EXCEEDED;
    default:
        return GRPC_INTERNAL;
    }
}

static void refuse(GrpcReply *reply, GrpcCode code, const char *text)
{
    reply->code = code;
    snprintf(reply->text, sizeof reply->text, "%s", text);
}

/* missing: what NOT_FOUND means for this call (a job, or a parameter file). */
static void refuse_status(GrpcReply *reply, cuzk_status status, GrpcCode missing)
{
    refuse(reply, status == CUZK_ERR_NOT_FOUND ? missing : code_of(status), cuzk_message());
}

static void answer(GrpcReply *reply, WireWriter *writer)
{
    if (writer->failed) {
        wire_free(writer);
        refuse(reply, GRPC_RESOURCE_EXHAUSTED, "out of memory for the reply");
        return;
    }
    reply->message = writer->data;
    reply->size = writer->size;
}

static WireBytes text_bytes(const char *text)
{
    return (WireBytes){(const uint8_t *)text, strlen(text)};
}

static cuzk_bytes borrow(WireBytes bytes)
{
    return (cuzk_bytes){bytes.data, bytes.size};
}

/* A field as a C string; false when it is too long or has a zero byte. */
static bool copy_text(char *out, size_t room, WireBytes text)
{
    if (text.size >= room || (text.size && memchr(text.data, 0, text.size)))
        return false;
    if (text.size)
        memcpy(out, text.data, text.size);
    out[text.size] = '\0';
    return true;
}

_Static_assert(sizeof(WireBytes) == sizeof(cuzk_bytes) &&
                   offsetof(WireBytes, size) == offsetof(cuzk_bytes, size),
               "lists of views are passed on as they are");

static cuzk_status submit(cuzk_engine *engine, const SubmitRequest *wire, char *job_id)
{
    char request_id[256];
    if (!copy_text(request_id, sizeof request_id, wire->request_id))
        return (cuzk_status)status_fail(ERR_ARG, "request_id: expected at most 255 bytes of text");
    bool wide = wire->proof_kind > UINT32_MAX || wire->priority > UINT32_MAX;
    cuzk_request request = {
        .request_id = request_id,
        .kind = wide ? UINT32_MAX : (unsigned)wire->proof_kind,
        .sector_size = wire->sector_size,
        .registered_proof = wire->registered_proof,
        .priority = wide ? UINT32_MAX : (unsigned)wire->priority,
        .vanilla_proof = borrow(wire->vanilla_proof),
        .vanilla_proofs = (const cuzk_bytes *)(const void *)wire->vanilla_proofs,
        .n_vanilla_proofs = wire->n_vanilla_proofs,
        .sector_number = wire->sector_number,
        .miner_id = wire->miner_id,
        .randomness = borrow(wire->randomness),
        .comm_r_old = borrow(wire->comm_r_old),
        .comm_r_new = borrow(wire->comm_r_new),
        .comm_d_new = borrow(wire->comm_d_new),
        .partition_index = (uint32_t)wire->partition_index,
    };
    return cuzk_submit(engine, &request, job_id, NULL);
}

static uint64_t to_ms(uint64_t ns)
{
    return ns / 1000000;
}

static void encode_result(WireWriter *writer, const cuzk_result *result)
{
    static const AwaitState states[] = {AWAIT_UNKNOWN, AWAIT_UNKNOWN, AWAIT_COMPLETED, AWAIT_FAILED,
                                        AWAIT_CANCELLED};
    AwaitResponse response = {
        .job_id = text_bytes(result->job_id),
        .status = states[result->state],
        .proof = {result->proof, result->proof_size},
        .error_message = text_bytes(result->message),
        .queue_wait_ms = to_ms(result->queue_ns),
        .srs_load_ms = to_ms(result->load_ns),
        .synthesis_ms = to_ms(result->synthesis_ns),
        .gpu_compute_ms = to_ms(result->compute_ns),
        .total_ms = to_ms(result->total_ns),
    };
    await_response_encode(writer, &response);
}

static bool call_gone(void *call)
{
    return grpc_call_cancelled(call);
}

static void handle_submit(void *context, GrpcCall *call, const uint8_t *data, size_t size,
                          GrpcReply *reply)
{
    (void)call;
    SubmitRequest request;
    char job_id[CUZK_JOB_ID_BYTES];
    if (submit_request_decode(&request, data, size) != OK) {
        refuse(reply, GRPC_INVALID_ARGUMENT, status_message());
        return;
    }
    cuzk_status status = submit(context, &request, job_id);
    submit_request_free(&request);
    if (status != CUZK_OK) {
        refuse_status(reply, status, GRPC_FAILED_PRECONDITION);
        return;
    }
    cuzk_report report;
    cuzk_get_report(context, &report);
    uint64_t pending = 0;
    for (unsigned k = 0; k < CUZK_KINDS; k++)
        pending += report.pending[k];
    WireWriter writer = {0};
    wire_put_text(&writer, 1, job_id);
    wire_put_uint(&writer, 2, pending ? pending - 1 : 0);
    answer(reply, &writer);
}

static void handle_await(void *context, GrpcCall *call, const uint8_t *data, size_t size,
                         GrpcReply *reply)
{
    WireBytes text;
    uint64_t timeout_ms;
    char id[256];
    if (text_number_decode(&text, &timeout_ms, data, size) != OK) {
        refuse(reply, GRPC_INVALID_ARGUMENT, status_message());
        return;
    }
    if (!copy_text(id, sizeof id, text) || !*id) {
        refuse(reply, GRPC_INVALID_ARGUMENT, "job_id: expected 1 to 255 bytes of text");
        return;
    }
    cuzk_result result;
    uint64_t timeout_ns = timeout_ms > UINT64_MAX / 1000000 ? 0 : timeout_ms * 1000000;
    cuzk_status status = cuzk_await(context, id, timeout_ns, call_gone, call, &result);
    WireWriter writer = {0};
    if (status == CUZK_ERR_TIMEOUT) {
        AwaitResponse late = {.job_id = text_bytes(id),
                              .status = AWAIT_TIMEOUT,
                              .error_message = text_bytes(cuzk_message())};
        await_response_encode(&writer, &late);
    } else if (status != CUZK_OK) {
        refuse_status(reply, status, GRPC_NOT_FOUND);
        return;
    } else {
        encode_result(&writer, &result);
        cuzk_result_free(&result);
    }
    answer(reply, &writer);
}

static void handle_prove(void *context, GrpcCall *call, const uint8_t *data, size_t size,
                         GrpcReply *reply)
{
    SubmitRequest request;
    char job_id[CUZK_JOB_ID_BYTES];
    bool present;
    if (prove_request_decode(&request, &present, data, size) != OK) {
        refuse(reply, GRPC_INVALID_ARGUMENT, status_message());
        return;
    }
    if (!present) {
        refuse(reply, GRPC_INVALID_ARGUMENT, "missing submit field");
        return;
    }
    cuzk_status status = submit(context, &request, job_id);
    submit_request_free(&request);
    grpc_call_drop_request(call); /* the engine has its copy; other uploads may come */
    if (status != CUZK_OK) {
        refuse_status(reply, status, GRPC_FAILED_PRECONDITION);
        return;
    }
    cuzk_result result;
    status = cuzk_await(context, job_id, 0, call_gone, call, &result);
    if (status != CUZK_OK) {
        refuse_status(reply, status, GRPC_NOT_FOUND);
        return;
    }
    WireWriter child = {0}, writer = {0};
    encode_result(&child, &result);
    cuzk_result_free(&result);
    wire_put_message(&writer, 1, &child);
    answer(reply, &writer);
}

/* The one text field of a request, as a C string. */
static bool one_text(char *out, size_t room, const uint8_t *data, size_t size, GrpcReply *reply)
{
    WireBytes text;
    uint64_t ignored;
    if (text_number_decode(&text, &ignored, data, size) != OK) {
        refuse(reply, GRPC_INVALID_ARGUMENT, status_message());
        return false;
    }
    if (!copy_text(out, room, text) || !*out) {
        refuse(reply, GRPC_INVALID_ARGUMENT, "expected a name of 1 to 255 bytes");
        return false;
    }
    return true;
}

static void handle_cancel(void *context, GrpcCall *call, const uint8_t *data, size_t size,
                          GrpcReply *reply)
{
    (void)call;
    char id[256];
    bool was_running;
    if (!one_text(id, sizeof id, data, size, reply))
        return;
    cuzk_status status = cuzk_cancel(context, id, &was_running);
    if (status != CUZK_OK) {
        refuse_status(reply, status, GRPC_NOT_FOUND);
        return;
    }
    WireWriter writer = {0};
    wire_put_uint(&writer, 1, was_running);
    answer(reply, &writer);
}

static void put_keys(WireWriter *writer, const cuzk_report *report)
{
    for (size_t i = 0; i < report->n_keys; i++) {
        WireWriter key = {0};
        wire_put_text(&key, 1, report->keys[i].circuit);
        wire_put_uint(&key, 3, report->keys[i].bytes);
        wire_put_uint(&key, 4, report->keys[i].references);
        wire_put_message(writer, 2, &key);
    }
}

static void handle_status(void *context, GrpcCall *call, const uint8_t *data, size_t size,
                          GrpcReply *reply)
{
    (void)call, (void)data, (void)size;
    cuzk_report report;
    uint64_t completed = 0, failed = 0;
    cuzk_get_report(context, &report);
    WireWriter writer = {0};
    put_keys(&writer, &report);
    for (unsigned k = 1; k < CUZK_KINDS; k++) {
        WireWriter queue = {0};
        wire_put_text(&queue, 1, cuzk_kind_name(k));
        wire_put_uint(&queue, 2, report.pending[k]);
        wire_put_uint(&queue, 3, report.in_progress[k]);
        wire_put_message(&writer, 3, &queue);
        completed += report.completed[k];
        failed += report.failed[k];
    }
    wire_put_uint(&writer, 4, completed);
    wire_put_uint(&writer, 5, failed);
    wire_put_uint(&writer, 6, report.uptime_ns / 1000000000);
    answer(reply, &writer);
}

static void handle_metrics(void *context, GrpcCall *call, const uint8_t *data, size_t size,
                           GrpcReply *reply)
{
    (void)call, (void)data, (void)size;
    cuzk_report report;
    cuzk_get_report(context, &report);
    char *text = service_metrics(&report);
    WireWriter writer = {.failed = text == NULL};
    if (text)
        wire_put_text(&writer, 1, text);
    free(text);
    answer(reply, &writer);
}

static void handle_preload(void *context, GrpcCall *call, const uint8_t *data, size_t size,
                           GrpcReply *reply)
{
    (void)call;
    char circuit[256];
    bool already = false;
    if (!one_text(circuit, sizeof circuit, data, size, reply))
        return;
    uint64_t begin = clock_ns();
    cuzk_status status = cuzk_preload(context, circuit, &already);
    if (status != CUZK_OK) {
        refuse_status(reply, status, GRPC_FAILED_PRECONDITION);
        return;
    }
    WireWriter writer = {0};
    wire_put_uint(&writer, 1, already);
    wire_put_uint(&writer, 2, already ? 0 : to_ms(clock_ns() - begin));
    answer(reply, &writer);
}

static void handle_evict(void *context, GrpcCall *call, const uint8_t *data, size_t size,
                         GrpcReply *reply)
{
    (void)call;
    char circuit[256];
    bool was_loaded;
    uint64_t freed;
    if (!one_text(circuit, sizeof circuit, data, size, reply))
        return;
    cuzk_status status = cuzk_evict(context, circuit, &was_loaded, &freed);
    if (status != CUZK_OK) {
        refuse_status(reply, status, GRPC_INVALID_ARGUMENT);
        return;
    }
    WireWriter writer = {0};
    wire_put_uint(&writer, 1, was_loaded);
    wire_put_uint(&writer, 2, freed);
    answer(reply, &writer);
}

const GrpcMethod service_methods[SERVICE_METHODS] = {
    {PROVING_SERVICE "SubmitProof", handle_submit}, {PROVING_SERVICE "AwaitProof", handle_await},
    {PROVING_SERVICE "Prove", handle_prove},        {PROVING_SERVICE "CancelProof", handle_cancel},
    {PROVING_SERVICE "GetStatus", handle_status},   {PROVING_SERVICE "GetMetrics", handle_metrics},
    {PROVING_SERVICE "PreloadSRS", handle_preload}, {PROVING_SERVICE "EvictSRS", handle_evict},
};
