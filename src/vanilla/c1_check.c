/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Native verification of a C1, one challenge a task. Facts: labels, columns and trees of stacked
 * DRG sealing as in "Filecoin Proof of Replication", specs.filecoin.io, section 2.8. */
#include "vanilla/c1_check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "filecoin/challenges.h"
#include "filecoin/commitments.h"
#include "filecoin/graph.h"
#include "filecoin/registry.h"
#include "hash/poseidon.h"
#include "hash/sha256.h"

/* What all challenges share. */
typedef struct {
    const PorepVanilla *v;
    uint32_t *nodes; /* challenged, in the order of v->challenges */
    Graph graph;
    Node comm_c, comm_r_last;
} Context;

/* Where in the proof a check stands; for messages only. */
typedef struct {
    size_t partition, challenge;
    const char *field; /* e.g. "drg_parents" */
    int index;         /* of field, -1: none */
} Place;

__attribute__((format(printf, 3, 4))) static Status invalid(const Place *place, const char *part,
                                                            const char *format, ...)
{
    char what[256], index[16] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (place->index >= 0)
        snprintf(index, sizeof index, "[%d]", place->index);
    FAIL(ERR_INVALID, "partition %zu, challenge %zu, %s%s%s: %s", place->partition,
         place->challenge, place->field, index, part, what);
}

static bool same(const Node *a, const Node *b)
{
    return !memcmp(a, b, sizeof *a);
}

static Status load(Fr *out, const Node *node, const Place *place, const char *part)
{
    if (!node_to_fr(out, node))
        return invalid(place, part, "a node is not below the field's modulus");
    return OK;
}

/* One level up in tree D. */
static Status up_sha(Node *node, const PathElement *element)
{
    if (element->index)
        sha_parent(node, &element->siblings[0], node);
    else
        sha_parent(node, node, &element->siblings[0]);
    return OK;
}

static Status up_poseidon(Fr *node, const PathElement *element, const Place *place,
                          const char *part)
{
    Fr children[8];
    for (uint32_t i = 0, k = 0; i < element->arity; i++) {
        if (i == element->index)
            children[i] = *node;
        else
            TRY(load(&children[i], &element->siblings[k++], place, part));
    }
    poseidon_hash(node, element->arity, children);
    return OK;
}

/* The leaf's position that the indices of a path spell. */
static uint64_t path_position(const MerkleProof *proof)
{
    uint64_t position = 0, weight = 1;
    for (uint32_t i = 0; i < proof->n_base + proof->n_sub + proof->n_top; i++) {
        position += weight * proof->path[i].index;
        weight *= proof->path[i].arity;
    }
    return position;
}

/* A path of either tree: its position, its root, and that it leads there. */
static Status check_path(const MerkleProof *proof, bool sha, uint64_t node, const Node *root,
                         const char *root_name, const Place *place, const char *part)
{
    uint64_t position = path_position(proof);
    Node top = proof->leaf;
    Fr element;
    if (position != node)
        return invalid(place, part, "the path is node %" PRIu64 "'s, expected node %" PRIu64,
                       position, node);
    if (!same(&proof->root, root))
        return invalid(place, part, "root is not %s", root_name);
    if (!sha)
        TRY(load(&element, &top, place, part));
    for (uint32_t i = 0; i < proof->n_base + proof->n_sub + proof->n_top; i++)
        TRY(sha ? up_sha(&top, &proof->path[i])
                : up_poseidon(&element, &proof->path[i], place, part));
    if (!sha)
        node_from_fr(&top, &element);
    if (!same(&top, root))
        return invalid(place, part, "the path does not lead to %s", root_name);
    return OK;
}

static Status check_column(const Context *context, const ColumnProof *column, uint64_t node,
                           const Place *place)
{
    Fr rows[POREP_MAX_LAYERS], hash;
    Node leaf;
    if (column->index != node)
        return invalid(place, ".column.index", "%" PRIu32 ", expected node %" PRIu64, column->index,
                       node);
    for (uint32_t i = 0; i < column->n_rows; i++)
        TRY(load(&rows[i], &column->rows[i], place, ".column.rows"));
    poseidon_hash(&hash, column->n_rows, rows);
    node_from_fr(&leaf, &hash);
    if (!same(&leaf, &column->inclusion.leaf))
        return invalid(place, ".column", "its hash is not the leaf of the inclusion proof");
    return check_path(&column->inclusion, false, node, &context->comm_c, "comm_c", place,
                      ".inclusion_proof");
}

