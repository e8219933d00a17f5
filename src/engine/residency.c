/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Circuits in memory: loaded once, pinned while used, evicted when the budget is short. */
#include "engine/residency.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "filecoin/registry.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

typedef enum { ENTRY_EMPTY, ENTRY_LOADING, ENTRY_READY } EntryState;

typedef struct {
    EntryState state;
    char circuit[64];
    Loaded loaded;
    uint32_t references;
    uint64_t used_ns;
} Entry;

/* DESIGN: a fixed row of entries under one lock. Whoever finds a circuit missing marks its entry
 * LOADING, loads without the lock, and tells the others through the condition variable. READY
 * entries with references do not move or vanish. */
struct Residency {
    pthread_mutex_t lock; /* guards entries */
    pthread_cond_t changed;
    Entry entries[CUZK_MAX_KEYS];
    char *param_cache, *source, *circuit_cache;
    MemBudget *budget;
    Pool *pool;
};

Status residency_new(Residency **out, const char *param_cache, const char *source,
                     const char *circuit_cache, MemBudget *budget, Pool *pool)
{
    Residency *r = calloc(1, sizeof *r);
    if (!r)
        FAIL(ERR_MEMORY, "residency: out of memory");
    r->param_cache = strdup(param_cache);
    r->source = strdup(source);
    r->circuit_cache = circuit_cache ? strdup(circuit_cache) : NULL;
    r->budget = budget;
    r->pool = pool;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    *out = r;
    if (!r->param_cache || !r->source || (circuit_cache && !r->circuit_cache)) {
        residency_free(out);
        FAIL(ERR_MEMORY, "residency: out of memory");
    }
    return OK;
}

static uint64_t unload(Residency *r, Loaded *loaded)
{
    uint64_t bytes = loaded->bytes;
    uint64_t rows = loaded->r1cs ? r1cs_bytes(loaded->r1cs) : 0;
    pk_free(&loaded->pk);
    vk_prepared_free(&loaded->vk);
    if (loaded->r1cs)
        mem_release(r->budget, rows);
    r1cs_free(&loaded->r1cs);
    *loaded = (Loaded){0};
    return bytes;
}

void residency_free(Residency **pointer)
{
    Residency *r = *pointer;
    if (!r)
        return;
    for (size_t i = 0; i < CUZK_MAX_KEYS; i++)
        if (r->entries[i].state == ENTRY_READY)
            unload(r, &r->entries[i].loaded);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    free(r->param_cache);
    free(r->source);
    free(r->circuit_cache);
    free(r);
    *pointer = NULL;
}

/* The path of a circuit's parameter file with the given ending. */
static Status param_path(const Residency *r, const char *circuit, const char *ending, char *path,
                         size_t room)
{
    char stem[256];
    TRY(registry_param_stem(circuit, stem, sizeof stem));
    if (snprintf(path, room, "%s/%s%s", r->param_cache, stem, ending) >= (int)room)
        FAIL(ERR_ARG, "parameter folder %s: path too long", r->param_cache);
    return OK;
}

static Status missing(const Residency *r, const char *circuit, const char *path)
{
    FAIL(ERR_NOT_FOUND,
         "parameters of %s not found: %s (folder from %s); fetch the official file, or make a "
         "development key: cuzk params setup --circuit %s --out %s",
         circuit, path, r->source, circuit, r->param_cache);
}

/* What one proof needs beside the key: every variable may be a field element, for all the file
 * says. */
static uint64_t proof_bytes(const ParamsLayout *layout, unsigned threads)
{
    unsigned log_domain = 0;
    while (((size_t)1 << log_domain) <= layout->n[SECTION_H])
        log_domain++;
    return prove_bytes(log_domain, layout->n[SECTION_L], layout->n[SECTION_L], threads);
}

