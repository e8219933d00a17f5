/* SPDX-License-Identifier: MIT OR Apache-2.0
 * A call on the server: admission of its message, its handler's thread, its reply. */
#include "base/clock.h"
#include "rpc/server_impl.h"
#include "rpc/wire.h"

#include <string.h>
#include <sys/mman.h>

enum { HANDLER_STACK = 1 << 20, HUGE = 2 << 20 };

GrpcCall *call_new(Connection *connection, int32_t stream)
{
    GrpcCall *call = calloc(1, sizeof *call);
    if (!call)
        return NULL;
    call->server = connection->server;
    call->connection = connection;
    call->stream = stream;
    call->expires_ns = call->deadline_ns = UINT64_MAX;
    call->progress_ns = clock_ns();
    atomic_init(&call->references, 1);
    call->next = connection->calls;
    call->link = &connection->calls;
    if (call->next)
        call->next->link = &call->next;
    connection->calls = call;
    return call;
}

void call_release(GrpcCall *call)
{
    if (atomic_fetch_sub(&call->references, 1) != 1)
        return;
    free(call->reply.message);
    free(call);
}

bool grpc_call_cancelled(const GrpcCall *call)
{
    return atomic_load(&call->cancelled);
}

uint64_t grpc_call_deadline(const GrpcCall *call)
{
    return call->expires_ns;
}

bool grpc_call_wait(GrpcCall *call, uint64_t ns)
{
    GrpcServer *server = call->server;
    uint64_t end = clock_ns() + ns;
    struct timespec until = {(time_t)(end / 1000000000), (long)(end % 1000000000)};
    pthread_mutex_lock(&server->lock);
    while (!atomic_load(&call->cancelled) &&
           pthread_cond_timedwait(&server->changed, &server->lock, &until) == 0)
        ;
    pthread_mutex_unlock(&server->lock);
    return atomic_load(&call->cancelled);
}

uint8_t *grpc_call_take_request(GrpcCall *call)
{
    uint8_t *message = call->message;
    call->message = NULL;
    atomic_fetch_add(&call->server->given_back, call->reserved);
    call->reserved = 0;
    server_wake(call->server);
    return message;
}

void grpc_call_drop_request(GrpcCall *call)
{
    free(grpc_call_take_request(call));
}

/* Tell a handler that waits. */
static void cancel(GrpcCall *call)
{
    atomic_store(&call->cancelled, true);
    if (!call->posted)
        return;
    pthread_mutex_lock(&call->server->lock);
    pthread_cond_broadcast(&call->server->changed);
    pthread_mutex_unlock(&call->server->lock);
}

/* Pages rather than 51,200 faults for 200 MiB. */
static uint8_t *message_memory(size_t size)
{
    if (size < 2 * HUGE)
        return malloc(size ? size : 1);
    uint8_t *memory = aligned_alloc(HUGE, (size + HUGE - 1) & ~(size_t)(HUGE - 1));
    if (memory)
        madvise(memory, size, MADV_HUGEPAGE);
    return memory;
}

static void drop_message(GrpcCall *call)
{
    free(call->message);
    call->message = NULL;
    call->size = call->room = 0;
    call->server->memory_left += call->reserved;
    call->reserved = 0;
}

void call_detach(GrpcCall *call)
{
    *call->link = call->next;
    if (call->next)
        call->next->link = call->link;
    call->connection = NULL;
    cancel(call);
    if (!call->posted)
        drop_message(call);
    call_release(call);
}

/* Reserve memory for the whole message, then let the peer send it. */
static bool admit(GrpcCall *call)
{
    GrpcServer *server = call->server;
    nghttp2_session *session = call->connection->session;
    size_t reserve = call->want > SERVER_SMALL_MESSAGE ? call->want : 0;
    if (reserve > server->memory_left)
        return false;
    uint8_t *memory = message_memory(call->want);
    if (!memory)
        return false;
    server->memory_left -= reserve;
    call->reserved = reserve;
    call->admitted_ns = clock_ns();
    if (call->size)
        memcpy(memory, call->message, call->size);
    free(call->message);
    call->message = memory;
    call->room = call->want;
    call->waiting = false;
    call->progress_ns = call->admitted_ns;
    if (call->want > SERVER_STREAM_WINDOW && !call->half_closed)
        nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, call->stream,
                                              SERVER_BIG_WINDOW);
    if (call->unconsumed)
        nghttp2_session_consume_stream(session, call->stream, call->unconsumed);
    call->unconsumed = 0;
    return true;
}

