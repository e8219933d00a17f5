/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The server's I/O thread: sockets, connections, deadlines, the end.
 *
 * DESIGN: one thread runs epoll over listeners, connections and an eventfd. HTTP/2 sessions belong
 * to it alone. A complete request gets a detached thread for its handler, which puts the call into
 * the done list and wakes the I/O thread. */
#include "base/clock.h"
#include "rpc/server_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FRAME_ROOM = 17 << 10 };
static const uint64_t goaway_delay_ns = 50000000, last_wait_ns = 1000000000;
static const uint64_t greeting_ns = 30000000000; /* a connection that says nothing is closed */

static void watch(GrpcServer *server, int operation, int fd, uint32_t events, void *what)
{
    struct epoll_event event = {.events = events, .data.ptr = what};
    epoll_ctl(server->epoll, operation, fd, &event);
}

void server_wake(GrpcServer *server)
{
    uint64_t one = 1;
    ssize_t ignored = write(server->wake, &one, sizeof one);
    (void)ignored;
}

static void connection_free(Connection *c)
{
    while (c->calls) {
        GrpcCall *call = c->calls;
        nghttp2_session_set_stream_user_data(c->session, call->stream, NULL);
        call_detach(call);
    }
    nghttp2_session_del(c->session);
    close(c->fd);
    *c->link = c->next;
    if (c->next)
        c->next->link = c->link;
    c->server->n_connections--;
    free(c);
}

/* Move frames from the session to the out buffer; false when the session is broken. */
static bool fill_out(Connection *c)
{
    while (c->out_size < SERVER_OUT_BYTES - FRAME_ROOM) {
        const uint8_t *frame;
        ssize_t n = nghttp2_session_mem_send(c->session, &frame);
        if (n < 0 || (size_t)n > SERVER_OUT_BYTES - c->out_size)
            return false;
        if (n == 0)
            break;
        memcpy(c->out + c->out_size, frame, (size_t)n);
        c->out_size += (size_t)n;
    }
    return true;
}

void connection_flush(Connection *c)
{
    while (!c->dead) {
        if (!fill_out(c)) {
            c->dead = true;
            return;
        }
        if (c->out_at == c->out_size)
            break;
        ssize_t n = send(c->fd, c->out + c->out_at, c->out_size - c->out_at, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            break;
        if (n < 0) {
            c->dead = true;
            return;
        }
        c->out_at += (size_t)n;
        c->progress_ns = clock_ns();
        if (c->out_at == c->out_size)
            c->out_at = c->out_size = 0;
    }
    bool pending = c->out_at < c->out_size;
    if (pending != c->wants_out) {
        c->wants_out = pending;
        watch(c->server, EPOLL_CTL_MOD, c->fd, EPOLLIN | (pending ? EPOLLOUT : 0), c);
    }
    bool idle = !nghttp2_session_want_read(c->session) && !nghttp2_session_want_write(c->session);
    if (!pending && (idle || (c->goaway && !c->calls)))
        c->dead = true;
}

static void connection_read(Connection *c)
{
    enum { TURNS = 8 }; /* be fair to the others */
    for (int i = 0; i < TURNS && !c->dead; i++) {
        ssize_t n = recv(c->fd, c->server->in, SERVER_IN_BYTES, 0);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (n <= 0 || nghttp2_session_mem_recv(c->session, c->server->in, (size_t)n) < 0) {
            c->dead = true;
            return;
        }
        connection_flush(c);
        if (n < SERVER_IN_BYTES / 4)
            break;
    }
}

/* Frames are small and answers urgent; a peer whose machine is gone is noticed. */
static void set_socket_options(int fd)
{
    int one = 1, idle = 60, timeout_ms = 90000;
    /* The TCP options fail on unix sockets, which is harmless. */
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof timeout_ms);
}

static void connection_new(GrpcServer *server, int fd)
{
    bool full = server->n_connections == SERVER_MOST_CONNECTIONS;
    Connection *c = full ? NULL : calloc(1, sizeof *c);
    if (!c) {
        close(fd);
        return;
    }
    set_socket_options(fd);
    c->server = server;
    c->fd = fd;
    c->progress_ns = clock_ns();
    if (session_open(c) != OK) {
        close(fd);
        free(c);
        return;
    }
    c->next = server->connections;
    c->link = &server->connections;
    if (c->next)
        c->next->link = &c->next;
    server->connections = c;
    server->n_connections++;
    watch(server, EPOLL_CTL_ADD, fd, EPOLLIN, c);
    connection_flush(c);
}

