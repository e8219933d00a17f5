/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Budget, mapped buffers, arenas. */
#include "base/mem.h"

#include "base/cgroup.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

struct MemBudget {
    pthread_mutex_t lock; /* guards used */
    uint64_t total, used;
};

uint64_t mem_limit(void)
{
    unsigned long long kib = 0;
    FILE *file = fopen("/proc/meminfo", "re");
    if (file && fscanf(file, "MemTotal: %llu kB", &kib) != 1)
        kib = 0;
    if (file)
        fclose(file);
    uint64_t limit = (uint64_t)kib * 1024, group = cgroup_memory_limit();
    if (group && (!limit || group < limit))
        limit = group;
    return limit ? limit : (uint64_t)4 << 30;
}

Status mem_budget_new(MemBudget **out, uint64_t total_bytes)
{
    MemBudget *budget = calloc(1, sizeof *budget);
    if (!budget)
        FAIL(ERR_MEMORY, "memory budget: out of memory");
    if (total_bytes == 0) {
        uint64_t limit = mem_limit(), margin = (uint64_t)1 << 30;
        total_bytes = limit > 2 * margin ? limit - margin : limit / 2;
    }
    pthread_mutex_init(&budget->lock, NULL);
    budget->total = total_bytes;
    *out = budget;
    return OK;
}

void mem_budget_free(MemBudget **budget)
{
    if (!*budget)
        return;
    pthread_mutex_destroy(&(*budget)->lock);
    free(*budget);
    *budget = NULL;
}

uint64_t mem_budget_total(const MemBudget *budget)
{
    return budget->total;
}

uint64_t mem_budget_used(const MemBudget *budget)
{
    MemBudget *mutable = (MemBudget *)(uintptr_t)budget;
    pthread_mutex_lock(&mutable->lock);
    uint64_t used = budget->used;
    pthread_mutex_unlock(&mutable->lock);
    return used;
}

Status mem_reserve(MemBudget *budget, const char *artefact, uint64_t bytes)
{
    const double gib = 1024.0 * 1024 * 1024;
    if (!budget)
        return OK;
    if (bytes > budget->total)
        FAIL(ERR_BUDGET, "%s needs %.2f GiB, the memory budget is %.2f GiB", artefact,
             (double)bytes / gib, (double)budget->total / gib);
    pthread_mutex_lock(&budget->lock);
    bool fits = bytes <= budget->total - budget->used;
    uint64_t used = budget->used;
    if (fits)
        budget->used += bytes;
    pthread_mutex_unlock(&budget->lock);
    if (!fits)
        FAIL(ERR_FULL, "%s needs %.2f GiB, %.2f of %.2f GiB are in use", artefact,
             (double)bytes / gib, (double)used / gib, (double)budget->total / gib);
    return OK;
}

void mem_release(MemBudget *budget, uint64_t bytes)
{
    if (!budget)
        return;
    pthread_mutex_lock(&budget->lock);
    budget->used = bytes < budget->used ? budget->used - bytes : 0;
    pthread_mutex_unlock(&budget->lock);
}

enum { HUGE_PAGE = 2 << 20 };

Status mem_map(void **out, size_t bytes, const char *artefact)
{
    if (bytes == 0) {
        *out = NULL;
        return OK;
    }
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        FAIL(ERR_MEMORY, "%s: no memory for %zu bytes: %s", artefact, bytes, strerror(errno));
    if (bytes >= HUGE_PAGE)
        madvise(memory, bytes, MADV_HUGEPAGE);
    *out = memory;
    return OK;
}

void mem_unmap(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}

typedef struct Chunk {
    struct Chunk *next;
    size_t size, used; /* bytes, this header included */
} Chunk;

struct Arena {
    Chunk *chunks;
    size_t bytes;
};

enum { ARENA_CHUNK = 1 << 20, ARENA_ALIGN = 64 };

Status arena_new(Arena **arena)
{
    *arena = calloc(1, sizeof **arena);
    if (!*arena)
        FAIL(ERR_MEMORY, "arena: out of memory");
    return OK;
}

void arena_free(Arena **arena)
{
    if (!*arena)
        return;
    for (Chunk *chunk = (*arena)->chunks; chunk;) {
        Chunk *next = chunk->next;
        mem_unmap(chunk, chunk->size);
        chunk = next;
    }
    free(*arena);
    *arena = NULL;
}

void *arena_alloc(Arena *arena, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    Chunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < bytes) {
        size_t want = bytes + ARENA_ALIGN > ARENA_CHUNK ? bytes + ARENA_ALIGN : ARENA_CHUNK;
        void *memory = NULL;
        if (mem_map(&memory, want, "arena") != OK)
            return NULL;
        chunk = memory;
        *chunk = (Chunk){arena->chunks, want, ARENA_ALIGN};
        arena->chunks = chunk;
        arena->bytes += want;
    }
    void *result = (uint8_t *)chunk + chunk->used;
    chunk->used += bytes;
    return result;
}

size_t arena_bytes(const Arena *arena)
{
    return arena->bytes;
}
