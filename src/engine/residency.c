/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Circuits in memory: who holds what, and who goes when room is short. */
#include "engine/residency.h"

#include "base/clock.h"
#include "base/log.h"

#include <pthread.h>
#include <string.h>

typedef enum { ENTRY_EMPTY, ENTRY_LOADING, ENTRY_READY } EntryState;

typedef struct {
    EntryState state;
    char circuit[CIRCUIT_NAME];
    Loaded loaded;
    uint64_t bytes, proof_bytes; /* reserved for loaded; to be reserved a job */
    uint32_t references;
    uint64_t used_ns;
} Entry;

/* DESIGN: a fixed row of entries under one lock. One thread at a time loads, without the lock, its
 * entry marked LOADING; the others wait for it on the condition variable. READY entries with
 * references do not move or vanish.
 *
 * Memory is reserved before it is allocated: what a circuit takes when its loading begins, what a
 * proof takes when a job gets hold. Idle circuits make room. A job waits for a load in progress,
 * whose circuit is idle afterwards; a load waits for nobody, so the two cannot wait for each
 * other. */
struct Residency {
    pthread_mutex_t lock;   /* guards entries, loading */
    pthread_cond_t changed; /* a load has ended */
    Entry entries[CUZK_MAX_KEYS];
    bool loading;
    Loader loader;
    char *param_cache, *param_origin, *circuit_cache; /* loader's strings */
    MemBudget *budget;
};

Status residency_new(Residency **out, const Loader *loader, MemBudget *budget)
{
    Residency *r = calloc(1, sizeof *r);
    if (!r)
        FAIL(ERR_MEMORY, "residency: out of memory");
    r->param_cache = strdup(loader->param_cache);
    r->param_origin = strdup(loader->param_origin);
    r->circuit_cache = loader->circuit_cache ? strdup(loader->circuit_cache) : NULL;
    r->loader = (Loader){.source = loader->source,
                         .param_cache = r->param_cache,
                         .param_origin = r->param_origin,
                         .circuit_cache = r->circuit_cache,
                         .pool = loader->pool};
    r->budget = budget;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    *out = r;
    if (!r->param_cache || !r->param_origin || (loader->circuit_cache && !r->circuit_cache)) {
        residency_free(out);
        FAIL(ERR_MEMORY, "residency: out of memory");
    }
    return OK;
}

/* Under the lock, or when no other thread is left. */
static void empty(Residency *r, Entry *entry)
{
    loaded_free(&entry->loaded);
    mem_release(r->budget, entry->bytes);
    *entry = (Entry){0};
}

void residency_free(Residency **pointer)
{
    Residency *r = *pointer;
    if (!r)
        return;
    for (size_t i = 0; i < CUZK_MAX_KEYS; i++)
        if (r->entries[i].state == ENTRY_READY)
            empty(r, &r->entries[i]);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    free(r->param_cache);
    free(r->param_origin);
    free(r->circuit_cache);
    free(r);
    *pointer = NULL;
}

/* What the circuit needs; BUDGET where it can never have it. */
static Status measure(CircuitMemory *need, const Residency *r, const char *circuit)
{
    TRY(loader_memory(need, &r->loader, circuit));
    uint64_t both = need->loaded + need->proof;
    if (both > mem_budget_total(r->budget)) {
        const double gib = 1024.0 * 1024 * 1024;
        FAIL(ERR_BUDGET,
             "%s needs %.2f GiB (circuit and key %.2f, one proof %.2f), the memory budget is %.2f "
             "GiB; raise memory.total_budget",
             circuit, (double)both / gib, (double)need->loaded / gib, (double)need->proof / gib,
             (double)mem_budget_total(r->budget) / gib);
    }
    return OK;
}

Status residency_probe(Residency *r, const char *circuit)
{
    CircuitMemory need;
    return measure(&need, r, circuit);
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
          (unsigned long long)(oldest->bytes >> 20));
    empty(r, oldest);
    return true;
}

/* Reserve, at the cost of idle circuits; under the lock. */
static Status make_room(Residency *r, const char *what, uint64_t bytes)
{
    Status status;
    while ((status = mem_reserve(r->budget, what, bytes)) == ERR_FULL && evict_one(r))
        ;
    return status;
}

/* The same for who may wait for a load in progress. */
static Status await_room(Residency *r, const char *what, uint64_t bytes)
{
    Status status;
    while ((status = make_room(r, what, bytes)) == ERR_FULL && r->loading)
        pthread_cond_wait(&r->changed, &r->lock);
    return status;
}

