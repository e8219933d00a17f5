/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Encoding and decoding of the proving messages: one table a message. */
#include "rpc/proving.h"

#include <string.h>

typedef enum { NUMBER, NUMBER32, TEXT, BYTES } FieldKind;

/* A singular field and its place in the struct. */
typedef struct {
    uint32_t number;
    FieldKind kind;
    size_t offset;
    const char *name;
} Field;

#define F(type, number, kind, field)                                                               \
    {                                                                                              \
        number, kind, offsetof(type, field), #field                                                \
    }

static const Field submit_fields[] = {
    F(SubmitRequest, 1, TEXT, request_id),       F(SubmitRequest, 2, NUMBER, proof_kind),
    F(SubmitRequest, 3, NUMBER, sector_size),    F(SubmitRequest, 4, NUMBER, registered_proof),
    F(SubmitRequest, 5, NUMBER, priority),       F(SubmitRequest, 10, BYTES, vanilla_proof),
    F(SubmitRequest, 20, NUMBER, sector_number), F(SubmitRequest, 21, NUMBER, miner_id),
    F(SubmitRequest, 22, BYTES, randomness),     F(SubmitRequest, 23, NUMBER32, partition_index),
    F(SubmitRequest, 30, BYTES, comm_r_old),     F(SubmitRequest, 31, BYTES, comm_r_new),
    F(SubmitRequest, 32, BYTES, comm_d_new),
};

