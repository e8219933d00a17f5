/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The server's structs: one I/O thread owns connections and streams, calls have threads of their
 * own. */
#ifndef CUZK_RPC_SERVER_IMPL_H
#define CUZK_RPC_SERVER_IMPL_H

#include "rpc/grpc.h"
#include "rpc/socket.h"

#include <nghttp2/nghttp2.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
    SERVER_STREAM_WINDOW = 256 << 10, /* what a peer may send before its message is admitted */
    SERVER_BIG_WINDOW = 16 << 20,     /* and after */
    SERVER_SMALL_MESSAGE = 64 << 10,  /* up to here no budget is asked: status calls never queue */
    SERVER_CONNECTION_WINDOW = 64 << 20,
    SERVER_OUT_BYTES = 256 << 10,
    SERVER_IN_BYTES = 1 << 20,
    SERVER_MOST_CONNECTIONS = 1024,
    SERVER_MOST_STREAMS = 512, /* a connection */
    SERVER_MOST_CALLS = 1024,  /* handlers at a time */
    SERVER_MOST_WAITING = 512, /* for memory */
    SERVER_MOST_LISTEN = 8,    /* addresses given */
    SERVER_MOST_SOCKETS = 32,  /* addresses they stand for */
    SERVER_SLOWEST = 64 << 10, /* bytes a second that an upload must keep on average */
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
    bool is_grpc, is_post, is_health, compressed, bad_timeout;
    bool half_closed, posted, replied, waiting, reset_after;
    uint8_t prefix[GRPC_PREFIX];
    unsigned prefix_size;
    uint8_t *message;
    size_t want, size, room, reserved;
    uint32_t unconsumed;
    /* clock_ns. expires is the client's, deadline is UINT64_MAX once answered. */
    uint64_t expires_ns, deadline_ns, progress_ns, admitted_ns;
    atomic_bool cancelled;
    atomic_int references;
    GrpcReply reply;
    uint8_t head[GRPC_PREFIX];
    size_t sent;
};

struct Connection {
    GrpcServer *server;
    int fd;
    bool dead, wants_out, goaway, greeted; /* greeted: a frame has come */
    uint64_t progress_ns;                  /* opened, or bytes taken by the peer */
    nghttp2_session *session;
    GrpcCall *calls;
    Connection *next, **link;
    size_t out_size, out_at;
    uint8_t out[SERVER_OUT_BYTES];
};

struct GrpcServer {
    GrpcServerOptions options;
    GrpcMethod *methods;
    Listener listeners[SERVER_MOST_SOCKETS];
    size_t n_listeners, first[SERVER_MOST_LISTEN]; /* first listener of each address given */
    int epoll, wake, spare; /* spare: closed to refuse a connection where descriptors ran out */
    pthread_t thread;
    Connection *connections;
    size_t n_connections, n_waiting;
    GrpcCall *waiting, **waiting_end; /* for memory, first come first served */
    size_t memory_left;               /* I/O thread only */
    atomic_size_t given_back;         /* by handlers, to be added to memory_left */
    uint8_t *in;                      /* [SERVER_IN_BYTES] */
    nghttp2_session_callbacks *callbacks;
    nghttp2_option *http_options;
    atomic_bool draining, stopping, ended;
    atomic_int handlers; /* threads that run */
    bool listeners_closed, goaway_sent;
    uint64_t stop_ns;       /* set before stopping: when what is left is answered UNAVAILABLE */
    pthread_mutex_t lock;   /* guards done; and of changed */
    pthread_cond_t changed; /* a call was cancelled, a handler ended */
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
void server_wake(GrpcServer *server); /* any thread */
void calls_admit_waiting(GrpcServer *server);
void calls_take_done(GrpcServer *server);

/* grpc_server.c */
void connection_flush(Connection *connection);

/* server_session.c: HTTP/2 callbacks. */
Status session_callbacks(GrpcServer *server);
Status session_open(Connection *connection);

#endif
