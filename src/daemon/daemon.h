/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The daemon: configuration in, service until a signal. */
#ifndef CUZK_DAEMON_DAEMON_H
#define CUZK_DAEMON_DAEMON_H

#include "daemon/config.h"

/* Serve until SIGTERM or SIGINT, then drain within config->shutdown_grace_ns. Returns the exit
 * status: 0 after a signal, 1 when it could not start. May end the process itself (status 0) when a
 * proof does not stop in time. */
int daemon_run(const Config *config);

#endif
