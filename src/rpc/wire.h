/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The protobuf wire format: fields read as views, messages written into a growing buffer. */
#ifndef CUZK_RPC_WIRE_H
#define CUZK_RPC_WIRE_H

#include "base/status.h"

typedef struct {
    const uint8_t *data;
    size_t size;
} WireBytes;

typedef struct {
    const uint8_t *start, *at, *end;
} WireReader;

typedef enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 } WireType;

/* One field; bytes is a view into the message. */
typedef struct {
    uint32_t number;
    WireType type;
    uint64_t value;  /* VARINT, FIXED64, FIXED32 */
    WireBytes bytes; /* BYTES */
} WireField;

static inline WireReader wire_reader(const uint8_t *data, size_t size)
{
    return (WireReader){data, data, data + size};
}
/* The next field; *more false at the end. FORMAT names the byte. Groups are refused. */
Status wire_next(WireReader *reader, WireField *field, bool *more);
bool wire_is_utf8(WireBytes text);
/* The text of one field, the last of its number; empty where it is missing. */
Status wire_text_field(WireBytes *text, uint32_t number, const uint8_t *data, size_t size);

/* Default values (0, empty) are not written, as proto3 has it, but for wire_put_message. The first
 * failure to grow is kept in failed. */
typedef struct {
    uint8_t *data;
    size_t size, room;
    bool failed;
} WireWriter;

void wire_put_uint(WireWriter *writer, uint32_t number, uint64_t value);
void wire_put_bytes(WireWriter *writer, uint32_t number, WireBytes bytes);
/* One element of a repeated field: written even when empty. */
void wire_put_element(WireWriter *writer, uint32_t number, WireBytes bytes);
void wire_put_text(WireWriter *writer, uint32_t number, const char *text);
/* A submessage; child is freed. */
void wire_put_message(WireWriter *writer, uint32_t number, WireWriter *child);
void wire_free(WireWriter *writer);

#endif
