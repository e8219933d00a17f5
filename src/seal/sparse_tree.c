/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Sparse Poseidon trees, a level at a time. */
#include "seal/sparse_tree.h"

#include <string.h>

#include "seal/tree.h"

static const Node *find(const SparseTree *tree, uint32_t level, uint32_t index)
{
    size_t low = 0, high = tree->n[level];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tree->level[level][middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < tree->n[level] && tree->level[level][low].index == index)
        return &tree->level[level][low].node;
    return &tree->zero[level];
}

typedef struct {
    const SparseTree *tree;
    uint32_t level; /* of the children */
    SparseNode *parents;
} LevelTask;

static Status hash_parents(void *argument, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    LevelTask *task = argument;
    uint32_t arity = task->tree->arity[task->level];
    for (size_t i = begin; i < end; i++) {
        Node children[8];
        for (uint32_t k = 0; k < arity; k++)
            children[k] = *find(task->tree, task->level, task->parents[i].index * arity + k);
        TRY(poseidon_nodes(&task->parents[i].node, arity, children));
    }
    return OK;
}

static Status build_level(SparseTree *tree, uint32_t level, Arena *arena, Pool *pool)
{
    uint32_t arity = tree->arity[level];
    SparseNode *parents = arena_alloc(arena, tree->n[level], sizeof *parents);
    if (!parents)
        FAIL(ERR_MEMORY, "sparse tree: out of memory at level %u", level);
    size_t n = 0;
    for (size_t i = 0; i < tree->n[level]; i++) {
        uint32_t index = tree->level[level][i].index / arity;
        if (!n || parents[n - 1].index != index)
            parents[n++].index = index;
    }
    Node zeros[8];
    for (uint32_t k = 0; k < arity; k++)
        zeros[k] = tree->zero[level];
    TRY(poseidon_nodes(&tree->zero[level + 1], arity, zeros));
    LevelTask task = {tree, level, parents};
    TRY(parallel_for(pool, n, 0, hash_parents, &task));
    tree->level[level + 1] = parents;
    tree->n[level + 1] = n;
    return OK;
}

Status sparse_tree_build(SparseTree *out, SparseNode *leaves, size_t n, const MerkleProof *shape,
                         Arena *arena, Pool *pool)
{
    *out = (SparseTree){.n_levels = shape->n_base + shape->n_sub + shape->n_top};
    CHECK(out->n_levels <= SPARSE_LEVELS && n);
    out->level[0] = leaves;
    out->n[0] = n;
    for (uint32_t i = 0; i < out->n_levels; i++) {
        out->arity[i] = shape->path[i].arity;
        TRY(build_level(out, i, arena, pool));
    }
    VERIFY(out->n[out->n_levels] == 1);
    return OK;
}

void sparse_tree_prove(MerkleProof *proof, const SparseTree *tree, uint32_t leaf)
{
    proof->leaf = *find(tree, 0, leaf);
    proof->root = *find(tree, tree->n_levels, 0);
    for (uint32_t level = 0; level < tree->n_levels; level++) {
        PathElement *element = &proof->path[level];
        uint32_t first = leaf - leaf % element->arity;
        element->index = leaf - first;
        for (uint32_t k = 0, next = 0; k < element->arity; k++)
            if (k != element->index)
                element->siblings[next++] = *find(tree, level, first + k);
        leaf /= element->arity;
    }
}