Status residency_probe(Residency *r, const char *circuit)
{
    char path[1024];
    FileMap map;
    ParamsLayout layout;
    TRY(param_path(r, circuit, ".params", path, sizeof path));
    Status status = file_map(&map, path);
    if (status == ERR_NOT_FOUND)
        return missing(r, circuit, path);
    TRY(status);
    status = params_layout(&layout, map.data, map.size);
    file_unmap(&map);
    if (status != OK)
        return status_context(ERR_NOT_FOUND, "parameters of %s: %s", circuit, path);
    uint64_t need = layout.bytes + proof_bytes(&layout, pool_threads(r->pool));
    if (need > mem_budget_total(r->budget)) {
        const double gib = 1024.0 * 1024 * 1024;
        FAIL(ERR_BUDGET,
             "%s needs %.2f GiB (key and one proof), the memory budget is %.2f GiB; raise "
             "memory.total_budget",
             circuit, (double)need / gib, (double)mem_budget_total(r->budget) / gib);
    }
    return OK;
}

/* Idle circuits go, the least recently used first; under the lock. False: nothing to give. */
static bool evict_one(Residency *r)
{
    Entry *oldest = NULL;
    for (size_t i = 0; i < CUZK_MAX_KEYS; i++) {
        Entry *entry = &r->entries[i];
        bool idle = entry->state == ENTRY_READY && entry->references == 0;
        if (idle && (!oldest || entry->used_ns < oldest->used_ns))
            oldest = entry;
    }
    if (!oldest)
        return false;
    LOG_I("residency", "evicting %s (%llu MiB) for room", oldest->circuit,
          (unsigned long long)(oldest->loaded.bytes >> 20));
    unload(r, &oldest->loaded);
    oldest->state = ENTRY_EMPTY;
    return true;
}

/* Compiled rows: from the cache folder when they are there and sound, else compiled and kept. */
static Status load_rows(Residency *r, Loaded *loaded)
{
    char path[1024];
    const Circuit *circuit = &loaded->circuit;
    if (r->circuit_cache) {
        snprintf(path, sizeof path, "%s/%s.r1cs", r->circuit_cache, circuit->name);
        if (file_exists(path)) {
            if (r1cs_load(&loaded->r1cs, path, circuit) == OK)
                return OK;
            LOG_W("residency", "%s: compiling anew: %s", path, status_message());
        }
    }
    TRY(r1cs_compile(&loaded->r1cs, circuit, r->pool));
    if (r->circuit_cache &&
        (file_make_directory(r->circuit_cache) != OK || r1cs_save(loaded->r1cs, path) != OK))
        LOG_W("residency", "compiled circuit not kept: %s", status_message());
    return OK;
}

static Status load_key(Residency *r, Loaded *loaded)
{
    char path[1024], side[1024];
    TRY(param_path(r, loaded->circuit.name, ".params", path, sizeof path));
    if (!file_exists(path))
        return missing(r, loaded->circuit.name, path);
    Status status;
    do {
        status = pk_load(&loaded->pk, path, KEY_CHECK_CURVE, r->budget, r->pool);
        if (status != ERR_FULL)
            break;
        pthread_mutex_lock(&r->lock);
        bool freed = evict_one(r);
        pthread_mutex_unlock(&r->lock);
        if (!freed)
            break;
    } while (true);
    TRY(status);
    TRY(pk_matches(pk_view(loaded->pk), loaded->r1cs));
    TRY(vk_prepare(&loaded->vk, pk_view(loaded->pk)->vk));
    TRY(param_path(r, loaded->circuit.name, ".dev.json", side, sizeof side));
    loaded->development = file_exists(side);
    return OK;
}

static Status load(Residency *r, Loaded *loaded)
{
    uint64_t begin = clock_ns();
    Status status = load_rows(r, loaded);
    if (status == OK) {
        status = mem_reserve(r->budget, "compiled circuit", r1cs_bytes(loaded->r1cs));
        if (status != OK)
            r1cs_free(&loaded->r1cs);
    }
    if (status == OK)
        status = load_key(r, loaded);
    if (status != OK) {
        char message[512];
        snprintf(message, sizeof message, "%s", status_message());
        unload(r, loaded);
        return status_fail(status, "%s", message);
    }
    loaded->bytes = pk_bytes(loaded->pk) + r1cs_bytes(loaded->r1cs);
    LOG_I("residency", "%s loaded: %llu MiB in %.1f s", loaded->circuit.name,
          (unsigned long long)(loaded->bytes >> 20), (double)(clock_ns() - begin) / 1e9);
    if (loaded->development)
        LOG_W("residency", "%s: DEVELOPMENT key, its tau is known to whoever made it",
              loaded->circuit.name);
    return OK;
}

