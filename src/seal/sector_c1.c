/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Commit phase 1: what a sealed sector shows of each challenged node. */
#include "seal/seal_impl.h"
#include "vanilla/c1.h"

#include <string.h>

static Status column_proof(ColumnProof *out, const Sector *sector, uint32_t node, Arena *arena)
{
    *out = (ColumnProof){.index = node, .n_rows = sector->shape.layers};
    out->rows = arena_alloc(arena, out->n_rows, sizeof *out->rows);
    if (!out->rows)
        FAIL(ERR_MEMORY, "column proof: out of memory");
    for (uint32_t i = 0; i < out->n_rows; i++)
        out->rows[i] = sector->labels[i][node];
    return tree_prove(&out->inclusion, &sector->tree_c, node, arena);
}

/* Challenges are never node 0, which has no parents. */
static Status labeling_proof(LabelingProof *out, const Sector *sector, unsigned layer,
                             uint32_t node, const uint32_t parents[POREP_PARENTS], Arena *arena)
{
    *out = (LabelingProof){.layer_index = layer, .node = node, .n_parents = POREP_LABEL_PARENTS};
    out->parents = arena_alloc(arena, POREP_LABEL_PARENTS, sizeof *out->parents);
    if (!out->parents)
        FAIL(ERR_MEMORY, "labeling proof: out of memory");
    label_parents(out->parents, sector, layer, parents);
    return OK;
}

static Status prove_challenge(PorepChallenge *out, const Sector *sector, uint32_t node,
                              Arena *arena)
{
    uint32_t parents[POREP_PARENTS];
    unsigned layers = sector->shape.layers;
    graph_parents(&sector->graph, node, parents);
    TRY(tree_prove(&out->comm_d, &sector->tree_d, node, arena));
    TRY(tree_prove(&out->comm_r_last, &sector->tree_r_last, node, arena));
    TRY(column_proof(&out->c_x, sector, node, arena));
    for (unsigned i = 0; i < POREP_DRG_PARENTS; i++)
        TRY(column_proof(&out->drg_parents[i], sector, parents[i], arena));
    for (unsigned i = 0; i < POREP_EXP_PARENTS; i++)
        TRY(column_proof(&out->exp_parents[i], sector, parents[POREP_DRG_PARENTS + i], arena));
    out->n_labeling = layers;
    out->labeling = arena_alloc(arena, layers, sizeof *out->labeling);
    if (!out->labeling)
        FAIL(ERR_MEMORY, "labeling proofs: out of memory");
    for (unsigned layer = 1; layer <= layers; layer++)
        TRY(labeling_proof(&out->labeling[layer - 1], sector, layer, node, parents, arena));
    return labeling_proof(&out->encoding, sector, layers, node, parents, arena);
}

static Status prove_all(PorepVanilla *v, const Sector *sector)
{
    const SealShape *shape = &sector->shape;
    uint32_t *nodes = arena_alloc(v->arena, shape->challenges, sizeof *nodes);
    v->challenges =
        arena_alloc(v->arena, (size_t)shape->partitions * shape->challenges, sizeof *v->challenges);
    if (!nodes || !v->challenges)
        FAIL(ERR_MEMORY, "commit phase 1: out of memory");
    for (unsigned partition = 0; partition < shape->partitions; partition++) {
        porep_challenges(nodes, shape->challenges, partition, shape->mode, sector->graph.nodes,
                         &sector->replica_id, &sector->comm_r, &v->seed);
        for (unsigned i = 0; i < shape->challenges; i++)
            TRY(prove_challenge(&v->challenges[partition * shape->challenges + i], sector, nodes[i],
                                v->arena));
    }
    return OK;
}

Status sector_c1(PorepVanilla *out, const Sector *sector, const Node *seed)
{
    const SealShape *shape = &sector->shape;
    PorepVanilla v = {.registered_proof = shape->registered_proof,
                      .sector_size = shape->sector_size,
                      .layers = shape->layers,
                      .n_partitions = shape->partitions,
                      .n_challenges = shape->challenges,
                      .comm_r = sector->comm_r,
                      .comm_d = sector->comm_d,
                      .replica_id = sector->replica_id,
                      .seed = *seed,
                      .ticket = sector->input.ticket,
                      .has_envelope = true,
                      .sector_number = sector->input.sector_number};
    TRY(arena_new(&v.arena));
    Status status = prove_all(&v, sector);
    if (status != OK)
        porep_vanilla_free(&v);
    else
        *out = v;
    return status;
}

Status sector_c1_json(const Sector *sector, const Node *seed, bool envelope, uint8_t **text,
                      size_t *size)
{
    PorepVanilla v = {0};
    uint8_t *inner = NULL;
    size_t inner_size = 0;
    TRY(sector_c1(&v, sector, seed));
    Status status = c1_write(&v, &inner, &inner_size);
    porep_vanilla_free(&v);
    TRY(status);
    if (!envelope) {
        *text = inner;
        *size = inner_size;
        return OK;
    }
    status = c1_write_envelope(inner, inner_size, sector->input.sector_number,
                               sector->shape.sector_size, text, size);
    free(inner);
    return status;
}
