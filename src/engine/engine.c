/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The engine: opening, submitting, the worker, draining. */
#include "base/clock.h"
#include "base/log.h"
#include "engine/kind.h"
#include "hash/sha256.h"

#include <string.h>

enum { DEFAULT_QUEUE_LIMIT = 256, MAX_REQUEST_ID = 255 };
static const uint64_t default_result_ttl_ns = 3600ull * 1000000000;

/* The public numbers are the internal ones: statuses are passed on by casts. */
_Static_assert((int)CUZK_ERR_ARG == ERR_ARG && (int)CUZK_ERR_FORMAT == ERR_FORMAT &&
                   (int)CUZK_ERR_BUDGET == ERR_BUDGET && (int)CUZK_ERR_NOT_FOUND == ERR_NOT_FOUND &&
                   (int)CUZK_ERR_CANCELLED == ERR_CANCELLED && (int)CUZK_ERR_FULL == ERR_FULL &&
                   (int)CUZK_ERR_INTERNAL == ERR_INTERNAL,
               "cuzk_status has the numbers of Status");

const char *cuzk_message(void)
{
    return status_message();
}

const char *cuzk_version(void)
{
    return CUZK_VERSION;
}

static void *worker_main(void *raw)
{
    cuzk_engine *engine = raw;
    Job *job;
    while ((job = job_table_next(&engine->table, &engine->stop))) {
        uint8_t *proof = NULL;
        size_t proof_size = 0;
        JobTimes times = {0};
        LOG_I("engine", "job %s (%s): started", job->id, job->kind->name);
        Status status = job->kind->run(engine, job, &proof, &proof_size, &times);
        if (status == OK)
            LOG_I("engine", "job %s: %zu proof bytes", job->id, proof_size);
        else
            LOG_W("engine", "job %s: %s: %s", job->id, status_name(status), status_message());
        job_table_finish(&engine->table, job, status, status == OK ? NULL : status_message(), proof,
                         proof_size, &times);
        job_release(&engine->table, job);
    }
    return NULL;
}

static Status open_residency(cuzk_engine *engine, const cuzk_options *options)
{
    ParamsFolder folder = params_folder(options->param_cache, options->param_source);
    const Loader loader = {.source = &circuit_catalogue,
                           .param_cache = folder.path,
                           .param_origin = folder.why,
                           .circuit_cache = options->circuit_cache,
                           .pool = engine->pool};
    return residency_new(&engine->residency, &loader, engine->budget);
}

/* At least half of what there is, however large the margin. */
static uint64_t budget_bytes(const cuzk_options *options)
{
    uint64_t limit = mem_limit(), margin = options->memory_margin;
    if (options->memory_budget || !margin)
        return options->memory_budget;
    return limit / 2 > margin ? limit - margin : limit / 2;
}

cuzk_status cuzk_open(cuzk_engine **out, const cuzk_options *options)
{
    cuzk_engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return (cuzk_status)status_fail(ERR_MEMORY, "engine: out of memory");
    engine->started_ns = clock_ns();
    Status status = job_table_init(
        &engine->table, options->queue_limit ? options->queue_limit : DEFAULT_QUEUE_LIMIT,
        options->result_ttl_ns ? options->result_ttl_ns : default_result_ttl_ns);
    if (status != OK) {
        free(engine);
        return (cuzk_status)status;
    }
    TRY_GOTO(status, pool_new(&engine->pool, options->threads), fail);
    TRY_GOTO(status, mem_budget_new(&engine->budget, budget_bytes(options)), fail);
    TRY_GOTO(status, open_residency(engine, options), fail);
    if (pthread_create(&engine->worker, NULL, worker_main, engine) != 0) {
        status = status_fail(ERR_MEMORY, "engine: cannot start its worker thread");
        goto fail;
    }
    engine->worker_started = true;
    *out = engine;
    return CUZK_OK;
fail:
    cuzk_close(&engine);
    return (cuzk_status)status;
}

bool cuzk_drain(cuzk_engine *engine, uint64_t grace_ns)
{
    uint64_t now = clock_ns();
    uint64_t deadline = grace_ns < UINT64_MAX - now ? now + grace_ns : UINT64_MAX;
    return job_table_drain(&engine->table, deadline);
}

void cuzk_close(cuzk_engine **pointer)
{
    cuzk_engine *engine = *pointer;
    if (!engine)
        return;
    if (engine->worker_started) {
        cuzk_drain(engine, 0);
        pthread_mutex_lock(&engine->table.lock);
        engine->stop = true;
        pthread_cond_broadcast(&engine->table.changed);
        pthread_mutex_unlock(&engine->table.lock);
        pthread_join(engine->worker, NULL);
    }
    residency_free(&engine->residency);
    mem_budget_free(&engine->budget);
    pool_free(&engine->pool);
    job_table_destroy(&engine->table);
    free(engine);
    *pointer = NULL;
}

static void hash_number(Sha256 *hash, uint64_t value)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    sha256_update(hash, bytes, sizeof bytes);
}

static void hash_bytes(Sha256 *hash, cuzk_bytes bytes)
{
    hash_number(hash, bytes.size);
    sha256_update(hash, bytes.data, bytes.size);
}

