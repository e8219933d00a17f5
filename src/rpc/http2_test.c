/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The server against a peer that writes its frames by hand: what well-behaved clients never send.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "rpc/grpc.h"
#include "rpc/socket.h"

#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const uint64_t ms = 1000000, second = 1000000000;
enum { MOST_MESSAGE = 4 << 20 };

static atomic_int cancelled;

static void length(void *context, GrpcCall *call, const uint8_t *request, size_t size,
                   GrpcReply *reply)
{
    (void)context, (void)call, (void)request;
    reply->message = malloc(4);
    memcpy(reply->message, &(uint32_t){(uint32_t)size}, 4);
    reply->size = 4;
}

static void sleeper(void *context, GrpcCall *call, const uint8_t *request, size_t size,
                    GrpcReply *reply)
{
    (void)context, (void)request, (void)size;
    if (grpc_call_deadline(call) < UINT64_MAX)
        reply->message = NULL;
    if (grpc_call_wait(call, 20 * second))
        atomic_fetch_add(&cancelled, 1);
    reply->code = GRPC_CANCELLED;
}

static const GrpcMethod methods[] = {{"/t.S/Length", length}, {"/t.S/Sleep", sleeper}};

static GrpcServer *start(char address[32], uint64_t stall_ns)
{
    static const char *const listen[] = {"127.0.0.1:0"};
    const GrpcServerOptions options = {.listen = listen,
                                       .n_listen = 1,
                                       .methods = methods,
                                       .n_methods = 2,
                                       .max_message = MOST_MESSAGE,
                                       .memory_budget = MOST_MESSAGE,
                                       .stall_ns = stall_ns};
    GrpcServer *server;
    if (grpc_server_start(&server, &options) != OK)
        fail_msg("%s", status_message());
    snprintf(address, 32, "127.0.0.1:%u", grpc_server_port(server, 0));
    return server;
}

/* ---- the hand-written peer ---- */

typedef struct {
    uint8_t data[4096];
    size_t size;
} Bytes;

