/* SPDX-License-Identifier: MIT OR Apache-2.0
 * C1 from bincode: the members in serde's order, every length known beforehand. */
#include <inttypes.h>
#include <string.h>

#include "vanilla/c1.h"
#include "vanilla/c1_impl.h"

typedef struct {
    const uint8_t *begin, *at, *end;
    C1Builder builder;
    uint32_t partition, challenge;
} Reader;

/* "C1 bincode: byte N: partition P, challenge C: FIELD: what". */
static Status refuse(const Reader *reader, const char *field, const char *what)
{
    FAIL(ERR_FORMAT, "C1 bincode: byte %zu: partition %" PRIu32 ", challenge %" PRIu32 ": %s: %s",
         (size_t)(reader->at - reader->begin), reader->partition, reader->challenge, field, what);
}

/* A little-endian integer of 4 or 8 bytes, 0 .. max. */
static Status take_int(Reader *reader, unsigned bytes, uint64_t max, uint64_t *value,
                       const char *field)
{
    uint64_t sum = 0;
    if ((size_t)(reader->end - reader->at) < bytes)
        return refuse(reader, field, "the bytes end here");
    for (unsigned i = 0; i < bytes; i++)
        sum |= (uint64_t)reader->at[i] << (8 * i);
    if (sum > max) {
        char what[64];
        snprintf(what, sizeof what, "%" PRIu64 " is above %" PRIu64, sum, max);
        return refuse(reader, field, what);
    }
    reader->at += bytes;
    *value = sum;
    return OK;
}

/* A length, or an enum's tag, of which there is only one right value. */
static Status expect(Reader *reader, unsigned bytes, uint64_t expected, const char *field)
{
    uint64_t value = 0;
    TRY(take_int(reader, bytes, UINT64_MAX, &value, field));
    if (value == expected)
        return OK;
    reader->at -= bytes;
    char what[96];
    snprintf(what, sizeof what, "%" PRIu64 " where %" PRIu64 " should be", value, expected);
    return refuse(reader, field, what);
}

static Status take_raw(Reader *reader, Node *node, const char *field)
{
    if ((size_t)(reader->end - reader->at) < sizeof *node)
        return refuse(reader, field, "the bytes end here");
    memcpy(node->b, reader->at, sizeof *node);
    reader->at += sizeof *node;
    return OK;
}

static Status take_node(Reader *reader, Node *node, const char *field)
{
    TRY(take_raw(reader, node, field));
    if (c1_canonical(node))
        return OK;
    reader->at -= sizeof *node;
    return refuse(reader, field, "not below the field's modulus");
}

/* A vector of n nodes with its length. */
static Status take_nodes(Reader *reader, Node *nodes, uint32_t n, const char *field)
{
    TRY(expect(reader, 8, n, field));
    for (uint32_t i = 0; i < n; i++)
        TRY(take_node(reader, &nodes[i], field));
    return OK;
}

static Status take_path(Reader *reader, PathElement *path, uint32_t n, const char *field)
{
    TRY(expect(reader, 8, n, field));
    for (uint32_t i = 0; i < n; i++) {
        uint64_t index = 0;
        TRY(take_nodes(reader, path[i].siblings, path[i].arity - 1, field));
        TRY(take_int(reader, 8, path[i].arity - 1, &index, field));
        path[i].index = (uint32_t)index;
    }
    return OK;
}

static Status take_ends(Reader *reader, MerkleProof *proof, const char *field)
{
    TRY(take_node(reader, &proof->root, field));
    return take_node(reader, &proof->leaf, field);
}

static Status take_merkle(Reader *reader, MerkleProof *proof, const char *field)
{
    uint32_t tag = proof->n_sub + proof->n_top;
    PathElement *sub = proof->path + proof->n_base;
    TRY(expect(reader, 4, tag, field));
    if (!tag)
        TRY(take_ends(reader, proof, field));
    TRY(take_path(reader, proof->path, proof->n_base, field));
    if (!tag)
        return OK;
    TRY(take_path(reader, sub, proof->n_sub, field));
    if (proof->n_top)
        TRY(take_path(reader, sub + 1, proof->n_top, field));
    return take_ends(reader, proof, field);
}

static Status take_column(Reader *reader, ColumnProof *column, const char *field)
{
    uint64_t index = 0, nodes = reader->builder.size->sector_size / sizeof(Node);
    TRY(take_int(reader, 4, nodes - 1, &index, field));
    column->index = (uint32_t)index;
    TRY(take_nodes(reader, column->rows, column->n_rows, field));
    return take_merkle(reader, &column->inclusion, field);
}

