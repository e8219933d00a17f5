/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Tests of server and client against each other, over TCP and unix sockets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "rpc/server_impl.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#ifdef CUZK_SANITIZED
enum { LARGE = 24 << 20 };
#else
enum { LARGE = 200 << 20 };
#endif
static const uint64_t ms = 1000000, second = 1000000000;

/* What the handlers saw. */
typedef struct {
    atomic_int active, most_active, cancelled, answered;
    atomic_size_t bytes, most_bytes;
} Seen;

static void maximum(atomic_size_t *most, size_t value)
{
    size_t old = atomic_load(most);
    while (value > old && !atomic_compare_exchange_weak(most, &old, value))
        ;
}

/* The request comes back: its own buffer. */
static void echo(void *context, GrpcCall *call, const uint8_t *request, size_t size,
                 GrpcReply *reply)
{
    (void)context;
    reply->size = size;
    reply->message = grpc_call_take_request(call);
    if (reply->message != request)
        reply->code = GRPC_INTERNAL;
}

static uint64_t checksum(const uint8_t *data, size_t size)
{
    uint64_t sum = size;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ data[i]) * 0x100000001b3;
    return sum;
}

static void sum(void *context, GrpcCall *call, const uint8_t *request, size_t size,
                GrpcReply *reply)
{
    (void)context, (void)call;
    uint64_t value = checksum(request, size);
    reply->message = malloc(sizeof value);
    memcpy(reply->message, &value, sizeof value);
    reply->size = sizeof value;
}

/* Waits the milliseconds of the first four bytes; wakes when cancelled. */
static void wait_until(void *context, GrpcCall *call, const uint8_t *request, size_t size,
                       GrpcReply *reply)
{
    Seen *seen = context;
    uint32_t delay = 0;
    memcpy(&delay, request, size < 4 ? size : 4);
    maximum(&seen->most_bytes, atomic_fetch_add(&seen->bytes, size) + size);
    int active = atomic_fetch_add(&seen->active, 1) + 1, most = atomic_load(&seen->most_active);
    while (active > most && !atomic_compare_exchange_weak(&seen->most_active, &most, active))
        ;
    if (grpc_call_wait(call, delay * ms)) {
        atomic_fetch_add(&seen->cancelled, 1);
        reply->code = GRPC_CANCELLED;
    } else {
        atomic_fetch_add(&seen->answered, 1);
    }
    atomic_fetch_sub(&seen->bytes, size);
    atomic_fetch_sub(&seen->active, 1);
}

/* Gives its request away, then waits. */
static void drop_and_wait(void *context, GrpcCall *call, const uint8_t *request, size_t size,
                          GrpcReply *reply)
{
    uint8_t delay[4];
    memcpy(delay, request, sizeof delay);
    grpc_call_drop_request(call);
    wait_until(context, call, delay, sizeof delay, reply);
    (void)size;
}

/* Deaf for a while. */
static void stubborn(void *context, GrpcCall *call, const uint8_t *request, size_t size,
                     GrpcReply *reply)
{
    Seen *seen = context;
    (void)call, (void)request, (void)size, (void)reply;
    atomic_fetch_add(&seen->active, 1);
    for (int i = 0; i < 18; i++)
        usleep(100000);
    atomic_fetch_sub(&seen->active, 1);
}

static void refuse(void *context, GrpcCall *call, const uint8_t *request, size_t size,
                   GrpcReply *reply)
{
    (void)context, (void)call, (void)request, (void)size;
    reply->code = GRPC_FAILED_PRECONDITION;
    snprintf(reply->text, sizeof reply->text, "100%% of\nna\xc3\xafve %%41");
}

static const GrpcMethod methods[] = {
    {"/test.Service/Echo", echo},         {"/test.Service/Sum", sum},
    {"/test.Service/Wait", wait_until},   {"/test.Service/DropAndWait", drop_and_wait},
    {"/test.Service/Stubborn", stubborn}, {"/test.Service/Refuse", refuse},
};

/* A server on a TCP port and a unix socket. */
typedef struct {
    GrpcServer *server;
    Seen *seen; /* outlives an abandoned handler */
    char folder[64], path[96], unix_address[112], tcp_address[32];
} Door;

static GrpcServerOptions door_options(Door *door, const char **listen)
{
    listen[0] = "127.0.0.1:0";
    listen[1] = door->unix_address;
    return (GrpcServerOptions){.listen = listen,
                               .n_listen = 2,
                               .methods = methods,
                               .n_methods = sizeof methods / sizeof *methods,
                               .context = door->seen,
                               .max_message = LARGE + 100,
                               .memory_budget = 2ul * LARGE,
                               .stall_ns = 10 * second};
}

