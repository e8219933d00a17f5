/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The circuit of one PoRep partition: commitments once, then a block a challenge. */
#include "circuits/porep.h"
#include "circuits/label.h"
#include "circuits/por.h"
#include "circuits/poseidon_circuit.h"

#include <string.h>

Status porep_shape(PorepShape *out, const char *name, uint32_t challenges, uint32_t layers)
{
    CircuitId id;
    PorepShape shape;
    TRY(registry_circuit(&id, name));
    if (id.kind != CIRCUIT_POREP)
        FAIL(ERR_ARG, "circuit %s: not a PoRep circuit", name);
    if (layers != 0 && layers != 2 && layers != POREP_MAX_LAYERS)
        FAIL(ERR_UNSUPPORTED, "circuit %s: %u layers, expected 2 or %u", name, layers,
             POREP_MAX_LAYERS);
    TRY(registry_tree_shape(&shape.tree, id.sector_size));
    shape.challenges = challenges ? challenges : id.challenges;
    shape.layers = layers ? layers : id.layers;
    int n = snprintf(shape.name, sizeof shape.name, "%.40s", id.name);
    if (shape.challenges != id.challenges)
        n += snprintf(shape.name + n, sizeof shape.name - (size_t)n, "-c%u", shape.challenges);
    if (shape.layers != id.layers)
        snprintf(shape.name + n, sizeof shape.name - (size_t)n, "-l%u", shape.layers);
    *out = shape;
    return OK;
}

/* What the preamble leaves to the blocks. */
typedef struct {
    PorShape tree_d, tree_c, tree_r;
    Word32 replica_id[NODE_WORDS];
    Num comm_d, comm_r_last, comm_c;
} Shared;

static Status check_witness(const PorepShape *shape, const PorepWitness *w)
{
    const PorepVanilla *v = w->vanilla;
    if (w->partition >= v->n_partitions)
        FAIL(ERR_ARG, "%s: partition %zu, the vanilla proof has %u", shape->name, w->partition,
             v->n_partitions);
    if (v->layers != shape->layers || v->n_challenges != shape->challenges)
        FAIL(ERR_FORMAT, "%s: vanilla proof of %u layers, %u challenges, expected %u and %u",
             shape->name, v->layers, v->n_challenges, shape->layers, shape->challenges);
    return OK;
}

static Status preamble(const Circuit *circuit, Cs *cs, const void *witness, void *shared_)
{
    const PorepShape *shape = circuit->params;
    Shared *shared = shared_;
    const PorepVanilla *v = NULL;
    const PorepChallenge *first = NULL;
    if (witness) {
        const PorepWitness *w = witness;
        TRY(check_witness(shape, w));
        v = w->vanilla;
        first = porep_challenge(v, w->partition, 0);
    }
    por_shape_sha256(&shared->tree_d, "tree D", shape->tree.log_nodes);
    por_shape_poseidon(&shared->tree_c, "tree C", &shape->tree);
    por_shape_poseidon(&shared->tree_r, "tree R", &shape->tree);
    ENTER(cs, "commitments");
    Num replica_id = node_alloc(cs, v ? &v->replica_id : NULL, "replica id");
    num_inputize(cs, &replica_id);
    num_to_words(cs, shared->replica_id, &replica_id);
    shared->comm_d = node_alloc(cs, v ? &v->comm_d : NULL, "comm_d");
    num_inputize(cs, &shared->comm_d);
    Num comm_r = node_alloc(cs, v ? &v->comm_r : NULL, "comm_r");
    num_inputize(cs, &comm_r);
    // the two roots below comm_r are not public: every proof carries them
    shared->comm_r_last = node_alloc(cs, v ? &first->comm_r_last.root : NULL, "comm_r_last");
    shared->comm_c = node_alloc(cs, v ? &first->c_x.inclusion.root : NULL, "comm_c");
    Num pair[2] = {shared->comm_c, shared->comm_r_last};
    Num hash = poseidon_circuit(cs, pair, 2);
    num_enforce_equal(cs, &comm_r, &hash);
    LEAVE(cs);
    return cs->status;
}

/* The path elements of a proof, after checking that there are enough of them. */
static const PathElement *path_of(Cs *cs, const PorShape *tree, const MerkleProof *proof)
{
    if (cs_recording(cs))
        return NULL;
    if (proof->n_base + proof->n_sub + proof->n_top == tree->n_levels)
        return proof->path;
    if (cs->status == OK)
        cs->status = status_fail(ERR_FORMAT, "%s: a path of %u levels, expected %u", tree->name,
                                 proof->n_base + proof->n_sub + proof->n_top, tree->n_levels);
    return NULL;
}

static void inclusion(Cs *cs, const PorShape *tree, const Num *leaf, const MerkleProof *proof,
                      const Num *root)
{
    const PathElement *path = path_of(cs, tree, proof);
    if (cs->status == OK)
        por_circuit(cs, tree, leaf, path, root);
}

