/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Labels of all layers: SHA-256 over a prefix and 37 parent labels, node after node. */
#include "base/mem.h"
#include "hash/sha256.h"
#include "seal/seal_impl.h"

#include <string.h>

void label_parents(Node out[POREP_LABEL_PARENTS], const Sector *sector, unsigned layer,
                   const uint32_t parents[POREP_PARENTS])
{
    unsigned n = layer == 1 ? POREP_DRG_PARENTS : POREP_PARENTS;
    for (unsigned i = 0; i < n; i++)
        out[i] = sector->labels[i < POREP_DRG_PARENTS ? layer - 1 : layer - 2][parents[i]];
    for (unsigned i = n; i < POREP_LABEL_PARENTS; i++)
        out[i] = out[i - n];
}

static void store_be(uint8_t *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        out[i] = (uint8_t)(value >> (8 * (bytes - 1 - i)));
}

/* The message, padded: prefix block, 37 parents, and what SHA-256 appends to 1248 bytes. Node 0
 * hashes only the prefix. */
enum { PREFIX = 64, MESSAGE = PREFIX + 32 * POREP_LABEL_PARENTS, BLOCKS = MESSAGE / 64 + 1 };

static void label_node(Node *out, uint8_t message[64 * BLOCKS], unsigned layer, uint64_t node)
{
    uint32_t state[8];
    store_be(message + 32, layer, 4);
    store_be(message + 36, node, 8);
    if (node == 0) {
        sha256(out->b, message, PREFIX);
    } else {
        memcpy(state, sha256_initial, sizeof state);
        sha256_compress(state, message, BLOCKS);
        for (int i = 0; i < 8; i++)
            store_be(out->b + 4 * i, state[i], 4);
    }
    out->b[31] &= 0x3f;
}

static void label_layer(Sector *sector, unsigned layer, const uint32_t *parents, uint64_t nodes)
{
    uint8_t message[64 * BLOCKS] = {0};
    Node gathered[POREP_LABEL_PARENTS];
    memcpy(message, sector->replica_id.b, 32);
    message[MESSAGE] = 0x80;
    store_be(message + sizeof message - 8, 8 * MESSAGE, 8);
    Node *labels = sector->labels[layer - 1];
    label_node(&labels[0], message, layer, 0);
    for (uint64_t node = 1; node < nodes; node++) {
        label_parents(gathered, sector, layer, parents + node * POREP_PARENTS);
        memcpy(message + PREFIX, gathered, sizeof gathered);
        label_node(&labels[node], message, layer, node);
    }
}

typedef struct {
    const Graph *graph;
    uint32_t *parents; /* [nodes][14] */
} ParentTable;

static Status fill_parents(void *argument, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    const ParentTable *table = argument;
    for (size_t node = begin; node < end; node++)
        graph_parents(table->graph, (uint32_t)node, table->parents + node * POREP_PARENTS);
    return OK;
}

Status label_layers(Sector *sector, Pool *pool)
{
    uint64_t nodes = sector->graph.nodes;
    size_t bytes = nodes * POREP_PARENTS * sizeof(uint32_t);
    void *memory;
    TRY(mem_map(&memory, bytes, "graph parents"));
    ParentTable table = {&sector->graph, memory};
    Status status = parallel_for(pool, nodes, 0, fill_parents, &table);
    for (unsigned layer = 1; status == OK && layer <= sector->shape.layers; layer++)
        label_layer(sector, layer, table.parents, nodes);
    mem_unmap(memory, bytes);
    return status;
}
