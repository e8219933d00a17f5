/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Reading cuzk.toml: one table of keys. */
#include "daemon/config.h"

#include "base/file.h"
#include "daemon/toml.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { MAX_CONFIG_BYTES = 1 << 20, MAX_PATH_TEXT = 128 };
static const uint64_t second_ns = 1000000000;

/* What a key's value is stored as. IGNORED: understood, of no effect in this version. RETIRED: of
 * no effect any more. Both are noted. */
typedef enum {
    INTO_TEXT,
    INTO_SIZE,
    INTO_DURATION,
    INTO_COUNT,
    INTO_SPECIAL,
    IGNORED,
    RETIRED
} Into;

typedef struct Key Key;
struct Key {
    const char *path;
    TomlType type;
    int64_t low, high; /* of integers */
    Into into;
    size_t offset; /* in Config, of INTO_TEXT.. INTO_COUNT */
    Status (*special)(Config *config, const TomlDocument *document, const TomlValue *value);
};

static Status set_listen(Config *config, const TomlDocument *document, const TomlValue *value);
static Status set_level(Config *config, const TomlDocument *document, const TomlValue *value);
static Status set_format(Config *config, const TomlDocument *document, const TomlValue *value);
static Status set_budget(Config *config, const TomlDocument *document, const TomlValue *value);
static Status set_message(Config *config, const TomlDocument *document, const TomlValue *value);

#define AT(field) offsetof(Config, field)
static const Key keys[] = {
    {"daemon.listen", TOML_STRING, 0, 0, INTO_SPECIAL, 0, set_listen},
    {"daemon.status_listen", TOML_STRING, 0, 0, IGNORED, 0, NULL},
    {"daemon.queue_limit", TOML_INTEGER, 1, 100000, INTO_COUNT, AT(queue_limit), NULL},
    {"daemon.result_ttl", TOML_STRING, 0, 0, INTO_DURATION, AT(result_ttl_ns), NULL},
    {"daemon.shutdown_grace", TOML_STRING, 0, 0, INTO_DURATION, AT(shutdown_grace_ns), NULL},
    {"daemon.max_message", TOML_STRING, 0, 0, INTO_SPECIAL, 0, set_message},
    {"srs.param_cache", TOML_STRING, 0, 0, INTO_TEXT, AT(param_cache), NULL},
    {"srs.circuit_cache", TOML_STRING, 0, 0, INTO_TEXT, AT(circuit_cache), NULL},
    {"srs.preload", TOML_ARRAY, 0, 0, RETIRED, 0, NULL},
    {"memory.total_budget", TOML_STRING, 0, 0, INTO_SPECIAL, 0, set_budget},
    {"memory.safety_margin", TOML_STRING, 0, 0, INTO_SIZE, AT(safety_margin), NULL},
    {"memory.eviction_min_idle", TOML_STRING, 0, 0, IGNORED, 0, NULL},
    {"memory.pinned_budget", TOML_STRING, 0, 0, RETIRED, 0, NULL},
    {"memory.working_memory_budget", TOML_STRING, 0, 0, RETIRED, 0, NULL},
    {"gpus.devices", TOML_ARRAY, 0, 0, IGNORED, 0, NULL},
    {"gpus.gpu_threads", TOML_INTEGER, 0, 4096, IGNORED, 0, NULL},
    {"gpus.gpu_workers_per_device", TOML_INTEGER, 1, 8, IGNORED, 0, NULL},
    {"scheduler.max_batch_size", TOML_INTEGER, 1, 64, IGNORED, 0, NULL},
    {"scheduler.max_batch_wait_ms", TOML_INTEGER, 0, 3600000, IGNORED, 0, NULL},
    {"scheduler.sort_by_type", TOML_BOOLEAN, 0, 0, IGNORED, 0, NULL},
    {"synthesis.threads", TOML_INTEGER, 0, 4096, INTO_COUNT, AT(threads), NULL},
    {"synthesis.partition_workers", TOML_INTEGER, 0, 4096, RETIRED, 0, NULL},
    {"pipeline.enabled", TOML_BOOLEAN, 0, 0, IGNORED, 0, NULL},
    {"pipeline.synthesis_lookahead", TOML_INTEGER, 0, 64, IGNORED, 0, NULL},
    {"pipeline.synthesis_concurrency", TOML_INTEGER, 1, 64, IGNORED, 0, NULL},
    {"pipeline.max_parallel_synthesis", TOML_INTEGER, 0, 1024, IGNORED, 0, NULL},
    {"pipeline.slot_size", TOML_INTEGER, 0, 1024, IGNORED, 0, NULL},
    {"pipeline.max_gpu_queue_depth", TOML_INTEGER, 0, 1024, IGNORED, 0, NULL},
    {"logging.level", TOML_STRING, 0, 0, INTO_SPECIAL, 0, set_level},
    {"logging.format", TOML_STRING, 0, 0, INTO_SPECIAL, 0, set_format},
};
enum { KEYS = sizeof keys / sizeof *keys };
/* A key stands in a file once. */
_Static_assert((int)KEYS <= (int)CONFIG_MAX_NOTES, "a note for every key");

