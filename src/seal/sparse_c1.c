/* SPDX-License-Identifier: MIT OR Apache-2.0
 * C1 of sectors that exist only where they are challenged. */
#include "seal/sparse_c1.h"

#include <string.h>

#include "filecoin/challenges.h"
#include "filecoin/commitments.h"
#include "filecoin/graph.h"
#include "filecoin/registry.h"
#include "hash/sha256.h"
#include "seal/sparse_tree.h"
#include "seal/tree.h"
#include "vanilla/c1.h"

enum { TRIES = 64 };

/* A node that is opened. */
typedef struct {
    uint32_t index;
    bool challenged;
    Node rows[POREP_MAX_LAYERS];
} Column;

typedef struct {
    PorepVanilla *v;
    Graph graph;
    uint64_t random;
    size_t n_challenges; /* of all partitions */
    uint32_t *nodes;     /* [n_challenges] */
    Column *columns;     /* ascending, distinct */
    size_t n_columns;
    SparseTree c, r_last;
} Sparse;

static void random_node(Node *out, uint64_t *state)
{
    const uint64_t seed[2] = {*state, *state ^ 0x5bd1e995};
    ++*state;
    sha256(out->b, seed, sizeof seed);
    out->b[31] &= 0x3f;
}

static int compare_columns(const void *a, const void *b)
{
    uint32_t x = ((const Column *)a)->index, y = ((const Column *)b)->index;
    return x < y ? -1 : x > y;
}

static Column *find_column(const Sparse *sparse, uint32_t index)
{
    const Column key = {.index = index};
    return bsearch(&key, sparse->columns, sparse->n_columns, sizeof key, compare_columns);
}

/* comm_d of zeros: each level hashes two of the level below. Fills every comm_d proof. */
static void fill_comm_d(Sparse *sparse)
{
    PorepVanilla *v = sparse->v;
    Node zero[40] = {0};
    uint32_t depth = v->challenges->comm_d.n_base;
    for (uint32_t i = 0; i < depth; i++)
        sha_parent(&zero[i + 1], &zero[i], &zero[i]);
    v->comm_d = zero[depth];
    for (size_t i = 0; i < sparse->n_challenges; i++) {
        MerkleProof *proof = &v->challenges[i].comm_d;
        proof->root = v->comm_d;
        for (uint32_t k = 0; k < depth; k++)
            proof->path[k].siblings[0] = zero[k];
    }
}

/* Ticket, seed, replica id and the nodes that they challenge. */
static void draw_challenges(Sparse *sparse, uint64_t miner_id)
{
    PorepVanilla *v = sparse->v;
    uint8_t porep_id[32];
    Node prover;
    random_node(&v->ticket, &sparse->random);
    random_node(&v->seed, &sparse->random);
    registry_porep_id(porep_id, v->registered_proof);
    prover_id_from_miner(&prover, miner_id);
    replica_id(&v->replica_id, &prover, v->sector_number, &v->ticket, &v->comm_d, porep_id);
    for (uint32_t k = 0; k < v->n_partitions; k++)
        porep_challenges(sparse->nodes + k * v->n_challenges, v->n_challenges, k,
                         CHALLENGES_INTERACTIVE, sparse->graph.nodes, &v->replica_id, &v->comm_r,
                         &v->seed);
}

/* The columns to open, merged; false where a challenged node is a parent too, whose label would
 * have to be known before (another draw then). */
static bool gather_columns(Sparse *sparse)
{
    size_t n = 0;
    for (size_t i = 0; i < sparse->n_challenges; i++) {
        uint32_t parents[POREP_PARENTS];
        graph_parents(&sparse->graph, sparse->nodes[i], parents);
        sparse->columns[n++] = (Column){.index = sparse->nodes[i], .challenged = true};
        for (unsigned k = 0; k < POREP_PARENTS; k++)
            sparse->columns[n++] = (Column){.index = parents[k]};
    }
    qsort(sparse->columns, n, sizeof *sparse->columns, compare_columns);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (!kept || sparse->columns[kept - 1].index != sparse->columns[i].index)
            sparse->columns[kept++] = sparse->columns[i];
        else if (sparse->columns[kept - 1].challenged != sparse->columns[i].challenged)
            return false;
    }
    sparse->n_columns = kept;
    return true;
}

