/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Tests of status, pool, budget, arenas and files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/random.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static Status fails(void)
{
    FAIL(ERR_FORMAT, "row %d: too short", 7);
}

static void status_keeps_the_message_and_adds_context(void **state)
{
    (void)state;
    assert_int_equal(fails(), ERR_FORMAT);
    assert_string_equal(status_message(), "row 7: too short");
    assert_int_equal(status_context(ERR_FORMAT, "file %s", "x"), ERR_FORMAT);
    assert_string_equal(status_message(), "file x: row 7: too short");
    status_fail(ERR_IO, "again: %s", status_message());
    assert_string_equal(status_message(), "again: file x: row 7: too short");
    assert_string_equal(status_name(ERR_INTERNAL), "internal");
    assert_string_equal(status_name(OK), "ok");
}

static void status_cuts_long_messages(void **state)
{
    (void)state;
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    status_fail(ERR_IO, "%s", text);
    status_context(ERR_IO, "%s", text);
    assert_true(strlen(status_message()) < 768);
}

static void status_is_one_line_of_utf8(void **state)
{
    (void)state;
    status_fail(ERR_IO, "%s", "a\nb\x7f \xc3\xa9 \xff \xe2\x82");
    assert_string_equal(status_message(), "a b  \xc3\xa9 ? ??");
    char text[800];
    for (int i = 0; i < 798; i += 2)
        memcpy(text + i, "\xc3\xa9", 3);
    status_fail(ERR_IO, "%s", text); /* cut inside a character */
    const char *message = status_message();
    assert_int_equal(strlen(message), 767);
    assert_int_equal(message[766], 0x3f); /* ? */
}

typedef struct {
    atomic_uint *seen;
    size_t fail_at;
    unsigned threads;
} Touch;

static Status touch(void *raw, size_t begin, size_t end, unsigned worker)
{
    Touch *touch = raw;
    if (worker >= touch->threads)
        FAIL(ERR_INTERNAL, "worker %u of %u", worker, touch->threads);
    for (size_t i = begin; i < end; i++) {
        if (i == touch->fail_at)
            FAIL(ERR_INVALID, "element %zu", i);
        atomic_fetch_add(&touch->seen[i], 1);
    }
    return OK;
}

static void pool_visits_every_element_once(void **state)
{
    (void)state;
    enum { MOST = 5000 };
    static atomic_uint seen[MOST];
    const size_t sizes[] = {0, 1, 2, 3, 63, 64, 65, 4999, 5000};
    for (unsigned threads = 1; threads <= 4; threads++) {
        Pool *pool;
        assert_int_equal(pool_new(&pool, threads), OK);
        assert_int_equal(pool_threads(pool), threads);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            memset(seen, 0, sizeof seen);
            Touch all = {seen, SIZE_MAX, threads};
            assert_int_equal(parallel_for(pool, sizes[s], s % 3, touch, &all), OK);
            for (size_t i = 0; i < MOST; i++)
                assert_int_equal(seen[i], i < sizes[s]);
        }
        pool_free(&pool);
        assert_null(pool);
    }
}

static void pool_returns_the_failure_and_its_message(void **state)
{
    (void)state;
    static atomic_uint seen[1000];
    Pool *pool;
    assert_int_equal(pool_new(&pool, 3), OK);
    for (size_t fail_at = 0; fail_at < 1000; fail_at += 37) {
        char expected[32];
        snprintf(expected, sizeof expected, "element %zu", fail_at);
        Touch some = {seen, fail_at, 3};
        status_fail(OK, "%s", "");
        assert_int_equal(parallel_for(pool, 1000, 10, touch, &some), ERR_INVALID);
        assert_string_equal(status_message(), expected);
    }
    pool_free(&pool);
}

static Status nested(void *raw, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    Pool *pool = ((void **)raw)[0];
    Touch inner = {((void **)raw)[1], SIZE_MAX, 4};
    for (size_t i = begin; i < end; i++)
        TRY(parallel_for(pool, 10, 1, touch, &inner));
    return OK;
}

