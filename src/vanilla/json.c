/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The JSON pull parser: structure, numbers, byte arrays. Strings are in json_text.c. */
#include "vanilla/json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "vanilla/json_impl.h"

void json_init(Json *json, const char *name, const uint8_t *text, size_t size)
{
    *json = (Json){.begin = text, .at = text, .end = text + size, .name = name};
}

size_t json_offset(const Json *json)
{
    return (size_t)(json->at - json->begin);
}

/* Writes the place, e.g. "a.b[3]: ", into a buffer; keys are cut and made printable. */
static void render_path(const Json *json, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < json->depth && used + 72 < room; i++) {
        const JsonLevel *level = &json->level[i];
        if (!level->count || (level->is_object && !level->key))
            continue;
        if (!level->is_object) {
            used += (size_t)snprintf(out + used, room - used, "[%" PRIu64 "]", level->count - 1);
            continue;
        }
        if (used)
            out[used++] = '.';
        uint32_t size = level->key_size < 48 ? level->key_size : 48;
        for (uint32_t k = 0; k < size; k++)
            out[used++] = level->key[k] > 0x20 && level->key[k] < 0x7f ? (char)level->key[k] : '?';
        out[used] = '\0';
    }
    if (used)
        snprintf(out + used, room - used, ": ");
}

Status json_fail(const Json *json, const uint8_t *at, Status code, const char *format, ...)
{
    char what[256], path[420];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    render_path(json, path, sizeof path);
    return status_fail(code, "%s: byte %zu: %s%s", json->name, (size_t)(at - json->begin), path,
                       what);
}

/* The next byte after white space, 0 at the end (a NUL byte in the text is refused by every caller
 * the same way). */
static uint8_t peek(Json *json)
{
    json_skip_space(json);
    return json->at < json->end ? *json->at : 0;
}

static Status unexpected(const Json *json, const char *expected)
{
    if (json->at >= json->end)
        return json_fail(json, json->at, ERR_FORMAT, "the text ends where %s should be", expected);
    uint8_t byte = *json->at;
    if (byte > 0x20 && byte < 0x7f)
        return json_fail(json, json->at, ERR_FORMAT, "'%c' where %s should be", byte, expected);
    return json_fail(json, json->at, ERR_FORMAT, "byte 0x%02x where %s should be", byte, expected);
}

static Status open_level(Json *json, bool is_object)
{
    if (peek(json) != (is_object ? '{' : '['))
        return unexpected(json, is_object ? "an object" : "an array");
    if (json->depth == JSON_MAX_DEPTH)
        return json_fail(json, json->at, ERR_FORMAT, "nested deeper than %d", JSON_MAX_DEPTH);
    json->at++;
    json->level[json->depth++] = (JsonLevel){.is_object = is_object};
    return OK;
}

/* To the next member or element: takes the comma, or the closing bracket. */
static Status advance(Json *json, uint8_t close, const char *expected, bool *more)
{
    JsonLevel *level = &json->level[json->depth - 1];
    uint8_t byte = peek(json);
    if (byte == close) {
        json->at++;
        json->depth--;
        *more = false;
        return OK;
    }
    if (level->count) {
        if (byte != ',')
            return unexpected(json, expected);
        json->at++;
    }
    *more = true;
    return OK;
}

Status json_enter_object(Json *json)
{
    return open_level(json, true);
}

Status json_member(Json *json, JsonText *key, bool *more)
{
    TRY(advance(json, '}', "',' or '}'", more));
    if (!*more)
        return OK;
    JsonLevel *level = &json->level[json->depth - 1];
    if (peek(json) != '"')
        return unexpected(json, "a key");
    TRY(json_text(json, key));
    level->key = key->raw;
    level->key_size = key->size < UINT32_MAX ? (uint32_t)key->size : UINT32_MAX;
    level->count++;
    if (peek(json) != ':')
        return unexpected(json, "':'");
    json->at++;
    json_skip_space(json);
    return OK;
}

Status json_enter_array(Json *json)
{
    return open_level(json, false);
}

Status json_element(Json *json, bool *more)
{
    TRY(advance(json, ']', "',' or ']'", more));
    if (*more) {
        json->level[json->depth - 1].count++;
        json_skip_space(json);
    }
    return OK;
}