static const char *const tables[] = {"",          "daemon",    "srs",      "memory", "gpus",
                                     "scheduler", "synthesis", "pipeline", "logging"};

static Status set_text(char **field, const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        FAIL(ERR_MEMORY, "configuration: out of memory");
    free(*field);
    *field = copy;
    return OK;
}

static Status add_listen(Config *config, const char *text)
{
    if (!*text)
        FAIL(ERR_FORMAT, "is empty, expected unix:///path or host:port");
    if (config->n_listen == CONFIG_MAX_LISTEN)
        FAIL(ERR_FORMAT, "has more than %d addresses", CONFIG_MAX_LISTEN);
    TRY(set_text(&config->listen[config->n_listen], text));
    config->n_listen++;
    return OK;
}

static void clear_listen(Config *config)
{
    for (size_t i = 0; i < config->n_listen; i++) {
        free(config->listen[i]);
        config->listen[i] = NULL;
    }
    config->n_listen = 0;
}

/* A string, or an array of strings. */
static Status set_listen(Config *config, const TomlDocument *document, const TomlValue *value)
{
    clear_listen(config);
    if (value->type == TOML_STRING)
        return add_listen(config, value->string);
    if (value->length == 0)
        FAIL(ERR_FORMAT, "is empty, expected unix:///path or host:port");
    for (size_t i = 0; i < value->length; i++) {
        char path[MAX_PATH_TEXT];
        snprintf(path, sizeof path, "%s[%zu]", value->path, i);
        const TomlValue *element = toml_document_get(document, path);
        if (!element || element->type != TOML_STRING)
            FAIL(ERR_FORMAT, "must be an array of strings");
        TRY(add_listen(config, element->string));
    }
    return OK;
}

static Status set_level(Config *config, const TomlDocument *document, const TomlValue *value)
{
    (void)document;
    return log_parse_level(value->string, &config->log_level);
}

static Status set_format(Config *config, const TomlDocument *document, const TomlValue *value)
{
    (void)document;
    config->log_json = strcmp(value->string, "json") == 0;
    if (!config->log_json && strcmp(value->string, "text") != 0)
        FAIL(ERR_FORMAT, "is \"%s\", expected \"text\" or \"json\"", value->string);
    return OK;
}

static Status set_budget(Config *config, const TomlDocument *document, const TomlValue *value)
{
    (void)document;
    config->memory_budget = 0;
    if (strcmp(value->string, "auto") == 0)
        return OK;
    TRY(config_parse_size(value->string, &config->memory_budget));
    if (config->memory_budget == 0)
        FAIL(ERR_FORMAT, "is 0, expected \"auto\" or a size");
    return OK;
}

/* Protobuf messages end at 2 GiB. */
static Status set_message(Config *config, const TomlDocument *document, const TomlValue *value)
{
    (void)document;
    TRY(config_parse_size(value->string, &config->max_message_bytes));
    if (config->max_message_bytes < 64ull << 10 || config->max_message_bytes > 2ull << 30)
        FAIL(ERR_FORMAT, "is \"%s\", expected a size from 64KiB to 2GiB", value->string);
    return OK;
}

