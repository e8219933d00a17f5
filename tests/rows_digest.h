/* SPDX-License-Identifier: MIT OR Apache-2.0
 * For tests: run a gadget in either mode by itself; digest, counts and densities of its rows. */
#ifndef CUZK_TESTS_ROWS_DIGEST_H
#define CUZK_TESTS_ROWS_DIGEST_H

#include "r1cs/cs.h"

#include <openssl/evp.h>
#include <string.h>

typedef struct {
    EVP_MD_CTX *sha;
    size_t rows, nnz[3];
    uint8_t *is_bit, *dense[2]; /* [aux_room], a and b */
    size_t aux_room;
    bool hashing;
} Rows;

static void rows_on_aux(Cs *cs, Var var, bool is_bit)
{
    Rows *rows = cs->sink;
    if (var >= rows->aux_room) {
        size_t room = rows->aux_room ? 2 * rows->aux_room : 1 << 16;
        rows->is_bit = realloc(rows->is_bit, room);
        for (int side = 0; side < 2; side++) {
            rows->dense[side] = realloc(rows->dense[side], room);
            memset(rows->dense[side] + rows->aux_room, 0, room - rows->aux_room);
        }
        rows->aux_room = room;
    }
    rows->is_bit[var] = is_bit;
}

static void rows_put_side(Rows *rows, const Term *terms, uint32_t n)
{
    if (!rows->hashing)
        return;
    uint8_t bytes[37];
    EVP_DigestUpdate(rows->sha, &n, 4);
    for (uint32_t i = 0; i < n; i++) {
        bytes[0] = terms[i].var & VAR_INPUT ? 0 : 1;
        uint32_t index = terms[i].var & ~VAR_INPUT;
        memcpy(bytes + 1, &index, 4);
        fr_to_le(bytes + 5, &terms[i].coefficient);
        EVP_DigestUpdate(rows->sha, bytes, sizeof bytes);
    }
}

static void rows_on_row(Cs *cs, const Term *a, uint32_t na, const Term *b, uint32_t nb,
                        const Term *c, uint32_t nc)
{
    Rows *rows = cs->sink;
    const Term *sides[3] = {a, b, c};
    uint32_t n[3] = {na, nb, nc};
    rows->rows++;
    for (int side = 0; side < 3; side++) {
        rows->nnz[side] += n[side];
        rows_put_side(rows, sides[side], n[side]);
        for (uint32_t i = 0; i < n[side] && side < 2; i++)
            if (!(sides[side][i].var & VAR_INPUT))
                rows->dense[side][sides[side][i].var] = 1;
    }
}

/* A recording Cs with ONE allocated. */
static inline void rows_begin(Cs *cs, Rows *rows, bool hashing)
{
    *rows = (Rows){.sha = EVP_MD_CTX_new(), .hashing = hashing};
    EVP_DigestInit_ex(rows->sha, EVP_sha256(), NULL);
    *cs = (Cs){.mode = CS_RECORD,
               .sink = rows,
               .on_aux = rows_on_aux,
               .on_row = rows_on_row,
               .next_input = 1};
}

/* The trailing rows Input(i) * 0 = 0; releases what the Cs holds. digest in hex, or NULL. */
static inline void rows_end(Cs *cs, Rows *rows, char digest[65])
{
    for (uint32_t i = 0; i < cs->next_input; i++) {
        Term term = {VAR_INPUT | i, FR_ONE};
        rows_on_row(cs, &term, 1, NULL, 0, NULL, 0);
    }
    uint8_t bytes[32];
    EVP_DigestFinal_ex(rows->sha, bytes, NULL);
    for (int i = 0; digest && i < 32; i++)
        snprintf(digest + 2 * i, 3, "%02x", bytes[i]);
    EVP_MD_CTX_free(rows->sha);
    cs_free(cs);
}

static inline void rows_free(Rows *rows)
{
    free(rows->is_bit);
    free(rows->dense[0]);
    free(rows->dense[1]);
}

static inline size_t rows_dense(const Rows *rows, int side, size_t begin, size_t end)
{
    size_t n = 0;
    for (size_t j = begin; j < end; j++)
        n += rows->dense[side][j];
    return n;
}

/* A witness-writing Cs over buffers of its own, with ONE written. */
typedef struct {
    Fr *inputs, *fields;
    uint64_t *bits;
    size_t n_words;
} Sheet;

static inline void sheet_begin(Cs *cs, Sheet *sheet, size_t n_inputs, size_t n_aux)
{
    sheet->n_words = n_aux / 64 + 2;
    sheet->inputs = calloc(n_inputs, sizeof(Fr));
    sheet->fields = calloc(n_aux, sizeof(Fr));
    sheet->bits = calloc(sheet->n_words, 8);
    sheet->inputs[0] = FR_ONE;
    *cs = (Cs){.mode = CS_WITNESS,
               .next_input = 1,
               .inputs = sheet->inputs + 1,
               .inputs_end = sheet->inputs + n_inputs,
               .fields = sheet->fields,
               .fields_end = sheet->fields + n_aux,
               .bits = sheet->bits,
               .aux_end = (uint32_t)n_aux};
}

static inline void sheet_free(Sheet *sheet)
{
    free(sheet->inputs);
    free(sheet->fields);
    free(sheet->bits);
}

#endif
