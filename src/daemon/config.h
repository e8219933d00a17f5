/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The daemon's configuration: published keys, strict values, errors with line and column. */
#ifndef CUZK_DAEMON_CONFIG_H
#define CUZK_DAEMON_CONFIG_H

#include "base/log.h"
#include "base/status.h"

enum { CONFIG_MAX_LISTEN = 8, CONFIG_MAX_NOTES = 32 };

/* A key that is there and does nothing: retired, or not in this version. */
typedef struct {
    const char *key; /* static */
    bool retired;
    unsigned line, column;
} ConfigNote;

/* Strings are owned by the config. */
typedef struct {
    char *listen[CONFIG_MAX_LISTEN]; /* "unix:///path" or "host:port" */
    size_t n_listen;
    char *param_cache;  /* NULL: not set */
    char *param_source; /* who set it: "srs.param_cache in FILE" */
    char *circuit_cache;
    uint64_t memory_budget; /* 0: auto */
    uint64_t safety_margin;
    unsigned threads; /* 0: all */
    size_t queue_limit;
    uint64_t result_ttl_ns, shutdown_grace_ns;
    uint64_t max_message_bytes;
    LogLevel log_level;
    bool log_json;
    ConfigNote notes[CONFIG_MAX_NOTES];
    size_t n_notes;
} Config;

Status config_defaults(Config *config);
/* Read a file over the defaults. Unknown keys, wrong types and bad values are errors
 * "FILE:LINE:COLUMN: ...". Nothing is logged: the file says how to. */
Status config_read(Config *config, const char *path);
Status config_parse(Config *config, const char *text, size_t size, const char *file);
void config_free(Config *config);
/* Once the log is set up: retired keys are warnings, ineffective ones level debug. */
void config_log_notes(const Config *config, const char *file);

/* "4GiB", "512 MiB", "1.5GB", "1048576"; units B, KiB.. TiB, KB.. TB; the whole text must be one
 * number and one unit, the result a whole number of bytes. */
Status config_parse_size(const char *text, uint64_t *bytes);
/* "90s", "5m", "2h", "1d", "250ms", or a plain number of seconds. */
Status config_parse_duration(const char *text, uint64_t *ns);

#endif
