/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Shapes of PoRep proofs and the storage that both C1 readers fill. */
#include <string.h>

#include "field/field_consts.h"
#include "vanilla/c1.h"
#include "vanilla/c1_impl.h"

Status c1_builder_init(C1Builder *builder)
{
    *builder = (C1Builder){0};
    return arena_new(&builder->vanilla.arena);
}

void c1_builder_free(C1Builder *builder)
{
    porep_vanilla_free(&builder->vanilla);
    *builder = (C1Builder){0};
}

Status c1_set_size(C1Builder *builder, unsigned size_index)
{
    builder->size = registry_seal_proof(size_index);
    VERIFY(size_index < C1_SIZES && builder->size->layers <= POREP_MAX_LAYERS);
    return registry_tree_shape(&builder->tree, builder->size->sector_size);
}

uint32_t c1_max_partitions(const C1Builder *builder)
{
    uint32_t n = registry_seal_proof(builder->size->id + 3 * C1_SIZES)->partitions;
    return n < C1_MAX_PARTITIONS ? n : C1_MAX_PARTITIONS;
}

PorepChallenge *c1_add_partition(C1Builder *builder)
{
    PorepChallenge *challenges =
        arena_alloc(builder->vanilla.arena, builder->size->challenges, sizeof *challenges);
    if (challenges)
        builder->partitions[builder->n_partitions++] = challenges;
    return challenges;
}

/* Cuts a challenge's storage into its parts. */
typedef struct {
    Node *nodes;
    PathElement *elements;
} Slab;

static Node *take_nodes(Slab *slab, size_t n)
{
    slab->nodes += n;
    return slab->nodes - n;
}

static void lay_element(Slab *slab, uint32_t arity)
{
    PathElement *element = slab->elements++;
    element->arity = arity;
    element->siblings = take_nodes(slab, arity - 1);
}

static void lay_path(Slab *slab, MerkleProof *proof, const TreeShape *tree)
{
    proof->n_base = tree->base_levels;
    proof->n_sub = tree->sub > 0;
    proof->n_top = tree->top > 0;
    proof->path = slab->elements;
    for (uint32_t i = 0; i < tree->base_levels; i++)
        lay_element(slab, 8);
    if (tree->sub)
        lay_element(slab, tree->sub);
    if (tree->top)
        lay_element(slab, tree->top);
}

static void lay_column(Slab *slab, ColumnProof *column, const C1Builder *builder)
{
    column->n_rows = builder->size->layers;
    column->rows = take_nodes(slab, column->n_rows);
    lay_path(slab, &column->inclusion, &builder->tree);
}

static void lay_labeling(Slab *slab, LabelingProof *labeling)
{
    labeling->n_parents = POREP_LABEL_PARENTS;
    labeling->parents = take_nodes(slab, POREP_LABEL_PARENTS);
}

static void lay_challenge(Slab *slab, PorepChallenge *challenge, const C1Builder *builder)
{
    challenge->comm_d.n_base = builder->tree.log_nodes;
    challenge->comm_d.path = slab->elements;
    for (uint32_t i = 0; i < builder->tree.log_nodes; i++)
        lay_element(slab, 2);
    lay_path(slab, &challenge->comm_r_last, &builder->tree);
    lay_column(slab, &challenge->c_x, builder);
    for (unsigned i = 0; i < POREP_DRG_PARENTS; i++)
        lay_column(slab, &challenge->drg_parents[i], builder);
    for (unsigned i = 0; i < POREP_EXP_PARENTS; i++)
        lay_column(slab, &challenge->exp_parents[i], builder);
    challenge->n_labeling = builder->size->layers;
    for (uint32_t i = 0; i < challenge->n_labeling; i++)
        lay_labeling(slab, &challenge->labeling[i]);
    lay_labeling(slab, &challenge->encoding);
}