static void door_start(Door *door, const GrpcServerOptions *options)
{
    if (grpc_server_start(&door->server, options) != OK)
        fail_msg("%s", status_message());
    snprintf(door->tcp_address, sizeof door->tcp_address, "127.0.0.1:%u",
             grpc_server_port(door->server, 0));
}

static Seen seen_of_all[64]; /* static: an abandoned handler may still count */
static size_t seen_used;

static void door_prepare(Door *door)
{
    *door = (Door){.seen = &seen_of_all[seen_used++]};
    assert_true(seen_used < 64);
    strcpy(door->folder, "/tmp/cuzk-rpc-XXXXXX");
    assert_non_null(mkdtemp(door->folder));
    snprintf(door->path, sizeof door->path, "%s/a/b/sock", door->folder); /* folders are made */
    snprintf(door->unix_address, sizeof door->unix_address, "unix://%s", door->path);
}

static void door_open(Door *door)
{
    const char *listen[2];
    door_prepare(door);
    GrpcServerOptions options = door_options(door, listen);
    door_start(door, &options);
}

static void door_remove_folder(Door *door)
{
    char folder[96];
    assert_int_equal(access(door->path, F_OK), -1); /* the socket file is gone */
    snprintf(folder, sizeof folder, "%s/a/b", door->folder);
    rmdir(folder);
    snprintf(folder, sizeof folder, "%s/a", door->folder);
    rmdir(folder);
    assert_int_equal(rmdir(door->folder), 0);
}

static void door_close(Door *door)
{
    if (door->server)
        assert_true(grpc_server_stop(&door->server, second));
    door_remove_folder(door);
}

static GrpcClient *client_to(const char *address)
{
    GrpcClient *client;
    assert_int_equal(grpc_client_new(&client, address), OK);
    return client;
}

static void call_ok(GrpcClient *client, const char *method, const void *data, size_t size,
                    GrpcReply *reply)
{
    char path[64];
    snprintf(path, sizeof path, "/test.Service/%s", method);
    if (grpc_client_call(client, path, data, size, 60 * second, reply) != OK)
        fail_msg("%s: %s", method, status_message());
}

static GrpcCode code_of(GrpcClient *client, const char *path, const void *data, size_t size)
{
    GrpcReply reply;
    if (grpc_client_call(client, path, data, size, 60 * second, &reply) != OK)
        fail_msg("%s: %s", path, status_message());
    free(reply.message);
    return reply.code;
}

/* Wait for something that another thread brings about. */
#define EVENTUALLY(condition)                                                                      \
    do {                                                                                           \
        uint64_t end_ = clock_ns() + 10 * second;                                                  \
        while (!(condition) && clock_ns() < end_)                                                  \
            usleep(2000);                                                                          \
        assert_true(condition);                                                                    \
    } while (0)

static uint8_t *pattern(size_t size, uint64_t seed)
{
    uint8_t *data = malloc(size + 8);
    assert_non_null(data);
    for (size_t i = 0; i < size; i += 8) {
        seed = seed * 6364136223846793005 + 1442695040888963407;
        memcpy(data + i, &seed, 8);
    }
    return data;
}

static void messages_of_all_sizes_come_back(void **state)
{
    (void)state;
    static const size_t sizes[] = {0,      1,       2,       5,       16378,  16379,
                                   16384,  65531,   65535,   65536,   262138, 262144,
                                   262150, 1048576, 3000001, 20000000};
    Door door;
    door_open(&door);
    const char *const addresses[] = {door.tcp_address, door.unix_address};
    for (int a = 0; a < 2; a++) {
        GrpcClient *client = client_to(addresses[a]);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            GrpcReply reply;
            uint8_t *data = pattern(sizes[i], i);
            call_ok(client, "Echo", data, sizes[i], &reply);
            assert_int_equal(reply.code, GRPC_OK);
            assert_int_equal(reply.size, sizes[i]);
            if (sizes[i])
                assert_memory_equal(reply.message, data, sizes[i]);
            free(reply.message);
            free(data);
        }
        grpc_client_free(&client);
    }
    door_close(&door);
}