static Entry *find(Residency *r, const char *circuit, EntryState state)
{
    for (size_t i = 0; i < CUZK_MAX_KEYS; i++)
        if (r->entries[i].state == state && strcmp(r->entries[i].circuit, circuit) == 0)
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

static Status load_timed(Loaded *out, const Loader *loader, const char *circuit, uint64_t bytes)
{
    uint64_t begin = clock_ns();
    TRY(loader_load(out, loader, circuit));
    LOG_I("residency", "%s loaded: %llu MiB in %.1f s", circuit, (unsigned long long)(bytes >> 20),
          (double)(clock_ns() - begin) / 1e9);
    if (out->development)
        LOG_W("residency", "%s: DEVELOPMENT key, its tau is known to whoever made it", circuit);
    return OK;
}

/* Under the lock, given up while files are read; r->loading is set meanwhile. */
static Status load_into(Residency *r, Entry *entry, const char *circuit)
{
    CircuitMemory need;
    pthread_mutex_unlock(&r->lock);
    Status status = measure(&need, r, circuit);
    pthread_mutex_lock(&r->lock);
    TRY(status);
    TRY(make_room(r, circuit, need.loaded));
    entry->bytes = need.loaded;
    entry->proof_bytes = need.proof;
    pthread_mutex_unlock(&r->lock);
    status = load_timed(&entry->loaded, &r->loader, circuit, need.loaded);
    pthread_mutex_lock(&r->lock);
    return status;
}

static Status load(Residency *r, const char *circuit, Entry **out)
{
    Entry *entry = vacant(r);
    if (!entry)
        FAIL(ERR_FULL, "%d circuits are in use, the limit", CUZK_MAX_KEYS);
    entry->state = ENTRY_LOADING;
    snprintf(entry->circuit, sizeof entry->circuit, "%s", circuit);
    r->loading = true;
    Status status = load_into(r, entry, circuit);
    if (status == OK)
        entry->state = ENTRY_READY;
    else
        empty(r, entry);
    r->loading = false;
    pthread_cond_broadcast(&r->changed);
    *out = entry;
    return status;
}

/* Under the lock, given up while this thread or another loads. */
static Status find_or_load(Residency *r, const char *name, Entry **out, bool *was_loaded)
{
    char circuit[CIRCUIT_NAME];
    TRY(r->loader.source->identify(circuit, name)); /* aliases meet in one entry */
    Entry *entry;
    while (!(entry = find(r, circuit, ENTRY_READY)) && r->loading)
        pthread_cond_wait(&r->changed, &r->lock);
    *was_loaded = entry != NULL;
    if (!entry)
        TRY(load(r, circuit, &entry));
    entry->used_ns = clock_ns();
    *out = entry;
    return OK;
}

Status residency_acquire(Residency *r, const char *circuit, Hold *out)
{
    Entry *entry;
    bool ignored;
    pthread_mutex_lock(&r->lock);
    Status status = find_or_load(r, circuit, &entry, &ignored);
    if (status == OK) {
        entry->references++;
        status = await_room(r, "one proof", entry->proof_bytes);
        if (status == OK)
            *out = (Hold){&entry->loaded, entry->proof_bytes};
        else
            entry->references--;
    }
    pthread_mutex_unlock(&r->lock);
    return status;
}

void residency_release(Residency *r, Hold *hold)
{
    pthread_mutex_lock(&r->lock);
    for (size_t i = 0; i < CUZK_MAX_KEYS; i++)
        if (&r->entries[i].loaded == hold->loaded)
            r->entries[i].references--;
    mem_release(r->budget, hold->proof_bytes);
    pthread_mutex_unlock(&r->lock);
    *hold = (Hold){0};
}

Status residency_load(Residency *r, const char *circuit, bool *was_loaded)
{
    Entry *entry;
    pthread_mutex_lock(&r->lock);
    Status status = find_or_load(r, circuit, &entry, was_loaded);
    pthread_mutex_unlock(&r->lock);
    return status;
}

Status residency_evict(Residency *r, const char *name, bool *was_loaded, uint64_t *freed)
{
    Status status = OK;
    char circuit[CIRCUIT_NAME];
    TRY(r->loader.source->identify(circuit, name));
    pthread_mutex_lock(&r->lock);
    Entry *entry = find(r, circuit, ENTRY_READY);
    *was_loaded = entry != NULL;
    *freed = 0;
    if (find(r, circuit, ENTRY_LOADING)) {
        status = status_fail(ERR_FULL, "%s is being loaded", circuit);
    } else if (entry && entry->references) {
        status = status_fail(ERR_FULL, "%s is in use", circuit);
    } else if (entry) {
        *freed = entry->bytes;
        empty(r, entry);
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
        key->bytes = entry->bytes;
        key->references = entry->references;
        key->development = entry->loaded.development;
    }
    pthread_mutex_unlock(&r->lock);
    snprintf(report->param_cache, sizeof report->param_cache, "%s (%s)", r->param_cache,
             r->param_origin);
}
