/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Tests of one partition: the proof that leaves is verified, and what happens when it is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/engine_impl.h"
#include "toy_source.h"

static cuzk_engine engine;
static char folder[] = "/tmp/cuzk-partition-XXXXXX";
static Loaded loaded[TOYS];

enum { INPUTS = 5 }; /* of toy-a, without ONE */
static Fr inputs[INPUTS];

static int start(void **state)
{
    (void)state;
    uint64_t random = 9;
    if (pool_new(&engine.pool, 2) != OK || !mkdtemp(folder) ||
        toy_source_start(folder, engine.pool) != OK)
        return -1;
    const Loader loader = {
        .source = &toy_source, .param_cache = folder, .param_origin = "", .pool = engine.pool};
    for (int i = 0; i < TOYS; i++)
        if (loader_load(&loaded[i], &loader, toy_names[i]) != OK)
            return -1;
    for (int i = 0; i < INPUTS; i++)
        toy_random_fr(&inputs[i], &random);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    for (int i = 0; i < TOYS; i++)
        loaded_free(&loaded[i]);
    pool_free(&engine.pool);
    return toy_folder_remove(folder);
}

static Status prove_toy(const Loaded *circuit, bool wrong, uint8_t proof[PROOF_BYTES])
{
    const ToyWitness witness = {.seed = 5, .inputs = inputs, .wrong = wrong};
    const bool cancel = false;
    JobTimes times = {0};
    return prove_partition(&engine, circuit, &witness, inputs, INPUTS, &cancel, proof, &times);
}

static void a_proof_verifies(void **state)
{
    (void)state;
    uint8_t bytes[PROOF_BYTES];
    Proof proof;
    assert_int_equal(prove_toy(&loaded[0], false, bytes), OK);
    assert_int_equal(proof_decode(&proof, bytes), OK);
    assert_int_equal(verify(loaded[0].vk, &proof, inputs, INPUTS), OK);
    assert_int_equal(atomic_load(&engine.retries), 0);
}

static void other_inputs_are_refused(void **state)
{
    (void)state;
    uint8_t bytes[PROOF_BYTES];
    const Fr kept = inputs[1];
    const Fr given[INPUTS] = {inputs[0], kept, inputs[2], inputs[3], inputs[4]};
    const ToyWitness witness = {.seed = 5, .inputs = given};
    const bool cancel = false;
    JobTimes times = {0};
    fr_add(&inputs[1], &inputs[1], &FR_ONE);
    assert_int_equal(
        prove_partition(&engine, &loaded[0], &witness, inputs, INPUTS, &cancel, bytes, &times),
        ERR_UNSATISFIED);
    assert_non_null(strstr(status_message(), "public input 1"));
    inputs[1] = kept;
    assert_int_equal(
        prove_partition(&engine, &loaded[0], &witness, inputs, INPUTS - 1, &cancel, bytes, &times),
        ERR_INTERNAL);
}

static void unsatisfied_rows_are_named_and_not_retried(void **state)
{
    (void)state;
    uint8_t bytes[PROOF_BYTES];
    assert_int_equal(prove_toy(&loaded[0], true, bytes), ERR_UNSATISFIED);
    assert_non_null(strstr(status_message(), "row "));
    assert_int_equal(atomic_load(&engine.retries), 0);
}

/* Under another verifying key every proof is false: one retry, then no proof at all. */
static void a_proof_that_never_verifies_does_not_leave(void **state)
{
    (void)state;
    uint8_t bytes[PROOF_BYTES];
    Vk vk = *pk_view(loaded[0].pk)->vk;
    Loaded other = loaded[0];
    vk.delta_g2 = pk_view(loaded[1].pk)->vk->delta_g2;
    assert_int_equal(vk_prepare(&other.vk, &vk), OK);
    assert_int_equal(prove_toy(&other, false, bytes), ERR_INTERNAL);
    assert_int_equal(atomic_load(&engine.retries), 1);
    vk_prepared_free(&other.vk);
    atomic_store(&engine.retries, 0);
}

static void a_cancelled_job_stops(void **state)
{
    (void)state;
    uint8_t bytes[PROOF_BYTES];
    const ToyWitness witness = {.seed = 5, .inputs = inputs};
    const bool cancel = true;
    JobTimes times = {0};
    assert_int_equal(
        prove_partition(&engine, &loaded[0], &witness, inputs, INPUTS, &cancel, bytes, &times),
        ERR_CANCELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_proof_verifies),
        cmocka_unit_test(other_inputs_are_refused),
        cmocka_unit_test(unsatisfied_rows_are_named_and_not_retried),
        cmocka_unit_test(a_proof_that_never_verifies_does_not_leave),
        cmocka_unit_test(a_cancelled_job_stops),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
