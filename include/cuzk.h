/* SPDX-License-Identifier: MIT OR Apache-2.0
 * cuzk: a Groth16 proving engine for Filecoin. The one installed header. */
#ifndef CUZK_H
#define CUZK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUZK_API __attribute__((visibility("default")))

/* Every call that can fail returns one of these; cuzk_message() tells the rest in one line. */
typedef enum {
    CUZK_OK = 0,
    CUZK_ERR_ARG = -1,
    CUZK_ERR_FORMAT = -2,
    CUZK_ERR_IO = -3,
    CUZK_ERR_MEMORY = -4,
    CUZK_ERR_BUDGET = -5,      /* can never fit the memory budget */
    CUZK_ERR_NOT_FOUND = -6,   /* no such job, circuit or parameter file */
    CUZK_ERR_UNSUPPORTED = -7, /* well-formed, not served */
    CUZK_ERR_UNSATISFIED = -8, /* the witness does not satisfy the circuit */
    CUZK_ERR_INVALID = -9,     /* a vanilla proof or proof that does not verify */
    CUZK_ERR_CANCELLED = -10,
    CUZK_ERR_TIMEOUT = -11,
    CUZK_ERR_FULL = -12, /* queue full, or shutting down */
    CUZK_ERR_DEVICE = -13,
    CUZK_ERR_INTERNAL = -14,
} cuzk_status;

/* The calling thread's message of its latest failure; valid until its next one. */
CUZK_API const char *cuzk_message(void);
CUZK_API const char *cuzk_version(void);

typedef struct cuzk_engine cuzk_engine;

/* Zero-initialise, set what you want; zero means the default. */
typedef struct {
    const char *param_cache;   /* folder of .params and .vk; NULL: $FIL_PROOFS_PARAMETER_CACHE, then
                                  /var/tmp/filecoin-proof-parameters */
    const char *param_source;  /* who chose param_cache, for messages ("srs.param_cache") */
    const char *circuit_cache; /* folder for compiled circuits; NULL: not kept on disk */
    uint64_t memory_budget;    /* bytes; 0: what the machine or its cgroup has, less a margin */
    uint64_t memory_margin;    /* bytes left to others when memory_budget is 0; 0: 1 GiB */
    unsigned threads;          /* 0: one a CPU that the process may use */
    size_t queue_limit;        /* unfinished jobs; 0: 256 */
    uint64_t result_ttl_ns;    /* how long results are kept after completion; 0: one hour */
} cuzk_options;

CUZK_API cuzk_status cuzk_open(cuzk_engine **engine, const cuzk_options *options);
/* Stop accepting (submissions return CUZK_ERR_FULL), finish or after grace_ns cancel what runs;
 * every waiter is answered. True: everything finished in time. Another thread may call it again to
 * end the grace. Call cuzk_close afterwards. */
CUZK_API bool cuzk_drain(cuzk_engine *engine, uint64_t grace_ns);
/* Drains with no grace if it was not drained. Safe on NULL. */
CUZK_API void cuzk_close(cuzk_engine **engine);

/* Numbers as in proving.proto. */
typedef enum {
    CUZK_KIND_NONE = 0,
    CUZK_KIND_POREP = 1,
    CUZK_KIND_SNAP = 2,
    CUZK_KIND_WINDOW_POST = 3,
    CUZK_KIND_WINNING_POST = 4,
} cuzk_kind;

enum { CUZK_KINDS = 5 };

/* "porep-c2", "snap-update", "window-post", "winning-post"; NULL for a number that is no kind. */
CUZK_API const char *cuzk_kind_name(unsigned kind);

typedef struct {
    const uint8_t *data;
    size_t size;
} cuzk_bytes;

typedef struct {
    const char *request_id; /* "" or NULL: none. At most 255 bytes of UTF-8 */
    unsigned kind;          /* cuzk_kind */
    uint64_t sector_size;   /* bytes; 0: unset */
    uint64_t registered_proof;
    unsigned priority; /* 0: by kind; 1 low .. 4 critical */
    cuzk_bytes vanilla_proof;
    const cuzk_bytes *vanilla_proofs;
    size_t n_vanilla_proofs;
    uint64_t sector_number, miner_id;
    cuzk_bytes randomness, comm_r_old, comm_r_new, comm_d_new;
    uint32_t partition_index;
} cuzk_request;