/* number = digits [. digits]; *scaled = number * unit, which must be whole and fit. */
static Status scale(const char *text, const char *end, uint64_t unit, uint64_t *scaled)
{
    uint64_t whole = 0, fraction = 0, divisor = 1;
    bool digits = false, point = false;
    for (const char *p = text; p < end; p++) {
        if (*p == '.' && !point && digits) {
            point = true;
            continue;
        }
        if (*p < '0' || *p > '9')
            FAIL(ERR_FORMAT, "\"%s\" is not a number with a unit", text);
        digits = true;
        uint64_t *part = point ? &fraction : &whole;
        if (__builtin_mul_overflow(*part, 10, part) ||
            __builtin_add_overflow(*part, (uint64_t)(*p - '0'), part) ||
            (point && __builtin_mul_overflow(divisor, 10, &divisor)))
            FAIL(ERR_FORMAT, "\"%s\" is too large", text);
    }
    if (!digits)
        FAIL(ERR_FORMAT, "\"%s\" is not a number with a unit", text);
    unsigned __int128 value = (unsigned __int128)fraction * unit;
    if (value % divisor)
        FAIL(ERR_FORMAT, "\"%s\" is not a whole number of the smallest unit", text);
    value = value / divisor + (unsigned __int128)whole * unit;
    if (value > UINT64_MAX)
        FAIL(ERR_FORMAT, "\"%s\" is too large", text);
    *scaled = (uint64_t)value;
    return OK;
}

typedef struct {
    const char *name;
    uint64_t value;
} Unit;

static Status parse_with_units(const char *text, const Unit *units, size_t n, const char *expected,
                               uint64_t *value)
{
    size_t number = strspn(text, "0123456789.");
    const char *unit = text + number + strspn(text + number, " ");
    for (size_t i = 0; i < n; i++)
        if (number && strcmp(unit, units[i].name) == 0)
            return scale(text, text + number, units[i].value, value);
    FAIL(ERR_FORMAT, "\"%s\" is not %s", text, expected);
}

Status config_parse_size(const char *text, uint64_t *bytes)
{
    static const Unit units[] = {
        {"", 1},
        {"B", 1},
        {"KiB", 1ull << 10},
        {"MiB", 1ull << 20},
        {"GiB", 1ull << 30},
        {"TiB", 1ull << 40},
        {"KB", 1000},
        {"MB", 1000000},
        {"GB", 1000000000},
        {"TB", 1000000000000},
    };
    return parse_with_units(text, units, sizeof units / sizeof *units,
                            "a size such as 4GiB, 512MiB or 1048576", bytes);
}

Status config_parse_duration(const char *text, uint64_t *ns)
{
    static const Unit units[] = {
        {"", 1000000000},          {"s", 1000000000},           {"ms", 1000000},
        {"m", 60ull * 1000000000}, {"h", 3600ull * 1000000000}, {"d", 86400ull * 1000000000},
    };
    TRY(parse_with_units(text, units, sizeof units / sizeof *units,
                         "a duration such as 90s, 5m or 2h", ns));
    if (*ns > UINT64_MAX / 4) /* so that clock_ns() + *ns does not wrap */
        FAIL(ERR_FORMAT, "\"%s\" is too large", text);
    return OK;
}

Status config_defaults(Config *config)
{
    *config = (Config){.safety_margin = 5ull << 30,
                       .queue_limit = 256,
                       .result_ttl_ns = 3600 * second_ns,
                       .shutdown_grace_ns = 60 * second_ns,
                       .max_message_bytes = 256ull << 20,
                       .log_level = LOG_INFO};
    return add_listen(config, "unix:///run/curio/cuzk.sock");
}

void config_free(Config *config)
{
    clear_listen(config);
    free(config->param_cache);
    free(config->param_source);
    free(config->circuit_cache);
    *config = (Config){0};
}

static const Key *find_key(const char *path)
{
    for (size_t i = 0; i < KEYS; i++)
        if (strcmp(keys[i].path, path) == 0)
            return &keys[i];
    return NULL;
}

/* Levenshtein's distance, for texts short enough. */
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(b), row[MAX_PATH_TEXT];
    if (n >= MAX_PATH_TEXT)
        return SIZE_MAX;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[n];
}

static Status unknown_key(const TomlValue *value, const char *file)
{
    size_t best = SIZE_MAX;
    const char *hint = NULL;
    for (size_t i = 0; i < KEYS; i++) {
        size_t d = distance(value->path, keys[i].path);
        if (d < best) {
            best = d;
            hint = keys[i].path;
        }
    }
    if (best <= 3)
        FAIL(ERR_FORMAT, "%s:%u:%u: unknown key \"%s\"; did you mean \"%s\"?", file, value->line,
             value->column, value->path, hint);
    FAIL(ERR_FORMAT, "%s:%u:%u: unknown key \"%s\"", file, value->line, value->column, value->path);
}

