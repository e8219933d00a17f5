/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Unary gRPC over HTTP/2: a server and a client; pure transport. */
#ifndef CUZK_RPC_GRPC_H
#define CUZK_RPC_GRPC_H

#include "base/status.h"

/* Status codes of gRPC that are used here. */
typedef enum {
    GRPC_OK = 0,
    GRPC_CANCELLED = 1,
    GRPC_UNKNOWN = 2,
    GRPC_INVALID_ARGUMENT = 3,
    GRPC_DEADLINE_EXCEEDED = 4,
    GRPC_NOT_FOUND = 5,
    GRPC_RESOURCE_EXHAUSTED = 8,
    GRPC_FAILED_PRECONDITION = 9,
    GRPC_UNIMPLEMENTED = 12,
    GRPC_INTERNAL = 13,
    GRPC_UNAVAILABLE = 14,
} GrpcCode;

/* ---- server ---- */

typedef struct GrpcServer GrpcServer;
typedef struct GrpcCall GrpcCall;

/* What a handler answers: message is malloc'ed (NULL: empty) and taken. text: one line, for codes
 * other than OK. */
typedef struct {
    GrpcCode code;
    char text[1024];
    uint8_t *message;
    size_t size;
} GrpcReply;

/* Runs on a thread of its own for the call; request is valid until it returns. */
typedef void (*GrpcHandler)(void *context, GrpcCall *call, const uint8_t *request, size_t size,
                            GrpcReply *reply);

/* The client went away, its deadline passed, or the server stops: nobody will read the reply. */
bool grpc_call_cancelled(const GrpcCall *call);

typedef struct {
    const char *path; /* "/package.Service/Method" */
    GrpcHandler handler;
} GrpcMethod;

typedef struct {
    const char *const *listen; /* "unix:///path", "host:port", "[v6]:port" */
    size_t n_listen;
    const GrpcMethod *methods;
    size_t n_methods;
    void *context;        /* for the handlers */
    size_t max_message;   /* bytes */
    size_t memory_budget; /* bytes of request messages in memory at a time; at least max_message */
    uint64_t stall_ns;    /* an upload that makes no progress for this long is failed */
} GrpcServerOptions;

/* Bind every address and start the I/O thread. A unix socket file that nobody serves is replaced,
 * anything else at its path is refused. grpc.health.v1.Health/Check is answered by the server. */
Status grpc_server_start(GrpcServer **server, const GrpcServerOptions *options);
/* Stop accepting connections and calls (new calls get UNAVAILABLE); health says NOT_SERVING. */
void grpc_server_drain(GrpcServer *server);
/* Wait until no call is left or grace_ns is over, answer the rest UNAVAILABLE, close, join, remove
 * socket files. Handlers still running are waited for a second more, then abandoned: false. */
bool grpc_server_stop(GrpcServer **server, uint64_t grace_ns);

/* ---- client ---- */

typedef struct GrpcClient GrpcClient;

/* "host:port", "http://host:port", "unix:///path". Connects at the first call. */
Status grpc_client_new(GrpcClient **client, const char *address);
void grpc_client_free(GrpcClient **client);
/* One blocking call. OK: a reply came, whatever its code. IO: no connection or it broke. TIMEOUT:
 * timeout_ns (0: none) passed. reply->message is the caller's to free. One thread at a time a
 * client. */
Status grpc_client_call(GrpcClient *client, const char *path, const uint8_t *request, size_t size,
                        uint64_t timeout_ns, GrpcReply *reply);

#endif