static void large_uploads_arrive_whole(void **state)
{
    (void)state;
    Door door;
    door_open(&door);
    uint8_t *data = pattern(LARGE, 3);
    uint64_t wanted = checksum(data, LARGE), got;
    const char *const addresses[] = {door.tcp_address, door.unix_address};
    for (int a = 0; a < 2; a++) {
        GrpcClient *client = client_to(addresses[a]);
        GrpcReply reply;
        call_ok(client, "Sum", data, LARGE, &reply);
        assert_int_equal(reply.code, GRPC_OK);
        memcpy(&got, reply.message, sizeof got);
        assert_true(got == wanted);
        free(reply.message);
        grpc_client_free(&client);
    }
    free(data);
    door_close(&door);
}

static void statuses_and_texts_arrive(void **state)
{
    (void)state;
    Door door;
    GrpcReply reply;
    door_open(&door);
    GrpcClient *client = client_to(door.unix_address);
    call_ok(client, "Refuse", "", 0, &reply);
    assert_int_equal(reply.code, GRPC_FAILED_PRECONDITION);
    assert_string_equal(reply.text, "100% of\nna\xc3\xafve %41");
    assert_null(reply.message);
    assert_int_equal(code_of(client, "/test.Service/Nothing", "", 0), GRPC_UNIMPLEMENTED);
    assert_int_equal(code_of(client, "/other.Service/Echo", "", 0), GRPC_UNIMPLEMENTED);
    grpc_client_free(&client);
    char http[48];
    snprintf(http, sizeof http, "http://%s", door.tcp_address);
    client = client_to(http);
    assert_int_equal(code_of(client, "/test.Service/Echo", "abc", 3), GRPC_OK);
    grpc_client_free(&client);
    door_close(&door);
}

static void health_knows_its_services(void **state)
{
    (void)state;
    static const char check[] = "/grpc.health.v1.Health/Check";
    Door door;
    GrpcReply reply;
    door_open(&door);
    GrpcClient *client = client_to(door.tcp_address);
    assert_int_equal(grpc_client_call(client, check, NULL, 0, second, &reply), OK);
    assert_int_equal(reply.code, GRPC_OK);
    assert_int_equal(reply.size, 2);
    assert_memory_equal(reply.message, "\x08\x01", 2);
    free(reply.message);
    assert_int_equal(code_of(client, check, "\x0a\x0ctest.Service", 14), GRPC_OK);
    assert_int_equal(code_of(client, check, "\x0a\x04test", 6), GRPC_NOT_FOUND);
    assert_int_equal(code_of(client, check, "\x0a\x09", 2), GRPC_INVALID_ARGUMENT);
    grpc_client_free(&client);
    door_close(&door);
}

typedef struct {
    const char *address, *method;
    const uint8_t *data;
    size_t size;
    uint64_t timeout_ns;
    Status status;
    GrpcReply reply;
    pthread_t thread;
} Caller;

static void *caller_main(void *raw)
{
    Caller *c = raw;
    char path[64];
    GrpcClient *client;
    snprintf(path, sizeof path, "/test.Service/%s", c->method);
    c->status = grpc_client_new(&client, c->address);
    if (c->status == OK) {
        c->status = grpc_client_call(client, path, c->data, c->size, c->timeout_ns, &c->reply);
        grpc_client_free(&client);
    }
    return NULL;
}

static void caller_start(Caller *c)
{
    assert_int_equal(pthread_create(&c->thread, NULL, caller_main, c), 0);
}

static void caller_join(Caller *c)
{
    pthread_join(c->thread, NULL);
}

static void sixty_four_calls_run_at_the_same_time(void **state)
{
    (void)state;
    enum { CALLS = 64 };
    Door door;
    uint32_t delay = 500;
    Caller callers[CALLS];
    door_open(&door);
    for (int i = 0; i < CALLS; i++) {
        callers[i] = (Caller){.address = i & 1 ? door.tcp_address : door.unix_address,
                              .method = "Wait",
                              .data = (const uint8_t *)&delay,
                              .size = 4,
                              .timeout_ns = 60 * second};
        caller_start(&callers[i]);
    }
    for (int i = 0; i < CALLS; i++) {
        caller_join(&callers[i]);
        assert_int_equal(callers[i].status, OK);
        assert_int_equal(callers[i].reply.code, GRPC_OK);
    }
    assert_int_equal(atomic_load(&door.seen->most_active), CALLS);
    assert_int_equal(atomic_load(&door.seen->answered), CALLS);
    door_close(&door);
}

