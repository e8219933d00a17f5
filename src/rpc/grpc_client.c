/* SPDX-License-Identifier: MIT OR Apache-2.0
 * A blocking unary client over one connection. */
#include "base/clock.h"
#include "rpc/grpc.h"
#include "rpc/socket.h"

#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CLIENT_WINDOW = 16 << 20,
    IN_BYTES = 256 << 10,
    PREFIX = 5,
    REPLY_MOST = (256 << 20) + (1 << 20),
};

struct GrpcClient {
    char *address;
    int fd;
    nghttp2_session *session;
    const uint8_t *frame; /* what the session gave and the socket has not taken yet */
    size_t frame_left;
    /* The call at work. */
    int32_t stream;
    const uint8_t *request;
    size_t request_size, sent;
    uint8_t head[PREFIX];
    uint8_t prefix[PREFIX]; /* of the reply */
    size_t prefix_size;
    uint8_t *reply;
    size_t reply_want, reply_size;
    int code, http_status;
    uint32_t error; /* HTTP/2's, of the stream's end */
    char text[1024];
    bool closed;
    const char *broken; /* why the reply is no gRPC message */
};

Status grpc_client_new(GrpcClient **out, const char *address)
{
    GrpcClient *client = calloc(1, sizeof *client);
    if (client)
        client->address = strdup(address);
    if (!client || !client->address) {
        free(client);
        FAIL(ERR_MEMORY, "client: out of memory");
    }
    client->fd = -1;
    *out = client;
    return OK;
}

static void disconnect(GrpcClient *client)
{
    nghttp2_session_del(client->session);
    client->session = NULL;
    client->frame_left = 0;
    if (client->fd >= 0)
        close(client->fd);
    client->fd = -1;
}

void grpc_client_free(GrpcClient **client)
{
    if (!*client)
        return;
    disconnect(*client);
    free((*client)->reply);
    free((*client)->address);
    free(*client);
    *client = NULL;
}

static int hex_digit(uint8_t c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void decode_percent(char *out, size_t room, const uint8_t *text, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size && n + 1 < room; i++) {
        bool escaped = text[i] == '%' && i + 2 < size && hex_digit(text[i + 1]) >= 0 &&
                       hex_digit(text[i + 2]) >= 0;
        if (escaped) {
            out[n++] = (char)(hex_digit(text[i + 1]) << 4 | hex_digit(text[i + 2]));
            i += 2;
        } else {
            out[n++] = (char)text[i];
        }
    }
    out[n] = '\0';
}

/* A short decimal number, or -1. */
static int decimal(const uint8_t *text, size_t size)
{
    int value = 0;
    if (!size || size > 4)
        return -1;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        value = value * 10 + (text[i] - '0');
    }
    return value;
}

static bool is(const uint8_t *name, size_t size, const char *wanted)
{
    return size == strlen(wanted) && memcmp(name, wanted, size) == 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_size, const uint8_t *value, size_t size, uint8_t flags, void *user)
{
    (void)session, (void)flags;
    GrpcClient *client = user;
    if (frame->hd.stream_id != client->stream)
        return 0;
    if (is(name, name_size, "grpc-status"))
        client->code = decimal(value, size);
    else if (is(name, name_size, ":status"))
        client->http_status = decimal(value, size);
    else if (is(name, name_size, "grpc-message"))
        decode_percent(client->text, sizeof client->text, value, size);
    return 0;
}

/* The prefix tells the size: one allocation. */
static void begin_reply(GrpcClient *client)
{
    const uint8_t *p = client->prefix;
    client->reply_want = (size_t)p[1] << 24 | (size_t)p[2] << 16 | (size_t)p[3] << 8 | p[4];
    if (p[0])
        client->broken = "a compressed message";
    else if (client->reply_want > REPLY_MOST)
        client->broken = "a message over the limit";
    else if (!(client->reply = malloc(client->reply_want + 1)))
        client->broken = "a message for which there is no memory";
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data,
                   size_t size, void *user)
{
    (void)session, (void)flags;
    GrpcClient *client = user;
    if (stream != client->stream)
        return 0;
    while (client->prefix_size < PREFIX && size) {
        client->prefix[client->prefix_size++] = *data++;
        size--;
        if (client->prefix_size == PREFIX)
            begin_reply(client);
    }
    if (!client->broken && size > client->reply_want - client->reply_size)
        client->broken = "more than one message";
    if (client->broken || !size)
        return 0;
    memcpy(client->reply + client->reply_size, data, size);
    client->reply_size += size;
    return 0;
}

