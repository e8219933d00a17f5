/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Stream sockets by address. */
#include "rpc/socket.h"

#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 512 };

const char *socket_unix_path(const char *address)
{
    if (strncmp(address, "unix://", 7) == 0)
        return address + 7;
    return strncmp(address, "unix:", 5) == 0 ? address + 5 : NULL;
}

static Status unix_address(struct sockaddr_un *out, const char *path)
{
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (!*path || strlen(path) >= sizeof out->sun_path)
        FAIL(ERR_ARG, "unix socket \"%s\": expected a path of 1 to %zu bytes", path,
             sizeof out->sun_path - 1);
    memcpy(out->sun_path, path, strlen(path));
    return OK;
}

/* Remove a socket file that nobody serves; refuse to touch anything else. */
static Status clear_stale(const char *path, const struct sockaddr_un *address)
{
    struct stat info;
    if (lstat(path, &info) != 0)
        return OK;
    if (!S_ISSOCK(info.st_mode))
        FAIL(ERR_IO, "%s: exists and is not a socket", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        FAIL(ERR_IO, "%s: %s", path, strerror(errno));
    int failed = connect(fd, (const struct sockaddr *)address, sizeof *address);
    int error = errno;
    close(fd);
    /* EAGAIN: its queue is full, so somebody owns it. */
    if (failed == 0 || error == EAGAIN)
        FAIL(ERR_IO, "%s: another process is listening there", path);
    if (error != ECONNREFUSED)
        FAIL(ERR_IO, "%s: %s", path, strerror(error));
    unlink(path);
    return OK;
}

static Status make_folder_of(const char *path)
{
    char folder[sizeof((struct sockaddr_un *)0)->sun_path];
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return OK;
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash - path] = '\0';
    return file_make_directory(folder);
}

static Status bind_unix(Listener *out, const char *path, const struct sockaddr_un *address)
{
    struct stat info;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        FAIL(ERR_IO, "%s: %s", path, strerror(errno));
    mode_t mask = umask(0117); /* owner and group */
    int failed = bind(fd, (const struct sockaddr *)address, sizeof *address);
    int error = errno;
    umask(mask);
    char *copy = strdup(path);
    if (failed || !copy || lstat(path, &info) != 0 || listen(fd, BACKLOG) != 0) {
        error = failed ? error : errno;
        if (!failed)
            unlink(path);
        close(fd);
        free(copy);
        FAIL(ERR_IO, "%s: cannot listen: %s", path, strerror(error));
    }
    *out = (Listener){fd, copy, info.st_dev, info.st_ino};
    return OK;
}

static Status listen_unix(Listener *out, const char *path)
{
    struct sockaddr_un address;
    TRY(unix_address(&address, path));
    TRY(make_folder_of(path));
    TRY(clear_stale(path, &address));
    return bind_unix(out, path, &address);
}

/* getaddrinfo takes 99999 for 34463. */
static bool is_port(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits && digits <= 5 && !text[digits] && strtoul(text, NULL, 10) <= 65535;
}

/* host:port; the host may be empty (all addresses) or bracketed. */
static Status resolve(struct addrinfo **out, const char *address, bool passive)
{
    char host[256];
    const char *start = strncmp(address, "http://", 7) == 0 ? address + 7 : address;
    const char *colon = strrchr(start, ':');
    if (!colon || !is_port(colon + 1) || (size_t)(colon - start) >= sizeof host)
        FAIL(ERR_ARG, "address \"%s\": expected host:port or unix:///path", address);
    size_t length = (size_t)(colon - start);
    if (length >= 2 && start[0] == '[' && start[length - 1] == ']') {
        start++;
        length -= 2;
    } else if (memchr(start, ':', length)) {
        FAIL(ERR_ARG, "address \"%s\": write an IPv6 address as [address]:port", address);
    }
    memcpy(host, start, length);
    host[length] = '\0';
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0)};
    int error = getaddrinfo(length ? host : NULL, colon + 1, &hints, out);
    if (error)
        FAIL(ERR_IO, "address \"%s\": %s", address, gai_strerror(error));
    return OK;
}

