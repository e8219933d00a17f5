/* SPDX-License-Identifier: MIT OR Apache-2.0
 * HTTP/2 events of the server. */
#include "base/clock.h"
#include "rpc/server_impl.h"

#include <string.h>

static bool is(const uint8_t *text, size_t size, const char *wanted)
{
    return size == strlen(wanted) && memcmp(text, wanted, size) == 0;
}

static GrpcCall *call_of(nghttp2_session *session, int32_t stream)
{
    return nghttp2_session_get_stream_user_data(session, stream);
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    GrpcCall *call = call_new(user, frame->hd.stream_id);
    if (!call)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, call);
    return 0;
}

/* grpc-timeout: up to 8 digits and a unit. */
static bool parse_timeout(uint64_t *ns, const uint8_t *text, size_t size)
{
    static const struct {
        char unit;
        uint64_t ns;
    } units[] = {{'H', 3600000000000ull}, {'M', 60000000000ull}, {'S', 1000000000ull},
                 {'m', 1000000},          {'u', 1000},           {'n', 1}};
    uint64_t value = 0;
    if (size < 2 || size > 9)
        return false;
    for (size_t i = 0; i + 1 < size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        if (text[size - 1] == units[u].unit) {
            if (__builtin_mul_overflow(value, units[u].ns, ns) || *ns > UINT64_MAX / 4)
                *ns = UINT64_MAX / 4;
            return true;
        }
    }
    return false;
}

/* application/grpc, with +proto or parameters. */
static bool is_grpc(const uint8_t *text, size_t size)
{
    static const char plain[] = "application/grpc", proto[] = "application/grpc+proto";
    size_t n = size;
    for (size_t i = 0; i < size; i++)
        if (text[i] == ';' && n == size)
            n = i;
    return is(text, n, plain) || is(text, n, proto);
}

static void set_method(GrpcCall *call, const uint8_t *path, size_t size)
{
    const GrpcServer *server = call->server;
    call->is_health = is(path, size, "/grpc.health.v1.Health/Check");
    for (size_t m = 0; m < server->options.n_methods; m++)
        if (is(path, size, server->methods[m].path))
            call->method = &server->methods[m];
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_size, const uint8_t *value, size_t size, uint8_t flags, void *user)
{
    (void)flags, (void)user;
    GrpcCall *call = call_of(session, frame->hd.stream_id);
    if (!call || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    if (is(name, name_size, ":path")) {
        set_method(call, value, size);
    } else if (is(name, name_size, ":method")) {
        call->is_post = is(value, size, "POST");
    } else if (is(name, name_size, "content-type")) {
        call->is_grpc = is_grpc(value, size);
    } else if (is(name, name_size, "grpc-encoding")) {
        call->compressed = !is(value, size, "identity");
    } else if (is(name, name_size, "grpc-timeout")) {
        uint64_t timeout;
        call->bad_timeout = !parse_timeout(&timeout, value, size);
        if (!call->bad_timeout)
            call->expires_ns = call->deadline_ns = clock_ns() + timeout;
    }
    return 0;
}

/* Headers are complete: refuse what can be refused before the message comes. */
static void check_headers(nghttp2_session *session, GrpcCall *call)
{
    if (!call->is_grpc || !call->is_post) {
        nghttp2_nv status[] = {
            {(uint8_t *)":status", (uint8_t *)"415", 7, 3, NGHTTP2_NV_FLAG_NONE}};
        call->replied = true;
        call->reset_after = !call->half_closed;
        nghttp2_submit_response(session, call->stream, status, 1, NULL);
    } else if (!call->method && !call->is_health) {
        call_fail(call, GRPC_UNIMPLEMENTED, "unknown method");
    } else if (call->bad_timeout) {
        call_fail(call, GRPC_INTERNAL, "grpc-timeout: expected up to 8 digits and a unit");
    } else if (call->compressed) {
        call_fail(call, GRPC_UNIMPLEMENTED, "compression is not supported; send identity");
    } else if (atomic_load(&call->server->draining) && !call->is_health) {
        call_fail(call, GRPC_UNAVAILABLE, "the server is shutting down");
    }
}

static int on_frame_recv(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    ((Connection *)user)->greeted = true;
    GrpcCall *call = call_of(session, frame->hd.stream_id);
    bool headers = frame->hd.type == NGHTTP2_HEADERS, data = frame->hd.type == NGHTTP2_DATA;
    if (!call || (!headers && !data))
        return 0;
    if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
        call->half_closed = true;
    if (headers && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        check_headers(session, call);
    call_complete(call);
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data,
                   size_t size, void *user)
{
    (void)flags, (void)user;
    GrpcCall *call = call_of(session, stream);
    /* The connection's window is given back at once, so that one upload never blocks the others. */
    nghttp2_session_consume_connection(session, size);
    if (call && !call->replied)
        call_data(call, data, size);
    return 0;
}

static int on_frame_send(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    (void)user;
    if (frame->hd.type != NGHTTP2_HEADERS || !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
        return 0;
    GrpcCall *call = call_of(session, frame->hd.stream_id);
    if (call && call->reset_after && !call->half_closed)
        nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, call->stream, NGHTTP2_NO_ERROR);
    return 0;
}

static int on_close(nghttp2_session *session, int32_t stream, uint32_t error, void *user)
{
    (void)error, (void)user;
    GrpcCall *call = call_of(session, stream);
    if (!call)
        return 0;
    nghttp2_session_set_stream_user_data(session, stream, NULL);
    call_detach(call);
    return 0;
}

Status session_callbacks(GrpcServer *server)
{
    nghttp2_session_callbacks *c;
    if (nghttp2_session_callbacks_new(&c) || nghttp2_option_new(&server->http_options))
        FAIL(ERR_MEMORY, "HTTP/2: out of memory");
    server->callbacks = c;
    nghttp2_session_callbacks_set_on_begin_headers_callback(c, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(c, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(c, on_frame_recv);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(c, on_data);
    nghttp2_session_callbacks_set_on_frame_send_callback(c, on_frame_send);
    nghttp2_session_callbacks_set_on_stream_close_callback(c, on_close);
    nghttp2_option_set_no_auto_window_update(server->http_options, 1);
    /* Clients on unix sockets send "/path", "" or no :authority, which nghttp2 would refuse; what
     * matters is checked above. */
    nghttp2_option_set_no_http_messaging(server->http_options, 1);
    return OK;
}

Status session_open(Connection *connection)
{
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, SERVER_MOST_STREAMS},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, SERVER_STREAM_WINDOW},
        {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, 1 << 20},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, 16384},
    };
    GrpcServer *server = connection->server;
    if (nghttp2_session_server_new2(&connection->session, server->callbacks, connection,
                                    server->http_options))
        FAIL(ERR_MEMORY, "HTTP/2: out of memory");
    nghttp2_submit_settings(connection->session, NGHTTP2_FLAG_NONE, settings, 4);
    nghttp2_session_set_local_window_size(connection->session, NGHTTP2_FLAG_NONE, 0,
                                          SERVER_CONNECTION_WINDOW);
    return OK;
}