static int on_close(nghttp2_session *session, int32_t stream, uint32_t error, void *user)
{
    (void)session;
    GrpcClient *client = user;
    if (stream != client->stream)
        return 0;
    client->closed = true;
    client->error = error;
    return 0;
}

static Status connect_session(GrpcClient *client, uint64_t timeout_ns)
{
    nghttp2_session_callbacks *callbacks;
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, CLIENT_WINDOW},
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
    };
    TRY(socket_connect(&client->fd, client->address, timeout_ns));
    if (nghttp2_session_callbacks_new(&callbacks))
        FAIL(ERR_MEMORY, "client: out of memory");
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    int failed = nghttp2_session_client_new(&client->session, callbacks, client);
    nghttp2_session_callbacks_del(callbacks);
    if (failed) {
        client->session = NULL;
        FAIL(ERR_MEMORY, "client: out of memory");
    }
    nghttp2_submit_settings(client->session, NGHTTP2_FLAG_NONE, settings, 2);
    nghttp2_session_set_local_window_size(client->session, NGHTTP2_FLAG_NONE, 0, CLIENT_WINDOW);
    return OK;
}

static ssize_t read_request(nghttp2_session *session, int32_t stream, uint8_t *buffer, size_t room,
                            uint32_t *flags, nghttp2_data_source *source, void *user)
{
    (void)session, (void)stream, (void)user;
    GrpcClient *client = source->ptr;
    size_t n = 0, total = PREFIX + client->request_size;
    while (n < room && client->sent < PREFIX)
        buffer[n++] = client->head[client->sent++];
    size_t left = total - client->sent, take = room - n < left ? room - n : left;
    if (take)
        memcpy(buffer + n, client->request + (client->sent - PREFIX), take);
    client->sent += take;
    if (client->sent == total)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)(n + take);
}

#define HEADER(name, value)                                                                        \
    {                                                                                              \
        (uint8_t *)(uintptr_t)(name), (uint8_t *)(uintptr_t)(value), strlen(name), strlen(value),  \
            NGHTTP2_NV_FLAG_NONE                                                                   \
    }

static Status begin_call(GrpcClient *client, const char *path, uint64_t timeout_ns)
{
    char timeout[16];
    /* At most 8 digits: milliseconds reach over a day. */
    uint64_t ms = timeout_ns / 1000000 + 1;
    snprintf(timeout, sizeof timeout, "%llum", (unsigned long long)(ms > 99999999 ? 99999999 : ms));
    const char *authority = socket_unix_path(client->address) ? "localhost" : client->address;
    if (strncmp(authority, "http://", 7) == 0)
        authority += 7;
    const nghttp2_nv headers[] = {
        HEADER(":method", "POST"),       HEADER(":scheme", "http"),
        HEADER(":path", path),           HEADER(":authority", authority),
        HEADER("te", "trailers"),        HEADER("content-type", "application/grpc"),
        HEADER("grpc-timeout", timeout),
    };
    for (int i = 0; i < 4; i++)
        client->head[1 + i] = (uint8_t)(client->request_size >> (24 - 8 * i));
    nghttp2_data_provider body = {.source.ptr = client, .read_callback = read_request};
    client->stream =
        nghttp2_submit_request(client->session, NULL, headers, timeout_ns ? 7 : 6, &body, NULL);
    if (client->stream < 0)
        FAIL(ERR_IO, "%s: HTTP/2: %s", client->address, nghttp2_strerror(client->stream));
    return OK;
}

/* Send what the session has, without blocking past what the socket takes. */
static Status send_pending(GrpcClient *client)
{
    for (;;) {
        if (client->frame_left == 0) {
            ssize_t n = nghttp2_session_mem_send(client->session, &client->frame);
            if (n < 0)
                FAIL(ERR_IO, "%s: HTTP/2: %s", client->address, nghttp2_strerror((int)n));
            if (n == 0)
                return OK;
            client->frame_left = (size_t)n;
        }
        ssize_t n = send(client->fd, client->frame, client->frame_left, MSG_NOSIGNAL);
        if (n < 0 && errno == EAGAIN)
            return OK;
        if (n < 0 && errno != EINTR)
            FAIL(ERR_IO, "%s: connection lost: %s", client->address, strerror(errno));
        if (n > 0) {
            client->frame += n;
            client->frame_left -= (size_t)n;
        }
    }
}

