/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Bincode of vanilla proofs: measured first, then written. */
#include "seal/bincode.h"

#include <string.h>

/* at NULL: only count. */
typedef struct {
    uint8_t *at;
    size_t size;
} Out;

static void put_bytes(Out *out, const void *bytes, size_t size)
{
    if (out->at)
        memcpy(out->at + out->size, bytes, size);
    out->size += size;
}

static void put_le(Out *out, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    put_bytes(out, bytes, size);
}

static void put_nodes(Out *out, const Node *nodes, uint32_t n)
{
    put_le(out, n, 8);
    put_bytes(out, nodes, n * sizeof *nodes);
}

static void put_path(Out *out, const PathElement *path, uint32_t n)
{
    put_le(out, n, 8);
    for (uint32_t i = 0; i < n; i++) {
        put_nodes(out, path[i].siblings, path[i].arity - 1);
        put_le(out, path[i].index, 8);
    }
}

static void put_ends(Out *out, const MerkleProof *proof)
{
    put_bytes(out, &proof->root, sizeof(Node));
    put_bytes(out, &proof->leaf, sizeof(Node));
}

/* Single has its ends before the path, Sub and Top behind. */
static void put_merkle(Out *out, const MerkleProof *proof)
{
    put_le(out, proof->n_top ? 2 : proof->n_sub ? 1 : 0, 4);
    if (!proof->n_sub)
        put_ends(out, proof);
    put_path(out, proof->path, proof->n_base);
    if (proof->n_sub)
        put_path(out, proof->path + proof->n_base, proof->n_sub);
    if (proof->n_top)
        put_path(out, proof->path + proof->n_base + proof->n_sub, proof->n_top);
    if (proof->n_sub)
        put_ends(out, proof);
}

static void put_post_sector(Out *out, const PostSectorVanilla *sector)
{
    put_le(out, sector->sector_id, 8);
    put_bytes(out, &sector->comm_r, sizeof(Node));
    put_le(out, 1, 8); /* sectors in this proof */
    put_le(out, sector->n_openings, 8);
    for (uint32_t i = 0; i < sector->n_openings; i++)
        put_merkle(out, &sector->openings[i]);
    put_bytes(out, &sector->comm_c, sizeof(Node));
    put_bytes(out, &sector->comm_r_last, sizeof(Node));
}

static void put_partition(Out *out, const SnapVanilla *partition)
{
    put_bytes(out, &partition->comm_c, sizeof(Node));
    put_nodes(out, partition->apex, partition->n_apex);
    put_le(out, partition->n_challenges, 8);
    for (uint32_t i = 0; i < partition->n_challenges; i++) {
        put_merkle(out, &partition->challenges[i].r_old);
        put_merkle(out, &partition->challenges[i].d_new);
        put_merkle(out, &partition->challenges[i].r_new);
    }
}

static Status room(Out *out)
{
    out->at = malloc(out->size);
    if (!out->at)
        FAIL(ERR_MEMORY, "vanilla proof: out of memory at %zu bytes", out->size);
    out->size = 0;
    return OK;
}

Status post_sector_encode(const PostSectorVanilla *sector, uint8_t **bytes, size_t *size)
{
    Out out = {0};
    put_post_sector(&out, sector);
    TRY(room(&out));
    put_post_sector(&out, sector);
    *bytes = out.at;
    *size = out.size;
    return OK;
}

Status snap_encode(const SnapVanilla *partition, uint8_t **bytes, size_t *size)
{
    Out out = {0};
    put_partition(&out, partition);
    TRY(room(&out));
    put_partition(&out, partition);
    *bytes = out.at;
    *size = out.size;
    return OK;
}