static void add(Bytes *b, const void *data, size_t size)
{
    assert_true(size <= sizeof b->data - b->size);
    if (size)
        memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void add_frame(Bytes *b, uint8_t type, uint8_t flags, uint32_t stream, const void *data,
                      size_t size)
{
    const uint8_t head[9] = {
        (uint8_t)(size >> 16),  (uint8_t)(size >> 8), (uint8_t)size, type, flags, 0, 0,
        (uint8_t)(stream >> 8), (uint8_t)stream};
    add(b, head, sizeof head);
    add(b, data, size);
}

/* A literal header without indexing, as HPACK has it. */
static void add_header(Bytes *b, const char *name, const char *value)
{
    const uint8_t zero = 0, n = (uint8_t)strlen(name), v = (uint8_t)strlen(value);
    assert_true(strlen(name) < 127 && strlen(value) < 127);
    add(b, &zero, 1);
    add(b, &n, 1);
    add(b, name, n);
    add(b, &v, 1);
    add(b, value, v);
}

typedef struct {
    const char *method, *authority, *type, *extra_name, *extra_value, *verb;
} Request;

enum { DATA = 0, HEADERS = 1, RESET = 3, SETTINGS = 4, PING = 6, GOAWAY = 7 };
enum { END_STREAM = 1, END_HEADERS = 4 };

static void add_request(Bytes *b, uint32_t stream, uint8_t flags, const Request *r)
{
    Bytes h = {.size = 0};
    add_header(&h, ":method", r->verb ? r->verb : "POST");
    add_header(&h, ":scheme", "http");
    add_header(&h, ":path", r->method ? r->method : "/t.S/Length");
    if (r->authority)
        add_header(&h, ":authority", r->authority);
    add_header(&h, "content-type", r->type ? r->type : "application/grpc");
    if (r->extra_name)
        add_header(&h, r->extra_name, r->extra_value);
    add_frame(b, HEADERS, END_HEADERS | flags, stream, h.data, h.size);
}

static void add_preface(Bytes *b)
{
    static const char magic[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    add(b, magic, sizeof magic - 1);
    add_frame(b, SETTINGS, 0, 0, NULL, 0);
}

static int dial(const char *address, const Bytes *b)
{
    int fd;
    if (socket_connect(&fd, address, 5 * second) != OK)
        fail_msg("%s", status_message());
    assert_int_equal(send(fd, b->data, b->size, MSG_NOSIGNAL), b->size);
    return fd;
}

/* What came back on a stream. */
typedef struct {
    bool headers, data, reset, closed, goaway;
    uint32_t reset_code;
    char text[2048]; /* "name=value;" of each header and trailer */
    Bytes body;
    nghttp2_hd_inflater *inflater;
} Answer;

static void take_headers(Answer *a, const uint8_t *block, size_t size)
{
    a->headers = true;
    for (;;) {
        nghttp2_nv field;
        int flags = 0;
        ssize_t used = nghttp2_hd_inflate_hd2(a->inflater, &field, &flags, block, size, 1);
        assert_true(used >= 0);
        block += used;
        size -= (size_t)used;
        size_t at = strlen(a->text);
        if (flags & NGHTTP2_HD_INFLATE_EMIT)
            snprintf(a->text + at, sizeof a->text - at, "%s=%s;", field.name, field.value);
        if (flags & NGHTTP2_HD_INFLATE_FINAL)
            break;
    }
    nghttp2_hd_inflate_end_headers(a->inflater);
}

static void take_frame(Answer *a, const uint8_t *frame, size_t size, bool *end)
{
    uint8_t type = frame[3], flags = frame[4];
    if (type == HEADERS)
        take_headers(a, frame + 9, size);
    if (type == DATA) {
        a->data = true;
        add(&a->body, frame + 9, size);
    }
    if (type == RESET) {
        a->reset = true;
        a->reset_code = frame[12];
    }
    a->goaway |= type == GOAWAY;
    *end |= (type == HEADERS || type == DATA) && (flags & END_STREAM);
    *end |= type == RESET;
}

/* Take the whole frames of a buffer; the bytes left. */
static size_t take_frames(Answer *a, uint8_t *buffer, size_t size, bool *end)
{
    size_t at = 0, payload;
    for (; size - at >= 9; at += 9 + payload) {
        payload = (size_t)buffer[at] << 16 | (size_t)buffer[at + 1] << 8 | buffer[at + 2];
        if (size - at < 9 + payload)
            break;
        take_frame(a, buffer + at, payload, end);
    }
    memmove(buffer, buffer + at, size - at);
    return size - at;
}

/* Read until the stream ends and then for a moment more, or until the connection is closed. */
static Answer receive(int fd, unsigned most_ms)
{
    static uint8_t buffer[1 << 16];
    Answer a = {.headers = false};
    size_t size = 0;
    bool end = false;
    uint64_t until = clock_ns() + most_ms * ms;
    assert_int_equal(nghttp2_hd_inflate_new(&a.inflater), 0);
    while (clock_ns() < until) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        int n = poll(&wait, 1, end ? 100 : 50);
        if (n == 0 && end)
            break;
        if (n <= 0)
            continue;
        ssize_t got = recv(fd, buffer + size, sizeof buffer - size, 0);
        if (got <= 0) {
            a.closed = true;
            break;
        }
        size = take_frames(&a, buffer, size + (size_t)got, &end);
    }
    nghttp2_hd_inflate_del(a.inflater);
    return a;
}

static Answer ask(const char *address, const Bytes *b)
{
    int fd = dial(address, b);
    Answer a = receive(fd, 10000);
    close(fd);
    return a;
}

/* flags: of the request's last frame. */
static Bytes request_bytes(const Request *r, const void *body, size_t size, uint8_t flags)
{
    Bytes b = {.size = 0};
    add_preface(&b);
    add_request(&b, 1, 0, r);
    add_frame(&b, DATA, flags, 1, body, size);
    return b;
}

static const uint8_t one_message[] = {0, 0, 0, 0, 3, 'a', 'b', 'c'};

static void expect_text(const Answer *a, const char *wanted)
{
    if (!strstr(a->text, wanted))
        fail_msg("\"%s\" is not in \"%s\"", wanted, a->text);
}

static void every_authority_is_taken(void **state)
{
    (void)state;
    static const char *const authorities[] = {"localhost",
                                              "127.0.0.1:9820",
                                              "%2Ftmp%2Fx.sock",
                                              "/run/curio/cuzk.sock",
                                              "unix:/run/x.sock",
                                              "",
                                              NULL};
    char address[32];
    GrpcServer *server = start(address, 10 * second);
    for (size_t i = 0; i < sizeof authorities / sizeof *authorities; i++) {
        Request r = {.authority = authorities[i]};
        Bytes b = request_bytes(&r, one_message, sizeof one_message, END_STREAM);
        Answer a = ask(address, &b);
        expect_text(&a, "content-type=application/grpc;grpc-status=0;");
        assert_true(a.data && !a.reset);
        assert_int_equal(a.body.size, 9);
        assert_memory_equal(a.body.data, "\0\0\0\0\4\3\0\0\0", 9);
    }
    assert_true(grpc_server_stop(&server, second));
}

typedef struct {
    Request request;
    const char *body;
    size_t size;
    const char *wanted;
} Refusal;

static void expect_refusal(const char *address, const Refusal *r, uint8_t flags)
{
    Bytes b = request_bytes(&r->request, r->body, r->size, flags);
    Answer a = ask(address, &b);
    expect_text(&a, r->wanted);
    /* An early answer tells the peer to stop, and that nothing is wrong with it. */
    assert_true(flags || (a.reset && a.reset_code == NGHTTP2_NO_ERROR));
    assert_false(a.closed);
}

static void wrong_requests_are_refused_with_a_status(void **state)
{
    (void)state;
#define BODY(literal) literal, sizeof(literal) - 1
    static const Refusal refusals[] = {
        {{.type = "application/json"}, BODY("\0\0\0\0\0"), ":status=415;"},
        {{.type = "application/grpc+json"}, BODY("\0\0\0\0\0"), ":status=415;"},
        {{.type = "application/grpc-web"}, BODY("\0\0\0\0\0"), ":status=415;"},
        {{.verb = "GET"}, BODY("\0\0\0\0\0"), ":status=415;"},
        {{.method = "/t.S/None"}, BODY("\0\0\0\0\0"), "grpc-status=12;"},
        {{.method = "*"}, BODY("\0\0\0\0\0"), "grpc-status=12;"},
        {{.extra_name = "grpc-encoding", .extra_value = "gzip"},
         BODY("\0\0\0\0\0"),
         "grpc-status=12;grpc-message=compression is not supported; send identity;"
         "grpc-accept-encoding=identity;"},
        {{.type = NULL}, BODY("\1\0\0\0\0"), "grpc-status=12;"},
        {{.extra_name = "grpc-timeout", .extra_value = "soon"},
         BODY("\0\0\0\0\0"),
         "grpc-status=13;"},
        {{.extra_name = "grpc-timeout", .extra_value = "123456789S"},
         BODY("\0\0\0\0\0"),
         "grpc-status=13;"},
        {{.type = NULL}, BODY("\0\0\0\0\1ab"), "grpc-status=13;"},
        {{.type = NULL}, BODY("\0\0\0\0\1a\0\0\0\0\1b"), "grpc-status=13;"},
        {{.type = NULL}, BODY("\0\xff\xff\xff\xff"), "grpc-status=8;"},
        {{.type = NULL}, BODY("\0\0\x40\0\1"), "grpc-status=8;"},
    };
    /* Refused only once the peer has ended its message. */
    static const Refusal ended[] = {
        {{.type = NULL}, BODY(""), "grpc-status=13;grpc-message=the message is incomplete;"},
        {{.type = NULL}, BODY("\0\0\0\0"), "grpc-status=13;"},
        {{.type = NULL}, BODY("\0\0\0\0\5abcd"), "grpc-status=13;"},
    };
    static const Refusal taken[] = {
        {{.type = "application/grpc+proto"}, BODY("\0\0\0\0\0"), "grpc-status=0;"},
        {{.type = "application/grpc;charset=utf-8"}, BODY("\0\0\0\0\0"), "grpc-status=0;"},
        {{.extra_name = "grpc-encoding", .extra_value = "identity"},
         BODY("\0\0\0\0\0"),
         "grpc-status=0;"},
        {{.extra_name = "grpc-timeout", .extra_value = "99999999H"},
         BODY("\0\0\0\0\0"),
         "grpc-status=0;"},
    };
    char address[32];
    GrpcServer *server = start(address, 10 * second);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        expect_refusal(address, &refusals[i], END_STREAM);
        expect_refusal(address, &refusals[i], 0);
    }
    for (size_t i = 0; i < sizeof ended / sizeof *ended; i++)
        expect_refusal(address, &ended[i], END_STREAM);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        Bytes b = request_bytes(&taken[i].request, taken[i].body, taken[i].size, END_STREAM);
        Answer a = ask(address, &b);
        expect_text(&a, taken[i].wanted);
    }
    assert_true(grpc_server_stop(&server, second));
}

