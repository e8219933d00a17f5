/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The eight calls of cuzk.v1.ProvingEngine over an engine. */
#ifndef CUZK_DAEMON_SERVICE_H
#define CUZK_DAEMON_SERVICE_H

#include "cuzk.h"
#include "rpc/grpc.h"

enum { SERVICE_METHODS = 8 };

/* The handlers' context is the engine. */
extern const GrpcMethod service_methods[SERVICE_METHODS];

/* Prometheus text of a report; malloc'ed, NULL when out of memory. */
char *service_metrics(const cuzk_report *report);

#endif
