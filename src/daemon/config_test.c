/* SPDX-License-Identifier: MIT OR Apache-2.0
 * cuzk.toml: values, errors with their places, strict sizes and durations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/config.h"

#include <string.h>

static Status parse(Config *config, const char *text)
{
    assert_int_equal(config_defaults(config), OK);
    return config_parse(config, text, strlen(text), "t.toml");
}

static void refuses(const char *text, const char *message)
{
    Config config;
    assert_int_equal(parse(&config, text), ERR_FORMAT);
    assert_non_null(strstr(status_message(), message));
    config_free(&config);
}

static void published_keys_are_read(void **state)
{
    (void)state;
    Config c;
    assert_int_equal(parse(&c,
                           "[daemon]\nlisten = \"0.0.0.0:9820\"\nstatus_listen = \"\"\n"
                           "[srs]\nparam_cache = \"/data/zk/params\"\npreload = [\"porep-32g\"]\n"
                           "[memory]\ntotal_budget = \"12GiB\"\nsafety_margin = \"5GiB\"\n"
                           "eviction_min_idle = \"5m\"\npinned_budget = \"1GiB\"\n"
                           "working_memory_budget = \"1GiB\"\n"
                           "[gpus]\ndevices = []\ngpu_threads = 32\ngpu_workers_per_device = 2\n"
                           "[scheduler]\nmax_batch_size = 1\nmax_batch_wait_ms = 10000\n"
                           "sort_by_type = true\n"
                           "[synthesis]\nthreads = 7\npartition_workers = 12\n"
                           "[pipeline]\nenabled = true\nsynthesis_lookahead = 1\n"
                           "synthesis_concurrency = 1\nmax_parallel_synthesis = 18\n"
                           "slot_size = 0\nmax_gpu_queue_depth = 0\n"
                           "[logging]\nlevel = \"debug\"\nformat = \"json\"\n"),
                     OK);
    assert_int_equal(c.n_listen, 1);
    assert_string_equal(c.listen[0], "0.0.0.0:9820");
    assert_string_equal(c.param_cache, "/data/zk/params");
    assert_string_equal(c.param_source, "srs.param_cache in t.toml");
    assert_int_equal(c.memory_budget, (uint64_t)12 << 30);
    assert_int_equal(c.threads, 7);
    assert_int_equal(c.log_level, LOG_DEBUG);
    assert_true(c.log_json);
    unsigned retired = 0;
    for (size_t i = 0; i < c.n_notes; i++)
        retired += c.notes[i].retired;
    assert_int_equal(retired, 4);
    assert_int_equal(c.n_notes, 4 + 14);
    assert_string_equal(c.notes[0].key, "daemon.status_listen");
    assert_int_equal(c.notes[0].line, 3);
    config_free(&c);
}

static void defaults_stand_without_a_file(void **state)
{
    (void)state;
    Config c;
    assert_int_equal(parse(&c, ""), OK);
    assert_string_equal(c.listen[0], "unix:///run/curio/cuzk.sock");
    assert_null(c.param_cache);
    assert_int_equal(c.memory_budget, 0);
    assert_int_equal(c.max_message_bytes, (uint64_t)256 << 20);
    config_free(&c);
}

static void listen_may_be_a_list(void **state)
{
    (void)state;
    Config c;
    assert_int_equal(parse(&c, "[daemon]\nlisten = [\"unix:///a\", \"b:1\"]\n"), OK);
    assert_int_equal(c.n_listen, 2);
    assert_string_equal(c.listen[1], "b:1");
    config_free(&c);
    refuses("[daemon]\nlisten = []\n", "t.toml:2:10");
    refuses("[daemon]\nlisten = [1]\n", "array of strings");
    refuses("[daemon]\nlisten = \"\"\n", "is empty");
    refuses("[daemon]\nlisten = [[\"a:1\"]]\n", "array of strings");
    refuses("[daemon]\nlisten = [\"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\"]\n",
            "has more than 8 addresses");
}

static void errors_name_their_place(void **state)
{
    (void)state;
    refuses("[gpus]\ngpu_thread = 32\n",
            "t.toml:2:14: unknown key \"gpus.gpu_thread\"; did you mean \"gpus.gpu_threads\"?");
    refuses("[zebra]\nstripes = 1\n", "unknown key \"zebra");
    refuses("[gpus]\ngpu_threads = \"32\"\n", "must be an integer, not a string");
    refuses("[pipeline]\nsynthesis_concurrency = 0\n", "must be from 1 to 64, not 0");
    refuses("[memory]\ntotal_budget = \"256G\"\n", "t.toml:2:16");
    refuses("[memory]\ntotal_budget = \"0\"\n", "is 0");
    refuses("[logging]\nlevel = \"loud\"\n", "expected error, warn");
    refuses("[logging]\nformat = \"xml\"\n", "expected \"text\" or \"json\"");
    refuses("[daemon\n", "t.toml:1:");
    refuses("[a]\nx = 1\nx = 2\n", "t.toml:3:");
}

/* No key is passed over, whatever its name or shape. */
static void odd_keys_are_refused(void **state)
{
    (void)state;
    refuses("\"a[b\" = 1\n", "unknown key \"\"a[b\"\"");
    refuses("\"daemon.listen\" = \"a:1\"\n", "unknown key");
    refuses("[srs]\n\"preload[0]\" = \"x\"\n", "t.toml:2:");
    refuses("\"\" = 1\n", "unknown key");
    refuses("[daemon]\n\"listen\\u0000x\" = \"a:1\"\n", "unknown key");
    refuses("[daemon.listen]\nx = 1\n", "must be a string, not a table");
    refuses("daemon = 3\n", "t.toml:1:10: \"daemon\" must be a table");
    refuses("[[gpus]]\ngpu_threads = 1\n", "\"gpus\" must be a table");
    refuses("[srs]\nparam_cache = \"a\\u0000b\"\n", "contains a zero byte");
}

