/* SPDX-License-Identifier: MIT OR Apache-2.0
 * SnapDeals: new data encoded over an old replica, and the proof of it. */
#include "filecoin/commitments.h"
#include "seal/proofs.h"
#include "seal/seal_impl.h"

#include <string.h>

void update_free(Update **update)
{
    if (!*update)
        return;
    tree_free(&(*update)->tree_d);
    tree_free(&(*update)->tree_r);
    mem_unmap((*update)->memory, (*update)->memory_bytes);
    free(*update);
    *update = NULL;
}

typedef struct {
    Update *update;
    Fr phi;
} Encoding;

/* new = old + data * rho; rho changes only every 2^(log_nodes - h) nodes. */
static Status encode_nodes(void *argument, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    const Encoding *e = argument;
    Update *u = e->update;
    size_t run = (size_t)1 << (u->shape.log_nodes - u->shape.h);
    Fr rho, value, old;
    for (size_t i = begin; i < end; i++) {
        if (i == begin || i % run == 0)
            snap_rho(&rho, &e->phi, &u->shape, i);
        if (!node_to_fr(&value, &u->data[i]) || !node_to_fr(&old, &u->old->replica[i]))
            FAIL(ERR_INTERNAL, "update: node %zu is not canonical", i);
        fr_mul(&value, &value, &rho);
        fr_add(&value, &value, &old);
        node_from_fr(&u->replica[i], &value);
    }
    return OK;
}

static Status encode(Update *u, Pool *pool)
{
    const Sector *old = u->old;
    Encoding encoding = {.update = u};
    TRY(tree_build_sha256(&u->tree_d, &old->shape.tree, u->data, pool));
    u->comm_d_new = *tree_root(&u->tree_d);
    TRY(snap_phi(&encoding.phi, &u->comm_d_new, &old->comm_r));
    TRY(parallel_for(pool, (size_t)1 << u->shape.log_nodes, 0, encode_nodes, &encoding));
    TRY(tree_build_poseidon(&u->tree_r, &old->shape.tree, u->replica, pool));
    u->comm_r_last_new = *tree_root(&u->tree_r);
    const Node roots[2] = {old->comm_c, u->comm_r_last_new};
    return poseidon_nodes(&u->comm_r_new, 2, roots);
}

Status sector_update(Update **out, const Sector *old, const uint8_t *raw, size_t raw_size,
                     Pool *pool)
{
    size_t bytes = old->shape.sector_size;
    SnapShape shape = {0};
    CHECK(raw_size <= bytes / 128 * 127);
    TRY(snap_shape(&shape, bytes));
    Update *update = calloc(1, sizeof *update);
    if (!update)
        FAIL(ERR_MEMORY, "update: out of memory");
    *update = (Update){.shape = shape, .old = old, .memory_bytes = 2 * bytes};
    Status status = mem_map(&update->memory, update->memory_bytes, "update");
    if (status == OK) {
        update->data = update->memory;
        update->replica = update->data + bytes / sizeof(Node);
        seal_fill(update->data, raw, raw_size);
        status = encode(update, pool);
    }
    if (status != OK)
        update_free(&update);
    else
        *out = update;
    return status;
}

/* The nodes of tree D that root the partition's apex leaves. */
static Status copy_apex(SnapVanilla *v, const Update *update, unsigned partition)
{
    const SnapShape *shape = &update->shape;
    unsigned level = shape->log_nodes - shape->log_partitions - shape->log_apex;
    const Node *row = level ? update->tree_d.node[level] : update->tree_d.leaves;
    v->n_apex = shape->apex;
    v->apex = arena_alloc(v->arena, v->n_apex, sizeof *v->apex);
    if (!v->apex)
        FAIL(ERR_MEMORY, "update proof: out of memory");
    memcpy(v->apex, row + (size_t)partition * shape->apex, shape->apex * sizeof *row);
    return OK;
}

static Status prove_partition(SnapVanilla *v, const Update *update, unsigned partition)
{
    const SnapShape *shape = &update->shape;
    uint32_t *nodes = arena_alloc(v->arena, shape->challenges, sizeof *nodes);
    v->n_challenges = shape->challenges;
    v->challenges = arena_alloc(v->arena, v->n_challenges, sizeof *v->challenges);
    if (!nodes || !v->challenges)
        FAIL(ERR_MEMORY, "update proof: out of memory");
    TRY(copy_apex(v, update, partition));
    TRY(snap_challenges(nodes, shape, &update->comm_r_new, partition));
    for (uint32_t i = 0; i < v->n_challenges; i++) {
        SnapChallenge *c = &v->challenges[i];
        TRY(tree_prove(&c->r_old, &update->old->tree_r_last, nodes[i], v->arena));
        TRY(tree_prove(&c->d_new, &update->tree_d, nodes[i], v->arena));
        TRY(tree_prove(&c->r_new, &update->tree_r, nodes[i], v->arena));
    }
    return OK;
}

Status update_prove(SnapVanilla *out, const Update *update, unsigned partition)
{
    SnapVanilla v = {.comm_c = update->old->comm_c};
    CHECK(partition < update->shape.partitions);
    TRY(arena_new(&v.arena));
    Status status = prove_partition(&v, update, partition);
    if (status != OK)
        snap_vanilla_free(&v);
    else
        *out = v;
    return status;
}
