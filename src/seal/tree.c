/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Trees, level by level, each level in parallel. */
#include "seal/tree.h"

#include "filecoin/commitments.h"
#include "hash/poseidon.h"

#include <string.h>

Status poseidon_nodes(Node *out, unsigned arity, const Node *in)
{
    return poseidon_nodes_many(out, arity, in, 1);
}

Status poseidon_nodes_many(Node *out, unsigned arity, const Node *in, size_t n)
{
    enum { BATCH = 16 };
    Fr values[BATCH * (POSEIDON_MAX_WIDTH - 1)], hashes[BATCH];
    for (size_t done = 0; done < n; done += BATCH) {
        size_t count = n - done < BATCH ? n - done : BATCH;
        for (size_t i = 0; i < count * arity; i++)
            if (!node_to_fr(&values[i], &in[done * arity + i]))
                FAIL(ERR_FORMAT, "Poseidon: element %zu of %zu is not canonical", done * arity + i,
                     n * arity);
        poseidon_hash_many(hashes, arity, values, count);
        for (size_t i = 0; i < count; i++)
            node_from_fr(&out[done + i], &hashes[i]);
    }
    return OK;
}

const Node *tree_root(const Tree *tree)
{
    return tree->node[tree_levels(tree)];
}

void tree_free(Tree *tree)
{
    free(tree->inner);
    *tree = (Tree){0};
}

typedef struct {
    const Tree *tree;
    uint32_t level; /* of the children */
} Row;

static const Node *row_of(const Tree *tree, uint32_t level)
{
    return level ? tree->node[level] : tree->leaves;
}

static Status hash_parents(void *argument, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    const Row *row = argument;
    uint32_t arity = row->tree->arity[row->level];
    Node *parents = row->tree->node[row->level + 1];
    const Node *children = row_of(row->tree, row->level);
    if (!row->tree->sha256)
        return poseidon_nodes_many(parents + begin, arity, children + begin * arity, end - begin);
    for (size_t i = begin; i < end; i++)
        sha_parent(&parents[i], &children[2 * i], &children[2 * i + 1]);
    return OK;
}

static Status build(Tree *out, Tree *tree, size_t n_leaves, Pool *pool)
{
    size_t n_inner = 0, n = n_leaves;
    for (uint32_t level = 0; level < tree_levels(tree); level++)
        n_inner += n /= tree->arity[level];
    VERIFY(n == 1);
    tree->inner = malloc(n_inner * sizeof(Node));
    if (!tree->inner)
        FAIL(ERR_MEMORY, "tree of %zu leaves: out of memory", n_leaves);
    Node *next = tree->inner;
    n = n_leaves;
    for (uint32_t level = 0; level < tree_levels(tree); level++) {
        Row row = {tree, level};
        n /= tree->arity[level];
        tree->node[level + 1] = next;
        next += n;
        Status status = parallel_for(pool, n, 0, hash_parents, &row);
        if (status != OK) {
            tree_free(tree);
            return status_context(status, "tree of %zu leaves, level %u", n_leaves, level + 1);
        }
    }
    *out = *tree;
    return OK;
}

Status tree_build_sha256(Tree *out, const TreeShape *shape, const Node *leaves, Pool *pool)
{
    CHECK(shape->log_nodes <= TREE_LEVELS_MAX);
    Tree tree = {.sha256 = true, .n_base = shape->log_nodes, .leaves = leaves};
    for (uint32_t level = 0; level < tree.n_base; level++)
        tree.arity[level] = 2;
    return build(out, &tree, (size_t)1 << shape->log_nodes, pool);
}

Status tree_build_poseidon(Tree *out, const TreeShape *shape, const Node *leaves, Pool *pool)
{
    CHECK(shape->base_levels + 2 <= TREE_LEVELS_MAX);
    Tree tree = {.n_base = shape->base_levels,
                 .n_sub = shape->sub > 0,
                 .n_top = shape->top > 0,
                 .leaves = leaves};
    for (uint32_t level = 0; level < tree.n_base; level++)
        tree.arity[level] = 8;
    if (shape->sub)
        tree.arity[tree.n_base] = shape->sub;
    if (shape->top)
        tree.arity[tree.n_base + 1] = shape->top;
    return build(out, &tree, (size_t)1 << shape->log_nodes, pool);
}

Status tree_prove(MerkleProof *out, const Tree *tree, size_t leaf, Arena *arena)
{
    MerkleProof proof = {.root = *tree_root(tree),
                         .leaf = tree->leaves[leaf],
                         .n_base = tree->n_base,
                         .n_sub = tree->n_sub,
                         .n_top = tree->n_top};
    proof.path = arena_alloc(arena, tree_levels(tree), sizeof *proof.path);
    if (!proof.path)
        FAIL(ERR_MEMORY, "Merkle proof: out of memory");
    for (uint32_t level = 0; level < tree_levels(tree); level++) {
        uint32_t arity = tree->arity[level], index = (uint32_t)(leaf % arity);
        const Node *group = row_of(tree, level) + (leaf - index);
        Node *siblings = arena_alloc(arena, arity - 1, sizeof *siblings);
        if (!siblings)
            FAIL(ERR_MEMORY, "Merkle proof: out of memory");
        memcpy(siblings, group, index * sizeof *group);
        memcpy(siblings + index, group + index + 1, (arity - 1 - index) * sizeof *group);
        proof.path[level] = (PathElement){arity, index, siblings};
        leaf /= arity;
    }
    *out = proof;
    return OK;
}