static Status check_columns(const Context *context, const PorepChallenge *challenge, uint64_t node,
                            Place place)
{
    uint32_t parents[POREP_PARENTS];
    graph_parents(&context->graph, (uint32_t)node, parents);
    place.field = "c_x";
    place.index = -1;
    TRY(check_column(context, &challenge->c_x, node, &place));
    place.field = "drg_parents";
    for (place.index = 0; place.index < POREP_DRG_PARENTS; place.index++)
        TRY(check_column(context, &challenge->drg_parents[place.index], parents[place.index],
                         &place));
    place.field = "exp_parents";
    for (place.index = 0; place.index < POREP_EXP_PARENTS; place.index++)
        TRY(check_column(context, &challenge->exp_parents[place.index],
                         parents[POREP_DRG_PARENTS + place.index], &place));
    return OK;
}

/* The 37 labels that the label of a layer (1 ..) is hashed from, out of the parents' columns:
 * base parents in the same layer, expander parents in the layer before, repeated. */
static void derive_parents(Node *out, const PorepChallenge *challenge, uint32_t layer)
{
    unsigned distinct = layer == 1 ? POREP_DRG_PARENTS : POREP_PARENTS;
    for (unsigned i = 0; i < POREP_LABEL_PARENTS; i++) {
        unsigned k = i % distinct;
        out[i] = k < POREP_DRG_PARENTS
                     ? challenge->drg_parents[k].rows[layer - 1]
                     : challenge->exp_parents[k - POREP_DRG_PARENTS].rows[layer - 2];
    }
}

/* Label of a node in a layer: SHA-256 of replica id, layer, node and parents. */
static void hash_label(Node *label, const Node *replica_id, uint32_t layer, uint64_t node,
                       const Node *parents)
{
    uint8_t head[64] = {0};
    memcpy(head, replica_id->b, 32);
    for (unsigned i = 0; i < 4; i++)
        head[32 + i] = (uint8_t)(layer >> (24 - 8 * i));
    for (unsigned i = 0; i < 8; i++)
        head[36 + i] = (uint8_t)(node >> (56 - 8 * i));
    Sha256 hash;
    sha256_init(&hash);
    sha256_update(&hash, head, sizeof head);
    sha256_update(&hash, parents, POREP_LABEL_PARENTS * sizeof *parents);
    sha256_final(&hash, label->b);
    label->b[31] &= 0x3f;
}

/* A labeling proof repeats what the columns say; label receives what it hashes to. */
static Status check_labeling(const Context *context, const PorepChallenge *challenge,
                             const LabelingProof *proof, uint32_t layer, uint64_t node, Node *label,
                             const Place *place)
{
    Node parents[POREP_LABEL_PARENTS];
    if (proof->layer_index != layer)
        return invalid(place, ".layer_index", "%" PRIu32 ", expected %" PRIu32, proof->layer_index,
                       layer);
    if (proof->node != node)
        return invalid(place, ".node", "%" PRIu64 ", expected node %" PRIu64, proof->node, node);
    if (proof->n_parents != POREP_LABEL_PARENTS)
        return invalid(place, ".parents", "%" PRIu32 ", expected %d", proof->n_parents,
                       POREP_LABEL_PARENTS);
    derive_parents(parents, challenge, layer);
    for (unsigned i = 0; i < POREP_LABEL_PARENTS; i++)
        if (!same(&parents[i], &proof->parents[i]))
            return invalid(place, ".parents", "label %u is not its parent's column's", i);
    hash_label(label, &context->v->replica_id, layer, node, parents);
    return OK;
}

