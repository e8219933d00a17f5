/* SPDX-License-Identifier: MIT OR Apache-2.0
 * C1 as JSON text, member for member and digit for digit as serde_json writes it. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "vanilla/base64.h"
#include "vanilla/c1.h"
#include "vanilla/c1_impl.h"

/* A growing text. After an allocation failed it stays empty and says so at the end. */
typedef struct {
    char *text;
    size_t size, room;
    bool failed;
} Out;

static char *out_room(Out *out, size_t bytes)
{
    if (out->room - out->size < bytes && !out->failed) {
        size_t room = (out->room + bytes) * 2;
        char *text = realloc(out->text, room);
        out->failed = !text;
        if (text) {
            out->text = text;
            out->room = room;
        }
    }
    return out->failed ? NULL : out->text + out->size;
}

__attribute__((format(printf, 2, 3))) static void put(Out *out, const char *format, ...)
{
    enum { PIECE = 256 };
    char *at = out_room(out, PIECE);
    if (!at)
        return;
    va_list arguments;
    va_start(arguments, format);
    out->size += (size_t)vsnprintf(at, PIECE, format, arguments);
    va_end(arguments);
}

static void put_node(Out *out, const Node *node)
{
    char *at = out_room(out, 4 * sizeof *node + 1), *start = at;
    if (!at)
        return;
    for (size_t i = 0; i < sizeof *node; i++) {
        unsigned byte = node->b[i];
        *at++ = i ? ',' : '[';
        if (byte > 99)
            *at++ = (char)('0' + byte / 100);
        if (byte > 9)
            *at++ = (char)('0' + byte / 10 % 10);
        *at++ = (char)('0' + byte % 10);
    }
    *at++ = ']';
    out->size += (size_t)(at - start);
}

static void put_nodes(Out *out, const char *key, const Node *nodes, uint32_t n)
{
    put(out, "\"%s\":[", key);
    for (uint32_t i = 0; i < n; i++) {
        put(out, "%s", i ? "," : "");
        put_node(out, &nodes[i]);
    }
    put(out, "]");
}

static void put_path(Out *out, const char *key, const PathElement *path, uint32_t n)
{
    put(out, "\"%s\":{\"path\":[", key);
    for (uint32_t i = 0; i < n; i++) {
        put(out, "%s{", i ? "," : "");
        put_nodes(out, "hashes", path[i].siblings, path[i].arity - 1);
        put(out, ",\"index\":%" PRIu32 "}", path[i].index);
    }
    put(out, "]}");
}

static void put_ends(Out *out, const MerkleProof *proof)
{
    put(out, "\"root\":");
    put_node(out, &proof->root);
    put(out, ",\"leaf\":");
    put_node(out, &proof->leaf);
}

static void put_merkle(Out *out, const char *key, const MerkleProof *proof)
{
    const PathElement *sub = proof->path + proof->n_base, *top = sub + proof->n_sub;
    put(out, "\"%s\":{\"data\":{\"%s\":{", key,
        proof->n_top   ? "Top"
        : proof->n_sub ? "Sub"
                       : "Single");
    if (!proof->n_sub) {
        put_ends(out, proof);
        put(out, ",");
        put_path(out, "path", proof->path, proof->n_base);
    } else {
        put_path(out, "base_proof", proof->path, proof->n_base);
        put(out, ",");
        put_path(out, "sub_proof", sub, proof->n_sub);
        put(out, ",");
        if (proof->n_top) {
            put_path(out, "top_proof", top, proof->n_top);
            put(out, ",");
        }
        put_ends(out, proof);
    }
    put(out, "}}}");
}

static void put_column(Out *out, const ColumnProof *column)
{
    put(out, "{\"column\":{\"index\":%" PRIu32 ",", column->index);
    put_nodes(out, "rows", column->rows, column->n_rows);
    put(out, ",\"_h\":null},");
    put_merkle(out, "inclusion_proof", &column->inclusion);
    put(out, "}");
}