/* No memory now: queue; the peer's window stays shut, a small first part is kept. */
static void wait_for_memory(GrpcCall *call)
{
    if (call->server->n_waiting == SERVER_MOST_WAITING) {
        call_fail(call, GRPC_RESOURCE_EXHAUSTED, "too many messages wait for memory");
        return;
    }
    call->room = call->want < SERVER_STREAM_WINDOW ? call->want : SERVER_STREAM_WINDOW;
    call->message = malloc(call->room ? call->room : 1);
    if (!call->message) {
        call_fail(call, GRPC_RESOURCE_EXHAUSTED, "out of memory for the message");
        return;
    }
    call->waiting = true;
    call->server->n_waiting++;
    atomic_fetch_add(&call->references, 1);
    call->next_waiting = NULL;
    *call->server->waiting_end = call;
    call->server->waiting_end = &call->next_waiting;
}

void calls_admit_waiting(GrpcServer *server)
{
    server->memory_left += atomic_exchange(&server->given_back, 0);
    while (server->waiting) {
        GrpcCall *call = server->waiting;
        /* First come, first served: a large message is not starved by small ones. */
        if (call->connection && !call->replied && !admit(call))
            return;
        server->waiting = call->next_waiting;
        server->n_waiting--;
        if (!server->waiting)
            server->waiting_end = &server->waiting;
        call->waiting = false;
        if (call->connection) {
            call_complete(call);
            connection_flush(call->connection);
        }
        call_release(call);
    }
}

static void begin_message(GrpcCall *call)
{
    const GrpcServerOptions *o = &call->server->options;
    const uint8_t *p = call->prefix;
    call->want = (size_t)p[1] << 24 | (size_t)p[2] << 16 | (size_t)p[3] << 8 | p[4];
    if (p[0]) {
        call_fail(call, GRPC_UNIMPLEMENTED, "compressed messages are not supported");
    } else if (call->want > o->max_message) {
        char text[96];
        snprintf(text, sizeof text, "message of %zu bytes, the limit is %zu", call->want,
                 o->max_message);
        call_fail(call, GRPC_RESOURCE_EXHAUSTED, text);
    } else if ((call->server->waiting && call->want > SERVER_SMALL_MESSAGE) || !admit(call)) {
        wait_for_memory(call);
    }
}

void call_data(GrpcCall *call, const uint8_t *data, size_t size)
{
    size_t total = size;
    call->progress_ns = clock_ns();
    while (call->prefix_size < GRPC_PREFIX && size) {
        call->prefix[call->prefix_size++] = *data++;
        size--;
        if (call->prefix_size == GRPC_PREFIX)
            begin_message(call);
    }
    if (call->replied)
        return;
    if (size > call->room - call->size) {
        call_fail(call, GRPC_INTERNAL, "more than one message, or data past its end");
        return;
    }
    if (size)
        memcpy(call->message + call->size, data, size);
    call->size += size;
    if (call->waiting)
        call->unconsumed += (uint32_t)total;
    else
        nghttp2_session_consume_stream(call->connection->session, call->stream, total);
}

static void *handler_main(void *raw)
{
    GrpcCall *call = raw;
    GrpcServer *server = call->server;
    call->method->handler(server->options.context, call, call->message, call->size, &call->reply);
    pthread_mutex_lock(&server->lock);
    call->next_done = server->done;
    server->done = call;
    /* Under the lock: the server may be gone as soon as handlers is 0. */
    server_wake(server);
    atomic_fetch_sub(&server->handlers, 1);
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
    return NULL;
}

/* Whether name is "" or the service of a method, "/name/Method". */
static bool known_service(const GrpcServer *server, WireBytes name)
{
    for (size_t m = 0; m < server->options.n_methods; m++) {
        const char *path = server->methods[m].path + 1;
        size_t length = strcspn(path, "/");
        if (length == name.size && memcmp(path, name.data, length) == 0)
            return true;
    }
    return name.size == 0;
}

/* grpc.health.v1: field 1 of the request names a service; field 1 of the response is 1 SERVING or
 * 2 NOT_SERVING. */
static void answer_health(GrpcCall *call)
{
    uint8_t answer[2] = {0x08, atomic_load(&call->server->draining) ? 2 : 1};
    WireBytes service;
    if (wire_text_field(&service, 1, call->message, call->size) != OK) {
        call_fail(call, GRPC_INVALID_ARGUMENT, status_message());
        return;
    }
    if (!known_service(call->server, service)) {
        call_fail(call, GRPC_NOT_FOUND, "unknown service");
        return;
    }
    call->reply.message = malloc(sizeof answer);
    if (!call->reply.message) {
        call_fail(call, GRPC_RESOURCE_EXHAUSTED, "out of memory");
        return;
    }
    memcpy(call->reply.message, answer, sizeof answer);
    call->reply.size = sizeof answer;
    drop_message(call);
    call_send_reply(call);
}

static void start_handler(GrpcCall *call)
{
    GrpcServer *server = call->server;
    if (atomic_load(&server->handlers) >= SERVER_MOST_CALLS) {
        call_fail(call, GRPC_RESOURCE_EXHAUSTED, "too many calls at a time");
        return;
    }
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, HANDLER_STACK);
    call->posted = true;
    atomic_fetch_add(&call->references, 1);
    atomic_fetch_add(&server->handlers, 1);
    int failed = pthread_create(&thread, &attributes, handler_main, call);
    pthread_attr_destroy(&attributes);
    if (!failed)
        return;
    atomic_fetch_sub(&server->handlers, 1);
    atomic_fetch_sub(&call->references, 1);
    call->posted = false;
    call_fail(call, GRPC_RESOURCE_EXHAUSTED, "no thread for the call");
}

