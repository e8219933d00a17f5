/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Tests of residency: what fits, who goes, who waits; circuits are toys, keys are real. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "engine/residency.h"
#include "toy_source.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static Pool *pool;
static char folder[] = "/tmp/cuzk-residency-XXXXXX";
static char cache[64];
static CircuitMemory need[TOYS];

static Loader loader(void)
{
    return (Loader){.source = &toy_source,
                    .param_cache = folder,
                    .param_origin = "the test",
                    .circuit_cache = cache,
                    .pool = pool};
}

static int start(void **state)
{
    (void)state;
    if (pool_new(&pool, 2) != OK || !mkdtemp(folder) || toy_source_start(folder, pool) != OK)
        return -1;
    snprintf(cache, sizeof cache, "%s/circuits", folder);
    const Loader l = loader();
    for (int i = 0; i < TOYS; i++)
        if (loader_memory(&need[i], &l, toy_names[i]) != OK)
            return -1;
    return 0;
}

static int stop(void **state)
{
    (void)state;
    pool_free(&pool);
    return toy_folder_remove(folder);
}

static void must(Status status)
{
    if (status != OK)
        fail_msg("%s: %s", status_name(status), status_message());
}

typedef struct {
    MemBudget *budget;
    Residency *residency;
} House;

static House open_house(uint64_t bytes)
{
    House house;
    const Loader l = loader();
    must(mem_budget_new(&house.budget, bytes));
    must(residency_new(&house.residency, &l, house.budget));
    return house;
}

/* Whatever happened, every reserved byte comes back. */
static void close_house(House *house)
{
    residency_free(&house->residency);
    assert_int_equal(mem_budget_used(house->budget), 0);
    mem_budget_free(&house->budget);
}

static uint32_t loaded_circuits(const House *house, const char *name)
{
    cuzk_report report = {0};
    uint32_t found = 0;
    residency_report(house->residency, &report);
    for (size_t i = 0; i < report.n_keys; i++)
        found += !name || strcmp(report.keys[i].circuit, name) == 0;
    return found;
}

static void the_smallest_budget_is_enough(void **state)
{
    (void)state;
    const uint64_t least = need[0].loaded + need[0].proof;
    House house = open_house(least - 1);
    Hold hold;
    assert_int_equal(residency_probe(house.residency, "toy-a"), ERR_BUDGET);
    assert_int_equal(residency_acquire(house.residency, "toy-a", &hold), ERR_BUDGET);
    must(residency_probe(house.residency, "toy-b"));
    close_house(&house);
    house = open_house(least);
    must(residency_probe(house.residency, "toy-a"));
    must(residency_acquire(house.residency, "toy-a", &hold));
    assert_int_equal(mem_budget_used(house.budget), least);
    assert_true(pk_bytes(hold.loaded->pk) + r1cs_bytes(hold.loaded->r1cs) <= need[0].loaded);
    assert_true(hold.loaded->development);
    residency_release(house.residency, &hold);
    close_house(&house);
}

static void idle_circuits_make_room_for_a_proof(void **state)
{
    (void)state;
    bool was_loaded;
    Hold hold;
    House house = open_house(need[0].loaded + need[1].loaded + need[0].proof - 1);
    must(residency_load(house.residency, "toy-b", &was_loaded));
    must(residency_acquire(house.residency, "toy-a", &hold));
    assert_int_equal(loaded_circuits(&house, "toy-b"), 0);
    residency_release(house.residency, &hold);
    close_house(&house);
}

/* Room for what is held and one more: the older idle one goes, and what is held stays. */
static void idle_circuits_make_room_for_a_circuit(void **state)
{
    (void)state;
    bool was_loaded;
    uint64_t freed;
    Hold hold;
    House house = open_house(need[0].loaded + need[0].proof + need[2].loaded);
    must(residency_acquire(house.residency, "alias-a", &hold));
    must(residency_load(house.residency, "toy-a", &was_loaded));
    assert_true(was_loaded);
    must(residency_load(house.residency, "toy-b", &was_loaded));
    assert_false(was_loaded);
    must(residency_load(house.residency, "toy-c", &was_loaded));
    assert_false(was_loaded);
    assert_int_equal(loaded_circuits(&house, "toy-a"), 1);
    assert_int_equal(loaded_circuits(&house, "toy-b"), 0);
    assert_int_equal(loaded_circuits(&house, "toy-c"), 1);
    must(residency_evict(house.residency, "toy-c", &was_loaded, &freed));
    assert_true(was_loaded && freed == need[2].loaded);
    must(residency_evict(house.residency, "toy-c", &was_loaded, &freed));
    assert_true(!was_loaded && freed == 0);
    residency_release(house.residency, &hold);
    close_house(&house);
}