static void the_deadline_ends_a_call(void **state)
{
    (void)state;
    char address[32];
    GrpcServer *server = start(address, 10 * second);
    const Request r = {.method = "/t.S/Sleep", .extra_name = "grpc-timeout", .extra_value = "300m"};
    atomic_store(&cancelled, 0);
    Bytes b = request_bytes(&r, one_message, sizeof one_message, END_STREAM);
    uint64_t begin = clock_ns();
    Answer a = ask(address, &b);
    expect_text(&a, "grpc-status=4;grpc-message=deadline exceeded;");
    assert_true(clock_ns() - begin < 30 * second);
    /* Also where the message never came. */
    b = request_bytes(&r, one_message, 2, 0);
    a = ask(address, &b);
    expect_text(&a, "grpc-status=4;");
    assert_true(a.reset);
    assert_true(grpc_server_stop(&server, second));
    assert_int_equal(atomic_load(&cancelled), 1); /* the handler saw it */
}

static void a_reset_cancels_a_call(void **state)
{
    (void)state;
    char address[32];
    GrpcServer *server = start(address, 10 * second);
    const Request r = {.method = "/t.S/Sleep"};
    atomic_store(&cancelled, 0);
    Bytes b = request_bytes(&r, one_message, sizeof one_message, END_STREAM), reset = {.size = 0};
    add_frame(&reset, RESET, 0, 1, "\0\0\0\x08", 4);
    int fd = dial(address, &b);
    usleep(100000);
    assert_int_equal(send(fd, reset.data, reset.size, MSG_NOSIGNAL), reset.size);
    uint64_t end = clock_ns() + 5 * second;
    while (!atomic_load(&cancelled) && clock_ns() < end)
        usleep(2000);
    assert_int_equal(atomic_load(&cancelled), 1);
    close(fd);
    assert_true(grpc_server_stop(&server, second));
}

