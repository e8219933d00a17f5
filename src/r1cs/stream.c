/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The row stream of a block-coded R1CS and its digest. */
#include "hash/sha256.h"
#include "r1cs/r1cs_impl.h"

#include <string.h>

/* The row stream: a row's A, B, C lists, each u32le count, then kind byte (0 input, 1 aux), u32le
 * index and 32-byte little-endian coefficient an entry. */
enum { ENTRY_BYTES = 37, STREAM_BUFFER = 1 << 18 };

typedef struct {
    const R1cs *r;
    uint8_t (*coefficients)[32]; /* canonical bytes of the dictionary */
    R1csStream sink;
    void *context;
    uint8_t *buffer; /* [STREAM_BUFFER] */
    size_t used;
} Streamer;

static void put_u32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

static Status stream_flush(Streamer *s)
{
    size_t used = s->used;
    s->used = 0;
    return used ? s->sink(s->context, s->buffer, used) : OK;
}

static Status stream_row(Streamer *s, const Row *row, size_t k)
{
    for (int m = 0; m < 3; m++) {
        if (s->used + 4 > STREAM_BUFFER)
            TRY(stream_flush(s));
        put_u32(s->buffer + s->used, row->n[m]);
        s->used += 4;
        for (uint32_t i = 0; i < row->n[m]; i++) {
            if (s->used + ENTRY_BYTES > STREAM_BUFFER)
                TRY(stream_flush(s));
            uint8_t *out = s->buffer + s->used;
            Var var = column_variable(s->r, row->column[m][i], k);
            out[0] = var & VAR_INPUT ? 0 : 1;
            put_u32(out + 1, var & ~VAR_INPUT);
            memcpy(out + 5, s->coefficients[row->code[m][i]], 32);
            s->used += ENTRY_BYTES;
        }
    }
    return OK;
}

static Status stream_part(Streamer *s, const Part *part, size_t k)
{
    uint32_t at = 0;
    for (size_t i = 0; i < part->n_rows; i++) {
        Row row;
        at = row_load(&row, s->r, part, i, at);
        TRY(stream_row(s, &row, k));
    }
    return OK;
}

/* Input(i) * 0 = 0 for every input. */
static Status stream_trailing(Streamer *s)
{
    for (size_t i = 0; i < s->r->shape.n_inputs; i++) {
        if (s->used + ENTRY_BYTES + 12 > STREAM_BUFFER)
            TRY(stream_flush(s));
        uint8_t *out = s->buffer + s->used;
        put_u32(out, 1);
        out[4] = 0;
        put_u32(out + 5, (uint32_t)i);
        memcpy(out + 9, s->coefficients[CODE_ONE], 32);
        memset(out + 41, 0, 8);
        s->used += ENTRY_BYTES + 12;
    }
    return stream_flush(s);
}

static Status stream_all(Streamer *s)
{
    const R1cs *r = s->r;
    TRY(stream_part(s, &r->preamble, 0));
    for (size_t k = 0; k < r->n_blocks; k++)
        TRY(stream_part(s, &r->block, k));
    return stream_trailing(s);
}

Status r1cs_stream(const R1cs *r, R1csStream sink, void *context)
{
    Streamer s = {.r = r, .sink = sink, .context = context};
    s.buffer = malloc(STREAM_BUFFER);
    s.coefficients = malloc(r->n_codes * sizeof *s.coefficients);
    Status status = OK;
    if (!s.buffer || !s.coefficients)
        status = status_fail(ERR_MEMORY, "row stream: out of memory");
    for (size_t i = 0; i < r->n_codes && status == OK; i++)
        fr_to_le(s.coefficients[i], &r->dictionary[i]);
    if (status == OK)
        status = stream_all(&s);
    free(s.buffer);
    free(s.coefficients);
    return status;
}

static Status digest_sink(void *context, const void *bytes, size_t size)
{
    sha256_update(context, bytes, size);
    return OK;
}

Status r1cs_digest(const R1cs *r, uint8_t digest[32])
{
    Sha256 hash;
    sha256_init(&hash);
    TRY(r1cs_stream(r, digest_sink, &hash));
    sha256_final(&hash, digest);
    return OK;
}