static void a_client_that_gives_up_cancels_its_call(void **state)
{
    (void)state;
    Door door;
    uint32_t delay = 60000;
    GrpcReply reply;
    door_open(&door);
    GrpcClient *client = client_to(door.unix_address);
    uint64_t begin = clock_ns();
    assert_int_equal(
        grpc_client_call(client, "/test.Service/Wait", (uint8_t *)&delay, 4, 200 * ms, &reply),
        ERR_TIMEOUT);
    assert_non_null(strstr(status_message(), "within 200 ms"));
    assert_true(clock_ns() - begin < 30 * second);
    EVENTUALLY(atomic_load(&door.seen->cancelled) == 1);
    assert_int_equal(code_of(client, "/test.Service/Echo", "x", 1), GRPC_OK); /* reconnects */
    grpc_client_free(&client);
    door_close(&door);
}

static void a_message_over_the_limit_is_refused_early(void **state)
{
    (void)state;
    Door door;
    const char *listen[2];
    GrpcReply reply;
    door_prepare(&door);
    GrpcServerOptions options = door_options(&door, listen);
    options.max_message = 1 << 20;
    door_start(&door, &options);
    uint8_t *data = pattern(32 << 20, 1);
    GrpcClient *client = client_to(door.tcp_address);
    for (int i = 0; i < 3; i++) { /* the connection stays good */
        call_ok(client, "Sum", data, 32 << 20, &reply);
        assert_int_equal(reply.code, GRPC_RESOURCE_EXHAUSTED);
        assert_string_equal(reply.text, "message of 33554432 bytes, the limit is 1048576");
        assert_int_equal(code_of(client, "/test.Service/Sum", data, 1 << 20), GRPC_OK);
    }
    free(data);
    grpc_client_free(&client);
    door_close(&door);
}

static void uploads_wait_for_memory_and_small_calls_do_not(void **state)
{
    (void)state;
    enum { CALLS = 12, SIZE = 4 << 20 };
    Door door;
    const char *listen[2];
    Caller callers[CALLS];
    door_prepare(&door);
    GrpcServerOptions options = door_options(&door, listen);
    options.max_message = SIZE;
    options.memory_budget = 2 * SIZE + SIZE / 2;
    door_start(&door, &options);
    uint8_t *data = pattern(SIZE, 1);
    memcpy(data, &(uint32_t){300}, 4);
    for (int i = 0; i < CALLS; i++) {
        callers[i] = (Caller){.address = i & 1 ? door.tcp_address : door.unix_address,
                              .method = "Wait",
                              .data = data,
                              .size = SIZE,
                              .timeout_ns = 60 * second};
        caller_start(&callers[i]);
    }
    EVENTUALLY(atomic_load(&door.seen->active) == 2); /* the budget is full, others queue */
    GrpcClient *client = client_to(door.tcp_address);
    uint64_t begin = clock_ns();
    assert_int_equal(code_of(client, "/test.Service/Echo", "x", 1), GRPC_OK);
    assert_true(clock_ns() - begin < 10 * second);
    for (int i = 0; i < CALLS; i++) {
        caller_join(&callers[i]);
        assert_int_equal(callers[i].status, OK);
        assert_int_equal(callers[i].reply.code, GRPC_OK);
    }
    assert_int_equal(atomic_load(&door.seen->most_bytes), 2 * SIZE);
    grpc_client_free(&client);
    free(data);
    door_close(&door);
}

static void a_dropped_request_gives_its_memory_back(void **state)
{
    (void)state;
    enum { CALLS = 6, SIZE = 4 << 20 };
    Door door;
    const char *listen[2];
    Caller callers[CALLS];
    door_prepare(&door);
    GrpcServerOptions options = door_options(&door, listen);
    options.max_message = options.memory_budget = SIZE;
    door_start(&door, &options);
    uint8_t *data = pattern(SIZE, 1);
    memcpy(data, &(uint32_t){20000}, 4);
    for (int i = 0; i < CALLS; i++) {
        callers[i] = (Caller){.address = door.unix_address,
                              .method = "DropAndWait",
                              .data = data,
                              .size = SIZE,
                              .timeout_ns = 60 * second};
        caller_start(&callers[i]);
    }
    EVENTUALLY(atomic_load(&door.seen->active) == CALLS);
    assert_true(grpc_server_stop(&door.server, 100 * ms));
    for (int i = 0; i < CALLS; i++) {
        caller_join(&callers[i]);
        assert_int_equal(callers[i].status, OK);
        assert_int_equal(callers[i].reply.code, GRPC_UNAVAILABLE);
    }
    assert_int_equal(atomic_load(&door.seen->cancelled), CALLS);
    free(data);
    door_close(&door);
}

