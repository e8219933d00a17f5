/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Tests of the JSON reader: the grammar, exact numbers, offsets and paths, byte arrays both ways.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vanilla/json.h"

#include <string.h>

/* A copy of exactly this size, so that the sanitizer sees every read beyond it. */
static uint8_t *open_text(Json *json, const char *text, size_t size)
{
    uint8_t *copy = malloc(size + !size);
    memcpy(copy, text, size);
    json_init(json, "T", copy, size);
    return copy;
}

static Status skip_all(const char *text, size_t size)
{
    Json json;
    uint8_t *copy = open_text(&json, text, size);
    Status status = json_skip(&json);
    if (status == OK)
        status = json_end(&json);
    free(copy);
    return status;
}

static void good_texts(void **state)
{
    (void)state;
    static const char *const texts[] = {"null",
                                        " true ",
                                        "false",
                                        "0",
                                        "-0",
                                        "12",
                                        "-1.5e+10",
                                        "0.0",
                                        "1E-2",
                                        "\"\"",
                                        "[]",
                                        "{}",
                                        "[[],{},\"\",0]",
                                        "{\"a\":1,\"a\":2}",
                                        "\t\n\r [ 1 , 2 ] ",
                                        "\"\\u0041\\n\\\\\\/\"",
                                        "\"\\ud83d\\ude00\"",
                                        "\"\xf0\x9f\x98\x80 \xc3\xa9 \xe2\x82\xac\"",
                                        "\"\x7f\"",
                                        "\"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\"",
                                        "{\"\":{\"\":[null]}}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (skip_all(texts[i], strlen(texts[i])) != OK)
            fail_msg("%s: %s", texts[i], status_message());
}

static void bad_texts(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        " ",
                                        "nul",
                                        "nulll",
                                        "True",
                                        "+1",
                                        "01",
                                        "-",
                                        "-01",
                                        "1.",
                                        ".5",
                                        "1e",
                                        "1e+",
                                        "0x10",
                                        "NaN",
                                        "Infinity",
                                        "'a'",
                                        "\"",
                                        "\"a",
                                        "\"\\\"",
                                        "\"\\x\"",
                                        "\"\\u12\"",
                                        "\"\\u123g\"",
                                        "\"\\ud800\"",
                                        "\"\\ud800x\"",
                                        "\"\\ud800\\u0041\"",
                                        "\"\\udc00\"",
                                        "\"\n\"",
                                        "\"\x1f\"",
                                        "\"\x80\"",
                                        "\"\xc0\xaf\"",
                                        "\"\xc1\xbf\"",
                                        "\"\xe0\x80\x80\"",
                                        "\"\xed\xa0\x80\"",
                                        "\"\xf0\x80\x80\x80\"",
                                        "\"\xf4\x90\x80\x80\"",
                                        "\"\xf5\x80\x80\x80\"",
                                        "\"\xe2\x82\"",
                                        "\"\xff\"",
                                        "[",
                                        "]",
                                        "[1,]",
                                        "[,1]",
                                        "[1 2]",
                                        "[1",
                                        "{",
                                        "{\"a\"}",
                                        "{\"a\":}",
                                        "{\"a\":1,}",
                                        "{a:1}",
                                        "{1:1}",
                                        "{\"a\":1 \"b\":2}",
                                        "{\"a\" 1}",
                                        "1 2",
                                        "[]]",
                                        "/*x*/1",
                                        "[1]\f",
                                        "\"a\"\v"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (skip_all(texts[i], strlen(texts[i])) != ERR_FORMAT)
            fail_msg("accepted: %s", texts[i]);
    assert_int_equal(skip_all("\0", 1), ERR_FORMAT);
    assert_int_equal(skip_all("\"\\\0\"", 4), ERR_FORMAT);
    assert_int_equal(skip_all("[1]\0", 4), ERR_FORMAT);
}

static void every_prefix_is_refused(void **state)
{
    (void)state;
    static const char text[] =
        "{\"a\\u00e9\":[1,-2.5e3,true,null,\"\\ud83d\\ude00\xc3\xa9\"],\"b\":{\"c\":[[]]}}";
    for (size_t size = 0; size < sizeof text - 1; size++)
        assert_int_equal(skip_all(text, size), ERR_FORMAT);
    assert_int_equal(skip_all(text, sizeof text - 1), OK);
}

static void depth_is_limited(void **state)
{
    (void)state;
    char text[8192];
    for (unsigned depth = 30; depth < 36; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        assert_int_equal(skip_all(text, 2 * depth), depth <= JSON_MAX_DEPTH ? OK : ERR_FORMAT);
    }
    memset(text, '[', sizeof text);
    assert_int_equal(skip_all(text, sizeof text), ERR_FORMAT);
    assert_non_null(strstr(status_message(), "T: byte 32: "));
    assert_non_null(strstr(status_message(), "nested deeper than 32"));
}

static void integers_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t max, value;
        Status status;
    } rows[] = {
        {"0", UINT64_MAX, 0, OK},
        {" 7", 7, 7, OK},
        {"18446744073709551615", UINT64_MAX, UINT64_MAX, OK},
        {"18446744073709551616", UINT64_MAX, 0, ERR_FORMAT},
        {"99999999999999999999999999", UINT64_MAX, 0, ERR_FORMAT},
        {"4294967295", UINT32_MAX, UINT32_MAX, OK},
        {"4294967296", UINT32_MAX, 0, ERR_FORMAT},
        {"8", 7, 0, ERR_FORMAT},
        {"-1", 7, 0, ERR_FORMAT},
        {"01", 7, 0, ERR_FORMAT},
        {"1.0", 7, 0, ERR_FORMAT},
        {"1e0", 7, 0, ERR_FORMAT},
        {"\"1\"", 7, 0, ERR_FORMAT},
        {"", 7, 0, ERR_FORMAT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Json json;
        uint64_t value = 0;
        uint8_t *copy = open_text(&json, rows[i].text, strlen(rows[i].text));
        assert_int_equal(json_u64(&json, rows[i].max, &value), rows[i].status);
        assert_int_equal(value, rows[i].value);
        free(copy);
    }
}