static Status check_labels(const Context *context, const PorepChallenge *challenge, uint64_t node,
                           Place place)
{
    Node label;
    place.field = "labeling_proofs";
    for (uint32_t i = 0; i < challenge->n_labeling; i++) {
        place.index = (int)i;
        TRY(check_labeling(context, challenge, &challenge->labeling[i], i + 1, node, &label,
                           &place));
        if (!same(&label, &challenge->c_x.rows[i]))
            return invalid(&place, "", "the label is not c_x's in layer %" PRIu32, i + 1);
    }
    place.field = "encoding_proof";
    place.index = -1;
    TRY(check_labeling(context, challenge, &challenge->encoding, challenge->n_labeling, node,
                       &label, &place));
    Fr key, data, replica;
    TRY(load(&key, &label, &place, ""));
    TRY(load(&data, &challenge->comm_d.leaf, &place, ""));
    TRY(load(&replica, &challenge->comm_r_last.leaf, &place, ""));
    fr_add(&data, &data, &key);
    if (memcmp(&data, &replica, sizeof data))
        return invalid(&place, "", "data node and label do not add up to the replica node");
    return OK;
}

static Status check_challenge(const Context *context, size_t index)
{
    const PorepVanilla *v = context->v;
    const PorepChallenge *challenge = &v->challenges[index];
    uint64_t node = context->nodes[index];
    Place place = {index / v->n_challenges, index % v->n_challenges, "comm_d_proofs", -1};
    TRY(check_path(&challenge->comm_d, true, node, &v->comm_d, "comm_d", &place, ""));
    place.field = "comm_r_last_proof";
    TRY(check_path(&challenge->comm_r_last, false, node, &context->comm_r_last, "comm_r_last",
                   &place, ""));
    TRY(check_columns(context, challenge, node, place));
    return check_labels(context, challenge, node, place);
}

static Status check_range(void *argument, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    for (size_t i = begin; i < end; i++)
        TRY(check_challenge(argument, i));
    return OK;
}

/* comm_r binds the two roots; every challenge is then held to them. */
static Status check_comm_r(Context *context)
{
    const PorepVanilla *v = context->v;
    const Place place = {0, 0, "comm_r", -1};
    Fr roots[2], comm_r;
    Node found;
    context->comm_c = v->challenges->c_x.inclusion.root;
    context->comm_r_last = v->challenges->comm_r_last.root;
    TRY(load(&roots[0], &context->comm_c, &place, ""));
    TRY(load(&roots[1], &context->comm_r_last, &place, ""));
    poseidon_hash(&comm_r, 2, roots);
    node_from_fr(&found, &comm_r);
    if (!same(&found, &v->comm_r))
        return invalid(&place, "", "not the hash of c_x's root (comm_c) and comm_r_last_proof's");
    return OK;
}

/* The nodes that replica_id, seed, comm_r and the registered proof challenge. */
static void derive_nodes(Context *context, const SealProof *proof)
{
    const PorepVanilla *v = context->v;
    ChallengeMode mode = proof->non_interactive ? CHALLENGES_NON_INTERACTIVE
                         : proof->synthetic     ? CHALLENGES_SYNTHETIC
                                                : CHALLENGES_INTERACTIVE;
    for (size_t k = 0; k < v->n_partitions; k++)
        porep_challenges(context->nodes + k * v->n_challenges, v->n_challenges, k, mode,
                         v->sector_size / sizeof(Node), &v->replica_id, &v->comm_r, &v->seed);
}

Status c1_check(const PorepVanilla *v, Pool *pool)
{
    const SealProof *proof = registry_seal_proof(v->registered_proof);
    CHECK(proof && v->challenges && v->sector_size == proof->sector_size);
    CHECK(v->layers == proof->layers && v->layers <= POREP_MAX_LAYERS);
    Context context = {.v = v};
    Fr replica_id;
    if (!node_to_fr(&replica_id, &v->replica_id))
        FAIL(ERR_INVALID, "replica_id: not below the field's modulus");
    TRY(check_comm_r(&context));
    uint8_t porep_id[32];
    registry_porep_id(porep_id, v->registered_proof);
    graph_init(&context.graph, v->sector_size / sizeof(Node), proof->api, porep_id);
    size_t n = (size_t)v->n_partitions * v->n_challenges;
    context.nodes = malloc(n * sizeof *context.nodes);
    if (!context.nodes)
        FAIL(ERR_MEMORY, "C1 check: out of memory for %zu challenges", n);
    derive_nodes(&context, proof);
    Status status = parallel_for(pool, n, 1, check_range, &context);
    free(context.nodes);
    return status;
}
