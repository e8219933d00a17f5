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
/* Sleep for ns, or until the call is cancelled: true. On the handler's thread. */
bool grpc_call_wait(GrpcCall *call, uint64_t ns);
/* clock_ns() at which the client's deadline passes; UINT64_MAX: it set none. */
uint64_t grpc_call_deadline(const GrpcCall *call);
/* The request's bytes become the handler's (free them with free), or are freed at once. Both give
 * their place in memory_budget back before the handler returns: a handler that waits for something
 * long should call one of them, or uploads queue behind it. Once a call. */
uint8_t *grpc_call_take_request(GrpcCall *call);
void grpc_call_drop_request(GrpcCall *call);

typedef struct {
    const char *path; /* "/package.Service/Method" */
    GrpcHandler handler;
} GrpcMethod;

typedef struct {
    const char *const *listen; /* "unix:///path", "host:port", "[v6]:port", ":port" */
    size_t n_listen;
    const GrpcMethod *methods;
    size_t n_methods;
    void *context;        /* for the handlers */
    size_t max_message;   /* bytes */
    size_t memory_budget; /* bytes of request messages over 64 KiB in memory at a time; raised to
                             max_message where it is less */
    uint64_t stall_ns;    /* a peer that neither sends nor takes a byte for this long is cut off */
} GrpcServerOptions;

/* Bind every address (all that a host name stands for) and start the I/O thread. A unix socket file
 * that nobody serves is replaced, anything else at its path is refused; missing folders are made.
 * grpc.health.v1.Health/Check is answered by the server, for "" and for each service of methods. */
Status grpc_server_start(GrpcServer **server, const GrpcServerOptions *options);
/* The port of listen[index], for one that asked for port 0; 0 for a unix socket. */
unsigned grpc_server_port(const GrpcServer *server, size_t index);
/* Stop accepting connections and calls (new calls get UNAVAILABLE); health says NOT_SERVING. */
void grpc_server_drain(GrpcServer *server);
/* Drain; wait until no call is left or grace_ns is over, answer the rest UNAVAILABLE, close, join,
 * remove socket files. Handlers still running are waited for a second more, then abandoned with
 * what they point to: false, and the handlers' context must outlive the process. */
bool grpc_server_stop(GrpcServer **server, uint64_t grace_ns);

/* ---- client ---- */

typedef struct GrpcClient GrpcClient;

/* "host:port", "http://host:port", "unix:///path". Connects at the first call. */
Status grpc_client_new(GrpcClient **client, const char *address);
void grpc_client_free(GrpcClient **client);
/* Replies of up to 256 MiB. One blocking call. OK: a reply came, whatever its code. IO: no
 * connection, or it broke. FORMAT: the answer is not gRPC. TIMEOUT: timeout_ns (0: none) passed.
 * reply->message is the caller's to free; NULL for an empty one or another code than OK. After a
 * failure the next call connects anew. One thread at a time a client. */
Status grpc_client_call(GrpcClient *client, const char *path, const uint8_t *request, size_t size,
                        uint64_t timeout_ns, GrpcReply *reply);

#endif
