/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The server's structs: one I/O thread owns connections and streams, calls have threads of their
 * own. */
#ifndef CUZK_RPC_SERVER_IMPL_H
#define CUZK_RPC_SERVER_IMPL_H

#include "rpc/grpc.h"

#include <nghttp2/nghttp2.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
    SERVER_STREAM_WINDOW = 1 << 20, /* what a peer may send before its message is admitted */
    SERVER_BIG_WINDOW = 16 << 20,   /* and after */
    SERVER_CONNECTION_WINDOW = 64 << 20,
    SERVER_OUT_BYTES = 256 << 10,
    SERVER_IN_BYTES = 1 << 20,
    SERVER_MOST_STREAMS = 512, /* a connection */
    SERVER_MOST_CALLS = 1024,  /* handlers at a time */
    SERVER_MOST_LISTEN = 8,
    GRPC_PREFIX = 5,
};

typedef struct Connection Connection;

/* A call from its headers to its reply. The I/O thread owns it until it is posted; then its
 * handler's thread owns reply until the call is in the done list. */
struct GrpcCall {
    GrpcServer *server;
    Connection *connection; /* NULL once the stream is gone; I/O thread only */
    GrpcCall *next, **link; /* in connection->calls */
    GrpcCall *next_done, *next_waiting;
    const GrpcMethod *method;
    int32_t stream;
    bool is_grpc, is_post, is_health, compressed;
    bool half_closed, posted, replied, waiting, reset_after;
    uint8_t prefix[GRPC_PREFIX];
    unsigned prefix_size;
    uint8_t *message;
    size_t want, size, room, reserved;
    uint32_t unconsumed;
    uint64_t deadline_ns, progress_ns; /* clock_ns */
    atomic_bool cancelled;
    atomic_int references;
    GrpcReply reply;
    uint8_t head[GRPC_PREFIX];
    size_t sent;
};

struct Connection {
    GrpcServer *server;
    int fd;
    bool dead, wants_out, goaway;
    nghttp2_session *session;
    GrpcCall *calls;
    Connection *next, **link;
    size_t out_size, out_at;
    uint8_t out[SERVER_OUT_BYTES];
};

struct GrpcServer {
    GrpcServerOptions options;
    GrpcMethod *methods;
    char *listen[SERVER_MOST_LISTEN];
    int listeners[SERVER_MOST_LISTEN];
    size_t n_listen;
    int epoll, wake;
    pthread_t thread;
    Connection *connections;
    GrpcCall *waiting, **waiting_end; /* for memory, first come first served */
    size_t memory_left;
    uint8_t *in; /* [SERVER_IN_BYTES] */
    nghttp2_session_callbacks *callbacks;
    nghttp2_option *http_options;
    atomic_bool draining, stopping, ended;
    atomic_int handlers; /* threads that run */
    bool listeners_closed, goaway_sent;
    uint64_t stop_ns;     /* set before stopping: when what is left is answered UNAVAILABLE */
    pthread_mutex_t lock; /* guards done */
    GrpcCall *done;
};

/* server_call.c: a call's life. I/O thread only, but call_release. */
GrpcCall *call_new(Connection *connection, int32_t stream);
void call_release(GrpcCall *call);
void call_detach(GrpcCall *call); /* its stream is gone */
void call_data(GrpcCall *call, const uint8_t *data, size_t size);
void call_complete(GrpcCall *call); /* the peer has sent all: hand over when admitted */
void call_fail(GrpcCall *call, GrpcCode code, const char *text);
void call_send_reply(GrpcCall *call);
void calls_admit_waiting(GrpcServer *server);
void calls_take_done(GrpcServer *server);

/* grpc_server.c */
void connection_flush(Connection *connection);

/* server_session.c: HTTP/2 callbacks. */
Status session_callbacks(GrpcServer *server);
Status session_open(Connection *connection);

#endif
