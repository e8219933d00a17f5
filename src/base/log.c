/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Levelled log on stderr. */
#include "base/log.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static LogLevel threshold = LOG_INFO;
static bool json_lines;
static const char *const level_names[] = {"error", "warn", "info", "debug", "trace"};

void log_set_level(LogLevel level)
{
    threshold = level;
}

void log_set_json(bool json)
{
    json_lines = json;
}

Status log_parse_level(const char *text, LogLevel *level)
{
    for (size_t i = 0; i < sizeof level_names / sizeof *level_names; i++) {
        if (strcmp(text, level_names[i]) == 0) {
            *level = (LogLevel)i;
            return OK;
        }
    }
    FAIL(ERR_FORMAT, "log level \"%s\": expected error, warn, info, debug or trace", text);
}

/* Escape for a JSON string; control characters become spaces. */
static void escape(char *out, size_t room, const char *text)
{
    size_t used = 0;
    for (; *text && used + 2 < room; text++) {
        if (*text == '"' || *text == '\\')
            out[used++] = '\\';
        out[used++] = (unsigned char)*text < 0x20 ? ' ' : *text;
    }
    out[used] = '\0';
}

void log_record(LogLevel level, const char *module, const char *format, ...)
{
    if (level > threshold)
        return;
    char text[1024], line[2400], stamp[32], quoted[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &utc);
    int length;
    if (json_lines) {
        escape(quoted, sizeof quoted, text);
        length = snprintf(line, sizeof line,
                          "{\"time\":\"%s.%03ldZ\",\"level\":\"%s\",\"module\":\"%s\","
                          "\"message\":\"%s\"}\n",
                          stamp, now.tv_nsec / 1000000, level_names[level], module, quoted);
    } else {
        length = snprintf(line, sizeof line, "%s.%03ldZ %-5s %s: %s\n", stamp,
                          now.tv_nsec / 1000000, level_names[level], module, text);
    }
    if (length > (int)sizeof line - 1)
        length = (int)sizeof line - 1;
    ssize_t ignored = write(STDERR_FILENO, line, (size_t)length);
    (void)ignored;
}
