/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Tests of base64: known values, faults with their place, the fast loop against the slow one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vanilla/base64.h"

#include <string.h>

static Status decode(const char *text, uint8_t *out, size_t *size, size_t *fault)
{
    return base64_decode(out, size, (const uint8_t *)text, strlen(text), fault);
}

static void rfc_values(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char text[16] = {0};
        uint8_t bytes[16];
        size_t size = strlen(pairs[i][0]), got;
        base64_encode(text, (const uint8_t *)pairs[i][0], size);
        assert_string_equal(text, pairs[i][1]);
        assert_int_equal(base64_encoded_size(size), strlen(text));
        assert_int_equal(decode(text, bytes, &got, NULL), OK);
        assert_int_equal(got, size);
        assert_memory_equal(bytes, pairs[i][0], size);
    }
}

static void faults_have_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t fault;
        const char *message;
    } rows[] = {
        {"Zm9", 3, "cut off"},         {"Zm9vY", 5, "cut off"},
        {"Zm9v!m9v", 4, "outside"},    {"Zm9v\nm9v", 4, "outside"},
        {"Zm-v", 2, "outside"},        {"Zg==Zg==", 2, "padding before"},
        {"Z===", 1, "padding before"}, {"====", 0, "padding before"},
        {"Zg=a", 2, "padding before"}, {"Zh==", 1, "non-zero bits"},
        {"Zm9=", 2, "non-zero bits"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t out[16];
        size_t got, fault = 99;
        assert_int_equal(decode(rows[i].text, out, &got, &fault), ERR_FORMAT);
        assert_int_equal(fault, rows[i].fault);
        assert_non_null(strstr(status_message(), rows[i].message));
    }
}

static uint64_t next_random(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    return *x ^= *x << 17;
}

/* Both decoders on the same text: same verdict, place and bytes. The exact allocations let the
 * sanitizer see a store outside. */
static void compare(const char *text, size_t size)
{
    size_t room = base64_decoded_max(size), got[2] = {0}, fault[2] = {0};
    uint8_t *copy = malloc(size + !size), *out[2] = {malloc(room + !room), malloc(room + !room)};
    memcpy(copy, text, size);
    Status a = base64_decode(out[0], &got[0], copy, size, &fault[0]);
    Status b = base64_decode_ref(out[1], &got[1], copy, size, &fault[1]);
    assert_int_equal(a, b);
    assert_int_equal(got[0], got[1]);
    assert_int_equal(fault[0], fault[1]);
    assert_memory_equal(out[0], out[1], got[0]);
    free(copy);
    free(out[0]);
    free(out[1]);
}

static void fast_equals_slow(void **state)
{
    (void)state;
    uint64_t x = 0x9e3779b97f4a7c15;
    for (size_t size = 0; size < 300; size++) {
        uint8_t bytes[300] = {0}, back[304];
        char text[404];
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)next_random(&x);
        size_t length = base64_encoded_size(size), got;
        base64_encode(text, bytes, size);
        compare(text, length);
        assert_int_equal(base64_decode(back, &got, (uint8_t *)text, length, NULL), OK);
        assert_int_equal(got, size);
        assert_memory_equal(back, bytes, size);
        if (!length)
            continue;
        compare(text, length - 1);
        for (unsigned k = 0; k < 4; k++) {
            size_t at = next_random(&x) % length;
            char kept = text[at];
            text[at] = (char)next_random(&x);
            compare(text, length);
            text[at] = kept;
        }
    }
}

/* Every byte value at a place that the fast loop reads. */
static void every_byte_in_the_bulk(void **state)
{
    (void)state;
    char text[129];
    for (unsigned c = 0; c < 256; c++)
        for (size_t at = 0; at < 128; at += 7) {
            memset(text, 'Q', 128);
            text[at] = (char)c;
            compare(text, 128);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rfc_values),
        cmocka_unit_test(faults_have_a_place),
        cmocka_unit_test(fast_equals_slow),
        cmocka_unit_test(every_byte_in_the_bulk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