static Status store(Config *config, const Key *key, const TomlDocument *document,
                    const TomlValue *value)
{
    void *field = (char *)config + key->offset;
    switch (key->into) {
    case INTO_TEXT:
        return set_text(field, value->string);
    case INTO_SIZE:
        return config_parse_size(value->string, field);
    case INTO_DURATION:
        return config_parse_duration(value->string, field);
    case INTO_COUNT:
        if (key->offset == AT(threads))
            config->threads = (unsigned)value->integer;
        else
            config->queue_limit = (size_t)value->integer;
        return OK;
    case INTO_SPECIAL:
        return key->special(config, document, value);
    default:
        return OK;
    }
}

static Status check_type(const Key *key, const TomlValue *value)
{
    static const char *const names[] = {"a string", "an integer", "a float", "a boolean",
                                        "a date",   "an array",   "a table"};
    bool listen_array = key->special == set_listen && value->type == TOML_ARRAY;
    if (value->type != key->type && !listen_array)
        FAIL(ERR_FORMAT, "must be %s, not %s", names[key->type], names[value->type]);
    if (value->type == TOML_INTEGER && (value->integer < key->low || value->integer > key->high))
        FAIL(ERR_FORMAT, "must be from %lld to %lld, not %lld", (long long)key->low,
             (long long)key->high, (long long)value->integer);
    if (value->type == TOML_STRING && strlen(value->string) != value->length)
        FAIL(ERR_FORMAT, "contains a zero byte");
    return OK;
}

static Status apply(Config *config, const TomlDocument *document, const TomlValue *value,
                    const char *file)
{
    const Key *key = find_key(value->path);
    if (!key)
        return unknown_key(value, file);
    Status status = check_type(key, value);
    if (status == OK)
        status = store(config, key, document, value);
    if (status != OK) {
        char message[512];
        snprintf(message, sizeof message, "%s", status_message());
        FAIL(ERR_FORMAT, "%s:%u:%u: \"%s\" %s", file, value->line, value->column, value->path,
             message);
    }
    if (key->into == RETIRED || key->into == IGNORED)
        config->notes[config->n_notes++] =
            (ConfigNote){key->path, key->into == RETIRED, value->line, value->column};
    return OK;
}

static bool is_table_name(const TomlValue *value)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strcmp(tables[i], value->path) == 0)
            return true;
    return false;
}

static Status apply_all(Config *config, const TomlDocument *document, const char *file)
{
    config->n_notes = 0;
    for (size_t i = 0; i < toml_document_count(document); i++) {
        const TomlValue *value = toml_document_at(document, i);
        bool table = is_table_name(value);
        if (value->in_array || (table && value->type == TOML_TABLE)) /* its array was handled */
            continue;
        if (table)
            FAIL(ERR_FORMAT, "%s:%u:%u: \"%s\" must be a table", file, value->line, value->column,
                 value->path);
        TRY(apply(config, document, value, file));
    }
    if (!config->param_cache)
        return OK;
    char source[512];
    snprintf(source, sizeof source, "srs.param_cache in %s", file);
    return set_text(&config->param_source, source);
}

Status config_parse(Config *config, const char *text, size_t size, const char *file)
{
    char error[512];
    TomlDocument *document = toml_document_parse(text, size, file, error, sizeof error);
    if (!document)
        FAIL(ERR_FORMAT, "%s", error);
    Status status = apply_all(config, document, file);
    toml_document_free(document);
    return status;
}

void config_log_notes(const Config *config, const char *file)
{
    for (size_t i = 0; i < config->n_notes; i++) {
        const ConfigNote *note = &config->notes[i];
        log_record(note->retired ? LOG_WARN : LOG_DEBUG, "config", "%s:%u:%u: \"%s\" %s", file,
                   note->line, note->column, note->key,
                   note->retired ? "is retired and ignored" : "has no effect in this version");
    }
}

Status config_read(Config *config, const char *path)
{
    uint8_t *text;
    size_t size;
    TRY(file_read(path, MAX_CONFIG_BYTES, &text, &size));
    Status status = config_parse(config, (const char *)text, size, path);
    free(text);
    return status;
}
