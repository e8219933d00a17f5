/* SPDX-License-Identifier: MIT OR Apache-2.0
 * From the flags of single and batch to the request that a daemon receives. */
#ifndef CUZK_TOOLS_CLIENT_REQUEST_H
#define CUZK_TOOLS_CLIENT_REQUEST_H

#include "rpc/proving.h"

/* The flags; NULL or 0: not given. Texts are the caller's. */
typedef struct {
    const char *type;    /* porep, snap, wpost, winning, or an alias */
    const char *c1;      /* a file; porep only */
    const char *vanilla; /* a file; every other type */
    const char *randomness, *comm_r_old, *comm_r_new, *comm_d_new; /* hex, 32 bytes each */
    uint64_t sector_num, miner_id, registered_proof, sector_size, priority, partition;
} RequestFlags;

enum { CLIENT_HASHES = 4 };

/* A request, all but its id, and what it views. */
typedef struct {
    SubmitRequest submit;
    uint8_t *file;    /* the file's bytes */
    uint8_t *decoded; /* what its base64 stood for; NULL without */
    uint8_t hashes[CLIENT_HASHES][32];
} ClientRequest;

/* Read the file and fill the request. A --vanilla file is a JSON array of base64 texts, one a
 * proof (what Go writes for [][]byte), or else as a whole one raw proof. ERR_ARG names the flag
 * that is missing, malformed or not of this type; ERR_NOT_FOUND, ERR_IO and ERR_FORMAT name the
 * file. On failure there is nothing to free; else client_request_free. The submit views *out: do
 * not move it. */
Status client_request_new(ClientRequest *out, const RequestFlags *flags);
void client_request_free(ClientRequest *request);

#endif