/* The descriptor, or -1 with errno set. only_v6: an IPv6 socket leaves IPv4 to another one. */
static int bind_one(const struct addrinfo *a, bool only_v6)
{
    int one = 1, fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (only_v6 && a->ai_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
    if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

/* A hosts file may name one address twice. */
static bool repeated(const struct addrinfo *list, const struct addrinfo *a)
{
    for (; list != a; list = list->ai_next)
        if (list->ai_addrlen == a->ai_addrlen &&
            memcmp(list->ai_addr, a->ai_addr, a->ai_addrlen) == 0)
            return true;
    return false;
}

static Status listen_tcp(Listener *out, size_t room, size_t *n, const char *address)
{
    struct addrinfo *list;
    size_t first = *n;
    int error = 0;
    TRY(resolve(&list, address, true));
    for (const struct addrinfo *a = list; a && *n < room; a = a->ai_next) {
        if (repeated(list, a))
            continue;
        int fd = bind_one(a, list->ai_next != NULL);
        if (fd >= 0) {
            out[(*n)++] = (Listener){.fd = fd};
            continue;
        }
        error = errno;
        /* A host without IPv6 still resolves names to it. */
        if (error != EAFNOSUPPORT && error != EADDRNOTAVAIL)
            break;
        error = a->ai_next || *n > first ? 0 : error;
    }
    freeaddrinfo(list);
    if (!error && *n > first)
        return OK;
    while (*n > first)
        socket_close(&out[--*n]);
    FAIL(ERR_IO, "%s: cannot listen: %s", address,
         error ? strerror(error) : "no address that can be bound");
}

Status socket_listen(Listener *out, size_t room, size_t *n, const char *address)
{
    const char *path = socket_unix_path(address);
    if (*n == room)
        FAIL(ERR_ARG, "%s: too many addresses to listen on", address);
    if (!path)
        return listen_tcp(out, room, n, address);
    TRY(listen_unix(&out[*n], path));
    *n += 1;
    return OK;
}

void socket_close(Listener *listener)
{
    struct stat info;
    if (listener->fd < 0)
        return;
    /* The file goes first: while it exists, nobody may take its name for a stale one. */
    if (listener->path && lstat(listener->path, &info) == 0 && S_ISSOCK(info.st_mode) &&
        info.st_dev == listener->device && info.st_ino == listener->inode)
        unlink(listener->path);
    close(listener->fd);
    free(listener->path);
    *listener = (Listener){.fd = -1};
}

unsigned socket_port(const Listener *listener)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (getsockname(listener->fd, (struct sockaddr *)&address, &size) != 0)
        return 0;
    if (address.ss_family == AF_INET)
        return ntohs(((struct sockaddr_in *)&address)->sin_port);
    if (address.ss_family == AF_INET6)
        return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
    return 0;
}

/* 0, or the error. */
static int finish_connect(int fd, uint64_t deadline_ns)
{
    for (;;) {
        uint64_t now = clock_ns();
        if (now >= deadline_ns)
            return ETIMEDOUT;
        uint64_t left_ms = (deadline_ns - now) / 1000000 + 1;
        struct pollfd wait = {.fd = fd, .events = POLLOUT};
        int n = poll(&wait, 1, left_ms > 1000 ? 1000 : (int)left_ms);
        if (n < 0 && errno != EINTR)
            return errno;
        if (n <= 0)
            continue;
        int error = 0;
        socklen_t size = sizeof error;
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
        return error;
    }
}

static Status connect_unix(int *out, const char *path)
{
    struct sockaddr_un address;
    TRY(unix_address(&address, path));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        int error = errno;
        if (fd >= 0)
            close(fd);
        FAIL(ERR_IO, "unix://%s: cannot connect: %s", path,
             error == EAGAIN ? "its queue is full" : strerror(error));
    }
    *out = fd;
    return OK;
}

Status socket_connect(int *out, const char *address, uint64_t timeout_ns)
{
    const char *path = socket_unix_path(address);
    if (path)
        return connect_unix(out, path);
    struct addrinfo *info;
    uint64_t deadline = timeout_ns ? clock_ns() + timeout_ns : UINT64_MAX;
    TRY(resolve(&info, address, false));
    int fd = -1, error = 0, one = 1;
    for (const struct addrinfo *a = info; a; a = a->ai_next) {
        fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        error = fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) == 0 ? 0 : errno;
        if (error == EINPROGRESS)
            error = finish_connect(fd, deadline);
        if (!error)
            break;
        if (fd >= 0)
            close(fd);
        fd = -1;
    }
    freeaddrinfo(info);
    if (fd < 0 && error == ETIMEDOUT && timeout_ns)
        FAIL(ERR_TIMEOUT, "%s: no connection within %llu ms", address,
             (unsigned long long)(timeout_ns / 1000000));
    if (fd < 0)
        FAIL(ERR_IO, "%s: cannot connect: %s", address, strerror(error));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    *out = fd;
    return OK;
}