Status c1_challenge_alloc(C1Builder *builder, PorepChallenge *challenge)
{
    const TreeShape *tree = &builder->tree;
    const size_t columns = 1 + POREP_PARENTS, paths = columns + 1, layers = builder->size->layers;
    size_t levels = tree->base_levels + (tree->sub > 0) + (tree->top > 0);
    size_t siblings = 7 * (size_t)tree->base_levels + (tree->sub ? tree->sub - 1 : 0) +
                      (tree->top ? tree->top - 1 : 0);
    size_t n_elements = tree->log_nodes + paths * levels;
    size_t n_nodes =
        tree->log_nodes + paths * siblings + columns * layers + (layers + 1) * POREP_LABEL_PARENTS;
    Arena *arena = builder->vanilla.arena;
    Slab slab = {arena_alloc(arena, n_nodes, sizeof(Node)),
                 arena_alloc(arena, n_elements, sizeof(PathElement))};
    challenge->labeling = arena_alloc(arena, layers, sizeof(LabelingProof));
    if (!slab.nodes || !slab.elements || !challenge->labeling)
        FAIL(ERR_MEMORY, "C1: out of memory at partition %u", builder->n_partitions - 1);
    const Node *last_node = slab.nodes + n_nodes;
    const PathElement *last_element = slab.elements + n_elements;
    lay_challenge(&slab, challenge, builder);
    VERIFY(slab.nodes == last_node && slab.elements == last_element);
    (void)last_node, (void)last_element;
    return OK;
}

Status c1_agree(const C1Builder *builder, const char *name)
{
    const SealProof *proof = registry_seal_proof(builder->vanilla.registered_proof);
    if (proof->sector_size != builder->size->sector_size)
        FAIL(ERR_FORMAT, "%s: vanilla_proofs are %s's, registered_proof is %s", name,
             builder->size->variant, proof->name);
    if (builder->n_partitions != proof->partitions)
        FAIL(ERR_FORMAT, "%s: vanilla_proofs: %u partitions where %u should be (%s)", name,
             builder->n_partitions, proof->partitions, proof->name);
    return OK;
}

Status c1_finish(C1Builder *builder, PorepVanilla *out)
{
    PorepVanilla *vanilla = &builder->vanilla;
    const SealProof *size = builder->size;
    vanilla->sector_size = size->sector_size;
    vanilla->layers = size->layers;
    vanilla->n_challenges = size->challenges;
    vanilla->n_partitions = builder->n_partitions;
    vanilla->challenges =
        arena_alloc(vanilla->arena, (size_t)builder->n_partitions * size->challenges,
                    sizeof *vanilla->challenges);
    if (!vanilla->challenges)
        FAIL(ERR_MEMORY, "C1: out of memory for %u partitions", builder->n_partitions);
    for (uint32_t i = 0; i < builder->n_partitions; i++)
        memcpy(vanilla->challenges + (size_t)i * size->challenges, builder->partitions[i],
               size->challenges * sizeof *vanilla->challenges);
    *out = *vanilla;
    *builder = (C1Builder){0};
    return OK;
}

static Status lay_out(C1Builder *builder, unsigned registered_proof)
{
    builder->vanilla.registered_proof = registered_proof;
    TRY(c1_set_size(builder, registered_proof % C1_SIZES));
    for (uint32_t i = 0; i < registry_seal_proof(registered_proof)->partitions; i++) {
        PorepChallenge *challenges = c1_add_partition(builder);
        if (!challenges)
            FAIL(ERR_MEMORY, "C1: out of memory at partition %u", i);
        for (uint32_t k = 0; k < builder->size->challenges; k++)
            TRY(c1_challenge_alloc(builder, &challenges[k]));
    }
    return OK;
}

Status c1_new(PorepVanilla *out, unsigned registered_proof)
{
    CHECK(out && registered_proof < SEAL_PROOFS);
    C1Builder builder;
    Status status;
    TRY_GOTO(status, c1_builder_init(&builder), done);
    TRY_GOTO(status, lay_out(&builder, registered_proof), done);
    status = c1_finish(&builder, out);
done:
    c1_builder_free(&builder);
    return status;
}

bool c1_canonical(const Node *node)
{
    static const uint64_t modulus[4] = FR_MODULUS;
    uint64_t words[4];
    memcpy(words, node->b, sizeof words);
    for (int i = 3; i >= 0; i--)
        if (words[i] != modulus[i])
            return words[i] < modulus[i];
    return false;
}
