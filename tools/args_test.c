/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Tests of the command line parser. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "args.h"

typedef struct {
    const char *name, *text;
    uint64_t number;
    bool flag;
    ArgList list, rest;
} Parsed;

/* Parse words, up to a NULL, behind a command's name. */
static int parse(Parsed *p, const char *const *words)
{
    *p = (Parsed){0};
    const Arg args[] = {
        {"NAME", 0, ARG_POSITIONAL, &p->name, "required"},
        {"FILE", 0, ARG_REST, &p->rest, NULL},
        {"text", 't', ARG_TEXT, &p->text, ""},
        {"text-long", 0, ARG_TEXT, &p->text, ""},
        {"number", 'n', ARG_NUMBER, &p->number, ""},
        {"flag", 'f', ARG_FLAG, &p->flag, ""},
        {"list", 'l', ARG_LIST, &p->list, ""},
    };
    char *argv[128] = {"test"};
    int argc = 1;
    for (; words[argc - 1]; argc++)
        argv[argc] = (char *)words[argc - 1];
    return args_parse("test", args, sizeof args / sizeof *args, argc, argv);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void every_kind_arrives(void **state)
{
    (void)state;
    Parsed p;
    assert_int_equal(parse(&p, WORDS("-t", "a", "name", "--number=18446744073709551615", "-f", "x",
                                     "--list", "1", "2", "--text-long", "b", "-")),
                     -1);
    assert_string_equal(p.text, "b");
    assert_string_equal(p.name, "name");
    assert_true(p.number == UINT64_MAX && p.flag);
    assert_int_equal(p.list.n, 2);
    assert_string_equal(p.list.values[1], "2");
    assert_int_equal(p.rest.n, 2);
    assert_string_equal(p.rest.values[0], "x");
    assert_string_equal(p.rest.values[1], "-");
}

static void wrong_use_is_refused(void **state)
{
    (void)state;
    Parsed p;
    const char *many[ARG_MOST + 3] = {"name"};
    for (int i = 1; i <= ARG_MOST + 1; i++)
        many[i] = "file";
    assert_int_equal(parse(&p, many), EXIT_USAGE);
    assert_int_equal(parse(&p, WORDS("-f")), EXIT_USAGE); /* no NAME */
    assert_int_equal(parse(&p, WORDS("name", "--no-such")), EXIT_USAGE);
    assert_int_equal(parse(&p, WORDS("name", "--tex", "a")), EXIT_USAGE);
    assert_int_equal(parse(&p, WORDS("name", "--text")), EXIT_USAGE);
    static const char *const numbers[] = {"", "-1", " 1", "+1", "1x", "18446744073709551616"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_int_equal(parse(&p, WORDS("name", "-n", numbers[i])), EXIT_USAGE);
    assert_int_equal(parse(&p, WORDS("--help")), EXIT_DONE);
}

static void options_of_a_program_stand_anywhere(void **state)
{
    (void)state;
    const char *address = "default";
    bool loud = false;
    const Arg args[] = {{"addr", 'a', ARG_TEXT, &address, ""}, {"loud", 0, ARG_FLAG, &loud, ""}};
    char *argv[] = {"test", "-a", "x", "status", "--loud", "-c", "3", "--addr=y", "-", NULL};
    int argc = 9;
    assert_int_equal(args_take("test", args, 2, &argc, argv), -1);
    assert_string_equal(address, "y");
    assert_true(loud);
    assert_int_equal(argc, 5);
    assert_string_equal(argv[1], "status");
    assert_string_equal(argv[3], "3");
    assert_string_equal(argv[4], "-");
    assert_null(argv[5]);
    char *cut[] = {"test", "status", "-a", NULL};
    argc = 3;
    assert_int_equal(args_take("test", args, 2, &argc, cut), EXIT_USAGE);
    char *valued[] = {"test", "--loud=1", NULL};
    argc = 2;
    assert_int_equal(args_take("test", args, 2, &argc, valued), EXIT_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_arrives),
        cmocka_unit_test(wrong_use_is_refused),
        cmocka_unit_test(options_of_a_program_stand_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
