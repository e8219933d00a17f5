/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The job table: joining, order, ends, waiters. */
#include "engine/job.h"

#include "base/clock.h"
#include "base/random.h"
#include "engine/kind.h"

#include <errno.h>
#include <string.h>

enum { POLL_NS = 200000000 };

static bool finished(const Job *job)
{
    return job->state >= CUZK_JOB_COMPLETED;
}

static const char *shutting_down = "the engine is shutting down";

Status job_table_init(JobTable *table, size_t limit, uint64_t result_ttl_ns)
{
    *table = (JobTable){.limit = limit, .result_ttl_ns = result_ttl_ns, .accepting = true};
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    int error = pthread_cond_init(&table->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (error || pthread_mutex_init(&table->lock, NULL))
        FAIL(ERR_MEMORY, "job table: %s", strerror(error));
    return OK;
}

static void free_input(Job *job)
{
    if (job->input)
        job->kind->free_input(job->input);
    job->input = NULL;
}

void job_free(Job *job)
{
    if (!job)
        return;
    free_input(job);
    free(job->request_id);
    free(job->proof);
    free(job);
}

void job_table_destroy(JobTable *table)
{
    for (Job *job = table->jobs; job;) {
        Job *next = job->next;
        job_free(job);
        job = next;
    }
    pthread_cond_destroy(&table->changed);
    pthread_mutex_destroy(&table->lock);
}

/* Under the lock. */
static void unreference(Job *job)
{
    if (--job->references == 0)
        job_free(job);
}

void job_release(JobTable *table, Job *job)
{
    pthread_mutex_lock(&table->lock);
    unreference(job);
    pthread_mutex_unlock(&table->lock);
}

/* Forget results that are old and have been delivered, or that nobody fetched for a day. */
static void forget_old(JobTable *table, uint64_t now)
{
    const uint64_t day = 86400ull * 1000000000;
    for (Job **link = &table->jobs; *link;) {
        Job *job = *link;
        uint64_t age = finished(job) ? now - job->finished_ns : 0;
        uint64_t keep = job->delivered ? table->result_ttl_ns : table->result_ttl_ns + day;
        if (finished(job) && age > keep) {
            *link = job->next;
            unreference(job);
        } else {
            link = &job->next;
        }
    }
}

/* The newest that may be joined; under the lock. */
static Job *find_same(JobTable *table, const char *request_id, const uint8_t digest[32])
{
    if (!*request_id)
        return NULL;
    for (Job *job = table->jobs; job; job = job->next) {
        bool lives = job->state <= CUZK_JOB_COMPLETED && !job->cancel;
        if (lives && strcmp(job->request_id, request_id) == 0 &&
            memcmp(job->digest, digest, 32) == 0)
            return job;
    }
    return NULL;
}

/* By job id, else the newest under that request id; under the lock. */
static Job *find(JobTable *table, const char *id)
{
    for (Job *job = table->jobs; job; job = job->next)
        if (strcmp(job->id, id) == 0)
            return job;
    for (Job *job = table->jobs; *id && job; job = job->next)
        if (strcmp(job->request_id, id) == 0)
            return job;
    return NULL;
}

bool job_table_join(JobTable *table, const char *request_id, const uint8_t digest[32],
                    char id[CUZK_JOB_ID_BYTES])
{
    pthread_mutex_lock(&table->lock);
    const Job *job = find_same(table, request_id, digest);
    if (job)
        memcpy(id, job->id, CUZK_JOB_ID_BYTES);
    pthread_mutex_unlock(&table->lock);
    return job != NULL;
}

/* A random UUID, version 4 (RFC 9562, section 5.4). */
static Status make_id(char id[CUZK_JOB_ID_BYTES])
{
    uint8_t b[16];
    TRY(random_bytes(b, sizeof b));
    b[6] = (b[6] & 0x0f) | 0x40;
    b[8] = (b[8] & 0x3f) | 0x80;
    snprintf(id, CUZK_JOB_ID_BYTES,
             "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
             b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
             b[15]);
    return OK;
}

static size_t count_unfinished(const JobTable *table)
{
    size_t count = 0;
    for (const Job *job = table->jobs; job; job = job->next)
        count += !finished(job);
    return count;
}

/* Under the lock. */
static Status add(JobTable *table, Job *job, char id[CUZK_JOB_ID_BYTES], bool *joined)
{
    uint64_t now = clock_ns();
    forget_old(table, now);
    const Job *same = find_same(table, job->request_id, job->digest);
    *joined = same != NULL;
    if (same) {
        memcpy(id, same->id, CUZK_JOB_ID_BYTES);
        return OK;
    }
    if (!table->accepting)
        FAIL(ERR_FULL, "%s", shutting_down);
    if (count_unfinished(table) >= table->limit)
        FAIL(ERR_FULL, "queue full: %zu jobs are unfinished, the limit", table->limit);
    job->order = table->next_order++;
    job->submitted_ns = now;
    job->state = CUZK_JOB_QUEUED;
    job->references = 1;
    job->next = table->jobs;
    table->jobs = job;
    memcpy(id, job->id, CUZK_JOB_ID_BYTES);
    pthread_cond_broadcast(&table->changed);
    return OK;
}

Status job_table_add(JobTable *table, Job *job, char id[CUZK_JOB_ID_BYTES], bool *joined)
{
    TRY(make_id(job->id));
    pthread_mutex_lock(&table->lock);
    Status status = add(table, job, id, joined);
    pthread_mutex_unlock(&table->lock);
    return status;
}

static Job *best_queued(JobTable *table)
{
    Job *best = NULL;
    for (Job *job = table->jobs; job; job = job->next) {
        if (job->state != CUZK_JOB_QUEUED)
            continue;
        bool better = !best || job->priority > best->priority ||
                      (job->priority == best->priority && job->order < best->order);
        if (better)
            best = job;
    }
    return best;
}

Job *job_table_next(JobTable *table, const bool *stop)
{
    Job *job = NULL;
    pthread_mutex_lock(&table->lock);
    while (!*stop && !(job = best_queued(table)))
        pthread_cond_wait(&table->changed, &table->lock);
    if (*stop) {
        job = NULL;
    } else {
        job->state = CUZK_JOB_RUNNING;
        job->started_ns = clock_ns();
        job->references++;
    }
    pthread_mutex_unlock(&table->lock);
    return job;
}

/* Under the lock; proof is taken. */
static void finish(JobTable *table, Job *job, Status status, const char *message, uint8_t *proof,
                   size_t proof_size, const JobTimes *times)
{
    if (finished(job)) {
        free(proof);
        return;
    }
    job->finished_ns = clock_ns();
    if (!job->started_ns)
        job->started_ns = job->finished_ns;
    job->error = status;
    job->proof = proof;
    job->proof_size = proof_size;
    if (times)
        job->times = *times;
    /* A warning of the check stays in message when the proof succeeds. */
    if (message)
        snprintf(job->message, sizeof job->message, "%s", message);
    unsigned kind = job->kind->number;
    if (status == OK) {
        job->state = CUZK_JOB_COMPLETED;
        table->completed[kind]++;
        table->proof_ns[kind] += job->finished_ns - job->submitted_ns;
    } else if (status == ERR_CANCELLED) {
        job->state = CUZK_JOB_CANCELLED;
    } else {
        job->state = CUZK_JOB_FAILED;
        table->failed[kind]++;
    }
    pthread_cond_broadcast(&table->changed);
}

void job_table_finish(JobTable *table, Job *job, Status status, const char *message, uint8_t *proof,
                      size_t proof_size, const JobTimes *times)
{
    pthread_mutex_lock(&table->lock);
    finish(table, job, status, message, proof, proof_size, times);
    free_input(job);
    pthread_mutex_unlock(&table->lock);
}

static Status copy_result(const Job *job, cuzk_result *out)
{
    cuzk_result result = {.state = job->state,
                          .proof_size = job->proof_size,
                          .error = (cuzk_status)job->error,
                          .queue_ns = job->started_ns - job->submitted_ns,
                          .load_ns = job->times.load_ns,
                          .synthesis_ns = job->times.synthesis_ns,
                          .compute_ns = job->times.compute_ns,
                          .total_ns = job->finished_ns - job->submitted_ns};
    memcpy(result.job_id, job->id, sizeof result.job_id);
    memcpy(result.message, job->message, sizeof result.message);
    if (job->proof_size) {
        result.proof = malloc(job->proof_size);
        if (!result.proof)
            FAIL(ERR_MEMORY, "job %s: out of memory for its proof", job->id);
        memcpy(result.proof, job->proof, job->proof_size);
    }
    *out = result;
    return OK;
}

/* Sleep until something changes, at most POLL_NS or until the deadline; under the lock. */
static void wait_a_little(JobTable *table, uint64_t deadline_ns)
{
    uint64_t until = clock_ns() + POLL_NS;
    if (until > deadline_ns)
        until = deadline_ns;
    struct timespec time = {.tv_sec = (time_t)(until / 1000000000),
                            .tv_nsec = (long)(until % 1000000000)};
    pthread_cond_timedwait(&table->changed, &table->lock, &time);
}

/* Under the lock, with a reference held. */
static Status await_job(JobTable *table, Job *job, uint64_t timeout_ns, bool (*give_up)(void *),
                        void *context, cuzk_result *out)
{
    uint64_t begin = clock_ns();
    uint64_t deadline =
        timeout_ns && timeout_ns < UINT64_MAX - begin ? begin + timeout_ns : UINT64_MAX;
    while (!finished(job)) {
        if (clock_ns() >= deadline)
            FAIL(ERR_TIMEOUT, "job %s: not finished within %llu ms", job->id,
                 (unsigned long long)(timeout_ns / 1000000));
        if (give_up && give_up(context))
            FAIL(ERR_CANCELLED, "job %s: the caller stopped waiting; the job goes on", job->id);
        wait_a_little(table, deadline);
    }
    TRY(copy_result(job, out));
    job->delivered = true;
    return OK;
}

Status job_table_await(JobTable *table, const char *id, uint64_t timeout_ns,
                       bool (*give_up)(void *), void *context, cuzk_result *out)
{
    pthread_mutex_lock(&table->lock);
    Job *job = find(table, id);
    Status status;
    if (job) {
        job->references++;
        status = await_job(table, job, timeout_ns, give_up, context, out);
        unreference(job);
    } else {
        status = status_fail(ERR_NOT_FOUND, "job not found: %s", id);
    }
    pthread_mutex_unlock(&table->lock);
    return status;
}

Status job_table_cancel(JobTable *table, const char *id, bool *was_running)
{
    pthread_mutex_lock(&table->lock);
    Job *job = find(table, id);
    Status status = OK;
    if (job) {
        *was_running = job->state == CUZK_JOB_RUNNING;
        if (!finished(job))
            job->cancel = true;
        if (job->state == CUZK_JOB_QUEUED) {
            finish(table, job, ERR_CANCELLED, "cancelled before it started", NULL, 0, NULL);
            free_input(job);
        }
    } else {
        status = status_fail(ERR_NOT_FOUND, "job not found: %s", id);
    }
    pthread_mutex_unlock(&table->lock);
    return status;
}

bool job_table_drain(JobTable *table, uint64_t deadline_ns)
{
    pthread_mutex_lock(&table->lock);
    table->accepting = false;
    while (count_unfinished(table) && clock_ns() < deadline_ns)
        wait_a_little(table, deadline_ns);
    for (Job *job = table->jobs; job; job = job->next) {
        if (finished(job))
            continue;
        /* What runs still reads its input; the worker frees it. */
        bool queued = job->state == CUZK_JOB_QUEUED;
        job->cancel = true;
        table->cut_short = true;
        finish(table, job, ERR_FULL, shutting_down, NULL, 0, NULL);
        if (queued)
            free_input(job);
    }
    bool whole = !table->cut_short;
    pthread_mutex_unlock(&table->lock);
    return whole;
}

void job_table_report(JobTable *table, cuzk_report *report)
{
    pthread_mutex_lock(&table->lock);
    for (unsigned k = 0; k < CUZK_KINDS; k++) {
        report->completed[k] = table->completed[k];
        report->failed[k] = table->failed[k];
        report->proof_ns[k] = table->proof_ns[k];
    }
    for (const Job *job = table->jobs; job; job = job->next) {
        unsigned kind = job->kind->number;
        report->pending[kind] += job->state == CUZK_JOB_QUEUED;
        if (job->state != CUZK_JOB_RUNNING)
            continue;
        report->in_progress[kind]++;
        memcpy(report->running_job, job->id, sizeof report->running_job);
        report->running_kind = kind;
    }
    pthread_mutex_unlock(&table->lock);
}
