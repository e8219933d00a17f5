/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Strings of the JSON reader: checking, escapes, UTF-8. */
#include "base/utf8.h"
#include "vanilla/json_impl.h"

#include <string.h>

/* Bytes that pass as they are: 0x20 .. 0x7f but for '"' and '\'. Eight at a time while they last.
 * Bit 7 of each byte of a mask marks a byte that does not pass; a borrow may mark a neighbour of
 * such a byte too, which only sends the scan to the careful loop early. */
static const uint8_t *plain_run(const uint8_t *at, const uint8_t *end)
{
    const uint64_t ones = 0x0101010101010101, high = 0x8080808080808080;
    while (end - at >= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        uint64_t quote = word ^ (ones * '"'), slash = word ^ (ones * '\\');
        uint64_t marks = word | (word - ones * 0x20) | (quote - ones) | (slash - ones);
        if (marks & high)
            break;
        at += 8;
    }
    while (at < end && *at >= 0x20 && *at < 0x80 && *at != '"' && *at != '\\')
        at++;
    return at;
}

static int hex_value(const uint8_t *at)
{
    int value = 0;
    for (int i = 0; i < 4; i++) {
        uint8_t c = at[i], lower = c | 0x20;
        if ((uint8_t)(c - '0') < 10)
            value = value * 16 + (c - '0');
        else if (lower >= 'a' && lower <= 'f')
            value = value * 16 + (lower - 'a' + 10);
        else
            return -1;
    }
    return value;
}

/* Length of the escape at `at` (a backslash), with its code point; 0 where it is none. A surrogate
 * must come with its other half. */
static unsigned escape_length(const uint8_t *at, const uint8_t *end, uint32_t *code)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    if (end - at < 2)
        return 0;
    const char *name = at[1] ? strchr(names, at[1]) : NULL;
    if (name) {
        *code = (uint32_t)values[name - names];
        return 2;
    }
    int first = at[1] == 'u' && end - at >= 6 ? hex_value(at + 2) : -1;
    if (first < 0 || (first >= 0xdc00 && first <= 0xdfff))
        return 0;
    *code = (uint32_t)first;
    if (first < 0xd800 || first > 0xdbff)
        return 6;
    int second = end - at >= 12 && at[6] == '\\' && at[7] == 'u' ? hex_value(at + 8) : -1;
    if (second < 0xdc00 || second > 0xdfff)
        return 0;
    *code = 0x10000 + ((uint32_t)(first - 0xd800) << 10) + (uint32_t)(second - 0xdc00);
    return 12;
}

Status json_text(Json *json, JsonText *text)
{
    json_skip_space(json);
    if (json->at >= json->end || *json->at != '"')
        return json_fail(json, json->at, ERR_FORMAT, "a string should be here");
    const uint8_t *start = json->at + 1, *at = start;
    bool escaped = false;
    for (;;) {
        at = plain_run(at, json->end);
        if (at >= json->end)
            return json_fail(json, start - 1, ERR_FORMAT, "a string without end");
        if (*at == '"')
            break;
        uint32_t code;
        unsigned step = *at == '\\'  ? escape_length(at, json->end, &code)
                        : *at < 0x20 ? 0
                                     : utf8_length(at, json->end);
        if (!step)
            return json_fail(json, at, ERR_FORMAT, "%s in a string",
                             *at == '\\'  ? "an invalid escape"
                             : *at < 0x20 ? "a control character"
                                          : "invalid UTF-8");
        escaped |= *at == '\\';
        at += step;
    }
    *text = (JsonText){start, (size_t)(at - start), escaped};
    json->at = at + 1;
    return OK;
}

static unsigned utf8_encode(uint32_t code, uint8_t *out)
{
    if (code < 0x80) {
        out[0] = (uint8_t)code;
        return 1;
    }
    unsigned more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    out[0] = (uint8_t)((0xff00u >> (more + 1)) | (code >> (6 * more)));
    for (unsigned i = 1; i <= more; i++)
        out[i] = (uint8_t)(0x80 | ((code >> (6 * (more - i))) & 0x3f));
    return more + 1;
}

size_t json_text_decode(JsonText text, uint8_t *out)
{
    const uint8_t *at = text.raw, *end = text.raw + text.size;
    uint8_t *to = out;
    while (at < end) {
        uint32_t code = 0;
        if (*at != '\\') {
            *to++ = *at++;
            continue;
        }
        at += escape_length(at, end, &code); /* json_text has checked it */
        to += utf8_encode(code, to);
    }
    return (size_t)(to - out);
}

bool json_text_is(JsonText text, const char *expected)
{
    size_t size = strlen(expected);
    if (!text.escaped)
        return text.size == size && !memcmp(text.raw, expected, size);
    uint8_t decoded[256];
    /* An escape is at most six bytes for one. */
    if (text.size > sizeof decoded || text.size > 6 * size)
        return false;
    return json_text_decode(text, decoded) == size && !memcmp(decoded, expected, size);
}
