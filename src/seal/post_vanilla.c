/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Proofs of spacetime of sealed sectors: openings of tree R_last. */
#include "seal/proofs.h"

static Status open_sector(PostSectorVanilla *out, const Sector *sector, const PostProof *proof,
                          const Node *randomness, size_t place, Arena *arena)
{
    *out = (PostSectorVanilla){.sector_id = sector->input.sector_number,
                               .comm_r = sector->comm_r,
                               .comm_c = sector->comm_c,
                               .comm_r_last = sector->comm_r_last,
                               .n_openings = post_openings(proof)};
    out->openings = arena_alloc(arena, out->n_openings, sizeof *out->openings);
    if (!out->openings)
        FAIL(ERR_MEMORY, "proof of spacetime: out of memory");
    for (uint32_t i = 0; i < out->n_openings; i++) {
        uint32_t leaf = post_challenge(proof, randomness, place, out->sector_id, i);
        TRY(tree_prove(&out->openings[i], &sector->tree_r_last, leaf, arena));
    }
    return OK;
}

Status sectors_post(PostVanilla *out, const Sector *const *sectors, size_t n,
                    const PostProof *proof, const Node *randomness)
{
    PostVanilla v = {.n_sectors = (uint32_t)n};
    CHECK(n > 0 && (!proof->winning || n == 1));
    for (size_t i = 0; i < n; i++)
        CHECK(sectors[i]->shape.sector_size == proof->sector_size);
    TRY(arena_new(&v.arena));
    Status status = OK;
    v.sectors = arena_alloc(v.arena, n, sizeof *v.sectors);
    if (!v.sectors)
        status = status_fail(ERR_MEMORY, "proof of spacetime: out of memory");
    for (size_t i = 0; i < n && status == OK; i++)
        status = open_sector(&v.sectors[i], sectors[i], proof, randomness, i, v.arena);
    if (status != OK)
        post_vanilla_free(&v);
    else
        *out = v;
    return status;
}