static void drain_lets_a_call_finish_and_takes_no_other(void **state)
{
    (void)state;
    Door door;
    uint32_t delay = 1000;
    GrpcReply reply;
    door_open(&door);
    Caller slow = {.address = door.tcp_address,
                   .method = "Wait",
                   .data = (const uint8_t *)&delay,
                   .size = 4,
                   .timeout_ns = 60 * second};
    GrpcClient *kept = client_to(door.unix_address), *late = client_to(door.unix_address);
    assert_int_equal(code_of(kept, "/test.Service/Echo", "x", 1), GRPC_OK);
    caller_start(&slow);
    EVENTUALLY(atomic_load(&door.seen->active) == 1);
    grpc_server_drain(door.server);
    EVENTUALLY(access(door.path, F_OK) != 0);
    assert_int_equal(grpc_client_call(late, "/test.Service/Echo", NULL, 0, second, &reply), ERR_IO);
    /* The connection that was open has heard GOAWAY: the client does not use it again. */
    assert_int_equal(grpc_client_call(kept, "/test.Service/Echo", NULL, 0, second, &reply), ERR_IO);
    uint64_t begin = clock_ns();
    assert_true(grpc_server_stop(&door.server, 30 * second));
    assert_true(clock_ns() - begin < 30 * second); /* as soon as the last call is gone */
    caller_join(&slow);
    assert_int_equal(slow.status, OK);
    assert_int_equal(slow.reply.code, GRPC_OK);
    assert_int_equal(atomic_load(&door.seen->answered), 1);
    grpc_client_free(&kept);
    grpc_client_free(&late);
    door_close(&door);
}

static GrpcServer
    *abandoned; /* reachable, so that no leak is reported for what is kept on purpose */

static void stop_answers_for_handlers_that_do_not(void **state)
{
    (void)state;
    Door door;
    door_open(&door);
    Caller call = {.address = door.unix_address, .method = "Stubborn", .timeout_ns = 60 * second};
    caller_start(&call);
    EVENTUALLY(atomic_load(&door.seen->active) == 1);
    abandoned = door.server;
    uint64_t begin = clock_ns();
    assert_false(grpc_server_stop(&door.server, 100 * ms));
    assert_null(door.server);
    assert_true(clock_ns() - begin < 30 * second);
    caller_join(&call);
    assert_int_equal(call.status, OK);
    assert_int_equal(call.reply.code, GRPC_UNAVAILABLE);
    EVENTUALLY(atomic_load(&door.seen->active) == 0);
    EVENTUALLY(atomic_load(&abandoned->handlers) == 0);
    door_close(&door);
}

static void a_client_finds_the_next_server(void **state)
{
    (void)state;
    Door door;
    const char *listen[2];
    door_prepare(&door);
    GrpcServerOptions options = door_options(&door, listen);
    GrpcClient *client = client_to(door.unix_address);
    GrpcReply reply;
    assert_int_equal(grpc_client_call(client, "/test.Service/Echo", NULL, 0, second, &reply),
                     ERR_IO);
    for (int i = 0; i < 3; i++) {
        door_start(&door, &options);
        for (int k = 0; k < 3; k++)
            assert_int_equal(code_of(client, "/test.Service/Echo", "x", 1), GRPC_OK);
        assert_true(grpc_server_stop(&door.server, second));
    }
    grpc_client_free(&client);
    door_close(&door);
}

static void make_file(const char *path)
{
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "keep", 4), 4);
    close(fd);
}

static void only_stale_sockets_are_replaced(void **state)
{
    (void)state;
    Door door;
    struct stat before, after;
    const char *listen[2];
    GrpcServer *second_server = NULL;
    door_prepare(&door);
    snprintf(door.path, sizeof door.path, "%s/sock", door.folder);
    snprintf(door.unix_address, sizeof door.unix_address, "unix:%s", door.path);
    GrpcServerOptions options = door_options(&door, listen);
    /* A file that is no socket. */
    make_file(door.path);
    assert_int_equal(grpc_server_start(&door.server, &options), ERR_IO);
    assert_non_null(strstr(status_message(), "not a socket"));
    assert_int_equal(stat(door.path, &after), 0);
    assert_int_equal(after.st_size, 4);
    unlink(door.path);
    /* A socket that nobody serves any more. */
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, door.path, strlen(door.path));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    close(fd);
    door_start(&door, &options);
    /* One that somebody serves. */
    assert_int_equal(stat(door.path, &before), 0);
    assert_int_equal(before.st_mode & 0777, 0660);
    assert_int_equal(grpc_server_start(&second_server, &options), ERR_IO);
    assert_non_null(strstr(status_message(), "another process"));
    assert_int_equal(stat(door.path, &after), 0);
    assert_true(before.st_ino == after.st_ino);
    /* At the end, another's file at the same path stays. */
    unlink(door.path);
    make_file(door.path);
    assert_true(grpc_server_stop(&door.server, second));
    assert_int_equal(unlink(door.path), 0);
    door_close(&door);
}

