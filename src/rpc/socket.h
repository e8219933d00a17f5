/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Stream sockets by address: unix:///path or host:port. */
#ifndef CUZK_RPC_SOCKET_H
#define CUZK_RPC_SOCKET_H

#include "base/status.h"

/* Non-blocking listener, close-on-exec. */
Status socket_listen(int *fd, const char *address);
/* Blocking connection. */
Status socket_connect(int *fd, const char *address);
/* The path of a unix address; NULL for others. */
const char *socket_unix_path(const char *address);

#endif
