/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Sealing: shapes, and the order in which a sector comes into being. */
#include "seal/seal.h"

#include "filecoin/commitments.h"
#include "hash/sha256.h"
#include "seal/seal_impl.h"

#include <inttypes.h>
#include <string.h>

static const uint64_t SECTOR_MAX = (uint64_t)1 << 30;

Status seal_shape(SealShape *out, unsigned registered_proof)
{
    const SealProof *proof = registry_seal_proof(registered_proof);
    if (!proof || proof->sector_size > SECTOR_MAX)
        FAIL(ERR_UNSUPPORTED, "sealing: registered proof %u: expected one of up to 1 GiB",
             registered_proof);
    SealShape shape = {.registered_proof = registered_proof,
                       .sector_size = proof->sector_size,
                       .layers = proof->layers,
                       .partitions = proof->partitions,
                       .challenges = proof->challenges,
                       .api = proof->api,
                       .mode = proof->synthetic         ? CHALLENGES_SYNTHETIC
                               : proof->non_interactive ? CHALLENGES_NON_INTERACTIVE
                                                        : CHALLENGES_INTERACTIVE};
    TRY(registry_tree_shape(&shape.tree, proof->sector_size));
    *out = shape;
    return OK;
}

Status seal_shape_test(SealShape *out, uint64_t sector_size, unsigned layers, unsigned partitions,
                       unsigned challenges, unsigned api)
{
    CHECK((layers == 2 || layers == POREP_MAX_LAYERS) && partitions && challenges && api <= 1);
    SealShape shape = {.registered_proof = api ? 5 : 0,
                       .sector_size = sector_size,
                       .layers = layers,
                       .partitions = partitions,
                       .challenges = challenges,
                       .api = api,
                       .mode = CHALLENGES_INTERACTIVE};
    TRY(registry_tree_shape(&shape.tree, sector_size));
    if (sector_size > SECTOR_MAX)
        FAIL(ERR_UNSUPPORTED, "sealing: %" PRIu64 " bytes, expected at most 1 GiB", sector_size);
    *out = shape;
    return OK;
}

void seal_data_stream(uint8_t *out, size_t size, const char *tag)
{
    for (uint64_t i = 0; 32 * i < size; i++) {
        uint8_t number[8], digest[32];
        Sha256 hash;
        for (int k = 0; k < 8; k++)
            number[k] = (uint8_t)(i >> (8 * k));
        sha256_init(&hash);
        sha256_update(&hash, tag, strlen(tag));
        sha256_update(&hash, number, sizeof number);
        sha256_final(&hash, digest);
        memcpy(out + 32 * i, digest, size - 32 * i < 32 ? size - 32 * i : 32);
    }
}

void sector_free(Sector **sector)
{
    if (!*sector)
        return;
    tree_free(&(*sector)->tree_d);
    tree_free(&(*sector)->tree_c);
    tree_free(&(*sector)->tree_r_last);
    mem_unmap((*sector)->memory, (*sector)->memory_bytes);
    free(*sector);
    *sector = NULL;
}

static Status sector_new(Sector **out, const SealShape *shape, const SealInput *input)
{
    size_t n = shape->sector_size / NODE_BYTES;
    Sector *sector = calloc(1, sizeof *sector);
    if (!sector)
        FAIL(ERR_MEMORY, "sealing: out of memory");
    sector->shape = *shape;
    sector->input = *input;
    sector->memory_bytes = (3 + (size_t)shape->layers) * n * sizeof(Node);
    Status status = mem_map(&sector->memory, sector->memory_bytes, "sector");
    if (status != OK) {
        free(sector);
        return status;
    }
    Node *next = sector->memory;
    sector->data = next;
    sector->columns = next + n;
    sector->replica = next + 2 * n;
    for (unsigned layer = 0; layer < shape->layers; layer++)
        sector->labels[layer] = next + (3 + layer) * n;
    *out = sector;
    return OK;
}

void seal_fill(Node *nodes, const uint8_t *raw, size_t raw_size)
{
    size_t whole = raw_size / 127 * 127;
    uint8_t *data = nodes->b, rest[127] = {0};
    fr32_pad(data, raw, whole);
    if (raw_size > whole) {
        memcpy(rest, raw + whole, raw_size - whole);
        fr32_pad(data + whole / 127 * 128, rest, sizeof rest);
    }
}

/* Hashes of the columns of nodes [begin, end). */
static Status hash_columns(Sector *s, size_t begin, size_t end)
{
    enum { BATCH = 16 };
    unsigned layers = s->shape.layers;
    Node columns[BATCH * POREP_MAX_LAYERS];
    for (; begin < end; begin += BATCH) {
        size_t count = end - begin < BATCH ? end - begin : BATCH;
        for (size_t i = 0; i < count; i++)
            for (unsigned layer = 0; layer < layers; layer++)
                columns[i * layers + layer] = s->labels[layer][begin + i];
        TRY(poseidon_nodes_many(s->columns + begin, layers, columns, count));
    }
    return OK;
}

/* What follows from the labels: the replica, data + last label, and the columns' hashes. */
static Status finish_nodes(void *argument, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    Sector *s = argument;
    for (size_t i = begin; i < end; i++) {
        Fr key, value;
        if (!node_to_fr(&key, &s->labels[s->shape.layers - 1][i]) ||
            !node_to_fr(&value, &s->data[i]))
            FAIL(ERR_INTERNAL, "sealing: node %zu is not canonical", i);
        fr_add(&value, &value, &key);
        node_from_fr(&s->replica[i], &value);
    }
    return hash_columns(s, begin, end);
}

static Status seal(Sector *s, Pool *pool)
{
    uint8_t porep_id[32];
    size_t n = s->shape.sector_size / NODE_BYTES;
    TRY(tree_build_sha256(&s->tree_d, &s->shape.tree, s->data, pool));
    s->comm_d = *tree_root(&s->tree_d);
    registry_porep_id(porep_id, s->shape.registered_proof);
    replica_id(&s->replica_id, &s->input.prover_id, s->input.sector_number, &s->input.ticket,
               &s->comm_d, porep_id);
    graph_init(&s->graph, n, s->shape.api, porep_id);
    TRY(label_layers(s, pool));
    TRY(parallel_for(pool, n, 0, finish_nodes, s));
    TRY(tree_build_poseidon(&s->tree_c, &s->shape.tree, s->columns, pool));
    TRY(tree_build_poseidon(&s->tree_r_last, &s->shape.tree, s->replica, pool));
    s->comm_c = *tree_root(&s->tree_c);
    s->comm_r_last = *tree_root(&s->tree_r_last);
    const Node roots[2] = {s->comm_c, s->comm_r_last};
    return poseidon_nodes(&s->comm_r, 2, roots);
}

Status seal_sector(Sector **out, const SealShape *shape, const SealInput *input, const uint8_t *raw,
                   size_t raw_size, Pool *pool)
{
    CHECK(raw_size <= shape->sector_size / 128 * 127);
    Sector *sector = NULL;
    TRY(sector_new(&sector, shape, input));
    seal_fill(sector->data, raw, raw_size);
    Status status = seal(sector, pool);
    if (status != OK)
        sector_free(&sector);
    else
        *out = sector;
    return status;
}