static Status draw(Sparse *sparse, uint64_t miner_id)
{
    for (unsigned i = 0; i < TRIES; i++) {
        draw_challenges(sparse, miner_id);
        if (gather_columns(sparse))
            return OK;
    }
    FAIL(ERR_UNSUPPORTED, "sparse C1: in %d draws challenged nodes were always parents of others",
         TRIES);
}

/* The 37 labels that a label hashes, in order: base parents in its own layer, expander parents in
 * the one before. */
static void gather_labels(Node *out, const Sparse *sparse, const uint32_t *parents, uint32_t layer)
{
    unsigned distinct = layer == 1 ? POREP_DRG_PARENTS : POREP_PARENTS;
    for (unsigned i = 0; i < POREP_LABEL_PARENTS; i++) {
        unsigned k = i % distinct;
        const Column *column = find_column(sparse, parents[k]);
        out[i] = column->rows[layer - 1 - (k >= POREP_DRG_PARENTS)];
    }
}

static void hash_label(Node *out, const Node *id, uint32_t layer, uint32_t node,
                       const Node *parents)
{
    uint8_t text[64 + POREP_LABEL_PARENTS * sizeof(Node)] = {0};
    memcpy(text, id, sizeof *id);
    text[35] = (uint8_t)layer;
    for (unsigned i = 0; i < 4; i++)
        text[40 + i] = (uint8_t)(node >> (24 - 8 * i));
    memcpy(text + 64, parents, POREP_LABEL_PARENTS * sizeof *parents);
    sha256(out->b, text, sizeof text);
    out->b[31] &= 0x3f;
}

static void fill_labeling(LabelingProof *proof, const Sparse *sparse, const uint32_t *parents,
                          uint32_t layer, uint32_t node)
{
    proof->layer_index = layer;
    proof->node = node;
    gather_labels(proof->parents, sparse, parents, layer);
}

/* Random columns for parents first, then the labels of challenged nodes from them. */
static void fill_labels(Sparse *sparse)
{
    PorepVanilla *v = sparse->v;
    for (size_t i = 0; i < sparse->n_columns; i++)
        for (uint32_t k = 0; k < v->layers; k++)
            random_node(&sparse->columns[i].rows[k], &sparse->random);
    for (size_t i = 0; i < sparse->n_challenges; i++) {
        uint32_t parents[POREP_PARENTS], node = sparse->nodes[i];
        PorepChallenge *challenge = &v->challenges[i];
        Column *column = find_column(sparse, node);
        graph_parents(&sparse->graph, node, parents);
        for (uint32_t layer = 1; layer <= v->layers; layer++) {
            LabelingProof *proof = &challenge->labeling[layer - 1];
            fill_labeling(proof, sparse, parents, layer, node);
            hash_label(&column->rows[layer - 1], &v->replica_id, layer, node, proof->parents);
        }
        fill_labeling(&challenge->encoding, sparse, parents, v->layers, node);
    }
}

/* Tree C over the column hashes, tree R_last over the replica (zero data: the last label). */
static Status build_trees(Sparse *sparse, Arena *arena, Pool *pool)
{
    PorepVanilla *v = sparse->v;
    SparseNode *columns = arena_alloc(arena, sparse->n_columns, sizeof *columns);
    SparseNode *replica = arena_alloc(arena, sparse->n_columns, sizeof *replica);
    size_t n = 0;
    if (!columns || !replica)
        FAIL(ERR_MEMORY, "sparse C1: out of memory for %zu columns", sparse->n_columns);
    for (size_t i = 0; i < sparse->n_columns; i++) {
        const Column *column = &sparse->columns[i];
        columns[i].index = column->index;
        TRY(poseidon_nodes(&columns[i].node, v->layers, column->rows));
        if (column->challenged)
            replica[n++] = (SparseNode){column->index, column->rows[v->layers - 1]};
    }
    const MerkleProof *shape = &v->challenges->comm_r_last;
    TRY(sparse_tree_build(&sparse->c, columns, sparse->n_columns, shape, arena, pool));
    return sparse_tree_build(&sparse->r_last, replica, n, shape, arena, pool);
}