static void addresses_are_read_strictly(void **state)
{
    (void)state;
    static const char *const bad[] = {"",      "localhost", "127.0.0.1:",      "127.0.0.1:x",
                                      "::1:5", "unix://",   "127.0.0.1:99999", "256.0.0.1:5"};
    static const char *const good[] = {"127.0.0.1:0", "localhost:0", ":0"};
    GrpcServer *server;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        GrpcServerOptions options = {.listen = &bad[i], .n_listen = 1, .stall_ns = second};
        if (grpc_server_start(&server, &options) == OK)
            fail_msg("\"%s\" is taken", bad[i]);
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        GrpcServerOptions options = {.listen = &good[i],
                                     .n_listen = 1,
                                     .methods = methods,
                                     .n_methods = 1,
                                     .max_message = 1000,
                                     .stall_ns = second};
        char address[64];
        assert_int_equal(grpc_server_start(&server, &options), OK);
        snprintf(address, sizeof address, "127.0.0.1:%u", grpc_server_port(server, 0));
        if (i == 2) { /* the first of several: maybe IPv6 */
            GrpcClient *client = client_to(address);
            GrpcReply reply;
            Status status = grpc_client_call(client, methods[0].path, NULL, 0, second, &reply);
            assert_true(status == OK || status == ERR_IO);
            grpc_client_free(&client);
        }
        assert_true(grpc_server_stop(&server, second));
    }
}

static void calls_cancelled_at_random_leave_nothing_behind(void **state)
{
    (void)state;
    enum { ROUNDS = 15, CALLS = 16 };
    Door door;
    Caller callers[CALLS];
    uint64_t x = 5;
    const char *listen[2];
    door_prepare(&door);
    GrpcServerOptions options = door_options(&door, listen);
    options.max_message = options.memory_budget = 16 << 20;
    door_start(&door, &options);
    uint8_t *data = pattern(options.memory_budget, 1);
    memcpy(data, &(uint32_t){30}, 4);
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < CALLS; i++) {
            x = x * 6364136223846793005 + 1442695040888963407;
            callers[i] = (Caller){.address = i & 1 ? door.tcp_address : door.unix_address,
                                  .method = i & 2 ? "Wait" : "DropAndWait",
                                  .data = data,
                                  .size = 4 + (x >> 41),
                                  .timeout_ns = (x >> 20) % 60 * ms + 1};
            caller_start(&callers[i]);
        }
        for (int i = 0; i < CALLS; i++) {
            caller_join(&callers[i]);
            if (callers[i].status == OK)
                free(callers[i].reply.message);
        }
    }
    EVENTUALLY(atomic_load(&door.seen->active) == 0);
    /* A message as large as the budget gets in only if all of it came back. */
    GrpcClient *client = client_to(door.tcp_address);
    assert_int_equal(code_of(client, "/test.Service/Sum", data, options.memory_budget), GRPC_OK);
    grpc_client_free(&client);
    free(data);
    door_close(&door);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_all_sizes_come_back),
        cmocka_unit_test(large_uploads_arrive_whole),
        cmocka_unit_test(statuses_and_texts_arrive),
        cmocka_unit_test(health_knows_its_services),
        cmocka_unit_test(sixty_four_calls_run_at_the_same_time),
        cmocka_unit_test(a_client_that_gives_up_cancels_its_call),
        cmocka_unit_test(a_message_over_the_limit_is_refused_early),
        cmocka_unit_test(uploads_wait_for_memory_and_small_calls_do_not),
        cmocka_unit_test(a_dropped_request_gives_its_memory_back),
        cmocka_unit_test(drain_lets_a_call_finish_and_takes_no_other),
        cmocka_unit_test(stop_answers_for_handlers_that_do_not),
        cmocka_unit_test(a_client_finds_the_next_server),
        cmocka_unit_test(only_stale_sockets_are_replaced),
        cmocka_unit_test(addresses_are_read_strictly),
        cmocka_unit_test(calls_cancelled_at_random_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
