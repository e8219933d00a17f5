/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The PoRep kind: C1 in, one Groth16 proof a partition out. */
#include "base/clock.h"
#include "engine/kind.h"
#include "filecoin/commitments.h"
#include "filecoin/public_inputs.h"
#include "vanilla/c1.h"
#include "vanilla/c1_check.h"

#include <string.h>

typedef struct {
    PorepVanilla vanilla;
    const SealProof *proof;
    char circuit[CIRCUIT_NAME];
} PorepInput;

static void free_input(void *raw)
{
    PorepInput *input = raw;
    porep_vanilla_free(&input->vanilla);
    free(input);
}

static bool all_zero(const Node *node)
{
    uint8_t bits = 0;
    for (int i = 0; i < 32; i++)
        bits |= node->b[i];
    return bits == 0;
}

/* What the request says beside the C1 must agree with it; 0 is "unset" (and StackedDrg2KiBV1: then
 * the C1 decides). */
static Status check_agreement(const cuzk_request *request, const PorepVanilla *v)
{
    if (request->sector_size && request->sector_size != v->sector_size)
        FAIL(ERR_ARG, "sector_size: %llu in the request, %llu in the C1",
             (unsigned long long)request->sector_size, (unsigned long long)v->sector_size);
    if (request->registered_proof && request->registered_proof != v->registered_proof)
        FAIL(ERR_ARG, "registered_proof: %llu in the request, %u in the C1",
             (unsigned long long)request->registered_proof, v->registered_proof);
    const Node *const nodes[] = {&v->comm_d, &v->comm_r};
    const char *const names[] = {"comm_d", "comm_r"};
    for (int i = 0; i < 2; i++)
        if (all_zero(nodes[i]))
            FAIL(ERR_INVALID, "%s: all zero", names[i]);
    return OK;
}

/* replica_id commits to miner and sector: required to fit where the caller names the miner or the
 * sector (the envelope names the sector where the request does not). Miner 1000, sector 1 is what
 * a published client sends when it was told nothing: a warning then. */
static Status check_replica_id(const cuzk_request *request, const PorepVanilla *v, char *warning)
{
    if (!request->miner_id && !request->sector_number)
        return OK;
    uint64_t sector = request->sector_number ? request->sector_number : v->sector_number;
    uint8_t porep_id[32];
    Node prover, id;
    prover_id_from_miner(&prover, request->miner_id);
    registry_porep_id(porep_id, v->registered_proof);
    replica_id(&id, &prover, sector, &v->ticket, &v->comm_d, porep_id);
    if (memcmp(&id, &v->replica_id, sizeof id) == 0)
        return OK;
    bool defaults = request->miner_id == 1000 && request->sector_number == 1;
    if (!defaults)
        FAIL(ERR_INVALID,
             "replica_id: not that of miner %llu, sector %llu with the C1's ticket and comm_d",
             (unsigned long long)request->miner_id, (unsigned long long)sector);
    snprintf(warning, CUZK_MESSAGE_BYTES,
             "replica_id is not that of the default miner 1000, sector 1; not checked");
    return OK;
}

static Status circuit_of(const PorepVanilla *v, char circuit[CIRCUIT_NAME])
{
    for (size_t i = 0; registry_circuit_name(i); i++) {
        CircuitId id;
        TRY(registry_circuit(&id, registry_circuit_name(i)));
        if (id.kind == CIRCUIT_POREP && id.sector_size == v->sector_size) {
            memcpy(circuit, id.name, sizeof id.name);
            return OK;
        }
    }
    FAIL(ERR_UNSUPPORTED, "sector size %llu is not served", (unsigned long long)v->sector_size);
}

static Status read_input(const cuzk_request *request, PorepInput *input, char *warning)
{
    PorepVanilla *v = &input->vanilla;
    TRY(c1_parse(v, request->vanilla_proof.data, request->vanilla_proof.size));
    input->proof = registry_seal_proof(v->registered_proof);
    if (input->proof->non_interactive)
        FAIL(ERR_UNSUPPORTED, "%s: its proof is an aggregate, which this version does not make",
             input->proof->name);
    TRY(check_agreement(request, v));
    TRY(check_replica_id(request, v, warning));
    return circuit_of(v, input->circuit);
}

static Status parse(const cuzk_request *request, void **out, char circuit[CIRCUIT_NAME],
                    char warning[CUZK_MESSAGE_BYTES])
{
    if (request->vanilla_proof.size == 0)
        FAIL(ERR_ARG, "vanilla_proof: empty, expected the C1 output of the sector");
    PorepInput *input = calloc(1, sizeof *input);
    if (!input)
        FAIL(ERR_MEMORY, "job: out of memory");
    Status status = read_input(request, input, warning);
    if (status != OK) {
        free_input(input);
        return status;
    }
    memcpy(circuit, input->circuit, sizeof input->circuit);
    *out = input;
    return OK;
}

/* On the caller's thread, so that a proof in progress does not delay the answer. */
static Status check(const void *raw)
{
    const PorepInput *input = raw;
    return c1_check(&input->vanilla, NULL);
}

static Status run_partitions(cuzk_engine *engine, Job *job, const Loaded *loaded, uint8_t *proof,
                             Fr *inputs, JobTimes *times)
{
    const PorepInput *input = job->input;
    const PorepVanilla *v = &input->vanilla;
    /* From public data alone, never from what the vanilla proof copies of it. */
    const PorepPublic public = {input->proof, v->replica_id, v->comm_d, v->comm_r, v->seed};
    for (size_t k = 0; k < input->proof->partitions; k++) {
        if (job->cancel)
            FAIL(ERR_CANCELLED, "cancelled before partition %zu", k);
        const PorepWitness witness = {v, k};
        TRY(porep_public_inputs(inputs, &public, k));
        Status status =
            prove_partition(engine, loaded, &witness, inputs, porep_inputs_count(input->proof),
                            &job->cancel, proof + PROOF_BYTES * k, times);
        if (status != OK)
            return status_context(status, "partition %zu", k);
    }
    return OK;
}

static Status run(cuzk_engine *engine, Job *job, uint8_t **proof, size_t *proof_size,
                  JobTimes *times)
{
    const PorepInput *input = job->input;
    Hold hold;
    uint64_t begin = clock_ns();
    TRY(residency_acquire(engine->residency, input->circuit, &hold));
    times->load_ns = clock_ns() - begin;
    size_t size = (size_t)PROOF_BYTES * input->proof->partitions;
    uint8_t *bytes = malloc(size);
    Fr *inputs = calloc(porep_inputs_count(input->proof), sizeof *inputs);
    Status status = OK;
    if (!bytes || !inputs)
        status = status_fail(ERR_MEMORY, "job: out of memory");
    if (status == OK)
        status = run_partitions(engine, job, hold.loaded, bytes, inputs, times);
    residency_release(engine->residency, &hold);
    free(inputs);
    if (status != OK) {
        free(bytes);
        return status;
    }
    *proof = bytes;
    *proof_size = size;
    return OK;
}

const ProofKind kind_porep = {
    .name = "porep-c2",
    .number = CUZK_KIND_POREP,
    .priority = 2,
    .parse = parse,
    .check = check,
    .run = run,
    .free_input = free_input,
};
