/* SPDX-License-Identifier: MIT OR Apache-2.0
 * A packed assignment joined with a query's densities: the scalars of its points.
 *
 * DESIGN: aux are cut into blocks of BLOCK_WORDS bitmap words. A block is counted (points, bucket
 * scalars), prefix sums place every block, then blocks are written independently; neighbours meet
 * only in one word of the ones bitmap, which is filled by atomic OR. */
#include "base/cpu.h"
#include "groth16/groth16_impl.h"

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

uint64_t bits_extract_portable(uint64_t word, uint64_t mask)
{
    uint64_t out = 0;
    for (unsigned at = 0; mask; at++, mask &= mask - 1)
        out |= (word >> __builtin_ctzll(mask) & 1) << at;
    return out;
}

#if defined(__x86_64__)
__attribute__((target("bmi2"))) static uint64_t bits_extract_bmi2(uint64_t word, uint64_t mask)
{
    return _pext_u64(word, mask);
}
#endif

uint64_t bits_extract(uint64_t word, uint64_t mask)
{
#if defined(__x86_64__)
    if (cpu_features.adx) // implies BMI2, see cpu.h
        return bits_extract_bmi2(word, mask);
#endif
    return bits_extract_portable(word, mask);
}

static size_t block_words(const QueryScalars *q, size_t block)
{
    size_t first = block * BLOCK_WORDS;
    return q->n_words - first < BLOCK_WORDS ? q->n_words - first : BLOCK_WORDS;
}

/* Aux that exist in word w. */
static uint64_t valid_mask(const QueryScalars *q, size_t w)
{
    size_t left = q->z->n_aux - w * 64;
    return left >= 64 ? ~0ull : (1ull << left) - 1;
}

static void load_fields_mask(const QueryScalars *q, size_t block, uint64_t *mask)
{
    size_t first = block * BLOCK_WORDS, n = block_words(q, block);
    r1cs_is_bit(q->r1cs, mask, first, n);
    for (size_t w = 0; w < n; w++)
        mask[w] = ~mask[w] & valid_mask(q, first + w);
}

static void load_density(const QueryScalars *q, size_t block, uint64_t *mask)
{
    size_t first = block * BLOCK_WORDS, n = block_words(q, block);
    if (q->query == QUERY_A)
        r1cs_a_density(q->r1cs, mask, first, n);
    else if (q->query == QUERY_B)
        r1cs_b_density(q->r1cs, mask, first, n);
    else
        for (size_t w = 0; w < n; w++)
            mask[w] = valid_mask(q, first + w);
}

static Status count_fields(void *argument, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    QueryScalars *q = argument;
    uint64_t fields[BLOCK_WORDS];
    for (size_t block = begin; block < end; block++) {
        load_fields_mask(q, block, fields);
        size_t count = 0;
        for (size_t w = 0; w < block_words(q, block); w++)
            count += (size_t)__builtin_popcountll(fields[w]);
        q->fields_before[block + 1] = count;
    }
    return OK;
}

Status query_scalars_new(QueryScalars *out, const R1cs *r1cs, const Assignment *z, Pool *pool)
{
    QueryScalars q = {.r1cs = r1cs, .z = z, .n_words = (z->n_aux + 63) / 64};
    q.n_blocks = (q.n_words + BLOCK_WORDS - 1) / BLOCK_WORDS;
    q.fields_before = calloc(q.n_blocks + 1, sizeof *q.fields_before);
    q.starts = calloc(q.n_blocks + 1, sizeof *q.starts);
    if (!q.fields_before || !q.starts) {
        query_scalars_free(&q);
        FAIL(ERR_MEMORY, "prove: no memory for %zu scalar blocks", q.n_blocks);
    }
    Status status = parallel_for(pool, q.n_blocks, 0, count_fields, &q);
    for (size_t block = 0; block < q.n_blocks; block++)
        q.fields_before[block + 1] += q.fields_before[block];
    if (status == OK && q.fields_before[q.n_blocks] != z->n_fields)
        status = status_fail(ERR_INTERNAL,
                             "prove: the assignment has %zu field elements, the "
                             "circuit %zu",
                             z->n_fields, q.fields_before[q.n_blocks]);
    if (status != OK) {
        query_scalars_free(&q);
        return status;
    }
    *out = q;
    return OK;
}

void query_scalars_free(QueryScalars *q)
{
    free(q->fields_before);
    free(q->starts);
    *q = (QueryScalars){0};
}

static Status count_block(void *argument, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    QueryScalars *q = argument;
    uint64_t fields[BLOCK_WORDS], dense[BLOCK_WORDS];
    for (size_t block = begin; block < end; block++) {
        load_fields_mask(q, block, fields);
        load_density(q, block, dense);
        const Fr *value = q->z->fields + q->fields_before[block];
        BlockStart counts = {0};
        for (size_t w = 0; w < block_words(q, block); w++) {
            counts.points += (uint64_t)__builtin_popcountll(dense[w]);
            for (uint64_t left = fields[w]; left; left &= left - 1, value++)
                if (dense[w] & left & -left)
                    counts.full += !fr_is_zero(value) && !fr_eq(value, &FR_ONE);
        }
        q->starts[block + 1] = counts;
    }
    return OK;
}

