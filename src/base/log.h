/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Levelled log on stderr: one line a record, text or JSON. */
#ifndef CUZK_BASE_LOG_H
#define CUZK_BASE_LOG_H

#include "base/status.h"

typedef enum { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG, LOG_TRACE } LogLevel;

/* Records above this level are dropped. Default LOG_INFO. Set at start, before threads. */
void log_set_level(LogLevel level);
/* "error", "warn", "info", "debug", "trace" -> level; ERR_FORMAT otherwise. */
Status log_parse_level(const char *text, LogLevel *level);
void log_set_json(bool json);

/* Any thread; a record is one write(2), so lines do not mix. A trailing newline is added. */
void log_record(LogLevel level, const char *module, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define LOG_E(module, ...) log_record(LOG_ERROR, module, __VA_ARGS__)
#define LOG_W(module, ...) log_record(LOG_WARN, module, __VA_ARGS__)
#define LOG_I(module, ...) log_record(LOG_INFO, module, __VA_ARGS__)
#define LOG_D(module, ...) log_record(LOG_DEBUG, module, __VA_ARGS__)

#endif