static void accept_all(GrpcServer *server, int listener)
{
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            connection_new(server, fd);
        } else if ((errno == EMFILE || errno == ENFILE) && server->spare >= 0) {
            /* Refuse one with the descriptor kept for it, or the listener stays ready for ever. */
            close(server->spare);
            fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
            if (fd >= 0)
                close(fd);
            server->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
        } else if (errno != EINTR && errno != ECONNABORTED) {
            return;
        }
    }
}

static void close_listeners(GrpcServer *server)
{
    for (size_t i = 0; i < server->n_listeners; i++)
        socket_close(&server->listeners[i]);
    server->listeners_closed = true;
}

static void say_goaway(GrpcServer *server)
{
    for (Connection *c = server->connections; c; c = c->next) {
        nghttp2_submit_goaway(c->session, NGHTTP2_FLAG_NONE,
                              nghttp2_session_get_last_proc_stream_id(c->session), NGHTTP2_NO_ERROR,
                              NULL, 0);
        c->goaway = true;
        connection_flush(c);
    }
    server->goaway_sent = true;
}

/* A notice first, the final GOAWAY a moment later: calls on their way still arrive. */
static void begin_drain(GrpcServer *server, uint64_t now, uint64_t *goaway_ns)
{
    close_listeners(server);
    for (Connection *c = server->connections; c; c = c->next) {
        nghttp2_submit_shutdown_notice(c->session);
        connection_flush(c);
    }
    *goaway_ns = now + goaway_delay_ns;
}

/* A peer that announces a message keeps its place in the budget only while it sends. */
static bool upload_stalled(const GrpcCall *call, uint64_t now)
{
    uint64_t stall = call->server->options.stall_ns;
    if (call->half_closed || call->waiting || call->replied)
        return false;
    uint64_t most = stall + (uint64_t)call->want * 1000000000 / SERVER_SLOWEST;
    return now - call->progress_ns > stall || (call->admitted_ns && now - call->admitted_ns > most);
}

/* Deadlines, stalled peers, the grace period. */
static void check_call(GrpcCall *call, uint64_t now, bool over)
{
    if (over)
        call_fail(call, GRPC_UNAVAILABLE, "the server is shutting down");
    else if (now >= call->deadline_ns)
        call_fail(call, GRPC_DEADLINE_EXCEEDED, "deadline exceeded");
    else if (upload_stalled(call, now))
        call_fail(call, GRPC_CANCELLED, "the upload stalled");
    else if (call->replied && now - call->progress_ns > call->server->options.stall_ns)
        call->connection->dead = true; /* the peer does not take its answer */
}

static void check_times(GrpcServer *server, uint64_t now)
{
    bool over = atomic_load(&server->stopping) && now >= server->stop_ns;
    for (Connection *c = server->connections, *next; c; c = next) {
        next = c->next;
        for (GrpcCall *call = c->calls, *after; call; call = after) {
            after = call->next;
            check_call(call, now, over);
        }
        bool stuck = c->wants_out && now - c->progress_ns > server->options.stall_ns;
        bool mute = !c->greeted && now - c->progress_ns > greeting_ns;
        if (stuck || mute)
            c->dead = true;
        if (!c->dead)
            connection_flush(c);
        if (c->dead)
            connection_free(c);
    }
    calls_admit_waiting(server);
}

static void handle_event(GrpcServer *server, const struct epoll_event *event)
{
    for (size_t i = 0; i < server->n_listeners; i++) {
        if (event->data.ptr == &server->listeners[i]) {
            if (server->listeners[i].fd >= 0)
                accept_all(server, server->listeners[i].fd);
            return;
        }
    }
    if (event->data.ptr == &server->wake) {
        uint64_t ignored;
        ssize_t n = read(server->wake, &ignored, sizeof ignored);
        (void)n;
        calls_take_done(server);
        return;
    }
    Connection *c = event->data.ptr;
    if (event->events & (EPOLLIN | EPOLLHUP | EPOLLERR))
        connection_read(c);
    if (!c->dead)
        connection_flush(c);
}

static void *io_main(void *raw)
{
    enum { EVENTS = 64, TICK_MS = 100 };
    GrpcServer *server = raw;
    uint64_t goaway_ns = UINT64_MAX;
    for (;;) {
        struct epoll_event events[EVENTS];
        /* Deadlines are looked at a few times a second. */
        int n = epoll_wait(server->epoll, events, EVENTS, TICK_MS);
        for (int i = 0; i < n; i++)
            handle_event(server, &events[i]);
        uint64_t now = clock_ns();
        if (atomic_load(&server->draining) && !server->listeners_closed)
            begin_drain(server, now, &goaway_ns);
        if (atomic_load(&server->stopping) && now >= goaway_ns && !server->goaway_sent)
            say_goaway(server);
        check_times(server, now);
        bool last = atomic_load(&server->stopping) && now >= server->stop_ns + goaway_delay_ns;
        if (atomic_load(&server->stopping) && server->goaway_sent && (!server->connections || last))
            break;
    }
    while (server->connections)
        connection_free(server->connections);
    calls_take_done(server);
    atomic_store(&server->ended, true);
    return NULL;
}