/* What makes two requests the same: everything but request_id, each field with its length. */
static void request_digest(uint8_t digest[32], const cuzk_request *request)
{
    Sha256 hash;
    sha256_init(&hash);
    const uint64_t numbers[] = {request->kind,
                                request->sector_size,
                                request->registered_proof,
                                request->priority,
                                request->sector_number,
                                request->miner_id,
                                request->partition_index,
                                request->n_vanilla_proofs};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        hash_number(&hash, numbers[i]);
    hash_bytes(&hash, request->vanilla_proof);
    for (size_t i = 0; i < request->n_vanilla_proofs; i++)
        hash_bytes(&hash, request->vanilla_proofs[i]);
    hash_bytes(&hash, request->randomness);
    hash_bytes(&hash, request->comm_r_old);
    hash_bytes(&hash, request->comm_r_new);
    hash_bytes(&hash, request->comm_d_new);
    sha256_final(&hash, digest);
}

/* request_id, kind, priority: what every kind has. */
static Status check_common(const cuzk_request *request, const ProofKind **kind)
{
    if (request->request_id && strlen(request->request_id) > MAX_REQUEST_ID)
        FAIL(ERR_ARG, "request_id: %zu bytes, expected at most %d", strlen(request->request_id),
             MAX_REQUEST_ID);
    const char *name = cuzk_kind_name(request->kind);
    if (!name)
        FAIL(ERR_ARG, "invalid proof_kind: %u", request->kind);
    if (request->priority > 4)
        FAIL(ERR_ARG, "priority: %u, expected 0 to 4", request->priority);
    *kind = proof_kind(request->kind);
    if (!*kind)
        FAIL(ERR_UNSUPPORTED, "proof kind %s is not served by this version; porep-c2 is", name);
    return OK;
}

/* Everything that can be found wrong before a job exists; what costs the least first. */
static Status make_job(cuzk_engine *engine, const ProofKind *kind, const cuzk_request *request,
                       Job *job)
{
    char circuit[CIRCUIT_NAME];
    job->kind = kind;
    job->priority = request->priority ? request->priority : kind->priority;
    job->request_id = strdup(request->request_id ? request->request_id : "");
    if (!job->request_id)
        FAIL(ERR_MEMORY, "job: out of memory");
    TRY(kind->parse(request, &job->input, circuit, job->message));
    TRY(residency_probe(engine->residency, circuit));
    return kind->check(job->input);
}

static Status submit(cuzk_engine *engine, const cuzk_request *request, char *job_id, bool *joined)
{
    const ProofKind *kind;
    TRY(check_common(request, &kind));
    uint8_t digest[32];
    request_digest(digest, request);
    *joined = job_table_join(&engine->table, request->request_id ? request->request_id : "", digest,
                             job_id);
    if (*joined)
        return OK;
    Job *job = calloc(1, sizeof *job);
    if (!job)
        FAIL(ERR_MEMORY, "job: out of memory");
    memcpy(job->digest, digest, sizeof digest);
    Status status = make_job(engine, kind, request, job);
    if (status == OK)
        status = job_table_add(&engine->table, job, job_id, joined);
    if (status != OK || *joined)
        job_free(job);
    return status;
}

cuzk_status cuzk_submit(cuzk_engine *engine, const cuzk_request *request,
                        char job_id[CUZK_JOB_ID_BYTES], bool *joined)
{
    bool ignored;
    return (cuzk_status)submit(engine, request, job_id, joined ? joined : &ignored);
}

cuzk_status cuzk_await(cuzk_engine *engine, const char *id, uint64_t timeout_ns,
                       bool (*give_up)(void *context), void *context, cuzk_result *result)
{
    return (cuzk_status)job_table_await(&engine->table, id, timeout_ns, give_up, context, result);
}

void cuzk_result_free(cuzk_result *result)
{
    free(result->proof);
    *result = (cuzk_result){0};
}

cuzk_status cuzk_cancel(cuzk_engine *engine, const char *id, bool *was_running)
{
    return (cuzk_status)job_table_cancel(&engine->table, id, was_running);
}

cuzk_status cuzk_preload(cuzk_engine *engine, const char *circuit, bool *already_loaded)
{
    bool ignored;
    return (cuzk_status)residency_load(engine->residency, circuit,
                                       already_loaded ? already_loaded : &ignored);
}

cuzk_status cuzk_evict(cuzk_engine *engine, const char *circuit, bool *was_loaded,
                       uint64_t *freed_bytes)
{
    return (cuzk_status)residency_evict(engine->residency, circuit, was_loaded, freed_bytes);
}

void cuzk_get_report(cuzk_engine *engine, cuzk_report *report)
{
    *report = (cuzk_report){.uptime_ns = clock_ns() - engine->started_ns,
                            .memory_total = mem_budget_total(engine->budget),
                            .memory_used = mem_budget_used(engine->budget),
                            .retries = atomic_load(&engine->retries),
                            .threads = pool_threads(engine->pool)};
    job_table_report(&engine->table, report);
    residency_report(engine->residency, report);
}
