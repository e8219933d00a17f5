/* SPDX-License-Identifier: MIT OR Apache-2.0
 * C face of toml++: a flat list of values with their places in the file. */
#ifndef CUZK_DAEMON_TOML_H
#define CUZK_DAEMON_TOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    TOML_STRING,
    TOML_INTEGER,
    TOML_FLOAT,
    TOML_BOOLEAN,
    TOML_DATE,
    TOML_ARRAY,
    TOML_TABLE
} TomlType;

typedef struct {
    const char *path; /* "gpus.devices[0]"; a key with a sign of its own is quoted: a."b.c" */
    bool in_array;    /* an element of an array, or below one */
    TomlType type;
    unsigned line, column; /* of the value, from 1 */
    const char *string;    /* TOML_STRING; zero-terminated */
    size_t length;         /* of string; elements of an array */
    int64_t integer;
    double number;
    bool boolean;
} TomlValue;

typedef struct TomlDocument TomlDocument;

/* NULL on error: error receives "FILE:LINE:COLUMN: message". */
TomlDocument *toml_document_parse(const char *text, size_t size, const char *file, char *error,
                                  size_t room);
void toml_document_free(TomlDocument *document);

/* Every value, arrays and tables too, in the order of their places in the file. */
size_t toml_document_count(const TomlDocument *document);
const TomlValue *toml_document_at(const TomlDocument *document, size_t index);
/* NULL where there is none. */
const TomlValue *toml_document_get(const TomlDocument *document, const char *path);

#ifdef __cplusplus
}
#endif
#endif
