/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The thread-local message behind Status. */
#include "base/status.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <string.h>

enum { MESSAGE_BYTES = 768 };
static _Thread_local char message[MESSAGE_BYTES];

/* Messages quote what strangers sent and are cut at any byte, yet travel as protobuf text and log
 * lines: what is not UTF-8 becomes '?', control characters become spaces. */
static void keep(char text[MESSAGE_BYTES])
{
    uint8_t *at = (uint8_t *)text, *end = at + strlen(text);
    while (at < end) {
        unsigned size = utf8_length(at, end);
        if (!size)
            *at = '?';
        else if (*at < 0x20 || *at == 0x7f)
            *at = ' ';
        at += size ? size : 1;
    }
    memcpy(message, text, MESSAGE_BYTES);
}

const char *status_name(Status status)
{
    static const char *const names[] = {
        "ok",        "argument",  "format",      "io",          "memory",
        "budget",    "not found", "unsupported", "unsatisfied", "invalid",
        "cancelled", "timeout",   "full",        "device",      "internal",
    };
    int index = -(int)status;
    if (index < 0 || index >= (int)(sizeof names / sizeof *names))
        return "unknown";
    return names[index];
}

const char *status_message(void)
{
    return message;
}

Status status_fail(Status code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    /* Formatted aside first: an argument may be the present message. */
    char text[MESSAGE_BYTES];
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    keep(text);
    return code;
}

Status status_context(Status code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char prefix[MESSAGE_BYTES / 2];
    vsnprintf(prefix, sizeof prefix, format, arguments);
    va_end(arguments);
    char text[MESSAGE_BYTES];
    int written = snprintf(text, sizeof text, "%s: ", prefix);
    size_t room = sizeof text - (size_t)written;
    size_t rest = strnlen(message, room - 1);
    memcpy(text + written, message, rest);
    text[(size_t)written + rest] = '\0';
    keep(text);
    return code;
}

void status_check_failed(const char *what, const char *file, int line)
{
    fprintf(stderr, "cuzk: check failed: %s (%s:%d)\n", what, file, line);
    abort();
}
