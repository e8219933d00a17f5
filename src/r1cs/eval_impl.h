/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Row values for several blocks at once; shared by evaluation and the checking mode. */
#ifndef CUZK_R1CS_EVAL_IMPL_H
#define CUZK_R1CS_EVAL_IMPL_H

#include "r1cs/r1cs_impl.h"

enum { BLOCKS_AT_ONCE = 8, ROWS_AT_ONCE = 4096 };

/* Rows first_row .. end_row of a part, in n blocks from first on (the preamble: one "block"). */
typedef struct {
    const R1cs *r;
    const Part *part;
    const Assignment *z;
    size_t first_row, end_row, first, n;
} Window;

/* The part in windows: ask for their number, then for each. */
size_t window_count(const R1cs *r, const Part *part);
void window_make(Window *w, const R1cs *r, const Part *part, const Assignment *z, size_t item);

/* A row's values in the window's blocks. side: 0 A, 1 B, 2 C. */
void window_sums(const Window *w, int side, const Row *row, Fr sum[BLOCKS_AT_ONCE]);

/* Row number in the whole circuit, in the j-th block of the window. */
static inline size_t window_place(const Window *w, size_t row, size_t j)
{
    return w->part == &w->r->block ? block_row(w->r, w->first + j) + row : row;
}

#endif