static void an_upload_that_stalls_frees_its_memory(void **state)
{
    (void)state;
    char address[32];
    GrpcServer *server = start(address, 500 * ms);
    const Request r = {.authority = "a"};
    /* Announces all of the budget and sends nothing; the next upload waits for that. */
    Bytes b = request_bytes(&r, "\0\0\x40\0\0", 5, 0);
    int idle = dial(address, &b);
    GrpcClient *client;
    GrpcReply reply;
    uint8_t *data = calloc(1, MOST_MESSAGE);
    assert_non_null(data);
    usleep(100000);
    assert_int_equal(grpc_client_new(&client, address), OK);
    assert_int_equal(
        grpc_client_call(client, "/t.S/Length", data, MOST_MESSAGE, 20 * second, &reply), OK);
    assert_int_equal(reply.code, GRPC_OK);
    free(reply.message);
    grpc_client_free(&client);
    free(data);
    Answer a = receive(idle, 5000);
    expect_text(&a, "grpc-status=1;grpc-message=the upload stalled;");
    assert_true(a.reset);
    close(idle);
    assert_true(grpc_server_stop(&server, second));
}

static void a_peer_sends_little_before_its_message_is_admitted(void **state)
{
    (void)state;
    char address[32];
    GrpcServer *server = start(address, 10 * second);
    const Request r = {.authority = "a"};
    Bytes first = request_bytes(&r, "\0\0\x40\0\0", 5, 0);
    int holder = dial(address, &first), sent = 5;
    usleep(100000);
    /* A second connection announces as much: queued, and its window stays at 256 KiB. Whoever
     * sends past it breaks HTTP/2, and is told so. */
    Bytes b = request_bytes(&r, "\0\0\x40\0\0", 5, 0);
    int fd = dial(address, &b);
    static uint8_t chunk[9 + 16384] = {0, 0x40, 0, DATA, 0, 0, 0, 0, 1};
    for (int i = 0; i < 20; i++, sent += 16384)
        if (send(fd, chunk, sizeof chunk, MSG_NOSIGNAL) != (ssize_t)sizeof chunk)
            break;
    Answer a = receive(fd, 5000);
    assert_true(a.goaway || a.reset || a.closed);
    assert_false(a.data);
    close(fd);
    close(holder);
    assert_true(grpc_server_stop(&server, second));
}

