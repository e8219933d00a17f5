/* SPDX-License-Identifier: MIT OR Apache-2.0
 * A strict JSON pull parser over a byte range: no tree, no allocation, errors with offset and path.
 */
#ifndef CUZK_VANILLA_JSON_H
#define CUZK_VANILLA_JSON_H

#include "base/status.h"

enum { JSON_MAX_DEPTH = 32 };

/* One open object or array. */
typedef struct {
    const uint8_t *key; /* of the member being read, as written; NULL in an array */
    uint32_t key_size;
    bool is_object;
    uint64_t count; /* members or elements begun */
} JsonLevel;

/* A reader at a position of borrowed bytes. Grammar: RFC 8259, UTF-8 checked, nothing beyond it
 * (no comments, no trailing commas, no NaN). One thread. After a failure only json_fail may be
 * called. Failures are ERR_FORMAT: "NAME: byte OFFSET: PATH: what is wrong"; PATH is written like
 * a.b[3].c and left out at the top. */
typedef struct {
    const uint8_t *begin, *at, *end;
    const char *name; /* what the text is, in messages */
    unsigned depth;
    JsonLevel level[JSON_MAX_DEPTH];
} Json;

/* A string as it stands between its quotes; checked, escapes not yet replaced. */
typedef struct {
    const uint8_t *raw;
    size_t size;
    bool escaped;
} JsonText;

void json_init(Json *json, const char *name, const uint8_t *text, size_t size);

size_t json_offset(const Json *json);

/* Set the message and return code. at: where the fault is. */
Status json_fail(const Json *json, const uint8_t *at, Status code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Members of an object: json_enter_object, then json_member until *more is false; after each true
 * one the value must be read (or json_skip'ped); json->at is its first byte. */
Status json_enter_object(Json *json);
Status json_member(Json *json, JsonText *key, bool *more);

/* Elements of an array, likewise. */
Status json_enter_array(Json *json);
Status json_element(Json *json, bool *more);

/* An integer 0 .. max, without sign, fraction or exponent. */
Status json_u64(Json *json, uint64_t max, uint64_t *value);

/* An array of exactly n integers 0 .. 255. The fast path of this reader: one pass without bounds
 * checks while enough bytes remain. On failure out holds garbage. */
Status json_bytes(Json *json, uint8_t *out, size_t n);

Status json_text(Json *json, JsonText *text);

/* Replace escapes. out: at least text.size bytes, may not overlap. Returns the bytes written. */
size_t json_text_decode(JsonText text, uint8_t *out);
bool json_text_is(JsonText text, const char *expected);

/* Pass over one value of any kind, checked as strictly as if it were read. */
Status json_skip(Json *json);

/* Nothing but white space may follow. */
Status json_end(Json *json);

#endif
