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
    static const char *const bad[] = {"", "m", "5 parsecs", "1h30m", "-5s"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(config_parse_duration(bad[i], &ns), ERR_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_keys_are_read), cmocka_unit_test(defaults_stand_without_a_file),
        cmocka_unit_test(listen_may_be_a_list),    cmocka_unit_test(errors_name_their_place),
        cmocka_unit_test(sizes_are_strict),        cmocka_unit_test(durations_are_strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