/* One read's worth; *more false when nothing was there. */
static Status receive(GrpcClient *client, bool *more)
{
    uint8_t buffer[IN_BYTES];
    ssize_t n = recv(client->fd, buffer, sizeof buffer, 0);
    *more = n > 0;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return OK;
    if (n == 0)
        FAIL(ERR_IO, "%s: the server closed the connection", client->address);
    if (n < 0)
        FAIL(ERR_IO, "%s: connection lost: %s", client->address, strerror(errno));
    ssize_t used = nghttp2_session_mem_recv(client->session, buffer, (size_t)n);
    if (used < 0)
        FAIL(ERR_IO, "%s: HTTP/2: %s", client->address, nghttp2_strerror((int)used));
    return OK;
}

static Status exchange(GrpcClient *client, uint64_t begin_ns, uint64_t timeout_ns)
{
    while (!client->closed && !client->broken) {
        bool more;
        TRY(send_pending(client));
        uint64_t passed = clock_ns() - begin_ns;
        if (timeout_ns && passed >= timeout_ns)
            FAIL(ERR_TIMEOUT, "%s: no answer within %llu ms", client->address,
                 (unsigned long long)(timeout_ns / 1000000));
        uint64_t left_ms = timeout_ns ? (timeout_ns - passed) / 1000000 + 1 : 1000;
        struct pollfd wait = {.fd = client->fd,
                              .events = POLLIN | (client->frame_left ? POLLOUT : 0)};
        if (poll(&wait, 1, left_ms > 1000 ? 1000 : (int)left_ms) < 0 && errno != EINTR)
            FAIL(ERR_IO, "%s: poll: %s", client->address, strerror(errno));
        if (wait.revents & (POLLIN | POLLHUP | POLLERR))
            TRY(receive(client, &more));
    }
    return OK;
}

static Status take_reply(GrpcClient *client, GrpcReply *reply)
{
    if (client->broken)
        FAIL(ERR_FORMAT, "%s: the reply is %s", client->address, client->broken);
    if (client->code < 0 && client->http_status > 0 && client->http_status != 200)
        FAIL(ERR_FORMAT, "%s: HTTP status %d, expected gRPC", client->address, client->http_status);
    if (client->code < 0)
        FAIL(ERR_IO, "%s: the call ended without a status (%s)", client->address,
             nghttp2_http2_strerror(client->error));
    bool whole = client->prefix_size == PREFIX && client->reply_size == client->reply_want;
    if (client->code == GRPC_OK && !whole)
        FAIL(ERR_FORMAT, "%s: the reply's message is incomplete", client->address);
    *reply = (GrpcReply){.code = (GrpcCode)client->code};
    memcpy(reply->text, client->text, sizeof reply->text);
    if (client->code != GRPC_OK || !client->reply_size)
        return OK;
    reply->message = client->reply;
    reply->size = client->reply_size;
    client->reply = NULL;
    return OK;
}

/* A connection kept from the last call may have been closed since. */
static void check_kept(GrpcClient *client)
{
    bool more = true;
    while (client->session && more) {
        if (receive(client, &more) != OK || !nghttp2_session_check_request_allowed(client->session))
            disconnect(client);
    }
}

static void clear_call(GrpcClient *client, const uint8_t *request, size_t size)
{
    free(client->reply);
    client->reply = NULL;
    client->request = request;
    client->request_size = size;
    client->sent = client->prefix_size = client->reply_size = client->reply_want = 0;
    client->code = client->http_status = -1;
    client->text[0] = '\0';
    client->closed = false;
    client->broken = NULL;
    client->stream = -1;
}

Status grpc_client_call(GrpcClient *client, const char *path, const uint8_t *request, size_t size,
                        uint64_t timeout_ns, GrpcReply *reply)
{
    uint64_t begin_ns = clock_ns();
    if (size > UINT32_MAX)
        FAIL(ERR_ARG, "a request of %zu bytes, expected at most 4 GiB", size);
    clear_call(client, request, size);
    check_kept(client);
    Status status = client->session ? OK : connect_session(client, timeout_ns);
    if (status == OK)
        status = begin_call(client, path, timeout_ns);
    if (status == OK)
        status = exchange(client, begin_ns, timeout_ns);
    if (status == OK)
        status = take_reply(client, reply);
    if (status != OK)
        disconnect(client);
    return status;
}
