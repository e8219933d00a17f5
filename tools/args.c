/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Command lines from tables. */
#include "args.h"

#include <errno.h>
#include <string.h>

static bool is_option(const Arg *arg)
{
    return arg->kind != ARG_POSITIONAL && arg->kind != ARG_REST;
}

static void usage(const char *command, const Arg *args, size_t n)
{
    printf("usage: %s", command);
    for (size_t i = 0; i < n; i++)
        if (!is_option(&args[i]))
            printf(args[i].kind == ARG_REST ? " [%s...]" : " %s", args[i].name);
    printf(" [options]\n");
    for (size_t i = 0; i < n; i++) {
        if (!is_option(&args[i]))
            continue;
        char left[64], letter[8] = "    ";
        static const char *const shown[] = {"", " TEXT", " N", " TEXT..."};
        if (args[i].letter)
            snprintf(letter, sizeof letter, "-%c, ", args[i].letter);
        snprintf(left, sizeof left, "%s--%s%s", letter, args[i].name, shown[args[i].kind]);
        printf("  %-34s %s\n", left, args[i].help);
    }
    printf("  %-34s %s\n", "-h, --help", "this text");
}

static int bad(const char *command, const char *format, const char *what)
{
    fprintf(stderr, "%s: ", command);
    fprintf(stderr, format, what);
    fprintf(stderr, "; --help shows the usage\n");
    return EXIT_USAGE;
}

static const Arg *find(const Arg *args, size_t n, const char *word, const char **inline_value)
{
    *inline_value = NULL;
    for (size_t i = 0; i < n; i++) {
        const Arg *arg = &args[i];
        if (!is_option(arg))
            continue;
        if (word[1] != '-' && arg->letter && word[1] == arg->letter && !word[2])
            return arg;
        size_t length = strlen(arg->name);
        if (word[1] == '-' && strncmp(word + 2, arg->name, length) == 0 &&
            (word[2 + length] == '\0' || word[2 + length] == '=')) {
            if (word[2 + length] == '=')
                *inline_value = word + 3 + length;
            return arg;
        }
    }
    return NULL;
}

static bool set(const Arg *arg, const char *value)
{
    if (arg->kind == ARG_NUMBER) {
        char *end;
        errno = 0;
        uint64_t number = strtoull(value, &end, 10);
        if (errno || *end || *value < '0' || *value > '9')
            return false;
        *(uint64_t *)arg->to = number;
    } else if (arg->kind == ARG_LIST || arg->kind == ARG_REST) {
        ArgList *list = arg->to;
        if (list->n == ARG_MOST)
            return false;
        list->values[list->n++] = value;
    } else {
        *(const char **)arg->to = value;
    }
    return true;
}

static const Arg *next_positional(const Arg *args, size_t n, size_t taken)
{
    for (size_t i = 0; i < n; i++)
        if (args[i].kind == ARG_REST || (args[i].kind == ARG_POSITIONAL && taken-- == 0))
            return &args[i];
    return NULL;
}

/* The option at argv[*at] and its values; *at moves to the last of them. */
static int take_option(const char *command, const Arg *arg, const char *value, int *at, int argc,
                       char **argv)
{
    const char *word = argv[*at];
    if (arg->kind == ARG_FLAG) {
        if (value)
            return bad(command, "option %s takes no value", word);
        *(bool *)arg->to = true;
        return -1;
    }
    if (!value && ++*at >= argc)
        return bad(command, "option %s wants a value", word);
    if (!set(arg, value ? value : argv[*at]))
        return bad(command, "option %s: bad value", word);
    while (arg->kind == ARG_LIST && *at + 1 < argc && argv[*at + 1][0] != '-')
        if (!set(arg, argv[++*at]))
            return bad(command, "option %s: too many values", word);
    return -1;
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

int args_parse(const char *command, const Arg *args, size_t n, int argc, char **argv)
{
    size_t positionals = 0;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value;
        if (is_help(word)) {
            usage(command, args, n);
            return EXIT_DONE;
        }
        bool option = word[0] == '-' && word[1];
        const Arg *arg =
            option ? find(args, n, word, &value) : next_positional(args, n, positionals++);
        if (!arg)
            return bad(command, option ? "unknown option %s" : "unexpected argument %s", word);
        if (option) {
            int code = take_option(command, arg, value, &i, argc, argv);
            if (code >= 0)
                return code;
        } else if (!set(arg, word)) {
            return bad(command, "too many arguments from %s on", word);
        }
    }
    const Arg *missing = next_positional(args, n, positionals);
    if (missing && missing->kind == ARG_POSITIONAL && missing->help) /* with help: required */
        return bad(command, "missing %s", missing->name);
    return -1;
}

int args_take(const char *program, const Arg *args, size_t n, int *argc, char **argv)
{
    int kept = 1;
    for (int i = 1; i < *argc; i++) {
        const char *value;
        const Arg *arg = argv[i][0] == '-' && argv[i][1] ? find(args, n, argv[i], &value) : NULL;
        if (!arg) {
            argv[kept++] = argv[i];
            continue;
        }
        int code = take_option(program, arg, value, &i, *argc, argv);
        if (code >= 0)
            return code;
    }
    argv[kept] = NULL;
    *argc = kept;
    return -1;
}

int args_dispatch(const char *program, const Command *commands, size_t n, int argc, char **argv)
{
    for (size_t i = 0; i < n && argc > 1; i++) {
        const char *space = strchr(commands[i].name, ' ');
        size_t first = space ? (size_t)(space - commands[i].name) : strlen(commands[i].name);
        if (strlen(argv[1]) != first || memcmp(argv[1], commands[i].name, first) != 0)
            continue;
        if (!space)
            return commands[i].run(argc - 1, argv + 1);
        if (argc > 2 && strcmp(argv[2], space + 1) == 0)
            return commands[i].run(argc - 2, argv + 2);
    }
    bool asked = argc > 1 && is_help(argv[1]);
    FILE *out = asked ? stdout : stderr;
    if (argc > 1 && !asked)
        fprintf(out, "%s: unknown command \"%s\"\n", program, argv[1]);
    fprintf(out, "commands of %s (each has --help):\n", program);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "  %-18s %s\n", commands[i].name, commands[i].help);
    return asked ? EXIT_DONE : EXIT_USAGE;
}

int args_fail(const char *program)
{
    fprintf(stderr, "%s: %s\n", program, status_message());
    return EXIT_FAILED;
}

bool parse_hex(uint8_t *out, size_t n, const char *text)
{
    if (strlen(text) != 2 * n)
        return false;
    for (size_t i = 0; i < n; i++) {
        unsigned byte;
        if (strspn(text + 2 * i, "0123456789abcdefABCDEF") < 2 ||
            sscanf(text + 2 * i, "%2x", &byte) != 1)
            return false;
        out[i] = (uint8_t)byte;
    }
    return true;
}
