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

enum { CLIENT_WINDOW = 16 << 20, IN_BYTES = 256 << 10, PREFIX = 5 };

struct GrpcClient {
    char *address;
    int fd;
    nghttp2_session *session;
    /* The call at work. */
    int32_t stream;
    const uint8_t *request;
    size_t request_size, sent;
    uint8_t head[PREFIX];
    uint8_t *reply; /* prefix and message */
    size_t reply_size, reply_room;
    int code;
    char text[1024];
    bool closed, too_large;
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

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_size, const uint8_t *value, size_t size, uint8_t flags, void *user)
{
    (void)session, (void)flags;
    GrpcClient *client = user;
    if (frame->hd.stream_id != client->stream)
        return 0;
    if (name_size == 11 && memcmp(name, "grpc-status", 11) == 0) {
        client->code = 0;
        for (size_t i = 0; i < size && i < 4; i++)
            client->code = client->code * 10 + (value[i] - '0');
    } else if (name_size == 12 && memcmp(name, "grpc-message", 12) == 0) {
        decode_percent(client->text, sizeof client->text, value, size);
    }
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data,
                   size_t size, void *user)
{
    (void)session, (void)flags;
    GrpcClient *client = user;
    if (stream != client->stream)
        return 0;
    if (client->reply_room - client->reply_size < size) {
        size_t room = 2 * client->reply_room + size;
        uint8_t *larger = realloc(client->reply, room);
        if (!larger)
            return NGHTTP2_ERR_CALLBACK_FAILURE;
        client->reply = larger;
        client->reply_room = room;
    }
    memcpy(client->reply + client->reply_size, data, size);
    client->reply_size += size;
    return 0;
}

static int on_close(nghttp2_session *session, int32_t stream, uint32_t error, void *user)
{
    (void)session, (void)error;
    GrpcClient *client = user;
    client->closed |= stream == client->stream;
    return 0;
}

static Status connect_session(GrpcClient *client)
{
    nghttp2_session_callbacks *callbacks;
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, CLIENT_WINDOW},
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
    };
    TRY(socket_connect(&client->fd, client->address));
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
static Status send_pending(GrpcClient *client, const uint8_t **frame, size_t *left)
{
    for (;;) {
        if (*left == 0) {
            ssize_t n = nghttp2_session_mem_send(client->session, frame);
            if (n < 0)
                FAIL(ERR_IO, "%s: HTTP/2: %s", client->address, nghttp2_strerror((int)n));
            if (n == 0)
                return OK;
            *left = (size_t)n;
        }
        ssize_t n = send(client->fd, *frame, *left, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EAGAIN)
            return OK;
        if (n < 0 && errno != EINTR)
            FAIL(ERR_IO, "%s: connection lost: %s", client->address, strerror(errno));
        if (n > 0) {
            *frame += n;
            *left -= (size_t)n;
        }
    }
}

static Status receive(GrpcClient *client)
{
    uint8_t buffer[IN_BYTES];
    ssize_t n = recv(client->fd, buffer, sizeof buffer, MSG_DONTWAIT);
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

static Status exchange(GrpcClient *client, uint64_t timeout_ns)
{
    const uint8_t *frame = NULL;
    size_t left = 0;
    uint64_t begin = clock_ns();
    while (!client->closed) {
        TRY(send_pending(client, &frame, &left));
        uint64_t passed = clock_ns() - begin;
        if (timeout_ns && passed >= timeout_ns)
            FAIL(ERR_TIMEOUT, "%s: no answer within %llu ms", client->address,
                 (unsigned long long)(timeout_ns / 1000000));
        struct pollfd wait = {.fd = client->fd, .events = POLLIN | (left ? POLLOUT : 0)};
        if (poll(&wait, 1, 200) < 0 && errno != EINTR)
            FAIL(ERR_IO, "%s: poll: %s", client->address, strerror(errno));
        if (wait.revents & (POLLIN | POLLHUP | POLLERR))
            TRY(receive(client));
    }
    return OK;
}

static Status take_reply(GrpcClient *client, GrpcReply *reply)
{
    *reply = (GrpcReply){.code = (GrpcCode)client->code};
    memcpy(reply->text, client->text, sizeof reply->text);
    if (client->code < 0)
        FAIL(ERR_IO, "%s: the call ended without a status", client->address);
    if (client->code != GRPC_OK)
        return OK;
    const uint8_t *p = client->reply;
    size_t size = client->reply_size >= PREFIX
                      ? (size_t)p[1] << 24 | (size_t)p[2] << 16 | (size_t)p[3] << 8 | p[4]
                      : SIZE_MAX;
    if (size == SIZE_MAX || p[0] || client->reply_size != PREFIX + size)
        FAIL(ERR_IO, "%s: the reply is not one plain message", client->address);
    memmove(client->reply, client->reply + PREFIX, size);
    reply->message = client->reply;
    reply->size = size;
    client->reply = NULL;
    client->reply_room = 0;
    return OK;
}

Status grpc_client_call(GrpcClient *client, const char *path, const uint8_t *request, size_t size,
                        uint64_t timeout_ns, GrpcReply *reply)
{
    Status status = client->session ? OK : connect_session(client);
    client->request = request;
    client->request_size = size;
    client->sent = client->reply_size = 0;
    client->code = -1;
    client->text[0] = '\0';
    client->closed = false;
    if (status == OK)
        status = begin_call(client, path, timeout_ns);
    if (status == OK)
        status = exchange(client, timeout_ns);
    if (status == OK)
        status = take_reply(client, reply);
    if (status != OK) {
        char message[512];
        snprintf(message, sizeof message, "%s", status_message());
        disconnect(client);
        return status_fail(status, "%s", message);
    }
    return OK;
}
