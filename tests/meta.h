/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Reading the small JSON files beside vectors, and hex, in tests. After cmocka.h. */
#ifndef CUZK_TESTS_META_H
#define CUZK_TESTS_META_H

#include "base/file.h"
#include "filecoin/porep_vanilla.h"
#include "vectors.h"

#include <string.h>

/* Free it. Kept out of line: GCC 12 takes an inlined result for a dangling pointer. */
static __attribute__((noinline, unused)) uint8_t *read_vector(const char *name, size_t *size)
{
    uint8_t *bytes;
    if (file_read(vectors_path(name), 1 << 26, &bytes, size) != OK)
        fail_msg("%s", status_message());
    return bytes;
}

/* A NUL-terminated text file; free it. */
static inline char *read_meta(const char *name)
{
    size_t size;
    return (char *)read_vector(name, &size);
}

static inline void expect_hex(const void *bytes, const char *hex)
{
    char text[65];
    for (int i = 0; i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", ((const uint8_t *)bytes)[i]);
    assert_string_equal(text, hex);
}

/* The value of the first "key": behind json, up to a comma or the line's end, without quotes. */
static inline void meta_text(char *out, size_t room, const char *json, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(json, quoted);
    if (!at)
        fail_msg("no %s", key);
    at += strlen(quoted);
    at += *at == '"';
    size_t n = strcspn(at, "\",\n");
    assert_true(n < room);
    memcpy(out, at, n);
    out[n] = 0;
}

static inline uint64_t meta_number(const char *json, const char *key)
{
    char text[32];
    meta_text(text, sizeof text, json, key);
    return strtoull(text, NULL, 10);
}

static inline Node meta_node(const char *json, const char *key)
{
    char text[80];
    Node node;
    meta_text(text, sizeof text, json, key);
    for (int i = 0; i < 32; i++)
        assert_int_equal(sscanf(text + 2 * i, "%2hhx", &node.b[i]), 1);
    return node;
}

static inline void expect_meta_node(const Node *ours, const char *json, const char *key)
{
    char text[80];
    meta_text(text, sizeof text, json, key);
    expect_hex(ours, text);
}

#endif
