/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Allocation, linear combinations and rows. */
#include "r1cs/cs.h"

#include <stdarg.h>
#include <string.h>

static void fail(Cs *cs, const char *what)
{
    if (cs->status == OK)
        cs->status =
            status_fail(ERR_INTERNAL, "witness: more %s than the compiled circuit has", what);
}

Var cs_alloc_slowly(Cs *cs, bool is_bit)
{
    Var var = cs->next_aux;
    if (cs_recording(cs))
        cs->on_aux(cs, var, is_bit);
    else
        fail(cs, "variables");
    cs->next_aux++;
    return var;
}

Var cs_alloc_input_slowly(Cs *cs)
{
    if (!cs_recording(cs))
        fail(cs, "inputs");
    return VAR_INPUT | cs->next_input++;
}

static void write_bits(uint64_t *bits, size_t at, const uint64_t *words, size_t n)
{
    for (size_t done = 0; done < n; done += 64) {
        uint64_t word = words[done / 64];
        if (n - done < 64)
            word &= (1ull << (n - done)) - 1;
        size_t place = (at + done) / 64, shift = (at + done) % 64;
        bits[place] |= word << shift;
        if (shift && word >> (64 - shift))
            bits[place + 1] |= word >> (64 - shift);
    }
}

Var cs_alloc_bits(Cs *cs, const uint64_t *words, size_t n)
{
    Var first = cs->next_aux;
    if (cs_recording(cs)) {
        for (size_t i = 0; i < n; i++)
            cs->on_aux(cs, first + (Var)i, true);
    } else if (first > cs->aux_end || n > cs->aux_end - first) {
        fail(cs, "variables");
    } else {
        write_bits(cs->bits, first - cs->bit_base, words, n);
    }
    cs->next_aux += (Var)n;
    return first;
}

void cs_push(Cs *cs, const char *format, ...)
{
    if (!cs_recording(cs))
        return;
    size_t used = strlen(cs->path);
    if (cs->path_depth < CS_PATH_DEPTH)
        cs->path_part[cs->path_depth] = (uint16_t)used;
    cs->path_depth++;
    if (used && used + 1 < sizeof cs->path)
        cs->path[used++] = '/';
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cs->path + used, sizeof cs->path - used, format, arguments);
    va_end(arguments);
}

void cs_pop(Cs *cs)
{
    if (!cs_recording(cs) || cs->path_depth == 0)
        return;
    if (--cs->path_depth < CS_PATH_DEPTH)
        cs->path[cs->path_part[cs->path_depth]] = '\0';
}

