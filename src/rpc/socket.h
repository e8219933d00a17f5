/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Stream sockets by address: unix:///path or host:port. */
#ifndef CUZK_RPC_SOCKET_H
#define CUZK_RPC_SOCKET_H

#include "base/status.h"

/* A non-blocking listener, close-on-exec. path: of a unix socket, else NULL; device and inode say
 * whether the file there is still this listener's. */
typedef struct {
    int fd;
    char *path;
    uint64_t device, inode;
} Listener;

/* Listen on every address that a name stands for; *n counts the listeners added to out[room]. None
 * is left open on failure. A unix socket file is replaced only where nobody answers on it. */
Status socket_listen(Listener *out, size_t room, size_t *n, const char *address);
/* Remove its own socket file, close. Safe twice. */
void socket_close(Listener *listener);
/* 0 for a unix socket. */
unsigned socket_port(const Listener *listener);

/* Connect within timeout_ns (0: as long as the system tries). Non-blocking, close-on-exec. */
Status socket_connect(int *fd, const char *address, uint64_t timeout_ns);
/* The path of a unix address; NULL for others. */
const char *socket_unix_path(const char *address);

#endif
