/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Tests of the job table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "engine/kind.h"

#include <string.h>

static int inputs_alive;

static void free_input(void *input)
{
    free(input);
    inputs_alive--;
}

static const ProofKind kind = {
    .name = "test", .number = 1, .priority = 2, .free_input = free_input};

enum { LIMIT = 4 };
static JobTable table;
static const bool running = false;

static void open_table(uint64_t ttl_ns)
{
    assert_int_equal(job_table_init(&table, LIMIT, ttl_ns), OK);
}

/* No job's input outlives the table. */
static void close_table(void)
{
    job_table_destroy(&table);
    assert_int_equal(inputs_alive, 0);
}

static Status add(const char *request_id, uint8_t payload, unsigned priority,
                  char id[CUZK_JOB_ID_BYTES], bool *joined)
{
    Job *job = calloc(1, sizeof *job);
    job->kind = &kind;
    job->priority = priority;
    job->request_id = strdup(request_id);
    job->input = malloc(1);
    inputs_alive++;
    memset(job->digest, payload, sizeof job->digest);
    Status status = job_table_add(&table, job, id, joined);
    if (status != OK || *joined)
        job_free(job);
    return status;
}

static void must_add(const char *request_id, uint8_t payload, unsigned priority,
                     char id[CUZK_JOB_ID_BYTES])
{
    bool joined;
    assert_int_equal(add(request_id, payload, priority, id, &joined), OK);
    assert_false(joined);
}

static void end(Job *job, Status status, const char *message)
{
    static const JobTimes times = {.load_ns = 1, .synthesis_ns = 2, .compute_ns = 3};
    uint8_t *proof = NULL;
    if (status == OK) {
        proof = malloc(2);
        memcpy(proof, "ok", 2);
    }
    job_table_finish(&table, job, status, message, proof, proof ? 2 : 0, &times);
    job_release(&table, job);
}

static cuzk_job_state state_of(const char *id)
{
    cuzk_result result;
    Status status = job_table_await(&table, id, 1, NULL, NULL, &result);
    if (status != OK)
        return status == ERR_TIMEOUT ? CUZK_JOB_RUNNING : (cuzk_job_state)99;
    cuzk_job_state state = result.state;
    cuzk_result_free(&result);
    return state;
}

static void the_same_request_joins(void **state)
{
    (void)state;
    char a[CUZK_JOB_ID_BYTES], b[CUZK_JOB_ID_BYTES], c[CUZK_JOB_ID_BYTES];
    bool joined;
    uint8_t digest[32];
    memset(digest, 1, sizeof digest);
    open_table(1000000000);
    must_add("x", 1, 2, a);
    assert_int_equal(add("x", 1, 2, b, &joined), OK);
    assert_true(joined);
    assert_string_equal(a, b);
    must_add("x", 2, 2, c); /* another payload */
    assert_string_not_equal(a, c);
    must_add("", 1, 2, c); /* no id, no joining */
    must_add("", 1, 2, c);
    assert_true(job_table_join(&table, "x", digest, b));
    assert_string_equal(a, b);
    assert_false(job_table_join(&table, "y", digest, b));
    Job *job = job_table_next(&table, &running);
    assert_string_equal(job->id, a);
    end(job, OK, NULL);
    assert_true(job_table_join(&table, "x", digest, b)); /* its proof is there */
    close_table();
}

static void a_failed_job_is_not_joined(void **state)
{
    (void)state;
    char a[CUZK_JOB_ID_BYTES], b[CUZK_JOB_ID_BYTES];
    open_table(1000000000);
    must_add("x", 1, 2, a);
    end(job_table_next(&table, &running), ERR_INTERNAL, "why");
    must_add("x", 1, 2, b);
    assert_string_not_equal(a, b);
    assert_int_equal(state_of(a), CUZK_JOB_FAILED);
    /* By request id the newest is meant. */
    assert_int_equal(state_of("x"), CUZK_JOB_RUNNING);
    close_table();
}

static void priority_then_age(void **state)
{
    (void)state;
    static const unsigned order[LIMIT] = {2, 0, 1, 3};
    static const unsigned priorities[LIMIT] = {2, 2, 4, 1};
    char ids[LIMIT][CUZK_JOB_ID_BYTES];
    open_table(1000000000);
    for (int i = 0; i < LIMIT; i++)
        must_add("", (uint8_t)i, priorities[i], ids[i]);
    for (int i = 0; i < LIMIT; i++) {
        Job *job = job_table_next(&table, &running);
        assert_string_equal(job->id, ids[order[i]]);
        end(job, OK, NULL);
    }
    const bool stop = true;
    assert_null(job_table_next(&table, &stop));
    close_table();
}

static void results_say_what_happened(void **state)
{
    (void)state;
    char a[CUZK_JOB_ID_BYTES];
    cuzk_result result;
    open_table(1000000000);
    must_add("x", 1, 2, a);
    assert_int_equal(job_table_await(&table, a, 1000000, NULL, NULL, &result), ERR_TIMEOUT);
    assert_int_equal(job_table_await(&table, "none", 0, NULL, NULL, &result), ERR_NOT_FOUND);
    assert_int_equal(job_table_await(&table, "", 0, NULL, NULL, &result), ERR_NOT_FOUND);
    end(job_table_next(&table, &running), OK, NULL);
    assert_int_equal(job_table_await(&table, "x", 0, NULL, NULL, &result), OK);
    assert_int_equal(result.state, CUZK_JOB_COMPLETED);
    assert_int_equal(result.proof_size, 2);
    assert_memory_equal(result.proof, "ok", 2);
    assert_int_equal(result.compute_ns, 3);
    assert_true(result.total_ns >= result.queue_ns);
    cuzk_result_free(&result);
    must_add("y", 1, 2, a);
    end(job_table_next(&table, &running), ERR_IO, "disk gone");
    assert_int_equal(job_table_await(&table, a, 0, NULL, NULL, &result), OK);
    assert_int_equal(result.state, CUZK_JOB_FAILED);
    assert_string_equal(result.message, "disk gone");
    assert_null(result.proof);
    cuzk_report report = {0};
    job_table_report(&table, &report);
    assert_int_equal(report.completed[1], 1);
    assert_int_equal(report.failed[1], 1);
    close_table();
}

