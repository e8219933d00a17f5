/* SPDX-License-Identifier: MIT OR Apache-2.0
 * What follows from a circuit's rows: field elements, densities, counts. */
#include "r1cs/r1cs_impl.h"

#include <string.h>

void part_free(Part *part)
{
    free(part->form);
    free(part->column);
    free(part->mark);
    free(part->is_bit);
    free(part->a_density);
    free(part->b_density);
    free(part->b_inputs);
    free(part->field_aux);
    *part = (Part){0};
}

static size_t count_bits(const uint64_t *bitmap, size_t bits)
{
    size_t count = 0;
    for (size_t w = 0; w < bitmap_words(bits); w++)
        count += (size_t)__builtin_popcountll(bitmap[w]);
    return count;
}

Status part_index(const R1cs *r, Part *part)
{
    part->n_fields = part->n_aux - count_bits(part->is_bit, part->n_aux);
    part->field_aux = malloc((part->n_fields + 1) * sizeof *part->field_aux);
    part->mark = malloc((part->n_rows / MARK + 1) * sizeof *part->mark);
    if (!part->field_aux || !part->mark)
        FAIL(ERR_MEMORY, "no memory for %zu field elements", part->n_fields);
    size_t n = 0;
    uint32_t at = 0;
    part->mark[0] = 0;
    for (size_t row = 0; row < part->n_rows; row++) {
        if (row % MARK == 0)
            part->mark[row / MARK] = at;
        at += form_entries(&r->forms[part->form[row]]);
    }
    for (size_t j = 0; j < part->n_aux; j++)
        if (!bitmap_get(part->is_bit, j))
            part->field_aux[n++] = (uint32_t)j;
    return OK;
}

static Status new_densities(Part *part)
{
    size_t words = bitmap_words(part->n_aux) + 1;
    part->a_density = calloc(words, sizeof(uint64_t));
    part->b_density = calloc(words, sizeof(uint64_t));
    part->b_inputs = calloc(bitmap_words(part->n_inputs) + 1, sizeof(uint64_t));
    if (!part->a_density || !part->b_density || !part->b_inputs)
        FAIL(ERR_MEMORY, "no memory for the densities of %zu variables", part->n_aux);
    return OK;
}

/* One entry of A (side 0) or B (side 1). A is dense in inputs by the trailing rows. */
static void mark_entry(R1cs *r, int side, Column column)
{
    uint64_t *shared = side ? r->preamble.b_density : r->preamble.a_density;
    uint64_t *own = side ? r->block.b_density : r->block.a_density;
    uint32_t index = column_index(column);
    switch (column_tag(column)) {
    case COLUMN_INPUT:
        if (side)
            bitmap_set(r->preamble.b_inputs, index);
        break;
    case COLUMN_OWN_INPUT:
        if (side)
            bitmap_set(r->block.b_inputs, index);
        break;
    case COLUMN_BIT:
        bitmap_set(shared, index);
        break;
    case COLUMN_FIELD:
        bitmap_set(shared, r->preamble.field_aux[index]);
        break;
    case COLUMN_OWN_BIT:
        bitmap_set(own, index);
        break;
    case COLUMN_OWN_FIELD:
        bitmap_set(own, r->block.field_aux[index]);
        break;
    default:
        for (size_t k = 0; k < r->n_blocks; k++)
            bitmap_set(shared, column_variable(r, column, k));
    }
}

static Status mark_densities(R1cs *r)
{
    TRY(new_densities(&r->preamble));
    TRY(new_densities(&r->block));
    const Part *parts[2] = {&r->preamble, &r->block};
    for (int p = 0; p < 2; p++) {
        Row row;
        uint32_t at = 0;
        for (size_t i = 0; i < parts[p]->n_rows; i++) {
            at = row_load(&row, r, parts[p], i, at);
            for (int side = 0; side < 2; side++)
                for (uint32_t j = 0; j < row.n[side]; j++)
                    mark_entry(r, side, row.column[side][j]);
        }
    }
    return OK;
}

static void count_entries(const R1cs *r, const Part *part, size_t times, size_t nnz[3])
{
    for (size_t row = 0; row < part->n_rows; row++)
        for (int s = 0; s < 3; s++)
            nnz[s] += times * r->forms[part->form[row]].n[s];
}

static void count_shape(R1cs *r)
{
    const Part *p = &r->preamble, *b = &r->block;
    size_t n = r->n_blocks;
    R1csShape *s = &r->shape;
    *s = (R1csShape){.n_inputs = p->n_inputs + n * b->n_inputs,
                     .n_aux = p->n_aux + n * b->n_aux,
                     .n_circuit_rows = p->n_rows + n * b->n_rows,
                     .n_fields = p->n_fields + n * b->n_fields,
                     .n_blocks = n,
                     .block_aux = b->n_aux,
                     .block_inputs = b->n_inputs,
                     .block_rows = b->n_rows,
                     .preamble_aux = p->n_aux,
                     .preamble_inputs = p->n_inputs,
                     .preamble_rows = p->n_rows};
    s->n_rows = s->n_circuit_rows + s->n_inputs;
    count_entries(r, p, 1, s->nnz);
    count_entries(r, b, n, s->nnz);
    s->nnz[0] += s->n_inputs;
    s->a_aux_density = count_bits(p->a_density, p->n_aux) + n * count_bits(b->a_density, b->n_aux);
    s->b_aux_density = count_bits(p->b_density, p->n_aux) + n * count_bits(b->b_density, b->n_aux);
    s->b_input_density =
        count_bits(p->b_inputs, p->n_inputs) + n * count_bits(b->b_inputs, b->n_inputs);
}

/* n_blocks of count and the preamble's stay below limit. */
static bool fits(const R1cs *r, size_t preamble, size_t block, size_t limit)
{
    return preamble < limit && (r->n_blocks == 0 || block < (limit - preamble) / r->n_blocks);
}

Status r1cs_finish(R1cs *r)
{
    const Part *p = &r->preamble, *b = &r->block;
    const size_t most_rows = (size_t)1 << 32;
    if (!fits(r, p->n_aux, b->n_aux, VAR_INPUT) || !fits(r, p->n_inputs, b->n_inputs, VAR_INPUT) ||
        !fits(r, p->n_rows + p->n_inputs, b->n_rows + b->n_inputs, most_rows))
        FAIL(ERR_UNSUPPORTED, "more than 2^31 variables or 2^32 rows");
    TRY(mark_densities(r));
    count_shape(r);
    return OK;
}