static void what_is_held_stays(void **state)
{
    (void)state;
    bool was_loaded;
    uint64_t freed;
    Hold hold;
    House house = open_house(need[0].loaded + need[0].proof + need[1].loaded - 1);
    must(residency_acquire(house.residency, "toy-a", &hold));
    assert_int_equal(residency_load(house.residency, "toy-b", &was_loaded), ERR_FULL);
    assert_int_equal(residency_evict(house.residency, "alias-a", &was_loaded, &freed), ERR_FULL);
    assert_string_equal(hold.loaded->circuit.name, "toy-a");
    residency_release(house.residency, &hold);
    must(residency_evict(house.residency, "alias-a", &was_loaded, &freed));
    assert_true(was_loaded);
    assert_int_equal(residency_evict(house.residency, "toy-d", &was_loaded, &freed), ERR_NOT_FOUND);
    close_house(&house);
}

typedef struct {
    House *house;
    atomic_bool done;
} Preloads;

static void *preload_again_and_again(void *raw)
{
    Preloads *preloads = raw;
    bool was_loaded;
    while (!atomic_load(&preloads->done))
        residency_load(preloads->house->residency, "toy-b", &was_loaded); /* may be FULL */
    return NULL;
}

/* A job gets its room although others load meanwhile: it waits for them, then they go. */
static void jobs_outlast_preloads(void **state)
{
    (void)state;
    House house = open_house(need[0].loaded + need[0].proof);
    Preloads preloads = {.house = &house};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, preload_again_and_again, &preloads), 0);
    Hold hold;
    must(residency_acquire(house.residency, "toy-a", &hold));
    residency_release(house.residency, &hold);
    for (int i = 0; i < 30; i++) {
        while (mem_budget_used(house.budget) <= need[0].loaded)
            sched_yield(); /* until the other load has begun */
        must(residency_acquire(house.residency, "toy-a", &hold));
        assert_string_equal(hold.loaded->circuit.name, "toy-a");
        residency_release(house.residency, &hold);
    }
    atomic_store(&preloads.done, true);
    pthread_join(thread, NULL);
    close_house(&house);
}

static void *load_once(void *raw)
{
    House *house = raw;
    bool was_loaded;
    return residency_load(house->residency, "toy-b", &was_loaded) == OK ? house : NULL;
}

static void one_load_serves_all(void **state)
{
    (void)state;
    House house = open_house(1 << 30);
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, load_once, &house), 0);
    for (int i = 0; i < 8; i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert_ptr_equal(result, &house);
    }
    assert_int_equal(loaded_circuits(&house, NULL), 1);
    assert_int_equal(mem_budget_used(house.budget), need[1].loaded);
    close_house(&house);
}

static void key_path(char path[256], const char *name)
{
    snprintf(path, 256, "%s/key-of-%s.params", folder, name);
}

static void missing_and_foreign_keys_are_named(void **state)
{
    (void)state;
    char a[256], b[256], aside[300];
    bool was_loaded;
    House house = open_house(1 << 30);
    key_path(a, "toy-a");
    key_path(b, "toy-b");
    snprintf(aside, sizeof aside, "%s.aside", a);
    assert_int_equal(rename(a, aside), 0);
    assert_int_equal(residency_probe(house.residency, "toy-a"), ERR_NOT_FOUND);
    assert_non_null(strstr(status_message(), a));
    assert_non_null(strstr(status_message(), "the test"));
    assert_int_equal(residency_load(house.residency, "toy-a", &was_loaded), ERR_NOT_FOUND);
    assert_int_equal(link(b, a), 0);
    assert_int_equal(residency_probe(house.residency, "toy-a"), ERR_NOT_FOUND);
    assert_non_null(strstr(status_message(), "another circuit"));
    assert_int_equal(rename(aside, a), 0);
    must(residency_load(house.residency, "toy-a", &was_loaded));
    close_house(&house);
}

/* A compiled circuit on disk is used, and compiled anew when it is damaged. */
static void damaged_circuits_are_compiled_anew(void **state)
{
    (void)state;
    char path[128];
    bool was_loaded;
    uint8_t *bytes, *again;
    size_t size, size_again;
    House house = open_house(1 << 30);
    must(residency_load(house.residency, "toy-a", &was_loaded));
    close_house(&house);
    snprintf(path, sizeof path, "%s/toy-a.r1cs", cache);
    must(file_read(path, 1 << 20, &bytes, &size));
    bytes[size / 2] ^= 1;
    must(file_replace(path, bytes, size));
    bytes[size / 2] ^= 1;
    house = open_house(1 << 30);
    must(residency_load(house.residency, "toy-a", &was_loaded));
    close_house(&house);
    must(file_read(path, 1 << 20, &again, &size_again));
    assert_int_equal(size, size_again);
    assert_memory_equal(bytes, again, size);
    free(bytes);
    free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_budget_is_enough),
        cmocka_unit_test(idle_circuits_make_room_for_a_proof),
        cmocka_unit_test(idle_circuits_make_room_for_a_circuit),
        cmocka_unit_test(what_is_held_stays),
        cmocka_unit_test(jobs_outlast_preloads),
        cmocka_unit_test(one_load_serves_all),
        cmocka_unit_test(missing_and_foreign_keys_are_named),
        cmocka_unit_test(damaged_circuits_are_compiled_anew),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