/* A parent's labels become variables; their hash is in tree C. */
static void parent_column(Cs *cs, const Shared *shared, uint32_t layers, const ColumnProof *column,
                          Num *rows)
{
    if (column && column->n_rows != layers) {
        if (cs->status == OK)
            cs->status = status_fail(ERR_FORMAT, "a parent's column of %u rows, expected %u",
                                     column->n_rows, layers);
        return;
    }
    for (uint32_t i = 0; i < layers; i++)
        rows[i] = node_alloc(cs, column ? &column->rows[i] : NULL, "column row");
    ENTER(cs, "column hash");
    Num hash = poseidon_circuit(cs, rows, layers);
    LEAVE(cs);
    inclusion(cs, &shared->tree_c, &hash, column ? &column->inclusion : NULL, &shared->comm_c);
}

typedef Num Column[POREP_MAX_LAYERS];

static void parent_columns(Cs *cs, const Shared *shared, uint32_t layers,
                           const PorepChallenge *challenge, Column *columns)
{
    for (unsigned i = 0; i < POREP_PARENTS && cs->status == OK; i++) {
        bool drg = i < POREP_DRG_PARENTS;
        unsigned at = drg ? i : i - POREP_DRG_PARENTS;
        const ColumnProof *column = NULL;
        if (challenge)
            column = drg ? &challenge->drg_parents[at] : &challenge->exp_parents[at];
        ENTER(cs, "%s parent %u", drg ? "drg" : "expander", at);
        parent_column(cs, shared, layers, column, columns[i]);
        LEAVE(cs);
    }
}

/* The label of the challenged node in a layer: DRG parents from the same layer, expander parents
 * from the one before, repeated up to 37. Every layer decomposes them anew. */
static Num layer_label(Cs *cs, const Shared *shared, uint32_t layer, const Column *columns,
                       const Bit node[64])
{
    unsigned n = layer == 1 ? POREP_DRG_PARENTS : POREP_PARENTS;
    Word32 words[POREP_PARENTS][NODE_WORDS];
    const Word32 *parents[LABEL_PARENTS];
    ENTER(cs, "label %u", layer);
    for (unsigned i = 0; i < n; i++) {
        unsigned row = i < POREP_DRG_PARENTS ? layer - 1 : layer - 2;
        num_to_words(cs, words[i], &columns[i][row]);
    }
    for (unsigned i = 0; i < LABEL_PARENTS; i++)
        parents[i] = words[i % n];
    Num label = label_circuit(cs, shared->replica_id, parents, layer, node);
    LEAVE(cs);
    return label;
}

/* The challenge as 64 bits and as an input. */
static void challenge_bits(Cs *cs, const PorepChallenge *challenge, Bit bits[64])
{
    uint64_t node = 0;
    if (challenge && challenge->n_labeling == 0)
        cs->status = status_fail(ERR_FORMAT, "a challenge without labeling proofs");
    else if (challenge)
        node = challenge->labeling[0].node;
    ENTER(cs, "challenge bits");
    bit_alloc_many(cs, bits, &node, 64);
    bits_pack_into_input(cs, bits, 64);
    LEAVE(cs);
}

/* The replica node and the column of the challenged node, from its labels. */
static void replica_and_column(Cs *cs, const Shared *shared, const PorepShape *shape,
                               const PorepChallenge *challenge, const Num *data, const Num *labels)
{
    ENTER(cs, "encoding");
    Num encoded = num_add(cs, &labels[shape->layers - 1], data);
    LEAVE(cs);
    inclusion(cs, &shared->tree_r, &encoded, challenge ? &challenge->comm_r_last : NULL,
              &shared->comm_r_last);
    ENTER(cs, "column hash");
    Num hash = poseidon_circuit(cs, labels, shape->layers);
    LEAVE(cs);
    inclusion(cs, &shared->tree_c, &hash, challenge ? &challenge->c_x.inclusion : NULL,
              &shared->comm_c);
}

static Status block(const Circuit *circuit, Cs *cs, size_t k, const void *witness,
                    const void *shared_)
{
    const PorepShape *shape = circuit->params;
    const PorepWitness *w = witness;
    const Shared *shared = shared_;
    const PorepChallenge *challenge = w ? porep_challenge(w->vanilla, w->partition, k) : NULL;
    Column columns[POREP_PARENTS];
    Num labels[POREP_MAX_LAYERS];
    Bit node[64];
    ENTER(cs, "challenge %zu", k);
    Num data = node_alloc(cs, challenge ? &challenge->comm_d.leaf : NULL, "data leaf");
    inclusion(cs, &shared->tree_d, &data, challenge ? &challenge->comm_d : NULL, &shared->comm_d);
    parent_columns(cs, shared, shape->layers, challenge, columns);
    TRY(cs->status);
    challenge_bits(cs, challenge, node);
    for (uint32_t layer = 1; layer <= shape->layers; layer++)
        labels[layer - 1] = layer_label(cs, shared, layer, columns, node);
    replica_and_column(cs, shared, shape, challenge, &data, labels);
    LEAVE(cs);
    return cs->status;
}

Status porep_circuit(Circuit *out, const PorepShape *shape)
{
    CHECK(shape->layers == 2 || shape->layers == POREP_MAX_LAYERS);
    CHECK(shape->challenges > 0);
    Circuit circuit = {.version = 1,
                       .n_blocks = shape->challenges,
                       .shared_bytes = sizeof(Shared),
                       .params = shape,
                       .preamble = preamble,
                       .block = block};
    memcpy(circuit.name, shape->name, sizeof circuit.name);
    *out = circuit;
    return OK;
}