static uint64_t next_random(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    return *x ^= *x << 17;
}

/* Valid requests with bytes changed, cut or repeated, and plain noise. */
static void noise_does_not_stop_the_server(void **state)
{
    (void)state;
#ifdef CUZK_SANITIZED
    enum { ROUNDS = 400 };
#else
    enum { ROUNDS = 1500 };
#endif
    char address[32];
    GrpcServer *server = start(address, 300 * ms);
    uint64_t x = 2024;
    for (int i = 0; i < ROUNDS; i++) {
        const Request r = {
            .authority = "a", .extra_name = "grpc-timeout", .extra_value = i & 1 ? "50m" : "1S"};
        Bytes b = request_bytes(&r, one_message, sizeof one_message, END_STREAM);
        add_request(&b, 3, 0, &r);
        add_frame(&b, DATA, 0, 3, "\0\0\x20\0\0xyz", 8);
        add_frame(&b, PING, 0, 0, "12345678", 8);
        size_t from = i % 8 ? 24 : 0; /* mostly behind the preface, which must be exact */
        for (uint64_t k = next_random(&x) % 6; k; k--)
            b.data[from + next_random(&x) % (b.size - from)] = (uint8_t)next_random(&x);
        if (i % 5 == 0)
            b.size = from + next_random(&x) % (b.size - from) + 1;
        int fd = dial(address, &b);
        if (i % 3 == 0)
            shutdown(fd, SHUT_WR);
        if (i % 50 == 0)
            receive(fd, 200);
        close(fd);
    }
    /* All memory is back: the whole budget can be had again. */
    GrpcClient *client;
    GrpcReply reply;
    uint8_t *data = calloc(1, MOST_MESSAGE);
    assert_non_null(data);
    assert_int_equal(grpc_client_new(&client, address), OK);
    assert_int_equal(
        grpc_client_call(client, "/t.S/Length", data, MOST_MESSAGE, 20 * second, &reply), OK);
    assert_int_equal(reply.code, GRPC_OK);
    free(reply.message);
    free(data);
    grpc_client_free(&client);
    assert_true(grpc_server_stop(&server, second));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_authority_is_taken),
        cmocka_unit_test(wrong_requests_are_refused_with_a_status),
        cmocka_unit_test(the_deadline_ends_a_call),
        cmocka_unit_test(a_reset_cancels_a_call),
        cmocka_unit_test(an_upload_that_stalls_frees_its_memory),
        cmocka_unit_test(a_peer_sends_little_before_its_message_is_admitted),
        cmocka_unit_test(noise_does_not_stop_the_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