enum { CUZK_JOB_ID_BYTES = 37, CUZK_MESSAGE_BYTES = 768 };

/* Check the request as a whole (milliseconds; one to two seconds at 32 and 64 GiB), then queue it.
 * Borrowed data is not needed after the call. The same request_id with the same payload joins the
 * job that exists; the same request_id with another payload is another job. joined may be NULL.
 * Errors: FORMAT, ARG, INVALID (bad request), UNSUPPORTED, NOT_FOUND (parameters), BUDGET, FULL. */
CUZK_API cuzk_status cuzk_submit(cuzk_engine *engine, const cuzk_request *request,
                                 char job_id[CUZK_JOB_ID_BYTES], bool *joined);

typedef enum {
    CUZK_JOB_QUEUED = 0,
    CUZK_JOB_RUNNING = 1,
    CUZK_JOB_COMPLETED = 2,
    CUZK_JOB_FAILED = 3,
    CUZK_JOB_CANCELLED = 4,
} cuzk_job_state;

typedef struct {
    char job_id[CUZK_JOB_ID_BYTES];
    cuzk_job_state state;
    uint8_t *proof; /* 192 bytes a partition, malloc'ed; NULL unless COMPLETED */
    size_t proof_size;
    cuzk_status error;                /* of a FAILED job */
    char message[CUZK_MESSAGE_BYTES]; /* why it failed, or a warning */
    uint64_t queue_ns, load_ns, synthesis_ns, compute_ns, total_ns;
} cuzk_result;

/* Wait for a job, named by its job_id or by a request_id (then its latest job).
 * timeout_ns 0: for ever. give_up, if not NULL, is polled a few times a second; true ends the wait
 * with CANCELLED, the job goes on. TIMEOUT: not finished yet. NOT_FOUND: unknown or forgotten. */
CUZK_API cuzk_status cuzk_await(cuzk_engine *engine, const char *id, uint64_t timeout_ns,
                                bool (*give_up)(void *context), void *context, cuzk_result *result);
CUZK_API void cuzk_result_free(cuzk_result *result);

/* was_running: it had started. A finished job is left as it is: OK, false. */
CUZK_API cuzk_status cuzk_cancel(cuzk_engine *engine, const char *id, bool *was_running);

/* Load a circuit's parameters and compiled form now. */
CUZK_API cuzk_status cuzk_preload(cuzk_engine *engine, const char *circuit, bool *already_loaded);
/* Give back what is loaded for a circuit. FULL while a job uses it. */
CUZK_API cuzk_status cuzk_evict(cuzk_engine *engine, const char *circuit, bool *was_loaded,
                                uint64_t *freed_bytes);

typedef struct {
    char circuit[64];
    uint64_t bytes;
    uint32_t references;
    bool development; /* a key whose tau somebody knows */
} cuzk_key_report;

enum { CUZK_MAX_KEYS = 16 };

/* Arrays are indexed by cuzk_kind. */
typedef struct {
    uint64_t uptime_ns, memory_total, memory_used;
    uint64_t completed[CUZK_KINDS], failed[CUZK_KINDS], proof_ns[CUZK_KINDS];
    uint32_t pending[CUZK_KINDS], in_progress[CUZK_KINDS];
    uint64_t retries; /* proofs made again after one that did not verify */
    unsigned threads;
    size_t n_keys;
    cuzk_key_report keys[CUZK_MAX_KEYS];
    char param_cache[512]; /* folder in use, and who chose it */
    char running_job[CUZK_JOB_ID_BYTES];
    unsigned running_kind;
} cuzk_report;

CUZK_API void cuzk_get_report(cuzk_engine *engine, cuzk_report *report);

#ifdef __cplusplus
}
#endif
#endif