static const Field await_fields[] = {
    F(AwaitResponse, 1, TEXT, job_id),           F(AwaitResponse, 2, NUMBER, status),
    F(AwaitResponse, 3, BYTES, proof),           F(AwaitResponse, 4, TEXT, error_message),
    F(AwaitResponse, 10, NUMBER, queue_wait_ms), F(AwaitResponse, 11, NUMBER, srs_load_ms),
    F(AwaitResponse, 12, NUMBER, synthesis_ms),  F(AwaitResponse, 13, NUMBER, gpu_compute_ms),
    F(AwaitResponse, 14, NUMBER, total_ms),
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Store one field where the table has it. */
static Status store(void *message, const Field *fields, size_t n, const WireField *field)
{
    for (size_t i = 0; i < n; i++) {
        const Field *f = &fields[i];
        if (f->number != field->number)
            continue;
        void *place = (char *)message + f->offset;
        bool number = f->kind == NUMBER || f->kind == NUMBER32;
        if (field->type != (number ? WIRE_VARINT : WIRE_BYTES))
            FAIL(ERR_FORMAT, "message: %s: wire type %u", f->name, (unsigned)field->type);
        if (f->kind == TEXT && !wire_is_utf8(field->bytes))
            FAIL(ERR_FORMAT, "message: %s: not UTF-8", f->name);
        if (number)
            *(uint64_t *)place = f->kind == NUMBER32 ? (uint32_t)field->value : field->value;
        else
            *(WireBytes *)place = field->bytes;
        return OK;
    }
    return OK; /* unknown: skipped */
}

static void put(WireWriter *writer, const void *message, const Field *f)
{
    const void *place = (const char *)message + f->offset;
    if (f->kind == NUMBER || f->kind == NUMBER32)
        wire_put_uint(writer, f->number, *(const uint64_t *)place);
    else
        wire_put_bytes(writer, f->number, *(const WireBytes *)place);
}

enum { FIELD_VANILLA_PROOFS = 11 };

static Status add_vanilla(SubmitRequest *out, const WireField *field)
{
    if (field->type != WIRE_BYTES)
        FAIL(ERR_FORMAT, "message: vanilla_proofs: wire type %u", (unsigned)field->type);
    if (out->n_vanilla_proofs == PROVING_MOST_VANILLA)
        FAIL(ERR_FORMAT, "message: more than %d vanilla_proofs", PROVING_MOST_VANILLA);
    size_t n = out->n_vanilla_proofs;
    if ((n & (n - 1)) == 0) { /* doubles at powers of two */
        WireBytes *larger = realloc(out->vanilla_proofs, (n ? 2 * n : 1) * sizeof *larger);
        if (!larger)
            FAIL(ERR_MEMORY, "message: out of memory");
        out->vanilla_proofs = larger;
    }
    out->vanilla_proofs[out->n_vanilla_proofs++] = field->bytes;
    return OK;
}

static Status merge_submit(SubmitRequest *out, const uint8_t *data, size_t size)
{
    WireReader reader = wire_reader(data, size);
    WireField field;
    bool more;
    for (;;) {
        TRY(wire_next(&reader, &field, &more));
        if (!more)
            return OK;
        if (field.number == FIELD_VANILLA_PROOFS)
            TRY(add_vanilla(out, &field));
        else
            TRY(store(out, submit_fields, COUNT(submit_fields), &field));
    }
}

Status submit_request_decode(SubmitRequest *out, const uint8_t *data, size_t size)
{
    SubmitRequest request = {0};
    Status status = merge_submit(&request, data, size);
    if (status != OK) {
        submit_request_free(&request);
        return status;
    }
    *out = request;
    return OK;
}

static Status merge_prove(SubmitRequest *out, bool *present, const uint8_t *data, size_t size)
{
    WireReader reader = wire_reader(data, size);
    WireField field;
    bool more;
    for (;;) {
        TRY(wire_next(&reader, &field, &more));
        if (!more)
            return OK;
        if (field.number != 1)
            continue;
        if (field.type != WIRE_BYTES)
            FAIL(ERR_FORMAT, "message: submit: wire type %u", (unsigned)field.type);
        *present = true;
        TRY(merge_submit(out, field.bytes.data, field.bytes.size));
    }
}

Status prove_request_decode(SubmitRequest *out, bool *present, const uint8_t *data, size_t size)
{
    SubmitRequest request = {0};
    *present = false;
    Status status = merge_prove(&request, present, data, size);
    if (status != OK) {
        submit_request_free(&request);
        return status;
    }
    *out = request;
    return OK;
}

void submit_request_encode(WireWriter *writer, const SubmitRequest *request)
{
    for (size_t i = 0; i < COUNT(submit_fields); i++)
        put(writer, request, &submit_fields[i]);
    for (size_t i = 0; i < request->n_vanilla_proofs; i++)
        wire_put_element(writer, FIELD_VANILLA_PROOFS, request->vanilla_proofs[i]);
}

void submit_request_free(SubmitRequest *request)
{
    free(request->vanilla_proofs);
    *request = (SubmitRequest){0};
}

void await_response_encode(WireWriter *writer, const AwaitResponse *response)
{
    for (size_t i = 0; i < COUNT(await_fields); i++)
        put(writer, response, &await_fields[i]);
}

static Status decode_table(void *out, const Field *fields, size_t n, const uint8_t *data,
                           size_t size)
{
    WireReader reader = wire_reader(data, size);
    WireField field;
    bool more;
    for (;;) {
        TRY(wire_next(&reader, &field, &more));
        if (!more)
            return OK;
        TRY(store(out, fields, n, &field));
    }
}

Status await_response_decode(AwaitResponse *out, const uint8_t *data, size_t size)
{
    *out = (AwaitResponse){0};
    return decode_table(out, await_fields, COUNT(await_fields), data, size);
}

typedef struct {
    WireBytes text;
    uint64_t number;
} TextNumber;

Status prove_response_decode(AwaitResponse *out, const uint8_t *data, size_t size)
{
    static const Field fields[] = {{1, BYTES, offsetof(TextNumber, text), "result"}};
    TextNumber result = {0};
    TRY(decode_table(&result, fields, 1, data, size));
    return await_response_decode(out, result.text.data, result.text.size);
}

Status text_number_decode(WireBytes *text, uint64_t *number, const uint8_t *data, size_t size)
{
    static const Field fields[] = {F(TextNumber, 1, TEXT, text), F(TextNumber, 2, NUMBER, number)};
    TextNumber message = {0};
    TRY(decode_table(&message, fields, COUNT(fields), data, size));
    *text = message.text;
    *number = message.number;
    return OK;
}

Status two_numbers_decode(uint64_t out[2], const uint8_t *data, size_t size)
{
    static const Field fields[] = {{1, NUMBER, 0, "first"},
                                   {2, NUMBER, sizeof(uint64_t), "second"}};
    uint64_t numbers[2] = {0};
    TRY(decode_table(numbers, fields, COUNT(fields), data, size));
    memcpy(out, numbers, sizeof numbers);
    return OK;
}
