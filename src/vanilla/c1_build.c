/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Shapes of PoRep proofs and the storage that both C1 readers fill. */
#include <string.h>

#include "field/field_consts.h"
#include "vanilla/c1.h"
#include "vanilla/c1_impl.h"

static const C1Shape shapes[] = {
    {"2KiB", 2ull << 10, 2, 2, 1, 13, 6, 2, 0, 0},
    {"8MiB", 8ull << 20, 2, 2, 1, 13, 18, 6, 0, 0},
    {"512MiB", 512ull << 20, 2, 2, 1, 13, 24, 8, 0, 0},
    {"32GiB", 32ull << 30, 11, 18, 10, 126, 30, 9, 8, 0},
    {"64GiB", 64ull << 30, 11, 18, 10, 126, 31, 9, 8, 2},
};

const C1Shape *c1_shape(unsigned size_index)
{
    return size_index < sizeof shapes / sizeof *shapes ? &shapes[size_index] : NULL;
}

void c1_proof_name(unsigned registered_proof, char *out)
{
    static const char *const versions[] = {"V1", "V1_1", "V1_1_Feat_SyntheticPoRep",
                                           "V1_2_Feat_NonInteractivePoRep"};
    snprintf(out, 64, "StackedDrg%s%s", shapes[registered_proof % 5].size_name,
             versions[registered_proof / 5 % 4]);
}

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

PorepChallenge *c1_add_partition(C1Builder *builder)
{
    PorepChallenge *challenges =
        arena_alloc(builder->vanilla.arena, builder->shape->n_challenges, sizeof *challenges);
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

static void lay_path(Slab *slab, MerkleProof *proof, const C1Shape *shape)
{
    proof->n_base = shape->n_base;
    proof->n_sub = shape->sub > 0;
    proof->n_top = shape->top > 0;
    proof->path = slab->elements;
    for (uint32_t i = 0; i < shape->n_base; i++)
        lay_element(slab, 8);
    if (shape->sub)
        lay_element(slab, shape->sub);
    if (shape->top)
        lay_element(slab, shape->top);
}

static void lay_column(Slab *slab, ColumnProof *column, const C1Shape *shape)
{
    column->n_rows = shape->layers;
    column->rows = take_nodes(slab, shape->layers);
    lay_path(slab, &column->inclusion, shape);
}

static void lay_labeling(Slab *slab, LabelingProof *labeling)
{
    labeling->n_parents = POREP_LABEL_PARENTS;
    labeling->parents = take_nodes(slab, POREP_LABEL_PARENTS);
}

static void lay_challenge(Slab *slab, PorepChallenge *challenge, const C1Shape *shape)
{
    challenge->comm_d.n_base = shape->depth_d;
    challenge->comm_d.path = slab->elements;
    for (uint32_t i = 0; i < shape->depth_d; i++)
        lay_element(slab, 2);
    lay_path(slab, &challenge->comm_r_last, shape);
    lay_column(slab, &challenge->c_x, shape);
    for (unsigned i = 0; i < POREP_DRG_PARENTS; i++)
        lay_column(slab, &challenge->drg_parents[i], shape);
    for (unsigned i = 0; i < POREP_EXP_PARENTS; i++)
        lay_column(slab, &challenge->exp_parents[i], shape);
    challenge->n_labeling = shape->layers;
    for (uint32_t i = 0; i < shape->layers; i++)
        lay_labeling(slab, &challenge->labeling[i]);
    lay_labeling(slab, &challenge->encoding);
}

Status c1_challenge_alloc(C1Builder *builder, PorepChallenge *challenge)
{
    const C1Shape *shape = builder->shape;
    const size_t columns = 1 + POREP_PARENTS, paths = columns + 1;
    size_t levels = shape->n_base + (shape->sub > 0) + (shape->top > 0);
    size_t siblings = 7 * (size_t)shape->n_base + (shape->sub ? shape->sub - 1 : 0) +
                      (shape->top ? shape->top - 1 : 0);
    size_t n_elements = shape->depth_d + paths * levels;
    size_t n_nodes = shape->depth_d + paths * siblings + columns * shape->layers +
                     (shape->layers + 1) * (size_t)POREP_LABEL_PARENTS;
    Arena *arena = builder->vanilla.arena;
    Slab slab = {arena_alloc(arena, n_nodes, sizeof(Node)),
                 arena_alloc(arena, n_elements, sizeof(PathElement))};
    challenge->labeling = arena_alloc(arena, shape->layers, sizeof(LabelingProof));
    if (!slab.nodes || !slab.elements || !challenge->labeling)
        FAIL(ERR_MEMORY, "C1: out of memory at partition %u", builder->n_partitions - 1);
    const Node *last_node = slab.nodes + n_nodes;
    const PathElement *last_element = slab.elements + n_elements;
    lay_challenge(&slab, challenge, shape);
    VERIFY(slab.nodes == last_node && slab.elements == last_element);
    (void)last_node, (void)last_element;
    return OK;
}

Status c1_agree(const C1Builder *builder, const char *name)
{
    unsigned proof = builder->vanilla.registered_proof;
    char proof_name[64];
    c1_proof_name(proof, proof_name);
    if (builder->shape != &shapes[proof % 5])
        FAIL(ERR_FORMAT, "%s: vanilla_proofs are of %s sectors, registered_proof is %s", name,
             builder->shape->size_name, proof_name);
    uint32_t expected = c1_partitions(builder->shape, proof);
    if (builder->n_partitions != expected)
        FAIL(ERR_FORMAT, "%s: vanilla_proofs: %u partitions where %u should be (%s)", name,
             builder->n_partitions, expected, proof_name);
    return OK;
}

Status c1_finish(C1Builder *builder, PorepVanilla *out)
{
    PorepVanilla *vanilla = &builder->vanilla;
    const C1Shape *shape = builder->shape;
    vanilla->sector_size = shape->sector_size;
    vanilla->layers = shape->layers;
    vanilla->n_challenges = shape->n_challenges;
    vanilla->n_partitions = builder->n_partitions;
    vanilla->challenges =
        arena_alloc(vanilla->arena, (size_t)builder->n_partitions * shape->n_challenges,
                    sizeof *vanilla->challenges);
    if (!vanilla->challenges)
        FAIL(ERR_MEMORY, "C1: out of memory for %u partitions", builder->n_partitions);
    for (uint32_t i = 0; i < builder->n_partitions; i++)
        memcpy(vanilla->challenges + (size_t)i * shape->n_challenges, builder->partitions[i],
               shape->n_challenges * sizeof *vanilla->challenges);
    *out = *vanilla;
    *builder = (C1Builder){0};
    return OK;
}

static Status lay_out(C1Builder *builder, unsigned registered_proof)
{
    builder->vanilla.registered_proof = registered_proof;
    builder->shape = c1_shape(registered_proof % 5);
    for (uint32_t i = 0; i < c1_partitions(builder->shape, registered_proof); i++) {
        PorepChallenge *challenges = c1_add_partition(builder);
        if (!challenges)
            FAIL(ERR_MEMORY, "C1: out of memory at partition %u", i);
        for (uint32_t k = 0; k < builder->shape->n_challenges; k++)
            TRY(c1_challenge_alloc(builder, &challenges[k]));
    }
    return OK;
}

Status c1_new(PorepVanilla *out, unsigned registered_proof)
{
    CHECK(out && registered_proof < C1_PROOFS);
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
