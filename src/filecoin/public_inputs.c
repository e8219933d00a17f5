/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Public inputs: replica_id, comm_d, comm_r, then 18 node numbers a challenge. */
#include "filecoin/public_inputs.h"

#include "filecoin/commitments.h"
#include "filecoin/graph.h"

enum { COMMITMENTS = 3, INPUTS_A_CHALLENGE = POREP_PARENTS + 4, MOST_CHALLENGES = 64 };

size_t porep_inputs_count(const SealProof *proof)
{
    return COMMITMENTS + (size_t)INPUTS_A_CHALLENGE * proof->challenges;
}

void porep_public_challenges(uint32_t *out, const PorepPublic *p, size_t partition)
{
    ChallengeMode mode = p->proof->synthetic         ? CHALLENGES_SYNTHETIC
                         : p->proof->non_interactive ? CHALLENGES_NON_INTERACTIVE
                                                     : CHALLENGES_INTERACTIVE;
    porep_challenges(out, p->proof->challenges, partition, mode, p->proof->sector_size / NODE_BYTES,
                     &p->replica_id, &p->comm_r, &p->seed);
}

static Status commitment(Fr *out, const Node *node, const char *name)
{
    if (!node_to_fr(out, node))
        FAIL(ERR_FORMAT, "%s: not a canonical field element", name);
    return OK;
}

/* Tree D path, 14 parents in tree C, the challenge, tree R path, tree C path. */
Status porep_public_inputs(Fr *out, const PorepPublic *p, size_t partition)
{
    uint32_t challenges[MOST_CHALLENGES], parents[POREP_PARENTS];
    uint8_t porep_id[32];
    Graph graph;
    CHECK(p->proof->challenges <= MOST_CHALLENGES && partition < p->proof->partitions);
    TRY(commitment(&out[0], &p->replica_id, "replica_id"));
    TRY(commitment(&out[1], &p->comm_d, "comm_d"));
    TRY(commitment(&out[2], &p->comm_r, "comm_r"));
    registry_porep_id(porep_id, p->proof->id);
    graph_init(&graph, p->proof->sector_size / NODE_BYTES, p->proof->api, porep_id);
    porep_public_challenges(challenges, p, partition);
    out += COMMITMENTS;
    for (unsigned i = 0; i < p->proof->challenges; i++) {
        graph_parents(&graph, challenges[i], parents);
        fr_from_u64(out++, challenges[i]);
        for (int k = 0; k < POREP_PARENTS; k++)
            fr_from_u64(out++, parents[k]);
        for (int k = 0; k < 3; k++)
            fr_from_u64(out++, challenges[i]);
    }
    return OK;
}