static void server_free(GrpcServer *server)
{
    close_listeners(server);
    if (server->epoll >= 0)
        close(server->epoll);
    if (server->wake >= 0)
        close(server->wake);
    if (server->spare >= 0)
        close(server->spare);
    nghttp2_session_callbacks_del(server->callbacks);
    nghttp2_option_del(server->http_options);
    pthread_cond_destroy(&server->changed);
    pthread_mutex_destroy(&server->lock);
    free(server->methods);
    free(server->in);
    free(server);
}

static Status open_listeners(GrpcServer *server, const GrpcServerOptions *options)
{
    if (options->n_listen > SERVER_MOST_LISTEN)
        FAIL(ERR_ARG, "%zu listen addresses, expected at most %d", options->n_listen,
             SERVER_MOST_LISTEN);
    for (size_t i = 0; i < options->n_listen; i++) {
        server->first[i] = server->n_listeners;
        TRY(socket_listen(server->listeners, SERVER_MOST_SOCKETS, &server->n_listeners,
                          options->listen[i]));
    }
    for (size_t i = 0; i < server->n_listeners; i++)
        watch(server, EPOLL_CTL_ADD, server->listeners[i].fd, EPOLLIN, &server->listeners[i]);
    return OK;
}

unsigned grpc_server_port(const GrpcServer *server, size_t index)
{
    return index < server->options.n_listen ? socket_port(&server->listeners[server->first[index]])
                                            : 0;
}

static Status server_open(GrpcServer *server, const GrpcServerOptions *options)
{
    server->options = *options;
    server->waiting_end = &server->waiting;
    server->memory_left = options->memory_budget > options->max_message ? options->memory_budget
                                                                        : options->max_message;
    server->epoll = epoll_create1(EPOLL_CLOEXEC);
    server->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    server->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    server->in = malloc(SERVER_IN_BYTES);
    server->methods = malloc((options->n_methods + 1) * sizeof *server->methods);
    if (server->epoll < 0 || server->wake < 0 || !server->in || !server->methods)
        FAIL(ERR_MEMORY, "server: %s", strerror(errno));
    if (options->n_methods)
        memcpy(server->methods, options->methods, options->n_methods * sizeof *server->methods);
    TRY(session_callbacks(server));
    watch(server, EPOLL_CTL_ADD, server->wake, EPOLLIN, &server->wake);
    return open_listeners(server, options);
}

Status grpc_server_start(GrpcServer **out, const GrpcServerOptions *options)
{
    GrpcServer *server = calloc(1, sizeof *server);
    if (!server)
        FAIL(ERR_MEMORY, "server: out of memory");
    server->epoll = server->wake = server->spare = -1;
    pthread_mutex_init(&server->lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&server->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    Status status = server_open(server, options);
    if (status == OK && pthread_create(&server->thread, NULL, io_main, server) != 0)
        status = status_fail(ERR_MEMORY, "server: cannot start its thread");
    if (status != OK) {
        server_free(server);
        return status;
    }
    *out = server;
    return OK;
}

void grpc_server_drain(GrpcServer *server)
{
    atomic_store(&server->draining, true);
    server_wake(server);
}

/* The handlers saw their cancellation: give them a moment. */
static bool wait_for_handlers(GrpcServer *server)
{
    uint64_t end = clock_ns() + last_wait_ns;
    struct timespec until = {(time_t)(end / 1000000000), (long)(end % 1000000000)};
    pthread_mutex_lock(&server->lock);
    while (atomic_load(&server->handlers) &&
           pthread_cond_timedwait(&server->changed, &server->lock, &until) == 0)
        ;
    bool all = atomic_load(&server->handlers) == 0;
    pthread_mutex_unlock(&server->lock);
    return all;
}

bool grpc_server_stop(GrpcServer **pointer, uint64_t grace_ns)
{
    GrpcServer *server = *pointer;
    if (!server)
        return true;
    server->stop_ns = clock_ns() + grace_ns;
    atomic_store(&server->draining, true);
    atomic_store(&server->stopping, true);
    server_wake(server);
    pthread_join(server->thread, NULL);
    *pointer = NULL;
    if (!wait_for_handlers(server))
        return false; /* abandoned on purpose: a handler still points here */
    calls_take_done(server);
    server_free(server);
    return true;
}
