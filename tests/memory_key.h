/* SPDX-License-Identifier: MIT OR Apache-2.0
 * A setup sink that keeps the key in memory, for tests. */
#ifndef CUZK_TESTS_MEMORY_KEY_H
#define CUZK_TESTS_MEMORY_KEY_H

#include "groth16/groth16.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    Vk vk;
    PkView view;
    Section section;
    size_t room, filled;
    void *points[5];
} MemoryKey;

static inline Status memory_key_vk(void *context, const Vk *vk)
{
    MemoryKey *key = context;
    key->vk = *vk;
    key->vk.ic = malloc(vk->n_inputs * sizeof *vk->ic);
    if (!key->vk.ic)
        FAIL(ERR_MEMORY, "memory key: out of memory");
    memcpy(key->vk.ic, vk->ic, vk->n_inputs * sizeof *vk->ic);
    key->view.vk = &key->vk;
    return OK;
}

static inline Status memory_key_begin(void *context, Section section, size_t n)
{
    MemoryKey *key = context;
    if (key->filled != key->room)
        FAIL(ERR_INTERNAL, "memory key: section before %d has %zu of %zu points", section,
             key->filled, key->room);
    size_t size = section == SECTION_B_G2 ? sizeof(G2Affine) : sizeof(G1Affine);
    key->points[section] = malloc(n * size + 1);
    if (!key->points[section])
        FAIL(ERR_MEMORY, "memory key: out of memory");
    key->section = section;
    key->room = n;
    key->filled = 0;
    PkView *view = &key->view;
    view->h = key->points[SECTION_H];
    view->l = key->points[SECTION_L];
    view->a = key->points[SECTION_A];
    view->b_g1 = key->points[SECTION_B_G1];
    view->b_g2 = key->points[SECTION_B_G2];
    size_t *counts[] = {&view->n_h, &view->n_l, &view->n_a, &view->n_b, &view->n_b};
    *counts[section] = n;
    return OK;
}

static inline Status memory_key_points(MemoryKey *key, const void *points, size_t n, size_t size)
{
    if (n > key->room - key->filled)
        FAIL(ERR_INTERNAL, "memory key: too many points in section %d", key->section);
    memcpy((uint8_t *)key->points[key->section] + key->filled * size, points, n * size);
    key->filled += n;
    return OK;
}

static inline Status memory_key_g1(void *context, const G1Affine *points, size_t n)
{
    return memory_key_points(context, points, n, sizeof *points);
}

static inline Status memory_key_g2(void *context, const G2Affine *points, size_t n)
{
    return memory_key_points(context, points, n, sizeof *points);
}

static inline void memory_key_free(MemoryKey *key)
{
    free(key->vk.ic);
    for (int i = 0; i < 5; i++)
        free(key->points[i]);
    *key = (MemoryKey){0};
}

/* seed NULL: random */
static inline Status memory_key_setup(MemoryKey *key, const R1cs *r1cs, const char *seed,
                                      Pool *pool)
{
    *key = (MemoryKey){0};
    SetupSink sink = {key, memory_key_vk, memory_key_begin, memory_key_g1, memory_key_g2, NULL};
    Status status = setup(r1cs, (const uint8_t *)seed, seed ? strlen(seed) : 0, &sink, pool);
    if (status == OK && key->filled != key->room)
        status = status_fail(ERR_INTERNAL, "memory key: last section is short");
    if (status != OK)
        memory_key_free(key);
    return status;
}

#endif