/* Digits of an integer at json->at; refuses leading zeros, fractions, exponents. */
static Status read_digits(Json *json, uint64_t max, uint64_t *value)
{
    const uint8_t *start = json->at, *at = start;
    uint64_t sum = 0;
    bool over = false;
    for (; at < json->end && (uint8_t)(*at - '0') < 10; at++) {
        over |= __builtin_mul_overflow(sum, 10, &sum);
        over |= __builtin_add_overflow(sum, (uint64_t)(*at - '0'), &sum);
    }
    if (at == start)
        return unexpected(json, "an integer");
    if (*start == '0' && at - start > 1)
        return json_fail(json, start, ERR_FORMAT, "an integer with a leading zero");
    if (at < json->end && (*at == '.' || *at == 'e' || *at == 'E'))
        return json_fail(json, start, ERR_FORMAT,
                         "a fraction or exponent where an integer should "
                         "be");
    if (over || sum > max) {
        int shown = at - start < 24 ? (int)(at - start) : 24;
        return json_fail(json, start, ERR_FORMAT, "%.*s%s is above %" PRIu64, shown,
                         (const char *)start, at - start > 24 ? "..." : "", max);
    }
    json->at = at;
    *value = sum;
    return OK;
}

Status json_u64(Json *json, uint64_t max, uint64_t *value)
{
    json_skip_space(json);
    return read_digits(json, max, value);
}

/* "[d,d,...]" without white space, all in bounds. NULL where the text is anything else: the
 * careful reader then says what. */
static const uint8_t *bytes_fast(const uint8_t *at, uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned value = (unsigned)*++at - '0', digit;
        if (value > 9)
            return NULL;
        digit = (unsigned)*++at - '0';
        if (digit <= 9) {
            if (!value)
                return NULL;
            value = value * 10 + digit;
            digit = (unsigned)*++at - '0';
            if (digit <= 9) {
                value = value * 10 + digit;
                at++;
            }
        }
        if (value > 255 || *at != (i + 1 < n ? ',' : ']'))
            return NULL;
        out[i] = (uint8_t)value;
    }
    return at + 1;
}

static Status bytes_careful(Json *json, uint8_t *out, size_t n)
{
    TRY(json_enter_array(json));
    const uint8_t *start = json->at - 1;
    for (size_t i = 0;; i++) {
        bool more;
        TRY(json_element(json, &more));
        if (!more && i == n)
            return OK;
        if (!more)
            return json_fail(json, start, ERR_FORMAT, "%zu bytes where %zu should be", i, n);
        if (i == n)
            return json_fail(json, start, ERR_FORMAT, "more than %zu bytes", n);
        uint64_t value;
        TRY(json_u64(json, UINT8_MAX, &value));
        out[i] = (uint8_t)value;
    }
}

Status json_bytes(Json *json, uint8_t *out, size_t n)
{
    json_skip_space(json);
    const uint8_t *at = json->at;
    /* The longest text of n bytes is "[" and n times "255,". */
    if (n && n < SIZE_MAX / 8 && (size_t)(json->end - at) >= 4 * n + 1 && *at == '[' &&
        (at = bytes_fast(at, out, n))) {
        json->at = at;
        return OK;
    }
    return bytes_careful(json, out, n);
}

static Status skip_number(Json *json)
{
    const uint8_t *at = json->at;
    if (at < json->end && *at == '-')
        at++;
    const uint8_t *whole = at;
    while (at < json->end && (uint8_t)(*at - '0') < 10)
        at++;
    if (at == whole || (*whole == '0' && at - whole > 1))
        return json_fail(json, json->at, ERR_FORMAT, "not a JSON value");
    for (int part = 0; part < 2; part++) {
        if (at >= json->end || (part ? (*at | 0x20) != 'e' : *at != '.'))
            continue;
        at++;
        if (part && at < json->end && (*at == '+' || *at == '-'))
            at++;
        const uint8_t *digits = at;
        while (at < json->end && (uint8_t)(*at - '0') < 10)
            at++;
        if (at == digits)
            return json_fail(json, json->at, ERR_FORMAT, "a number without digits after '%c'",
                             part ? 'e' : '.');
    }
    json->at = at;
    return OK;
}

static Status skip_word(Json *json)
{
    static const char *const words[] = {"null", "true", "false"};
    for (size_t i = 0; i < 3; i++) {
        size_t size = strlen(words[i]);
        if ((size_t)(json->end - json->at) >= size && !memcmp(json->at, words[i], size)) {
            json->at += size;
            return OK;
        }
    }
    return skip_number(json);
}

/* One open bracket more or one scalar read a step, so nesting costs no stack. */
Status json_skip(Json *json)
{
    const unsigned base = json->depth;
    bool more = true;
    for (;;) {
        JsonText text;
        uint8_t byte = peek(json);
        if (byte == '{' || byte == '[')
            TRY(open_level(json, byte == '{'));
        else if (byte == '"')
            TRY(json_text(json, &text));
        else
            TRY(skip_word(json));
        do {
            if (json->depth == base)
                return OK;
            if (json->level[json->depth - 1].is_object)
                TRY(json_member(json, &text, &more));
            else
                TRY(json_element(json, &more));
        } while (!more);
    }
}

Status json_end(Json *json)
{
    json_skip_space(json);
    if (json->at < json->end)
        return json_fail(json, json->at, ERR_FORMAT, "%zu bytes after the end of the value",
                         (size_t)(json->end - json->at));
    return OK;
}
