/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The protobuf wire format. */
#include "rpc/wire.h"

#include "base/utf8.h"

#include <string.h>

static Status varint(WireReader *r, uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (r->at == r->end)
            FAIL(ERR_FORMAT, "message: byte %zu: cut inside a number", (size_t)(r->at - r->start));
        uint8_t byte = *r->at++;
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *out = value;
            return OK;
        }
    }
    FAIL(ERR_FORMAT, "message: byte %zu: number of more than 64 bits", (size_t)(r->at - r->start));
}

static Status fixed(WireReader *r, size_t size, uint64_t *out)
{
    if ((size_t)(r->end - r->at) < size)
        FAIL(ERR_FORMAT, "message: byte %zu: cut inside a fixed number",
             (size_t)(r->at - r->start));
    *out = 0;
    for (size_t i = size; i-- > 0;)
        *out = *out << 8 | r->at[i];
    r->at += size;
    return OK;
}

Status wire_next(WireReader *r, WireField *field, bool *more)
{
    *more = r->at < r->end;
    if (!*more)
        return OK;
    size_t at = (size_t)(r->at - r->start);
    uint64_t key = 0;
    TRY(varint(r, &key));
    *field = (WireField){.number = (uint32_t)(key >> 3), .type = (WireType)(key & 7)};
    if (key >> 3 == 0 || key >> 3 > 0x1fffffff)
        FAIL(ERR_FORMAT, "message: byte %zu: field number out of range", at);
    switch (field->type) {
    case WIRE_VARINT:
        return varint(r, &field->value);
    case WIRE_FIXED64:
        return fixed(r, 8, &field->value);
    case WIRE_FIXED32:
        return fixed(r, 4, &field->value);
    case WIRE_BYTES: {
        uint64_t size = 0;
        TRY(varint(r, &size));
        if (size > (uint64_t)(r->end - r->at))
            FAIL(ERR_FORMAT, "message: byte %zu: field %u of %llu bytes ends past the message", at,
                 field->number, (unsigned long long)size);
        field->bytes = (WireBytes){r->at, (size_t)size};
        r->at += size;
        return OK;
    }
    default:
        FAIL(ERR_FORMAT, "message: byte %zu: wire type %u", at, (unsigned)field->type);
    }
}

bool wire_is_utf8(WireBytes text)
{
    const uint8_t *at = text.data, *end = at + text.size;
    while (at < end) {
        unsigned size = utf8_length(at, end);
        if (!size)
            return false;
        at += size;
    }
    return true;
}

Status wire_text_field(WireBytes *text, uint32_t number, const uint8_t *data, size_t size)
{
    WireReader reader = wire_reader(data, size);
    WireField field;
    WireBytes found = {0};
    bool more;
    for (;;) {
        TRY(wire_next(&reader, &field, &more));
        if (!more)
            break;
        if (field.number != number)
            continue;
        if (field.type != WIRE_BYTES || !wire_is_utf8(field.bytes))
            FAIL(ERR_FORMAT, "message: field %u: expected UTF-8 text", number);
        found = field.bytes;
    }
    *text = found;
    return OK;
}

static bool reserve(WireWriter *w, size_t more)
{
    if (w->failed)
        return false;
    if (w->room - w->size >= more)
        return true;
    size_t room = w->room ? 2 * w->room : 256;
    while (room - w->size < more)
        room *= 2;
    uint8_t *larger = realloc(w->data, room);
    if (!larger) {
        w->failed = true;
        return false;
    }
    w->data = larger;
    w->room = room;
    return true;
}

static void put_varint(WireWriter *w, uint64_t value)
{
    if (!reserve(w, 10))
        return;
    for (; value >= 0x80; value >>= 7)
        w->data[w->size++] = (uint8_t)(value | 0x80);
    w->data[w->size++] = (uint8_t)value;
}

static void put_raw(WireWriter *w, uint32_t number, WireBytes bytes)
{
    put_varint(w, (uint64_t)number << 3 | WIRE_BYTES);
    put_varint(w, bytes.size);
    if (!reserve(w, bytes.size) || !bytes.size)
        return;
    memcpy(w->data + w->size, bytes.data, bytes.size);
    w->size += bytes.size;
}

void wire_put_uint(WireWriter *w, uint32_t number, uint64_t value)
{
    if (!value)
        return;
    put_varint(w, (uint64_t)number << 3 | WIRE_VARINT);
    put_varint(w, value);
}

void wire_put_bytes(WireWriter *w, uint32_t number, WireBytes bytes)
{
    if (bytes.size)
        put_raw(w, number, bytes);
}

void wire_put_element(WireWriter *w, uint32_t number, WireBytes bytes)
{
    put_raw(w, number, bytes);
}

void wire_put_text(WireWriter *w, uint32_t number, const char *text)
{
    wire_put_bytes(w, number, (WireBytes){(const uint8_t *)text, strlen(text)});
}

void wire_put_message(WireWriter *w, uint32_t number, WireWriter *child)
{
    w->failed |= child->failed;
    put_raw(w, number, (WireBytes){child->data, child->size});
    wire_free(child);
}

void wire_free(WireWriter *w)
{
    free(w->data);
    *w = (WireWriter){0};
}
