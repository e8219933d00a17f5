/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Command lines from tables: options, help and errors in one place. */
#ifndef CUZK_TOOLS_ARGS_H
#define CUZK_TOOLS_ARGS_H

#include "base/status.h"

typedef enum { ARG_FLAG, ARG_TEXT, ARG_NUMBER, ARG_LIST, ARG_POSITIONAL, ARG_REST } ArgKind;

enum { ARG_MOST = 64 };

/* ARG_LIST: as many values as follow, ARG_REST: all positionals that no ARG_POSITIONAL took; each
 * up to ARG_MOST. */
typedef struct {
    const char *values[ARG_MOST];
    size_t n;
} ArgList;

typedef struct {
    const char *name; /* "sector-num"; of a positional: as shown in the help */
    char letter;      /* 0: none */
    ArgKind kind;
    void *to; /* bool, const char *, uint64_t, ArgList (LIST, REST); positional: const char * */
    const char *help;
} Arg;

typedef struct {
    const char *name; /* "prove", "params setup" */
    const char *help;
    int (*run)(int argc, char **argv); /* argv[0]: the command's name */
} Command;

/* Exit statuses: 0 done, 1 failed, 2 usage. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* Parse argv[1..]. -1: go on; else the exit status (0 after --help). */
int args_parse(const char *command, const Arg *args, size_t n, int argc, char **argv);
/* Take the options of this table out of argv, wherever they stand, and leave the rest: options of a
 * program rather than of a command. -1: go on; else the exit status. */
int args_take(const char *program, const Arg *args, size_t n, int *argc, char **argv);
/* The command that argv[1] (or argv[1] argv[2]) names, or a list of what there is. */
int args_dispatch(const char *program, const Command *commands, size_t n, int argc, char **argv);
/* "PROGRAM: message" on stderr; EXIT_FAILED. */
int args_fail(const char *program);

/* hex text of exactly n bytes. */
bool parse_hex(uint8_t *out, size_t n, const char *text);

#endif
