/* SPDX-License-Identifier: MIT OR Apache-2.0
 * An honest vanilla proof of any small PoRep shape, made without sealing: random labels, parents
 * and data, the challenged nodes labelled, encoded and committed to as the circuit wants it. */
#ifndef CUZK_TESTS_SYNTHETIC_POREP_H
#define CUZK_TESTS_SYNTHETIC_POREP_H

#include "circuits/porep.h"
#include "hash/poseidon.h"
#include "hash/sha256.h"

#include <string.h>

enum { SYNTHETIC_LEVELS_MAX = 16 };

/* Nodes of a tree, leaves first; level i + 1 hashes groups of arity[i]. */
typedef struct {
    bool sha256;
    unsigned n_levels, n_base;
    uint32_t arity[SYNTHETIC_LEVELS_MAX];
    Node *nodes[SYNTHETIC_LEVELS_MAX + 1];
} SyntheticTree;

typedef struct {
    const PorepShape *shape;
    uint64_t seed;
    size_t n_nodes;
    Arena *arena;
    Node *labels[POREP_MAX_LAYERS], *data;
    SyntheticTree d, c, r;
} SyntheticSector;

static inline uint64_t synthetic_random(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static inline void synthetic_node(Node *out, uint64_t *seed)
{
    for (int i = 0; i < 4; i++) {
        uint64_t word = synthetic_random(seed);
        memcpy(out->b + 8 * i, &word, 8);
    }
    out->b[31] &= 0x3f;
}

static inline void synthetic_poseidon(Node *out, const Node *in, size_t stride, unsigned arity)
{
    Fr values[POSEIDON_MAX_WIDTH], hash;
    for (unsigned i = 0; i < arity; i++)
        if (!fr_from_le(&values[i], in[i * stride].b))
            abort();
    poseidon_hash(&hash, arity, values);
    fr_to_le(out->b, &hash);
}

static inline void synthetic_tree_build(SyntheticTree *tree, Arena *arena, size_t n_leaves)
{
    tree->nodes[0] = arena_alloc(arena, n_leaves, sizeof(Node));
    for (unsigned level = 0; level < tree->n_levels; level++)
        tree->nodes[level + 1] = arena_alloc(arena, n_leaves /= tree->arity[level], sizeof(Node));
}

static inline void synthetic_tree_hash(SyntheticTree *tree, size_t n)
{
    for (unsigned level = 0; level < tree->n_levels; level++) {
        uint32_t arity = tree->arity[level];
        n /= arity;
        for (size_t i = 0; i < n; i++) {
            const Node *children = &tree->nodes[level][i * arity];
            Node *parent = &tree->nodes[level + 1][i];
            if (!tree->sha256) {
                synthetic_poseidon(parent, children, 1, arity);
                continue;
            }
            sha256(parent->b, children, 2 * sizeof(Node));
            parent->b[31] &= 0x3f;
        }
    }
}

static inline void synthetic_trees(SyntheticSector *s)
{
    const PorepShape *shape = s->shape;
    s->d = (SyntheticTree){
        .sha256 = true, .n_levels = shape->tree.log_nodes, .n_base = shape->tree.log_nodes};
    for (unsigned i = 0; i < shape->tree.log_nodes; i++)
        s->d.arity[i] = 2;
    unsigned n = shape->tree.base_levels;
    s->c = (SyntheticTree){.n_base = n};
    for (unsigned i = 0; i < n; i++)
        s->c.arity[i] = 8;
    if (shape->tree.sub)
        s->c.arity[n++] = shape->tree.sub;
    if (shape->tree.top)
        s->c.arity[n++] = shape->tree.top;
    s->c.n_levels = n;
    s->r = s->c;
    synthetic_tree_build(&s->d, s->arena, s->n_nodes);
    synthetic_tree_build(&s->c, s->arena, s->n_nodes);
    synthetic_tree_build(&s->r, s->arena, s->n_nodes);
}

static inline void synthetic_proof(MerkleProof *out, const SyntheticTree *tree, Arena *arena,
                                   size_t leaf)
{
    unsigned upper = tree->n_levels - tree->n_base;
    *out = (MerkleProof){.root = tree->nodes[tree->n_levels][0],
                         .leaf = tree->nodes[0][leaf],
                         .n_base = tree->n_base,
                         .n_sub = upper > 0,
                         .n_top = upper > 1};
    out->path = arena_alloc(arena, tree->n_levels, sizeof *out->path);
    for (unsigned level = 0; level < tree->n_levels; level++) {
        uint32_t arity = tree->arity[level], index = (uint32_t)(leaf % arity);
        PathElement *element = &out->path[level];
        *element = (PathElement){arity, index, arena_alloc(arena, arity - 1, sizeof(Node))};
        const Node *group = &tree->nodes[level][leaf - index];
        for (uint32_t i = 0, k = 0; i < arity; i++)
            if (i != index)
                element->siblings[k++] = group[i];
        leaf /= arity;
    }
}

static inline void synthetic_column(ColumnProof *out, const SyntheticSector *s, size_t node)
{
    uint32_t layers = s->shape->layers;
    *out = (ColumnProof){.index = (uint32_t)node, .n_rows = layers};
    out->rows = arena_alloc(s->arena, layers, sizeof(Node));
    for (uint32_t i = 0; i < layers; i++)
        out->rows[i] = s->labels[i][node];
    synthetic_proof(&out->inclusion, &s->c, s->arena, node);
}

/* The label of node in a layer (1 ..) from the labels there and a layer below. */
static inline void synthetic_label(const SyntheticSector *s, const Node *replica_id, uint32_t layer,
                                   size_t node, const size_t parents[POREP_PARENTS])
{
    unsigned n = layer == 1 ? POREP_DRG_PARENTS : POREP_PARENTS;
    uint8_t head[32] = {[3] = (uint8_t)layer};
    for (int i = 0; i < 8; i++)
        head[4 + i] = (uint8_t)((uint64_t)node >> (56 - 8 * i));
    Sha256 hash;
    sha256_init(&hash);
    sha256_update(&hash, replica_id, sizeof *replica_id);
    sha256_update(&hash, head, sizeof head);
    for (unsigned i = 0; i < POREP_LABEL_PARENTS; i++) {
        unsigned from = i % n < POREP_DRG_PARENTS ? layer - 1 : layer - 2;
        sha256_update(&hash, &s->labels[from][parents[i % n]], sizeof(Node));
    }
    Node *label = &s->labels[layer - 1][node];
    sha256_final(&hash, label->b);
    label->b[31] &= 0x3f;
}

/* Challenges are the last nodes, parents any others. */
static inline size_t synthetic_challenge_node(const SyntheticSector *s, size_t k)
{
    return s->n_nodes - 1 - k;
}

static inline void synthetic_commit(SyntheticSector *s, PorepVanilla *out)
{
    for (size_t i = 0; i < s->n_nodes; i++) {
        Fr label, data, sum;
        synthetic_poseidon(&s->c.nodes[0][i], &s->labels[0][i],
                           (size_t)(s->labels[1] - s->labels[0]), s->shape->layers);
        if (!fr_from_le(&label, s->labels[s->shape->layers - 1][i].b) ||
            !fr_from_le(&data, s->d.nodes[0][i].b))
            abort();
        fr_add(&sum, &label, &data);
        fr_to_le(s->r.nodes[0][i].b, &sum);
    }
    synthetic_tree_hash(&s->d, s->n_nodes);
    synthetic_tree_hash(&s->c, s->n_nodes);
    synthetic_tree_hash(&s->r, s->n_nodes);
    Node roots[2] = {s->c.nodes[s->c.n_levels][0], s->r.nodes[s->r.n_levels][0]};
    out->comm_d = s->d.nodes[s->d.n_levels][0];
    synthetic_poseidon(&out->comm_r, roots, 1, 2);
}

static inline void synthetic_fill(SyntheticSector *s, PorepVanilla *out)
{
    size_t n = s->n_nodes;
    Node *labels = arena_alloc(s->arena, s->shape->layers * n, sizeof(Node));
    for (uint32_t i = 0; i < s->shape->layers; i++)
        s->labels[i] = labels + i * n;
    for (size_t i = 0; i < s->shape->layers * n; i++)
        synthetic_node(&labels[i], &s->seed);
    for (size_t i = 0; i < n; i++)
        synthetic_node(&s->d.nodes[0][i], &s->seed);
    synthetic_node(&out->replica_id, &s->seed);
}

/* One partition of shape->challenges challenges; porep_vanilla_free it. */
static inline Status synthetic_porep(PorepVanilla *out, const PorepShape *shape, uint64_t seed)
{
    SyntheticSector s = {
        .shape = shape, .seed = seed, .n_nodes = (size_t)1 << shape->tree.log_nodes};
    TRY(arena_new(&s.arena));
    uint32_t n = shape->challenges;
    *out = (PorepVanilla){.layers = shape->layers,
                          .n_partitions = 1,
                          .n_challenges = n,
                          .challenges = arena_alloc(s.arena, n, sizeof(PorepChallenge)),
                          .arena = s.arena};
    size_t(*parents)[POREP_PARENTS] = arena_alloc(s.arena, n, sizeof *parents);
    synthetic_trees(&s);
    synthetic_fill(&s, out);
    for (uint32_t k = 0; k < n; k++) {
        for (unsigned i = 0; i < POREP_PARENTS; i++)
            parents[k][i] = synthetic_random(&s.seed) % (s.n_nodes - n);
        for (uint32_t layer = 1; layer <= shape->layers; layer++)
            synthetic_label(&s, &out->replica_id, layer, synthetic_challenge_node(&s, k),
                            parents[k]);
    }
    synthetic_commit(&s, out);
    for (uint32_t k = 0; k < n; k++) {
        PorepChallenge *c = &out->challenges[k];
        size_t node = synthetic_challenge_node(&s, k);
        synthetic_proof(&c->comm_d, &s.d, s.arena, node);
        synthetic_proof(&c->comm_r_last, &s.r, s.arena, node);
        synthetic_column(&c->c_x, &s, node);
        for (unsigned i = 0; i < POREP_DRG_PARENTS; i++)
            synthetic_column(&c->drg_parents[i], &s, parents[k][i]);
        for (unsigned i = 0; i < POREP_EXP_PARENTS; i++)
            synthetic_column(&c->exp_parents[i], &s, parents[k][POREP_DRG_PARENTS + i]);
        c->n_labeling = 1;
        c->labeling = arena_alloc(s.arena, 1, sizeof *c->labeling);
        c->labeling->node = node;
    }
    return OK;
}

#endif