static Entry *find(Residency *r, const char *circuit)
{
    for (size_t i = 0; i < CUZK_MAX_KEYS; i++)
        if (r->entries[i].state != ENTRY_EMPTY && strcmp(r->entries[i].circuit, circuit) == 0)
            return &r->entries[i];
    return NULL;
}

/* A free entry, made by eviction if need be; under the lock. */
static Entry *vacant(Residency *r)
{
    do {
        for (size_t i = 0; i < CUZK_MAX_KEYS; i++)
            if (r->entries[i].state == ENTRY_EMPTY)
                return &r->entries[i];
    } while (evict_one(r));
    return NULL;
}

/* Under the lock, given up while loading. */
static Status load_into(Residency *r, Entry *entry, const char *circuit)
{
    *entry = (Entry){.state = ENTRY_LOADING};
    snprintf(entry->circuit, sizeof entry->circuit, "%s", circuit);
    pthread_mutex_unlock(&r->lock);
    Loaded *loaded = &entry->loaded;
    Status status = circuit_named(&loaded->circuit, &loaded->params, circuit);
    if (status == OK)
        status = residency_probe(r, circuit); /* before minutes of compiling */
    if (status == OK)
        status = load(r, loaded);
    pthread_mutex_lock(&r->lock);
    entry->state = status == OK ? ENTRY_READY : ENTRY_EMPTY;
    pthread_cond_broadcast(&r->changed);
    return status;
}

Status residency_acquire(Residency *r, const char *name, const Loaded **out, bool *was_loaded)
{
    Status status = OK;
    CircuitId id;
    TRY(registry_circuit(&id, name)); /* aliases meet in one entry */
    pthread_mutex_lock(&r->lock);
    Entry *entry;
    while ((entry = find(r, id.name)) && entry->state == ENTRY_LOADING)
        pthread_cond_wait(&r->changed, &r->lock);
    if (was_loaded)
        *was_loaded = entry != NULL;
    if (!entry) {
        entry = vacant(r);
        if (entry)
            status = load_into(r, entry, id.name);
        else
            status = status_fail(ERR_FULL, "%d circuits are in use, the limit", CUZK_MAX_KEYS);
    }
    if (status == OK) {
        entry->references++;
        entry->used_ns = clock_ns();
        *out = &entry->loaded;
    }
    pthread_mutex_unlock(&r->lock);
    return status;
}

void residency_release(Residency *r, const Loaded *loaded)
{
    pthread_mutex_lock(&r->lock);
    for (size_t i = 0; i < CUZK_MAX_KEYS; i++)
        if (&r->entries[i].loaded == loaded)
            r->entries[i].references--;
    pthread_mutex_unlock(&r->lock);
}

Status residency_evict(Residency *r, const char *circuit, bool *was_loaded, uint64_t *freed)
{
    Status status = OK;
    CircuitId id;
    TRY(registry_circuit(&id, circuit));
    pthread_mutex_lock(&r->lock);
    Entry *entry = find(r, id.name);
    *was_loaded = entry != NULL;
    *freed = 0;
    if (entry && (entry->state == ENTRY_LOADING || entry->references)) {
        status = status_fail(ERR_FULL, "%s is in use", circuit);
    } else if (entry) {
        *freed = unload(r, &entry->loaded);
        entry->state = ENTRY_EMPTY;
    }
    pthread_mutex_unlock(&r->lock);
    return status;
}

void residency_report(Residency *r, cuzk_report *report)
{
    pthread_mutex_lock(&r->lock);
    for (size_t i = 0; i < CUZK_MAX_KEYS; i++) {
        const Entry *entry = &r->entries[i];
        if (entry->state != ENTRY_READY)
            continue;
        cuzk_key_report *key = &report->keys[report->n_keys++];
        memcpy(key->circuit, entry->circuit, sizeof key->circuit);
        key->bytes = entry->loaded.bytes;
        key->references = entry->references;
        key->development = entry->loaded.development;
    }
    pthread_mutex_unlock(&r->lock);
    snprintf(report->param_cache, sizeof report->param_cache, "%s (%s)", r->param_cache, r->source);
}
