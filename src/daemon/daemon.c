/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The daemon's life: open, listen, wait for a signal, drain. */
#include "daemon/daemon.h"

#include "base/log.h"
#include "daemon/service.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

enum { MESSAGE_SLACK = 1 << 20 };
static const uint64_t stall_ns = 60000000000ull, reply_grace_ns = 2000000000ull;

static Status open_engine(cuzk_engine **engine, const Config *config)
{
    const cuzk_options options = {.param_cache = config->param_cache,
                                  .param_source = config->param_source,
                                  .circuit_cache = config->circuit_cache,
                                  .memory_budget = config->memory_budget,
                                  .memory_margin = config->safety_margin,
                                  .threads = config->threads,
                                  .queue_limit = config->queue_limit,
                                  .result_ttl_ns = config->result_ttl_ns};
    return (Status)cuzk_open(engine, &options);
}

static Status start_server(GrpcServer **server, cuzk_engine *engine, const Config *config)
{
    size_t most = config->max_message_bytes + MESSAGE_SLACK;
    const GrpcServerOptions options = {.listen = (const char *const *)config->listen,
                                       .n_listen = config->n_listen,
                                       .methods = service_methods,
                                       .n_methods = SERVICE_METHODS,
                                       .context = engine,
                                       .max_message = most,
                                       .memory_budget = 2 * most,
                                       .stall_ns = stall_ns};
    return grpc_server_start(server, &options);
}

static void say_ready(cuzk_engine *engine, const Config *config)
{
    cuzk_report report;
    cuzk_get_report(engine, &report);
    LOG_I("daemon", "cuzk %s: %u threads, memory budget %llu MiB, parameters in %s", cuzk_version(),
          report.threads, (unsigned long long)(report.memory_total >> 20), report.param_cache);
    for (size_t i = 0; i < config->n_listen; i++)
        LOG_I("daemon", "listening on %s", config->listen[i]);
}

/* What stopping concerns. */
typedef struct {
    cuzk_engine *engine;
    sigset_t signals; /* blocked in every thread, waited for */
} Stopping;

/* A second signal ends the grace period. */
static void *await_impatience(void *raw)
{
    Stopping *stopping = raw;
    int number;
    sigwait(&stopping->signals, &number); /* the only place where it may be cancelled */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    LOG_W("daemon", "signal %d again: not waiting for what runs", number);
    cuzk_drain(stopping->engine, 0);
    return NULL;
}

static bool drain(Stopping *stopping, uint64_t grace_ns)
{
    pthread_t thread;
    bool watched = pthread_create(&thread, NULL, await_impatience, stopping) == 0;
    bool whole = cuzk_drain(stopping->engine, grace_ns);
    if (watched) {
        pthread_cancel(
            thread); /* sigwait is where it waits; what follows does not block for long */
        pthread_join(thread, NULL);
    }
    return whole;
}

/* Every waiter is answered by the engine's drain; then the server delivers the answers. */
static void shut_down(Stopping *stopping, GrpcServer *server, uint64_t grace_ns)
{
    grpc_server_drain(server);
    bool whole = drain(stopping, grace_ns);
    bool quiet = grpc_server_stop(&server, reply_grace_ns);
    if (!whole || !quiet) {
        LOG_W("daemon", "%s did not finish within the grace period",
              whole ? "a call that loads parameters" : "a proof");
        _exit(0); /* its threads cannot be stopped, and nothing is left to save */
    }
    cuzk_close(&stopping->engine);
    LOG_I("daemon", "stopped");
}

int daemon_run(const Config *config)
{
    Stopping stopping;
    GrpcServer *server;
    /* Blocked before any thread starts, so that all of them inherit it. */
    sigemptyset(&stopping.signals);
    sigaddset(&stopping.signals, SIGTERM);
    sigaddset(&stopping.signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &stopping.signals, NULL);
    if (open_engine(&stopping.engine, config) != OK) {
        LOG_E("daemon", "%s", status_message());
        return 1;
    }
    if (start_server(&server, stopping.engine, config) != OK) {
        LOG_E("daemon", "%s", status_message());
        cuzk_close(&stopping.engine);
        return 1;
    }
    say_ready(stopping.engine, config);
    int number;
    sigwait(&stopping.signals, &number);
    LOG_I("daemon", "signal %d: draining, at most %llu s", number,
          (unsigned long long)(config->shutdown_grace_ns / 1000000000));
    shut_down(&stopping, server, config->shutdown_grace_ns);
    return 0;
}