void cs_free(Cs *cs)
{
    for (int i = 0; i < 3; i++)
        lc_free(&cs->scratch[i]);
    free(cs->keys);
    cs->keys = NULL;
    cs->keys_room = 0;
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

enum { MOST_TERMS = 1 << 28 };

static Status reserve(Lc *lc, uint32_t more)
{
    if (lc->room - lc->n >= more)
        return OK;
    if (more > MOST_TERMS || lc->n > MOST_TERMS)
        FAIL(ERR_UNSUPPORTED, "linear combination: more than %u terms", MOST_TERMS);
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
    uint32_t n = other->n; // other may be lc
    for (uint32_t i = 0; i < n; i++) {
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

/* What a row needs before it is recorded. */
typedef enum { IN_FORM, SORTED, UNSORTED } Order;

static Order order_of(const Lc *lc)
{
    Order order = IN_FORM;
    for (uint32_t i = 0; i < lc->n; i++) {
        const Term *term = &lc->terms[i];
        if (fr_is_zero(&term->coefficient))
            order = SORTED;
        if (i == 0)
            continue;
        uint32_t last = order_key(term[-1].var), key = order_key(term->var);
        if (key < last)
            return UNSORTED;
        if (key == last)
            order = SORTED;
    }
    return order;
}

static void insertion_sort(Term *terms, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        Term term = terms[i];
        uint32_t j = i;
        for (; j > 0 && order_key(terms[j - 1].var) > order_key(term.var); j--)
            terms[j] = terms[j - 1];
        terms[j] = term;
    }
}

/* Merge sort of n keys, runs of width 1, 2, 4 ...; returns which half of keys[2n] holds them. */
static uint64_t *sort_keys(uint64_t *keys, uint32_t n)
{
    uint64_t *from = keys, *to = keys + n;
    for (uint64_t width = 1; width < n; width *= 2) {
        for (uint64_t begin = 0; begin < n; begin += 2 * width) {
            uint64_t middle = begin + width < n ? begin + width : n;
            uint64_t end = middle + width < n ? middle + width : n;
            uint64_t i = begin, j = middle, k = begin;
            while (i < middle && j < end)
                to[k++] = from[i] <= from[j] ? from[i++] : from[j++];
            while (i < middle)
                to[k++] = from[i++];
            while (j < end)
                to[k++] = from[j++];
        }
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* Long rows: sort (variable, position), then fetch the terms in that order. keys: [2 * in->n];
 * out has room. */
static void sort_terms(Lc *out, const Lc *in, uint64_t *keys)
{
    for (uint32_t i = 0; i < in->n; i++)
        keys[i] = (uint64_t)order_key(in->terms[i].var) << 32 | i;
    const uint64_t *sorted = sort_keys(keys, in->n);
    for (uint32_t i = 0; i < in->n; i++)
        out->terms[i] = in->terms[(uint32_t)sorted[i]];
    out->n = in->n;
}

/* Sorted terms: repeats become one, zeros go. */
static void merge_terms(Lc *lc)
{
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

enum { FEW = 16 }; /* terms that insertion sorts best */

static Status normalize(Lc *out, const Lc *in, Order order, uint64_t *keys)
{
    out->n = 0;
    TRY(reserve(out, in->n));
    if (order == UNSORTED && in->n > FEW) {
        sort_terms(out, in, keys);
    } else {
        memcpy(out->terms, in->terms, in->n * sizeof(Term));
        out->n = in->n;
        if (order == UNSORTED)
            insertion_sort(out->terms, out->n);
    }
    merge_terms(out);
    return OK;
}

Status lc_normalize(Lc *lc)
{
    Order order = order_of(lc);
    if (order == IN_FORM)
        return OK;
    Lc out = {0};
    uint64_t *keys = malloc(2 * lc->n * sizeof *keys);
    Status status = keys ? normalize(&out, lc, order, keys)
                         : status_fail(ERR_MEMORY, "linear combination: out of memory");
    if (status == OK) {
        memcpy(lc->terms, out.terms, out.n * sizeof(Term));
        lc->n = out.n;
    }
    free(keys);
    lc_free(&out);
    return status;
}

static Status reserve_keys(Cs *cs, uint32_t n)
{
    if (n <= cs->keys_room)
        return OK;
    uint64_t *keys = realloc(cs->keys, 4 * (size_t)n * sizeof *keys);
    if (!keys)
        FAIL(ERR_MEMORY, "linear combination: no memory for %u terms", n);
    cs->keys = keys;
    cs->keys_room = 2 * n;
    return OK;
}

/* lc itself where it is in form, else its normal form in scratch. */
static const Lc *in_form(Cs *cs, int side, const Lc *lc)
{
    static const Lc empty;
    if (!lc || lc->n == 0)
        return &empty;
    Order order = order_of(lc);
    if (order == IN_FORM)
        return lc;
    Status status = reserve_keys(cs, lc->n);
    if (status == OK)
        status = normalize(&cs->scratch[side], lc, order, cs->keys);
    if (status == OK)
        return &cs->scratch[side];
    if (cs->status == OK)
        cs->status = status;
    return &empty;
}

void cs_enforce(Cs *cs, const Lc *a, const Lc *b, const Lc *c)
{
    if (!cs_recording(cs))
        return;
    const Lc *na = in_form(cs, 0, a), *nb = in_form(cs, 1, b), *nc = in_form(cs, 2, c);
    cs->on_row(cs, na->terms, na->n, nb->terms, nb->n, nc->terms, nc->n);
}