static bool at_once(void *context)
{
    (void)context;
    return true;
}

static void cancelling(void **state)
{
    (void)state;
    char a[CUZK_JOB_ID_BYTES], b[CUZK_JOB_ID_BYTES];
    cuzk_result result;
    bool was_running;
    open_table(1000000000);
    must_add("x", 1, 3, a);
    must_add("y", 2, 2, b);
    Job *job = job_table_next(&table, &running);
    assert_int_equal(job_table_await(&table, a, 0, at_once, NULL, &result), ERR_CANCELLED);
    assert_false(job->cancel); /* only the waiter went */
    assert_int_equal(job_table_cancel(&table, "y", &was_running), OK);
    assert_false(was_running);
    assert_int_equal(state_of(b), CUZK_JOB_CANCELLED);
    assert_int_equal(job_table_cancel(&table, a, &was_running), OK);
    assert_true(was_running && job->cancel);
    end(job, ERR_CANCELLED, "stopped");
    assert_int_equal(state_of(a), CUZK_JOB_CANCELLED);
    assert_int_equal(job_table_cancel(&table, a, &was_running), OK); /* too late: no effect */
    assert_false(was_running);
    assert_int_equal(job_table_cancel(&table, "z", &was_running), ERR_NOT_FOUND);
    close_table();
}

static void the_queue_has_an_end(void **state)
{
    (void)state;
    char id[CUZK_JOB_ID_BYTES];
    bool joined;
    open_table(1000000000);
    for (int i = 0; i < LIMIT; i++)
        must_add("", (uint8_t)i, 2, id);
    assert_int_equal(add("", 9, 2, id, &joined), ERR_FULL);
    end(job_table_next(&table, &running), OK, NULL);
    must_add("", 9, 2, id);
    close_table();
}

static void draining_answers_everyone(void **state)
{
    (void)state;
    char a[CUZK_JOB_ID_BYTES], b[CUZK_JOB_ID_BYTES], c[CUZK_JOB_ID_BYTES];
    bool joined;
    open_table(1000000000);
    must_add("x", 1, 3, a);
    must_add("y", 2, 2, b);
    Job *job = job_table_next(&table, &running);
    assert_false(job_table_drain(&table, clock_ns()));
    assert_int_equal(state_of(a), CUZK_JOB_FAILED);
    assert_int_equal(state_of(b), CUZK_JOB_FAILED);
    assert_true(job->cancel);
    assert_int_equal(add("z", 3, 2, c, &joined), ERR_FULL);
    end(job, OK, NULL); /* it comes too late */
    assert_int_equal(state_of(a), CUZK_JOB_FAILED);
    assert_false(job_table_drain(&table, 0));
    close_table();
}

static void *drain_for_ever(void *whole)
{
    *(bool *)whole = job_table_drain(&table, UINT64_MAX);
    return NULL;
}

static void a_second_drain_ends_the_first(void **state)
{
    (void)state;
    char id[CUZK_JOB_ID_BYTES];
    pthread_t thread;
    bool whole = true;
    open_table(1000000000);
    must_add("x", 1, 3, id);
    assert_int_equal(pthread_create(&thread, NULL, drain_for_ever, &whole), 0);
    assert_false(job_table_drain(&table, 0));
    pthread_join(thread, NULL);
    assert_false(whole);
    close_table();
    open_table(1000000000);
    must_add("x", 1, 3, id);
    assert_int_equal(pthread_create(&thread, NULL, drain_for_ever, &whole), 0);
    end(job_table_next(&table, &running), OK, NULL);
    pthread_join(thread, NULL);
    assert_true(whole);
    close_table();
}

static void old_results_are_forgotten(void **state)
{
    (void)state;
    char a[CUZK_JOB_ID_BYTES], b[CUZK_JOB_ID_BYTES], c[CUZK_JOB_ID_BYTES];
    open_table(1);
    must_add("", 1, 2, a);
    end(job_table_next(&table, &running), OK, NULL);
    must_add("", 2, 2, b);
    end(job_table_next(&table, &running), OK, NULL);
    assert_int_equal(state_of(b), CUZK_JOB_COMPLETED); /* delivered */
    must_add("", 3, 2, c);
    assert_int_equal(state_of(a), CUZK_JOB_COMPLETED); /* was not: kept longer */
    assert_int_equal(state_of(b), 99);
    close_table();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_request_joins),
        cmocka_unit_test(a_failed_job_is_not_joined),
        cmocka_unit_test(priority_then_age),
        cmocka_unit_test(results_say_what_happened),
        cmocka_unit_test(cancelling),
        cmocka_unit_test(the_queue_has_an_end),
        cmocka_unit_test(draining_answers_everyone),
        cmocka_unit_test(a_second_drain_ends_the_first),
        cmocka_unit_test(old_results_are_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
