/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Memory: the budget that large buffers reserve from, page-backed buffers, and arenas. */
#ifndef CUZK_BASE_MEM_H
#define CUZK_BASE_MEM_H

#include "base/status.h"

/* Host RAM that large artefacts may use. Any thread. */
typedef struct MemBudget MemBudget;

/* The least of MemTotal and the limits of the process's cgroups, in bytes; 4 GiB where none can be
 * read. */
uint64_t mem_limit(void);
/* total_bytes 0: mem_limit() less 1 GiB (at least half of it). */
Status mem_budget_new(MemBudget **budget, uint64_t total_bytes);
void mem_budget_free(MemBudget **budget);
uint64_t mem_budget_total(const MemBudget *budget);
uint64_t mem_budget_used(const MemBudget *budget);

/* Reserve bytes under an artefact's name. ERR_BUDGET at once, with the two numbers, when bytes
 * exceed the total; ERR_FULL when it does not fit now (the caller evicts or waits). NULL budget:
 * always OK. */
Status mem_reserve(MemBudget *budget, const char *artefact, uint64_t bytes);
void mem_release(MemBudget *budget, uint64_t bytes);

/* Anonymous pages, zeroed, 64-byte aligned, huge pages asked for when large. bytes may be 0. */
Status mem_map(void **out, size_t bytes, const char *artefact);
void mem_unmap(void *memory, size_t bytes);

/* Bump allocator for things that die together. Not for several threads at once. */
typedef struct Arena Arena;

Status arena_new(Arena **arena);
void arena_free(Arena **arena);
/* n * size bytes, zeroed, 64-byte aligned; NULL when out of memory or on overflow. */
void *arena_alloc(Arena *arena, size_t n, size_t size);
size_t arena_bytes(const Arena *arena);

#endif