Status query_scalars_select(QueryScalars *q, Query query, Pool *pool)
{
    q->query = query;
    TRY(parallel_for(pool, q->n_blocks, 0, count_block, q));
    for (size_t block = 0; block < q->n_blocks; block++) {
        q->starts[block + 1].points += q->starts[block].points;
        q->starts[block + 1].full += q->starts[block].full;
    }
    return OK;
}

typedef struct {
    const QueryScalars *q;
    ScalarChunk *chunk;
    size_t first;
} Fill;

/* OR the low bits of word into the bitmap at bit position at. */
static void bitmap_or(uint64_t *bitmap, uint64_t at, uint64_t word)
{
    if (!word)
        return;
    unsigned shift = at & 63;
    __atomic_fetch_or(&bitmap[at / 64], word << shift, __ATOMIC_RELAXED);
    if (shift && word >> (64 - shift))
        __atomic_fetch_or(&bitmap[at / 64 + 1], word >> (64 - shift), __ATOMIC_RELAXED);
}

/* The field elements of one word: bucket scalars are appended at *full, ones returned as bits in
 * point order. */
static uint64_t fill_fields(ScalarChunk *chunk, uint64_t fields, uint64_t dense, uint64_t at,
                            const Fr **value, size_t *full)
{
    uint64_t ones = 0;
    for (uint64_t left = fields; left; left &= left - 1, ++*value) {
        uint64_t bit = left & -left;
        if (!(dense & bit) || fr_is_zero(*value))
            continue;
        unsigned rank = (unsigned)__builtin_popcountll(dense & (bit - 1));
        if (fr_eq(*value, &FR_ONE)) {
            ones |= 1ull << rank;
        } else {
            chunk->index[*full] = (uint32_t)(at + rank);
            fr_to_canon(&chunk->full[(*full)++], *value);
        }
    }
    return ones;
}

static Status fill_block(void *argument, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    Fill *fill = argument;
    const QueryScalars *q = fill->q;
    ScalarChunk *chunk = fill->chunk;
    uint64_t fields[BLOCK_WORDS], dense[BLOCK_WORDS];
    for (size_t block = fill->first + begin; block < fill->first + end; block++) {
        load_fields_mask(q, block, fields);
        load_density(q, block, dense);
        const uint64_t *bits = q->z->bits + block * BLOCK_WORDS;
        const Fr *value = q->z->fields + q->fields_before[block];
        uint64_t at = q->starts[block].points - chunk->first_point;
        size_t full = q->starts[block].full - q->starts[fill->first].full;
        for (size_t w = 0; w < block_words(q, block); w++) {
            uint64_t ones = bits_extract(bits[w] & ~fields[w], dense[w]);
            if (fields[w])
                ones |= fill_fields(chunk, fields[w], dense[w], at, &value, &full);
            bitmap_or(chunk->ones, at, ones);
            at += (uint64_t)__builtin_popcountll(dense[w]);
        }
        VERIFY(full == q->starts[block + 1].full - q->starts[fill->first].full);
    }
    return OK;
}

Status scalar_chunk_fill(ScalarChunk *out, const QueryScalars *q, size_t first, size_t end,
                         Pool *pool)
{
    ScalarChunk chunk = {
        .n_points = q->starts[end].points - q->starts[first].points,
        .n_full = q->starts[end].full - q->starts[first].full,
        .first_point = q->starts[first].points,
    };
    chunk.mapped[0] = (chunk.n_points + 63) / 64 * sizeof *chunk.ones;
    chunk.mapped[1] = chunk.n_full * sizeof *chunk.index;
    chunk.mapped[2] = chunk.n_full * sizeof *chunk.full;
    Status status = mem_map((void **)&chunk.ones, chunk.mapped[0], "scalars");
    if (status == OK)
        status = mem_map((void **)&chunk.index, chunk.mapped[1], "scalars");
    if (status == OK)
        status = mem_map((void **)&chunk.full, chunk.mapped[2], "scalars");
    Fill fill = {q, &chunk, first};
    if (status == OK)
        status = parallel_for(pool, end - first, 0, fill_block, &fill);
    if (status != OK) {
        scalar_chunk_free(&chunk);
        return status;
    }
    *out = chunk;
    return OK;
}

void scalar_chunk_free(ScalarChunk *chunk)
{
    mem_unmap(chunk->ones, chunk->mapped[0]);
    mem_unmap(chunk->index, chunk->mapped[1]);
    mem_unmap(chunk->full, chunk->mapped[2]);
    *chunk = (ScalarChunk){0};
}
