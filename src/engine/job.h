/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Jobs: identity, state, results, and the table that holds them. */
#ifndef CUZK_ENGINE_JOB_H
#define CUZK_ENGINE_JOB_H

#include "base/status.h"
#include "cuzk.h"

#include <pthread.h>

typedef struct ProofKind ProofKind;

/* Times of a job's stages, summed over its partitions. */
typedef struct {
    uint64_t load_ns, synthesis_ns, compute_ns;
} JobTimes;

typedef struct Job Job;
struct Job {
    char id[CUZK_JOB_ID_BYTES];
    char *request_id;   /* "" when none was given */
    uint8_t digest[32]; /* of the request without request_id */
    const ProofKind *kind;
    void *input; /* the kind's parsed request; freed when the job ends */
    unsigned priority;
    uint64_t order; /* submission number */
    uint64_t submitted_ns;

    /* Guarded by the table's lock. */
    cuzk_job_state state;
    uint64_t started_ns, finished_ns;
    unsigned references; /* the table's own, the worker's, one a waiter */
    bool delivered;
    uint8_t *proof;
    size_t proof_size;
    Status error;
    char message[CUZK_MESSAGE_BYTES];
    JobTimes times;
    Job *next;

    volatile bool cancel; /* set once, polled by the worker without the lock */
};

/* DESIGN: one lock guards the list and the guarded fields of every job; one condition variable
 * tells the worker of work and waiters of ends. Jobs are few (the queue limit, and results within
 * their time), so the list is scanned. */
typedef struct {
    pthread_mutex_t lock; /* guards everything below */
    pthread_cond_t changed;
    Job *jobs; /* newest first */
    uint64_t next_order;
    size_t limit; /* of unfinished jobs */
    uint64_t result_ttl_ns;
    bool accepting;
    bool cut_short; /* a drain has ended jobs */
    uint64_t completed[CUZK_KINDS], failed[CUZK_KINDS], proof_ns[CUZK_KINDS];
} JobTable;

Status job_table_init(JobTable *table, size_t limit, uint64_t result_ttl_ns);
void job_table_destroy(JobTable *table);

/* A job that the same request may join: same request_id (not empty), same digest, not failed or
 * cancelled. True: its id is copied out. */
bool job_table_join(JobTable *table, const char *request_id, const uint8_t digest[32],
                    char id[CUZK_JOB_ID_BYTES]);

/* Add a job (references 1: the table's). Fails with FULL, or joins: a job that another thread added
 * under the same request meanwhile wins, and *joined tells. On failure or joining the caller
 * keeps job. */
Status job_table_add(JobTable *table, Job *job, char id[CUZK_JOB_ID_BYTES], bool *joined);

/* The next job to run: highest priority, then oldest; waits for one. NULL: the table was stopped.
 * Takes a reference; state is RUNNING. */
Job *job_table_next(JobTable *table, const bool *stop);

/* End a job, once; later ends are ignored. proof is taken. */
void job_table_finish(JobTable *table, Job *job, Status status, const char *message, uint8_t *proof,
                      size_t proof_size, const JobTimes *times);
void job_release(JobTable *table, Job *job);

/* Wait for, cancel, count: see cuzk.h. */
Status job_table_await(JobTable *table, const char *id, uint64_t timeout_ns,
                       bool (*give_up)(void *), void *context, cuzk_result *out);
Status job_table_cancel(JobTable *table, const char *id, bool *was_running);
void job_table_report(JobTable *table, cuzk_report *report);

/* Refuse new jobs; wait until none is unfinished or deadline_ns (clock_ns) passes; then end what
 * is left as FAILED with a message and set its cancel flag. True: there never was any left. A
 * second call with an earlier deadline ends the first, too. */
bool job_table_drain(JobTable *table, uint64_t deadline_ns);

/* Free a job that is in no table. */
void job_free(Job *job);

#endif