static void put_columns(Out *out, const char *key, const ColumnProof *columns, unsigned n)
{
    put(out, ",\"%s\":[", key);
    for (unsigned i = 0; i < n; i++) {
        put(out, "%s", i ? "," : "");
        put_column(out, &columns[i]);
    }
    put(out, "]");
}

static void put_labeling(Out *out, const LabelingProof *proof)
{
    put(out, "{");
    put_nodes(out, "parents", proof->parents, proof->n_parents);
    put(out, ",\"layer_index\":%" PRIu32 ",\"node\":%" PRIu64 "}", proof->layer_index, proof->node);
}

static void put_challenge(Out *out, const PorepChallenge *challenge)
{
    put(out, "{");
    put_merkle(out, "comm_d_proofs", &challenge->comm_d);
    put(out, ",");
    put_merkle(out, "comm_r_last_proof", &challenge->comm_r_last);
    put(out, ",\"replica_column_proofs\":{\"c_x\":");
    put_column(out, &challenge->c_x);
    put_columns(out, "drg_parents", challenge->drg_parents, POREP_DRG_PARENTS);
    put_columns(out, "exp_parents", challenge->exp_parents, POREP_EXP_PARENTS);
    put(out, "},\"labeling_proofs\":[");
    for (uint32_t i = 0; i < challenge->n_labeling; i++) {
        put(out, "%s", i ? "," : "");
        put_labeling(out, &challenge->labeling[i]);
    }
    put(out, "],\"encoding_proof\":");
    put_labeling(out, &challenge->encoding);
    put(out, "}");
}

static void put_inner(Out *out, const PorepVanilla *vanilla)
{
    const SealProof *proof = registry_seal_proof(vanilla->registered_proof);
    put(out, "{\"registered_proof\":\"%s\",\"vanilla_proofs\":{\"%s\":[", proof->name,
        proof->variant);
    for (uint32_t i = 0; i < vanilla->n_partitions; i++) {
        put(out, "%s[", i ? "," : "");
        for (uint32_t k = 0; k < vanilla->n_challenges; k++) {
            put(out, "%s", k ? "," : "");
            put_challenge(out, porep_challenge(vanilla, i, k));
        }
        put(out, "]");
    }
    const struct {
        const char *key;
        const Node *node;
    } last[] = {{"]},\"comm_r", &vanilla->comm_r},
                {",\"comm_d", &vanilla->comm_d},
                {",\"replica_id", &vanilla->replica_id},
                {",\"seed", &vanilla->seed},
                {",\"ticket", &vanilla->ticket}};
    for (unsigned i = 0; i < sizeof last / sizeof *last; i++) {
        put(out, "%s\":", last[i].key);
        put_node(out, last[i].node);
    }
    put(out, "}");
}

static Status finish(Out *out, uint8_t **text, size_t *size)
{
    if (out->failed) {
        free(out->text);
        FAIL(ERR_MEMORY, "C1: out of memory at %zu bytes of text", out->size);
    }
    *text = (uint8_t *)out->text;
    *size = out->size;
    return OK;
}

Status c1_write(const PorepVanilla *vanilla, uint8_t **text, size_t *size)
{
    CHECK(vanilla && vanilla->challenges && vanilla->registered_proof < SEAL_PROOFS && text &&
          size);
    Out out = {0};
    put_inner(&out, vanilla);
    return finish(&out, text, size);
}

Status c1_write_envelope(const uint8_t *c1, size_t c1_size, uint64_t sector_number,
                         uint64_t sector_size, uint8_t **text, size_t *size)
{
    CHECK(c1 && text && size);
    Out out = {0};
    put(&out, "{\"SectorNum\":%" PRIu64 ",\"Phase1Out\":\"", sector_number);
    size_t encoded = base64_encoded_size(c1_size);
    char *at = out_room(&out, encoded + 64);
    if (at) {
        base64_encode(at, c1, c1_size);
        out.size += encoded;
    }
    put(&out, "\",\"SectorSize\":%" PRIu64 "}", sector_size);
    return finish(&out, text, size);
}
