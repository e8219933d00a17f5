/* SPDX-License-Identifier: MIT OR Apache-2.0
 * What a SnapDeals update is made of, from public data. */
#include "filecoin/snap.h"

#include "filecoin/commitments.h"
#include "filecoin/registry.h"
#include "hash/poseidon.h"

#include <string.h>

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

Status snap_shape(SnapShape *out, uint64_t sector_size)
{
    TreeShape tree = {0};
    TRY(registry_tree_shape(&tree, sector_size));
    SnapShape shape = {.log_nodes = tree.log_nodes};
    shape.log_partitions = sector_size <= 8 * KIB    ? 0
                           : sector_size <= 32 * KIB ? 1
                           : sector_size <= 16 * MIB ? 2
                                                     : 4;
    shape.partitions = 1u << shape.log_partitions;
    shape.challenges = sector_size <= 16 * MIB ? 10 : 86;
    shape.log_apex = sector_size <= 8 * KIB ? 3 : 7;
    shape.apex = 1u << shape.log_apex;
    // the default is the fourth of six values: 7 .. 12, or all 1 for tiny sectors, where the
    // first place stands for all
    shape.h = sector_size <= 32 * KIB ? 1 : 10;
    shape.h_select = sector_size <= 32 * KIB ? 1 : 8;
    *out = shape;
    return OK;
}

const SnapProof *snap_proof(unsigned id)
{
    static const SnapProof proofs[SNAP_PROOFS] = {
        {0, "StackedDrg2KiBV1", "snap-2k", 2 * KIB},
        {1, "StackedDrg8MiBV1", "snap-8m", 8 * MIB},
        {2, "StackedDrg512MiBV1", "snap-512m", 512 * MIB},
        {3, "StackedDrg32GiBV1", "snap-32g", 32 * GIB},
        {4, "StackedDrg64GiBV1", "snap-64g", 64 * GIB},
    };
    return id < SNAP_PROOFS ? &proofs[id] : NULL;
}

static Status commitment(Fr *out, const Node *node, const char *name)
{
    if (!node_to_fr(out, node))
        FAIL(ERR_FORMAT, "%s: not a canonical field element", name);
    return OK;
}

static void random_hash(Fr *out, const Fr *left, const Fr *right)
{
    const Fr in[2] = {*left, *right};
    Fr tag;
    poseidon_randomness_tag(&tag);
    poseidon_hash_tagged(out, 2, in, &tag);
}

Status snap_phi(Fr *phi, const Node *comm_d_new, const Node *comm_r_old)
{
    Fr d, r;
    TRY(commitment(&d, comm_d_new, "comm_d_new"));
    TRY(commitment(&r, comm_r_old, "comm_r_old"));
    random_hash(phi, &d, &r);
    return OK;
}

void snap_rho(Fr *rho, const Fr *phi, const SnapShape *shape, uint64_t node)
{
    Fr high;
    fr_from_u64(&high, node >> (shape->log_nodes - shape->h));
    random_hash(rho, phi, &high);
}

/* bits (at most 32) of a field element, from bit at on */
static uint32_t take_bits(const FrCanon *value, unsigned at, unsigned bits)
{
    uint64_t word = value->l[at / 64] >> (at % 64);
    if (at % 64 && at / 64 + 1 < 4)
        word |= value->l[at / 64 + 1] << (64 - at % 64);
    return (uint32_t)(word & (((uint64_t)1 << bits) - 1));
}

/* Each digest gives as many challenges as fit into 254 bits; the partition's number stands above
 * the drawn bits. */
Status snap_challenges(uint32_t *out, const SnapShape *shape, const Node *comm_r_new,
                       unsigned partition)
{
    unsigned bits = shape->log_nodes - shape->log_partitions, each = 254 / bits;
    unsigned digests = (shape->challenges + each - 1) / each;
    Fr commitment_r, number, digest;
    CHECK(partition < shape->partitions);
    TRY(commitment(&commitment_r, comm_r_new, "comm_r_new"));
    for (unsigned i = 0; i < shape->challenges; i++) {
        FrCanon canon;
        fr_from_u64(&number, (uint64_t)digests * partition + i / each);
        if (i % each == 0)
            random_hash(&digest, &commitment_r, &number);
        fr_to_canon(&canon, &digest);
        out[i] = take_bits(&canon, i % each * bits, bits) | (uint32_t)partition << bits;
    }
    return OK;
}

Status snap_public_inputs(Fr out[SNAP_INPUTS], const SnapShape *shape, const Node *comm_r_old,
                          const Node *comm_d_new, const Node *comm_r_new, unsigned partition)
{
    Fr inputs[SNAP_INPUTS];
    CHECK(partition < shape->partitions);
    TRY(commitment(&inputs[1], comm_r_old, "comm_r_old"));
    TRY(commitment(&inputs[2], comm_d_new, "comm_d_new"));
    TRY(commitment(&inputs[3], comm_r_new, "comm_r_new"));
    fr_from_u64(&inputs[0], partition | (uint64_t)shape->h_select << shape->log_partitions);
    memcpy(out, inputs, sizeof inputs);
    return OK;
}