/* {"a":[0,{"b c":X}]} with the fault in X. */
static void messages_name_byte_and_path(void **state)
{
    (void)state;
    static const char text[] = "{\"a\":[0,{\"b c\":300}]}";
    Json json;
    JsonText key;
    bool more;
    uint64_t value;
    uint8_t *copy = open_text(&json, text, sizeof text - 1);
    assert_int_equal(json_enter_object(&json), OK);
    assert_int_equal(json_member(&json, &key, &more), OK);
    assert_int_equal(json_enter_array(&json), OK);
    assert_int_equal(json_element(&json, &more), OK);
    assert_int_equal(json_u64(&json, 9, &value), OK);
    assert_int_equal(json_element(&json, &more), OK);
    assert_int_equal(json_enter_object(&json), OK);
    assert_int_equal(json_member(&json, &key, &more), OK);
    assert_int_equal(json_u64(&json, 255, &value), ERR_FORMAT);
    assert_string_equal(status_message(), "T: byte 15: a[1].b?c: 300 is above 255");
    free(copy);
}

static void texts_decode(void **state)
{
    (void)state;
    static const char text[] = "\"a\\u00e9\\ud83d\\ude00\\\"\\/\\u20ac\\u0000\"";
    static const char plain[] = "a\xc3\xa9\xf0\x9f\x98\x80\"/\xe2\x82\xac";
    Json json;
    JsonText got;
    uint8_t *copy = open_text(&json, text, sizeof text - 1), out[64];
    assert_int_equal(json_text(&json, &got), OK);
    assert_true(got.escaped);
    assert_int_equal(json_text_decode(got, out), sizeof plain);
    assert_memory_equal(out, plain, sizeof plain);
    assert_false(json_text_is(got, plain)); /* the NUL counts */
    free(copy);
    copy = open_text(&json, "\"comm\\u005fr\"", 13);
    assert_int_equal(json_text(&json, &got), OK);
    assert_true(json_text_is(got, "comm_r"));
    assert_false(json_text_is(got, "comm_d"));
    free(copy);
}

/* The definition of json_bytes in terms of the general reader. */
static Status bytes_slow(Json *json, uint8_t *out, size_t n)
{
    size_t count = 0;
    bool more;
    TRY(json_enter_array(json));
    for (;;) {
        uint64_t value = 0;
        TRY(json_element(json, &more));
        if (!more)
            return count == n ? OK : ERR_FORMAT;
        TRY(json_u64(json, 255, &value));
        if (count == n)
            return ERR_FORMAT;
        out[count++] = (uint8_t)value;
    }
}

static void compare_bytes(const char *text, size_t size, size_t n)
{
    Json a, b;
    uint8_t fast[64], slow[64];
    uint8_t *copy = open_text(&a, text, size);
    b = a;
    Status x = json_bytes(&a, fast, n), y = bytes_slow(&b, slow, n);
    if (x != y)
        fail_msg("%d, not %d: %.*s", x, y, (int)size, text);
    if (x == OK) {
        assert_memory_equal(fast, slow, n);
        assert_int_equal(json_offset(&a), json_offset(&b));
    }
    free(copy);
}

static void byte_arrays_fast_and_slow(void **state)
{
    (void)state;
    uint32_t x = 12345;
    for (unsigned round = 0; round < 4000; round++) {
        char text[320];
        size_t size = 0, n = round % 40;
        for (size_t i = 0; i < n; i++) {
            x = x * 1664525 + 1013904223;
            size += (size_t)sprintf(text + size, "%c%u", i ? ',' : '[', x >> 24);
        }
        size += (size_t)sprintf(text + size, n ? "]" : "[]");
        memset(text + size, ' ', round % 3 * 40); /* room for the fast path, or none */
        size_t whole = size + round % 3 * 40;
        compare_bytes(text, whole, n);
        compare_bytes(text, whole, n + 1);
        if (n)
            compare_bytes(text, whole, n - 1);
        text[(x >> 8) % size] = "0123456789,[] \"-.ex"[(x >> 16) % 19];
        compare_bytes(text, whole, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_texts),
        cmocka_unit_test(bad_texts),
        cmocka_unit_test(every_prefix_is_refused),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(messages_name_byte_and_path),
        cmocka_unit_test(texts_decode),
        cmocka_unit_test(byte_arrays_fast_and_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