static void pool_runs_nested_loops_in_place(void **state)
{
    (void)state;
    static atomic_uint seen[10];
    Pool *pool;
    assert_int_equal(pool_new(&pool, 4), OK);
    void *argument[2] = {pool, seen};
    assert_int_equal(parallel_for(pool, 100, 1, nested, argument), OK);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(seen[i], 100);
    pool_free(&pool);
}

static void budget_says_never_and_not_now(void **state)
{
    (void)state;
    MemBudget *budget;
    assert_int_equal(mem_budget_new(&budget, 1000), OK);
    assert_int_equal(mem_reserve(budget, "a", 600), OK);
    assert_int_equal(mem_reserve(budget, "b", 600), ERR_FULL);
    assert_int_equal(mem_reserve(budget, "c", 1001), ERR_BUDGET);
    assert_int_equal(mem_reserve(budget, "b", 400), OK);
    assert_int_equal(mem_budget_used(budget), 1000);
    mem_release(budget, 600);
    assert_int_equal(mem_reserve(budget, "b", 600), OK);
    assert_int_equal(mem_reserve(NULL, "none", UINT64_MAX), OK);
    mem_budget_free(&budget);
    assert_int_equal(mem_budget_new(&budget, 0), OK);
    assert_true(mem_budget_total(budget) > 0);
    mem_budget_free(&budget);
}

static void arena_gives_zeroed_aligned_memory(void **state)
{
    (void)state;
    Arena *arena;
    assert_int_equal(arena_new(&arena), OK);
    for (size_t i = 0; i < 2000; i++) {
        uint8_t *memory = arena_alloc(arena, i, 3);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 64, 0);
        for (size_t k = 0; k < 3 * i; k++)
            assert_int_equal(memory[k], 0);
        memset(memory, 0xff, 3 * i);
    }
    assert_non_null(arena_alloc(arena, 3 << 20, 1));
    assert_null(arena_alloc(arena, SIZE_MAX, 2));
    assert_null(arena_alloc(arena, SIZE_MAX / 4, 1));
    arena_free(&arena);
    arena_free(&arena);
}

static void files_are_old_or_complete(void **state)
{
    (void)state;
    char folder[] = "/tmp/cuzk-base-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a", folder);
    assert_int_equal(file_replace(path, "old", 3), OK);
    FileWriter *writer;
    assert_int_equal(file_create(&writer, path), OK);
    static uint8_t big[3 << 20];
    assert_int_equal(random_bytes(big, sizeof big), OK);
    assert_int_equal(file_write(writer, big, 5), OK);
    assert_int_equal(file_write(writer, big + 5, sizeof big - 5), OK);
    uint8_t *data;
    size_t size;
    assert_int_equal(file_read(path, 100, &data, &size), OK);
    assert_int_equal(size, 3);
    free(data);
    assert_int_equal(file_write_at(writer, 1, "xyz", 3), OK);
    assert_int_equal(file_write(writer, "end", 3), OK);
    assert_int_equal(file_commit(&writer), OK);
    memcpy(big + 1, "xyz", 3);
    FileMap map;
    assert_int_equal(file_map(&map, path), OK);
    assert_int_equal(map.size, sizeof big + 3);
    assert_memory_equal(map.data, big, sizeof big);
    assert_memory_equal(map.data + sizeof big, "end", 3);
    file_unmap(&map);
    assert_int_equal(file_read(path, 100, &data, &size), ERR_FORMAT);
    assert_int_equal(file_create(&writer, path), OK);
    file_discard(&writer);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(file_map(&map, path), ERR_NOT_FOUND);
    assert_int_equal(file_map(&map, folder), ERR_IO);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(file_map(&map, path), ERR_IO); /* at once */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing was left behind */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_keeps_the_message_and_adds_context),
        cmocka_unit_test(status_cuts_long_messages),
        cmocka_unit_test(status_is_one_line_of_utf8),
        cmocka_unit_test(pool_visits_every_element_once),
        cmocka_unit_test(pool_returns_the_failure_and_its_message),
        cmocka_unit_test(pool_runs_nested_loops_in_place),
        cmocka_unit_test(budget_says_never_and_not_now),
        cmocka_unit_test(arena_gives_zeroed_aligned_memory),
        cmocka_unit_test(files_are_old_or_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