static void fill_column(ColumnProof *proof, const Sparse *sparse, uint32_t node)
{
    const Column *column = find_column(sparse, node);
    proof->index = node;
    memcpy(proof->rows, column->rows, proof->n_rows * sizeof(Node));
    sparse_tree_prove(&proof->inclusion, &sparse->c, node);
}

static Status fill_proofs(Sparse *sparse)
{
    PorepVanilla *v = sparse->v;
    for (size_t i = 0; i < sparse->n_challenges; i++) {
        uint32_t parents[POREP_PARENTS], node = sparse->nodes[i];
        PorepChallenge *challenge = &v->challenges[i];
        graph_parents(&sparse->graph, node, parents);
        for (uint32_t k = 0; k < challenge->comm_d.n_base; k++)
            challenge->comm_d.path[k].index = node >> k & 1;
        sparse_tree_prove(&challenge->comm_r_last, &sparse->r_last, node);
        fill_column(&challenge->c_x, sparse, node);
        for (unsigned k = 0; k < POREP_DRG_PARENTS; k++)
            fill_column(&challenge->drg_parents[k], sparse, parents[k]);
        for (unsigned k = 0; k < POREP_EXP_PARENTS; k++)
            fill_column(&challenge->exp_parents[k], sparse, parents[POREP_DRG_PARENTS + k]);
    }
    Node roots[2] = {v->challenges->c_x.inclusion.root, v->challenges->comm_r_last.root};
    return poseidon_nodes(&v->comm_r, 2, roots);
}

static Status make(Sparse *sparse, uint64_t miner_id, Arena *arena, Pool *pool)
{
    PorepVanilla *v = sparse->v;
    uint8_t porep_id[32];
    registry_porep_id(porep_id, v->registered_proof);
    graph_init(&sparse->graph, v->sector_size / sizeof(Node),
               registry_seal_proof(v->registered_proof)->api, porep_id);
    sparse->n_challenges = (size_t)v->n_partitions * v->n_challenges;
    sparse->nodes = arena_alloc(arena, sparse->n_challenges, sizeof *sparse->nodes);
    sparse->columns =
        arena_alloc(arena, sparse->n_challenges * (1 + POREP_PARENTS), sizeof *sparse->columns);
    if (!sparse->nodes || !sparse->columns)
        FAIL(ERR_MEMORY, "sparse C1: out of memory for %zu challenges", sparse->n_challenges);
    fill_comm_d(sparse);
    TRY(draw(sparse, miner_id));
    fill_labels(sparse);
    TRY(build_trees(sparse, arena, pool));
    return fill_proofs(sparse);
}

Status sparse_c1(PorepVanilla *out, unsigned registered_proof, uint64_t miner_id,
                 uint64_t sector_number, uint64_t random, Pool *pool)
{
    const SealProof *proof = registry_seal_proof(registered_proof);
    CHECK(out && proof);
    if (proof->synthetic || proof->non_interactive)
        FAIL(ERR_UNSUPPORTED, "sparse C1: the challenges of %s depend on comm_r", proof->name);
    PorepVanilla v = {0};
    Arena *scratch = NULL;
    Status status;
    TRY_GOTO(status, c1_new(&v, registered_proof), done);
    TRY_GOTO(status, arena_new(&scratch), done);
    v.has_envelope = true;
    v.sector_number = sector_number;
    Sparse sparse = {.v = &v, .random = random};
    TRY_GOTO(status, make(&sparse, miner_id, scratch, pool), done);
    *out = v;
    v = (PorepVanilla){0};
done:
    arena_free(&scratch);
    porep_vanilla_free(&v);
    return status;
}
