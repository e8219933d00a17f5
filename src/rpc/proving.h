/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The messages of proto/proving.proto, for both ends. */
#ifndef CUZK_RPC_PROVING_H
#define CUZK_RPC_PROVING_H

#include "rpc/wire.h"

#define PROVING_SERVICE "/cuzk.v1.ProvingEngine/"

enum { PROVING_MOST_VANILLA = 65536 };

/* Strings and bytes are views into the message (decode) or into the caller's memory (encode);
 * vanilla_proofs is malloc'ed by decode: submit_request_free. */
typedef struct {
    WireBytes request_id;
    uint64_t proof_kind, sector_size, registered_proof, priority;
    WireBytes vanilla_proof;
    WireBytes *vanilla_proofs;
    size_t n_vanilla_proofs;
    uint64_t sector_number, miner_id, partition_index;
    WireBytes randomness, comm_r_old, comm_r_new, comm_d_new;
} SubmitRequest;

/* Last one wins, repeated fields collect, unknown fields are skipped; a field of the wrong wire
 * type is refused. */
Status submit_request_decode(SubmitRequest *out, const uint8_t *data, size_t size);
/* The submit of a ProveRequest; *present false where it is missing. Several are merged. */
Status prove_request_decode(SubmitRequest *out, bool *present, const uint8_t *data, size_t size);
void submit_request_encode(WireWriter *writer, const SubmitRequest *request);
void submit_request_free(SubmitRequest *request);

typedef enum {
    AWAIT_UNKNOWN,
    AWAIT_COMPLETED,
    AWAIT_FAILED,
    AWAIT_CANCELLED,
    AWAIT_TIMEOUT
} AwaitState;

typedef struct {
    WireBytes job_id;
    uint64_t status; /* AwaitState */
    WireBytes proof, error_message;
    uint64_t queue_wait_ms, srs_load_ms, synthesis_ms, gpu_compute_ms, total_ms;
} AwaitResponse;

void await_response_encode(WireWriter *writer, const AwaitResponse *response);
/* Field 1 of a ProveResponse, or the message itself. */
Status await_response_decode(AwaitResponse *out, const uint8_t *data, size_t size);
Status prove_response_decode(AwaitResponse *out, const uint8_t *data, size_t size);

/* The messages of one text and one number: fields 1 and 2 (AwaitProofRequest, CancelProofRequest,
 * PreloadSrsRequest, EvictSrsRequest, SubmitProofResponse, GetMetricsResponse). */
Status text_number_decode(WireBytes *text, uint64_t *number, const uint8_t *data, size_t size);
/* The messages of two numbers (CancelProofResponse, PreloadSrsResponse, EvictSrsResponse). */
Status two_numbers_decode(uint64_t out[2], const uint8_t *data, size_t size);

#endif
