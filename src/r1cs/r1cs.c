/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Shape, bitmaps and the row stream of a block-coded R1CS. */
#include "hash/sha256.h"
#include "r1cs/r1cs_impl.h"

#include <string.h>

void r1cs_free(R1cs **r1cs)
{
    R1cs *r = *r1cs;
    if (!r)
        return;
    part_free(&r->preamble);
    part_free(&r->block);
    free(r->dictionary);
    free(r);
    *r1cs = NULL;
}

const R1csShape *r1cs_shape(const R1cs *r)
{
    return &r->shape;
}

static size_t part_bytes(const Part *p)
{
    size_t bytes = p->n_fields * sizeof *p->field_aux;
    bytes += 3 * bitmap_words(p->n_aux) * sizeof(uint64_t);
    for (int s = 0; s < 3; s++)
        bytes += (p->n_rows + 1) * sizeof(uint32_t) +
                 p->m[s].n_entries * (sizeof(Column) + sizeof(uint16_t));
    return bytes;
}

size_t r1cs_bytes(const R1cs *r)
{
    return part_bytes(&r->preamble) + part_bytes(&r->block) + r->n_codes * sizeof(Fr);
}

unsigned r1cs_log_domain(const R1cs *r)
{
    unsigned log_n = 0;
    while (((size_t)1 << log_n) < r->shape.n_rows)
        log_n++;
    return log_n;
}

Var r1cs_variable(const R1cs *r, Column column, size_t k)
{
    uint32_t index = column_index(column);
    switch (column_tag(column)) {
    case COLUMN_INPUT:
        return VAR_INPUT | index;
    case COLUMN_OWN_INPUT:
        return VAR_INPUT | (Var)(block_input(r, k) + index);
    case COLUMN_BIT:
        return index;
    case COLUMN_FIELD:
        return r->preamble.field_aux[index];
    case COLUMN_OWN_BIT:
        return (Var)(block_aux(r, k) + index);
    default:
        return (Var)(block_aux(r, k) + r->block.field_aux[index]);
    }
}

/* Up to 64 bits of a bitmap of `size` bits, from bit `at` on. */
static uint64_t bits_at(const uint64_t *bitmap, size_t size, size_t at)
{
    uint64_t bits = bitmap[at / 64] >> (at % 64);
    if (at % 64 && at / 64 + 1 < bitmap_words(size))
        bits |= bitmap[at / 64 + 1] << (64 - at % 64);
    return bits;
}

/* Words of the whole circuit's bitmap, from the parts' bitmaps at the given offset in Part. */
static void expand(const R1cs *r, size_t offset, uint64_t *words, size_t first, size_t n)
{
    const uint64_t *preamble =
        *(uint64_t *const *)(const void *)((const char *)&r->preamble + offset);
    const uint64_t *block = *(uint64_t *const *)(const void *)((const char *)&r->block + offset);
    for (size_t w = 0; w < n; w++) {
        uint64_t word = 0;
        for (size_t bit = 0; bit < 64;) {
            size_t at = 64 * (first + w) + bit;
            if (at >= r->shape.n_aux)
                break;
            bool own = at >= r->preamble.n_aux;
            size_t local = own ? (at - r->preamble.n_aux) % r->block.n_aux : at;
            size_t size = own ? r->block.n_aux : r->preamble.n_aux;
            size_t run = size - local < 64 - bit ? size - local : 64 - bit;
            uint64_t bits = bits_at(own ? block : preamble, size, local);
            if (run < 64)
                bits &= (1ull << run) - 1;
            word |= bits << bit;
            bit += run;
        }
        words[w] = word;
    }
}

void r1cs_is_bit(const R1cs *r, uint64_t *words, size_t first, size_t n)
{
    expand(r, offsetof(Part, is_bit), words, first, n);
}

void r1cs_a_density(const R1cs *r, uint64_t *words, size_t first, size_t n)
{
    expand(r, offsetof(Part, a_density), words, first, n);
}

void r1cs_b_density(const R1cs *r, uint64_t *words, size_t first, size_t n)
{
    expand(r, offsetof(Part, b_density), words, first, n);
}

bool r1cs_b_input_density(const R1cs *r, size_t input)
{
    if (input < r->preamble.n_inputs)
        return bitmap_get(r->preamble.b_inputs, input);
    return bitmap_get(r->block.b_inputs, (input - r->preamble.n_inputs) % r->block.n_inputs);
}

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

static Status stream_row(Streamer *s, const Part *part, size_t row, size_t k)
{
    for (int m = 0; m < 3; m++) {
        const Matrix *matrix = &part->m[m];
        uint32_t begin = matrix->start[row], end = matrix->start[row + 1];
        if (s->used + 4 > STREAM_BUFFER)
            TRY(stream_flush(s));
        put_u32(s->buffer + s->used, end - begin);
        s->used += 4;
        for (uint32_t i = begin; i < end; i++) {
            if (s->used + ENTRY_BYTES > STREAM_BUFFER)
                TRY(stream_flush(s));
            uint8_t *out = s->buffer + s->used;
            Var var = r1cs_variable(s->r, matrix->column[i], k);
            out[0] = var & VAR_INPUT ? 0 : 1;
            put_u32(out + 1, var & ~VAR_INPUT);
            memcpy(out + 5, s->coefficients[matrix->code[i]], 32);
            s->used += ENTRY_BYTES;
        }
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
    for (size_t row = 0; row < r->preamble.n_rows; row++)
        TRY(stream_row(s, &r->preamble, row, 0));
    for (size_t k = 0; k < r->n_blocks; k++)
        for (size_t row = 0; row < r->block.n_rows; row++)
            TRY(stream_row(s, &r->block, row, k));
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
