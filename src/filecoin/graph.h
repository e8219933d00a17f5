/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The stacked graph: DRG and expander parents of a node. */
#ifndef CUZK_FILECOIN_GRAPH_H
#define CUZK_FILECOIN_GRAPH_H

#include "filecoin/porep_vanilla.h"

typedef struct {
    uint64_t nodes;      /* a power of two, at most 2^31 */
    unsigned api;        /* 0: V1 parents; 1 and above: V1_1 order, expander index not truncated */
    uint8_t seed[28];    /* of the DRG sampling */
    uint64_t feistel[3]; /* keys of the expander permutation */
    unsigned half_bits;  /* of its two halves */
} Graph;

void graph_init(Graph *graph, uint64_t nodes, unsigned api, const uint8_t porep_id[32]);
/* parents: 6 DRG parents, then 8 expander parents. node < nodes. */
void graph_parents(const Graph *graph, uint32_t node, uint32_t parents[POREP_PARENTS]);

#endif
