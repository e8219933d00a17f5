/* SPDX-License-Identifier: MIT OR Apache-2.0
 * One partition: witness, proof, verification, one retry. */
#include "base/clock.h"
#include "base/log.h"
#include "engine/engine_impl.h"

/* The inputs that the circuit computed must be those derived from the request: a difference means
 * that the vanilla proof is of another sector, seed or position. */
static Status same_inputs(const Assignment *z, const Fr *inputs, size_t n_inputs)
{
    if (z->n_inputs != n_inputs + 1)
        FAIL(ERR_INTERNAL, "public inputs: %zu derived, the circuit has %zu", n_inputs,
             z->n_inputs - 1);
    for (size_t i = 0; i < n_inputs; i++)
        if (!fr_eq(&z->inputs[i + 1], &inputs[i]))
            FAIL(ERR_UNSATISFIED,
                 "public input %zu of the witness is not the one that follows "
                 "from the request",
                 i);
    return OK;
}

static Status prove_once(const Loaded *loaded, const Assignment *z, const Fr *inputs,
                         size_t n_inputs, const volatile bool *cancel, Pool *pool,
                         uint8_t bytes[PROOF_BYTES], JobTimes *times)
{
    Proof proof;
    ProveTimes stages = {0};
    uint64_t begin = clock_ns();
    TRY(prove(&proof, loaded->r1cs, pk_view(loaded->pk), z, NULL, cancel, pool, &stages));
    uint64_t proved = clock_ns();
    times->synthesis_ns += stages.eval_ns;
    times->compute_ns += proved - begin - stages.eval_ns;
    proof_encode(bytes, &proof);
    /* What leaves is what was checked: the bytes are decoded again. */
    Proof decoded;
    TRY(proof_decode(&decoded, bytes));
    Status status = verify(loaded->vk, &decoded, inputs, n_inputs);
    times->compute_ns += clock_ns() - proved;
    LOG_I("prove",
          "%s: eval %.2f s, quotient %.2f, h %.2f, l %.2f, a %.2f, b_g1 %.2f, b_g2 %.2f, verify "
          "%.3f",
          loaded->circuit.name, (double)stages.eval_ns / 1e9, (double)stages.quotient_ns / 1e9,
          (double)stages.msm_h_ns / 1e9, (double)stages.msm_l_ns / 1e9,
          (double)stages.msm_a_ns / 1e9, (double)stages.msm_b1_ns / 1e9,
          (double)stages.msm_b2_ns / 1e9, (double)(clock_ns() - proved) / 1e9);
    return status;
}

/* A proof that does not verify: where the rows are not satisfied, they are named and there is no
 * retry; else it was a fault of the machine, and it is proved once more. */
static Status prove_checked(cuzk_engine *engine, const Loaded *loaded, const Assignment *z,
                            const Fr *inputs, size_t n_inputs, const volatile bool *cancel,
                            uint8_t *proof, JobTimes *times)
{
    Status status = prove_once(loaded, z, inputs, n_inputs, cancel, engine->pool, proof, times);
    if (status != ERR_INVALID)
        return status;
    LOG_W("prove", "%s: a proof does not verify; checking the witness", loaded->circuit.name);
    status = r1cs_check(loaded->r1cs, &loaded->circuit, z, engine->pool);
    if (status == ERR_UNSATISFIED)
        return status_context(status, "the request passed its check, yet its witness does not "
                                      "satisfy the circuit (a fault of this program, its compiled "
                                      "circuit or this machine)");
    TRY(status);
    TRY(same_inputs(z, inputs, n_inputs));
    atomic_fetch_add(&engine->retries, 1);
    LOG_E("prove", "%s: the witness satisfies the circuit: a fault of this machine; proving again",
          loaded->circuit.name);
    status = prove_once(loaded, z, inputs, n_inputs, cancel, engine->pool, proof, times);
    if (status == ERR_INVALID)
        FAIL(ERR_INTERNAL, "two proofs of a satisfied witness did not verify; check this machine's "
                           "memory and the parameter file");
    return status;
}

Status prove_partition(cuzk_engine *engine, const Loaded *loaded, const void *witness,
                       const Fr *inputs, size_t n_inputs, const volatile bool *cancel,
                       uint8_t *proof, JobTimes *times)
{
    Assignment z;
    uint64_t begin = clock_ns();
    Status status = r1cs_witness(&z, loaded->r1cs, &loaded->circuit, witness, engine->pool);
    if (status == OK) {
        uint64_t witness_ns = clock_ns() - begin;
        times->synthesis_ns += witness_ns;
        LOG_I("prove", "%s: witness %.2f s", loaded->circuit.name, (double)witness_ns / 1e9);
        status = same_inputs(&z, inputs, n_inputs);
        if (status == OK)
            status = prove_checked(engine, loaded, &z, inputs, n_inputs, cancel, proof, times);
        assignment_free(&z);
    }
    return status;
}