static void numbers_stay_in_range(void **state)
{
    (void)state;
    Config c;
    assert_int_equal(parse(&c, "[daemon]\nqueue_limit = 100000\nmax_message = \"2GiB\"\n"
                               "result_ttl = \"30d\"\nshutdown_grace = \"0\"\n"),
                     OK);
    assert_int_equal(c.queue_limit, 100000);
    assert_int_equal(c.max_message_bytes, (uint64_t)2 << 30);
    assert_int_equal(c.result_ttl_ns, 30 * 86400ull * 1000000000);
    assert_int_equal(c.shutdown_grace_ns, 0);
    config_free(&c);
    refuses("[daemon]\nqueue_limit = 0\n", "must be from 1 to 100000, not 0");
    refuses("[daemon]\nqueue_limit = 100001\n", "must be from 1 to 100000");
    refuses("[daemon]\nqueue_limit = -1\n", "must be from 1 to 100000, not -1");
    refuses("[synthesis]\nthreads = 4097\n", "must be from 0 to 4096");
    refuses("[synthesis]\nthreads = 1.0\n", "must be an integer, not a float");
    refuses("[daemon]\nmax_message = \"0\"\n", "expected a size from 64KiB to 2GiB");
    refuses("[daemon]\nmax_message = \"2049MiB\"\n", "expected a size from 64KiB to 2GiB");
    refuses("[daemon]\nmax_message = 1048576\n", "must be a string, not an integer");
    refuses("[daemon]\nresult_ttl = 1979-05-27\n", "must be a string, not a date");
    refuses("[pipeline]\nenabled = \"true\"\n", "must be a boolean, not a string");
}

static void sizes_are_strict(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"0", 0},
                {"1048576", 1048576},
                {"1KiB", 1024},
                {"1.5GiB", 1610612736},
                {"512 MiB", 536870912},
                {"1TiB", (uint64_t)1 << 40},
                {"2GB", 2000000000},
                {"17B", 17}};
    static const char *const bad[] = {"",        "GiB", "1.GiBx",        "1GiB2",
                                      "-1",      "1e9", "256G",          "0.1B",
                                      "1..5GiB", " 1",  "99999999999TiB"};
    uint64_t bytes;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(config_parse_size(good[i].text, &bytes), OK);
        assert_int_equal(bytes, good[i].bytes);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(config_parse_size(bad[i], &bytes), ERR_FORMAT);
}

static void durations_are_strict(void **state)
{
    (void)state;
    uint64_t ns;
    assert_int_equal(config_parse_duration("1h", &ns), OK);
    assert_int_equal(ns, 3600ull * 1000000000);
    assert_int_equal(config_parse_duration("250ms", &ns), OK);
    assert_int_equal(ns, 250000000);
    assert_int_equal(config_parse_duration("90", &ns), OK);
    assert_int_equal(ns, 90ull * 1000000000);
    assert_int_equal(config_parse_duration("0.5s", &ns), OK);
    assert_int_equal(ns, 500000000);
    static const char *const bad[] = {"",      "m",   "5 parsecs", "1h30m",
                                      "-5s",   "+5s", "0x5s",      "0.0000000001s",
                                      "5s ",   "5S",  "200000d",   "18446744073709551616",
                                      "1e300d"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(config_parse_duration(bad[i], &ns), ERR_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_keys_are_read), cmocka_unit_test(defaults_stand_without_a_file),
        cmocka_unit_test(listen_may_be_a_list),    cmocka_unit_test(errors_name_their_place),
        cmocka_unit_test(odd_keys_are_refused),    cmocka_unit_test(numbers_stay_in_range),
        cmocka_unit_test(sizes_are_strict),        cmocka_unit_test(durations_are_strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
