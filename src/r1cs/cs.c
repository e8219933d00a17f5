/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Allocation, linear combinations and rows. */
#include "r1cs/cs.h"

#include <stdarg.h>
#include <string.h>

Var cs_alloc_bit(Cs *cs, bool value)
{
    Var var = cs->next_aux++;
    if (cs_recording(cs)) {
        cs->on_aux(cs, var, true);
    } else if (value) {
        uint32_t at = var - cs->bit_base;
        cs->bits[at / 64] |= 1ull << (at % 64);
    }
    return var;
}

Var cs_alloc(Cs *cs, const Fr *value)
{
    Var var = cs->next_aux++;
    if (cs_recording(cs))
        cs->on_aux(cs, var, false);
    else
        *cs->fields++ = *value;
    return var;
}

Var cs_alloc_input(Cs *cs, const Fr *value)
{
    Var var = VAR_INPUT | cs->next_input++;
    if (!cs_recording(cs))
        *cs->inputs++ = *value;
    return var;
}

Var cs_alloc_bits(Cs *cs, const uint64_t *words, size_t n)
{
    Var first = cs->next_aux;
    if (cs_recording(cs)) {
        for (size_t i = 0; i < n; i++)
            cs->on_aux(cs, first + (Var)i, true);
        cs->next_aux += (Var)n;
        return first;
    }
    size_t at = first - cs->bit_base;
    for (size_t done = 0; done < n; done += 64) {
        uint64_t word = words[done / 64];
        if (n - done < 64)
            word &= (1ull << (n - done)) - 1;
        size_t place = (at + done) / 64, shift = (at + done) % 64;
        cs->bits[place] |= word << shift;
        if (shift && word >> (64 - shift))
            cs->bits[place + 1] |= word >> (64 - shift);
    }
    cs->next_aux += (Var)n;
    return first;
}

void cs_push(Cs *cs, const char *format, ...)
{
    size_t used = strlen(cs->path);
    if (used && used + 1 < sizeof cs->path)
        cs->path[used++] = '/';
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cs->path + used, sizeof cs->path - used, format, arguments);
    va_end(arguments);
}

void cs_pop(Cs *cs)
{
    char *slash = strrchr(cs->path, '/');
    *(slash ? slash : cs->path) = '\0';
}

void cs_free(Cs *cs)
{
    for (int i = 0; i < 3; i++)
        lc_free(&cs->scratch[i]);
}

void lc_clear(Lc *lc)
{
    lc->n = 0;
}

void lc_free(Lc *lc)
{
    free(lc->terms);
    *lc = (Lc){0};
}

static Status reserve(Lc *lc, uint32_t more)
{
    if (lc->room - lc->n >= more)
        return OK;
    uint32_t room = lc->room ? 2 * lc->room : 16;
    while (room - lc->n < more)
        room *= 2;
    Term *terms = realloc(lc->terms, room * sizeof *terms);
    if (!terms)
        FAIL(ERR_MEMORY, "linear combination: no memory for %u terms", room);
    lc->terms = terms;
    lc->room = room;
    return OK;
}

Status lc_add(Lc *lc, const Fr *coefficient, Var var)
{
    TRY(reserve(lc, 1));
    lc->terms[lc->n++] = (Term){var, *coefficient};
    return OK;
}

Status lc_add_lc(Lc *lc, const Fr *coefficient, const Lc *other)
{
    TRY(reserve(lc, other->n));
    bool one = fr_eq(coefficient, &FR_ONE);
    for (uint32_t i = 0; i < other->n; i++) {
        Term term = other->terms[i];
        if (!one)
            fr_mul(&term.coefficient, &term.coefficient, coefficient);
        lc->terms[lc->n++] = term;
    }
    return OK;
}

/* Inputs before aux, by index. */
static uint32_t order_key(Var var)
{
    return var ^ VAR_INPUT;
}

static int compare_terms(const void *a, const void *b)
{
    uint32_t x = order_key(((const Term *)a)->var), y = order_key(((const Term *)b)->var);
    return (x > y) - (x < y);
}

static void sort_terms(Term *terms, uint32_t n)
{
    enum { SMALL = 24 };
    if (n > SMALL) {
        bool sorted = true;
        for (uint32_t i = 1; i < n && sorted; i++)
            sorted = order_key(terms[i - 1].var) <= order_key(terms[i].var);
        if (!sorted)
            qsort(terms, n, sizeof *terms, compare_terms);
        return;
    }
    for (uint32_t i = 1; i < n; i++) {
        Term term = terms[i];
        uint32_t j = i;
        for (; j > 0 && order_key(terms[j - 1].var) > order_key(term.var); j--)
            terms[j] = terms[j - 1];
        terms[j] = term;
    }
}

void lc_normalize(Lc *lc)
{
    sort_terms(lc->terms, lc->n);
    uint32_t out = 0;
    for (uint32_t i = 0; i < lc->n;) {
        Term term = lc->terms[i++];
        while (i < lc->n && lc->terms[i].var == term.var) {
            fr_add(&term.coefficient, &term.coefficient, &lc->terms[i].coefficient);
            i++;
        }
        if (!fr_is_zero(&term.coefficient))
            lc->terms[out++] = term;
    }
    lc->n = out;
}

static const Lc *normalized(Cs *cs, int side, const Lc *lc)
{
    Lc *copy = &cs->scratch[side];
    lc_clear(copy);
    if (lc) {
        Status status = lc_add_lc(copy, &FR_ONE, lc);
        if (status != OK && cs->status == OK)
            cs->status = status;
        lc_normalize(copy);
    }
    return copy;
}

void cs_enforce(Cs *cs, const Lc *a, const Lc *b, const Lc *c)
{
    if (!cs_recording(cs))
        return;
    const Lc *na = normalized(cs, 0, a), *nb = normalized(cs, 1, b), *nc = normalized(cs, 2, c);
    cs->on_row(cs, na->terms, na->n, nb->terms, nb->n, nc->terms, nc->n);
}
