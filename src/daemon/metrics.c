/* SPDX-License-Identifier: MIT OR Apache-2.0
 * A report as Prometheus text. */
#include "daemon/service.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const labels[CUZK_KINDS] = {"", "porep_c2", "snap_update", "window_post",
                                               "winning_post"};

static void one(FILE *out, const char *name, const char *type, const char *help, double value)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n%s %.17g\n", name, help, name, type, name, value);
}

static void by_kind(FILE *out, const char *name, const char *type, const char *help,
                    const uint64_t *values, double scale)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
    for (unsigned k = 1; k < CUZK_KINDS; k++)
        fprintf(out, "%s{proof_kind=\"%s\"} %.17g\n", name, labels[k], (double)values[k] * scale);
}

static void durations(FILE *out, const cuzk_report *r)
{
    const char *name = "cuzk_proof_duration_seconds";
    fprintf(out, "# HELP %s From submission to completion.\n# TYPE %s summary\n", name, name);
    for (unsigned k = 1; k < CUZK_KINDS; k++) {
        fprintf(out, "%s_sum{proof_kind=\"%s\"} %.9f\n", name, labels[k],
                (double)r->proof_ns[k] * 1e-9);
        fprintf(out, "%s_count{proof_kind=\"%s\"} %llu\n", name, labels[k],
                (unsigned long long)r->completed[k]);
    }
}

char *service_metrics(const cuzk_report *r)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    double completed = 0, failed = 0, pending = 0, running = 0;
    for (unsigned k = 1; k < CUZK_KINDS; k++) {
        completed += (double)r->completed[k];
        failed += (double)r->failed[k];
        pending += r->pending[k];
        running += r->in_progress[k];
    }
    one(out, "cuzk_proofs_completed_total", "counter", "Proofs delivered.", completed);
    one(out, "cuzk_proofs_failed_total", "counter", "Jobs that failed.", failed);
    one(out, "cuzk_uptime_seconds", "gauge", "Since the engine was opened.",
        (double)r->uptime_ns * 1e-9);
    one(out, "cuzk_queue_depth", "gauge", "Jobs that wait.", pending);
    one(out, "cuzk_running_jobs", "gauge", "Jobs at work.", running);
    one(out, "cuzk_gpu_workers", "gauge", "Accelerators in use.", 0);
    one(out, "cuzk_proof_retries_total", "counter",
        "Proofs made again after one that did not verify.", (double)r->retries);
    one(out, "cuzk_memory_budget_bytes", "gauge", "The memory budget.", (double)r->memory_total);
    one(out, "cuzk_memory_reserved_bytes", "gauge", "Reserved of the budget.",
        (double)r->memory_used);
    by_kind(out, "cuzk_proofs_completed", "counter", "Proofs delivered, by kind.", r->completed, 1);
    by_kind(out, "cuzk_proofs_failed", "counter", "Jobs that failed, by kind.", r->failed, 1);
    durations(out, r);
    return fclose(out) == 0 ? text : NULL;
}