void call_complete(GrpcCall *call)
{
    if (call->posted || call->replied || call->waiting || !call->half_closed)
        return;
    if (call->prefix_size < GRPC_PREFIX || call->size != call->want)
        call_fail(call, GRPC_INTERNAL, "the message is incomplete");
    else if (call->is_health)
        answer_health(call);
    else if (atomic_load(&call->server->draining))
        call_fail(call, GRPC_UNAVAILABLE, "the server is shutting down");
    else
        start_handler(call);
}

#define HEADER(name, value, length)                                                                \
    {                                                                                              \
        (uint8_t *)(uintptr_t)(name), (uint8_t *)(uintptr_t)(value), sizeof(name) - 1, (length),   \
            NGHTTP2_NV_FLAG_NONE                                                                   \
    }

/* grpc-message: percent-encoded. */
static size_t percent(char *out, size_t room, const char *text)
{
    size_t n = 0;
    for (; *text && n + 4 < room; text++) {
        unsigned char c = (unsigned char)*text;
        if (c >= 0x20 && c < 0x7f && c != '%')
            out[n++] = (char)c;
        else
            n += (size_t)snprintf(out + n, room - n, "%%%02X", c);
    }
    return n;
}

/* Headers and trailers in one, no message. */
static void send_status(GrpcCall *call, GrpcCode code, const char *text)
{
    char number[12], encoded[2048];
    size_t digits = (size_t)snprintf(number, sizeof number, "%d", (int)code);
    size_t length = percent(encoded, sizeof encoded, text);
    nghttp2_nv headers[] = {
        HEADER(":status", "200", 3),
        HEADER("content-type", "application/grpc", 16),
        HEADER("grpc-status", number, digits),
        HEADER("grpc-message", encoded, length),
        HEADER("grpc-accept-encoding", "identity", 8),
    };
    call->replied = true;
    call->deadline_ns = UINT64_MAX;
    call->progress_ns = clock_ns();
    /* An early answer tells the peer to stop sending (RFC 9113, section 8.1). */
    call->reset_after = !call->half_closed;
    nghttp2_submit_response(call->connection->session, call->stream, headers, 5, NULL);
}

void call_fail(GrpcCall *call, GrpcCode code, const char *text)
{
    if (call->replied)
        return;
    cancel(call);
    send_status(call, code, text);
    if (!call->posted)
        drop_message(call);
}

static ssize_t read_reply(nghttp2_session *session, int32_t stream, uint8_t *buffer, size_t room,
                          uint32_t *flags, nghttp2_data_source *source, void *user)
{
    (void)user;
    GrpcCall *call = source->ptr;
    size_t total = GRPC_PREFIX + call->reply.size, n = 0;
    while (n < room && call->sent < GRPC_PREFIX)
        buffer[n++] = call->head[call->sent++];
    size_t left = total - call->sent, take = room - n < left ? room - n : left;
    if (take)
        memcpy(buffer + n, call->reply.message + (call->sent - GRPC_PREFIX), take);
    call->sent += take;
    call->progress_ns = clock_ns();
    if (call->sent == total) {
        nghttp2_nv trailer[] = {HEADER("grpc-status", "0", 1)};
        *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
        if (nghttp2_submit_trailer(session, stream, trailer, 1))
            return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    return (ssize_t)(n + take);
}

void call_send_reply(GrpcCall *call)
{
    if (call->reply.code != GRPC_OK) {
        send_status(call, call->reply.code, call->reply.text);
        return;
    }
    nghttp2_nv headers[] = {HEADER(":status", "200", 3),
                            HEADER("content-type", "application/grpc", 16)};
    nghttp2_data_provider body = {.source.ptr = call, .read_callback = read_reply};
    for (int i = 0; i < 4; i++)
        call->head[1 + i] = (uint8_t)(call->reply.size >> (24 - 8 * i));
    call->replied = true;
    call->deadline_ns = UINT64_MAX;
    call->progress_ns = clock_ns();
    nghttp2_submit_response(call->connection->session, call->stream, headers, 2, &body);
}

void calls_take_done(GrpcServer *server)
{
    pthread_mutex_lock(&server->lock);
    GrpcCall *list = server->done;
    server->done = NULL;
    pthread_mutex_unlock(&server->lock);
    while (list) {
        GrpcCall *call = list;
        list = call->next_done;
        drop_message(call);
        if (call->connection && !call->replied) {
            call_send_reply(call);
            connection_flush(call->connection);
        }
        call_release(call);
    }
    calls_admit_waiting(server);
}
