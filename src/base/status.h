/* SPDX-License-Identifier: MIT OR Apache-2.0
 * How every function says that it failed: one Status, one message a thread. */
#ifndef CUZK_BASE_STATUS_H
#define CUZK_BASE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* OK is 0, every failure is negative. Outputs are untouched unless OK is returned. */
typedef enum {
    OK = 0,
    ERR_ARG = -1,         /* the caller broke the contract */
    ERR_FORMAT = -2,      /* bytes that are not what they should be */
    ERR_IO = -3,          /* the system refused: errno is in the message */
    ERR_MEMORY = -4,      /* an allocation failed */
    ERR_BUDGET = -5,      /* the memory budget can never hold it */
    ERR_NOT_FOUND = -6,   /* no such file, job, circuit */
    ERR_UNSUPPORTED = -7, /* well-formed, but not served */
    ERR_UNSATISFIED = -8, /* the witness does not satisfy the circuit */
    ERR_INVALID = -9,     /* a proof, or a vanilla proof, that does not verify */
    ERR_CANCELLED = -10,
    ERR_TIMEOUT = -11,
    ERR_FULL = -12,     /* a queue is full */
    ERR_DEVICE = -13,   /* an accelerator failed */
    ERR_INTERNAL = -14, /* a state that should be impossible */
} Status;

/* Short fixed name, e.g. "format". */
const char *status_name(Status status);

/* The calling thread's message of its latest failure; "" when there was none. Valid until the
 * thread's next failure. */
const char *status_message(void);

/* Set the calling thread's message and return code. The message is one line, no final dot:
 * what, where, what was expected. What is no UTF-8 in it becomes '?', control characters spaces. */
Status status_fail(Status code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Put "context: " before the thread's message and return code unchanged. */
Status status_context(Status code, const char *format, ...) __attribute__((format(printf, 2, 3)));

_Noreturn void status_check_failed(const char *what, const char *file, int line);

#define FAIL(code, ...) return status_fail((code), __VA_ARGS__)

#define TRY(expression)                                                                            \
    do {                                                                                           \
        Status try_status_ = (expression);                                                         \
        if (try_status_ != OK)                                                                     \
            return try_status_;                                                                    \
    } while (0)

/* For functions that release at one place: on failure, status := code and jump. */
#define TRY_GOTO(status, expression, label)                                                        \
    do {                                                                                           \
        (status) = (expression);                                                                   \
        if ((status) != OK)                                                                        \
            goto label;                                                                            \
    } while (0)

/* CHECK: what the caller must bring. Aborts where CUZK_VERIFY is set, else returns ERR_ARG.
 * VERIFY: an invariant of ours; free in release builds. */
#ifdef CUZK_VERIFY
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            status_check_failed(#condition, __FILE__, __LINE__);                                   \
    } while (0)
#define VERIFY(condition) CHECK(condition)
#else
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return status_fail(ERR_ARG, "%s: caller error: %s", __func__, #condition);             \
    } while (0)
#define VERIFY(condition) ((void)0)
#endif

#endif
