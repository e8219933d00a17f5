/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Stream sockets by address. */
#include "rpc/socket.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

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
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        FAIL(ERR_IO, "%s: %s", path, strerror(errno));
    int failed = connect(fd, (const struct sockaddr *)address, sizeof *address);
    int error = errno;
    close(fd);
    if (failed == 0)
        FAIL(ERR_IO, "%s: another process is listening there", path);
    if (error != ECONNREFUSED)
        FAIL(ERR_IO, "%s: %s", path, strerror(error));
    unlink(path);
    return OK;
}

static Status listen_unix(int *out, const char *path)
{
    struct sockaddr_un address;
    TRY(unix_address(&address, path));
    TRY(clear_stale(path, &address));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        FAIL(ERR_IO, "%s: %s", path, strerror(errno));
    mode_t mask = umask(0117); /* owner and group */
    int failed = bind(fd, (const struct sockaddr *)&address, sizeof address);
    int error = errno;
    umask(mask);
    if (failed || listen(fd, 512) != 0) {
        error = failed ? error : errno;
        close(fd);
        FAIL(ERR_IO, "%s: cannot listen: %s", path, strerror(error));
    }
    *out = fd;
    return OK;
}

/* host:port; the host may be empty (all addresses) or bracketed. */
static Status resolve(struct addrinfo **out, const char *address, bool passive)
{
    char host[256];
    const char *start = strncmp(address, "http://", 7) == 0 ? address + 7 : address;
    const char *colon = strrchr(start, ':');
    if (!colon || !colon[1] || (size_t)(colon - start) >= sizeof host)
        FAIL(ERR_ARG, "address \"%s\": expected host:port or unix:///path", address);
    size_t length = (size_t)(colon - start);
    if (length >= 2 && start[0] == '[' && start[length - 1] == ']') {
        start++;
        length -= 2;
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

Status socket_listen(int *out, const char *address)
{
    const char *path = socket_unix_path(address);
    if (path)
        return listen_unix(out, path);
    struct addrinfo *info;
    TRY(resolve(&info, address, true));
    int one = 1, error = 0;
    int fd = socket(info->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0) {
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        if (bind(fd, info->ai_addr, info->ai_addrlen) != 0 || listen(fd, 512) != 0) {
            error = errno;
            close(fd);
            fd = -1;
        }
    } else {
        error = errno;
    }
    freeaddrinfo(info);
    if (fd < 0)
        FAIL(ERR_IO, "%s: cannot listen: %s", address, strerror(error));
    *out = fd;
    return OK;
}

static Status connect_unix(int *out, const char *path)
{
    struct sockaddr_un address;
    TRY(unix_address(&address, path));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        int error = errno;
        if (fd >= 0)
            close(fd);
        FAIL(ERR_IO, "unix://%s: cannot connect: %s", path, strerror(error));
    }
    *out = fd;
    return OK;
}

Status socket_connect(int *out, const char *address)
{
    const char *path = socket_unix_path(address);
    if (path)
        return connect_unix(out, path);
    struct addrinfo *info;
    TRY(resolve(&info, address, false));
    int fd = -1, error = 0, one = 1;
    for (const struct addrinfo *a = info; a && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) == 0)
            break;
        error = errno;
        if (fd >= 0)
            close(fd);
        fd = -1;
    }
    freeaddrinfo(info);
    if (fd < 0)
        FAIL(ERR_IO, "%s: cannot connect: %s", address, strerror(error));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    *out = fd;
    return OK;
}