static Status take_labeling(Reader *reader, LabelingProof *proof, const char *field)
{
    const SealProof *size = reader->builder.size;
    uint64_t layer = 0;
    TRY(take_nodes(reader, proof->parents, proof->n_parents, field));
    TRY(take_int(reader, 4, size->layers, &layer, field));
    proof->layer_index = (uint32_t)layer;
    if (!layer)
        return refuse(reader, field, "layers count from 1");
    return take_int(reader, 8, size->sector_size / sizeof(Node) - 1, &proof->node, field);
}

static Status take_challenge(Reader *reader, PorepChallenge *challenge)
{
    TRY(c1_challenge_alloc(&reader->builder, challenge));
    TRY(take_merkle(reader, &challenge->comm_d, "comm_d_proofs"));
    TRY(take_merkle(reader, &challenge->comm_r_last, "comm_r_last_proof"));
    TRY(take_column(reader, &challenge->c_x, "c_x"));
    TRY(expect(reader, 8, POREP_DRG_PARENTS, "drg_parents"));
    for (unsigned i = 0; i < POREP_DRG_PARENTS; i++)
        TRY(take_column(reader, &challenge->drg_parents[i], "drg_parents"));
    TRY(expect(reader, 8, POREP_EXP_PARENTS, "exp_parents"));
    for (unsigned i = 0; i < POREP_EXP_PARENTS; i++)
        TRY(take_column(reader, &challenge->exp_parents[i], "exp_parents"));
    TRY(expect(reader, 8, challenge->n_labeling, "labeling_proofs"));
    for (uint32_t i = 0; i < challenge->n_labeling; i++)
        TRY(take_labeling(reader, &challenge->labeling[i], "labeling_proofs"));
    return take_labeling(reader, &challenge->encoding, "encoding_proof");
}

static Status take_partitions(Reader *reader)
{
    C1Builder *builder = &reader->builder;
    uint64_t n = 0;
    TRY(take_int(reader, 8, C1_MAX_PARTITIONS, &n, "partitions"));
    for (; reader->partition < n; reader->partition++) {
        reader->challenge = 0;
        TRY(expect(reader, 8, builder->size->challenges, "challenges"));
        PorepChallenge *challenges = c1_add_partition(builder);
        if (!challenges)
            FAIL(ERR_MEMORY, "C1 bincode: out of memory");
        for (; reader->challenge < builder->size->challenges; reader->challenge++)
            TRY(take_challenge(reader, &challenges[reader->challenge]));
    }
    return OK;
}

static Status take_all(Reader *reader)
{
    PorepVanilla *vanilla = &reader->builder.vanilla;
    uint64_t proof = 0;
    TRY(take_int(reader, 4, SEAL_PROOFS - 1, &proof, "registered_proof"));
    vanilla->registered_proof = (unsigned)proof;
    TRY(expect(reader, 4, proof % C1_SIZES, "vanilla_proofs"));
    TRY(c1_set_size(&reader->builder, (unsigned)proof % C1_SIZES));
    TRY(take_partitions(reader));
    TRY(take_node(reader, &vanilla->comm_r, "comm_r"));
    TRY(take_node(reader, &vanilla->comm_d, "comm_d"));
    TRY(take_node(reader, &vanilla->replica_id, "replica_id"));
    TRY(take_raw(reader, &vanilla->seed, "seed"));
    TRY(take_raw(reader, &vanilla->ticket, "ticket"));
    return c1_agree(&reader->builder, "C1 bincode");
}

Status c1_parse_bincode(PorepVanilla *out, const uint8_t *bytes, size_t size, size_t *used)
{
    CHECK(out && (bytes || !size));
    Reader reader = {.begin = bytes, .at = bytes, .end = bytes + size};
    Status status;
    TRY_GOTO(status, c1_builder_init(&reader.builder), done);
    TRY_GOTO(status, take_all(&reader), done);
    size_t taken = (size_t)(reader.at - reader.begin);
    if (!used && taken < size) {
        status = status_fail(ERR_FORMAT, "C1 bincode: byte %zu: %zu bytes after the end", taken,
                             size - taken);
        goto done;
    }
    TRY_GOTO(status, c1_finish(&reader.builder, out), done);
    if (used)
        *used = taken;
done:
    c1_builder_free(&reader.builder);
    return status;
}
