/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Tests of control group limits, on made-up hierarchies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cgroup.h"
#include "base/file.h"

#include <ftw.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static int start(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/cuzk-cgroup-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

static int stop(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    assert_int_equal(file_make_directory(path), OK);
    *slash = '/';
    assert_int_equal(file_replace(path, text, strlen(text)), OK);
}

static uint64_t memory_limit(void)
{
    char membership[256];
    snprintf(membership, sizeof membership, "%s/self", folder);
    return cgroup_memory_limit_at(membership, folder);
}

static unsigned cpu_limit(void)
{
    char membership[256];
    snprintf(membership, sizeof membership, "%s/self", folder);
    return cgroup_cpu_limit_at(membership, folder);
}

static void no_groups_no_limit(void **state)
{
    (void)state;
    assert_int_equal(memory_limit(), 0);
    put("self", "garbage\n\n:\n1:memory\n0::/\n");
    assert_int_equal(memory_limit(), 0);
    assert_int_equal(cpu_limit(), 0);
}

static void version_2_takes_the_least_on_the_way_up(void **state)
{
    (void)state;
    put("self", "0::/a.slice/b.service\n");
    put("a.slice/memory.max", "5000\n");
    put("a.slice/b.service/memory.max", "max\n");
    put("a.slice/b.service/cpu.max", "250000 100000\n");
    put("a.slice/cpu.max", "max 100000\n");
    assert_int_equal(memory_limit(), 5000);
    assert_int_equal(cpu_limit(), 3);
    put("a.slice/b.service/memory.max", "4000\n");
    put("memory.max", "9000\n");
    assert_int_equal(memory_limit(), 4000);
    put("memory.max", "3000\n"); /* a container that sees its own group as the root */
    put("self", "0::/not/to/be/seen\n");
    assert_int_equal(memory_limit(), 3000);
}

static void version_1_has_a_folder_a_controller(void **state)
{
    (void)state;
    put("self", "4:memory:/x/y\n3:cpu,cpuacct:/x\n2:cpuset:/\n0::/\n");
    put("memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("memory/x/memory.limit_in_bytes", "7000\n");
    put("memory/x/y/memory.limit_in_bytes", "8000\n");
    put("cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    put("cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    assert_int_equal(memory_limit(), 7000);
    assert_int_equal(cpu_limit(), 0);
    put("cpu,cpuacct/x/cpu.cfs_quota_us", "200000\n");
    put("cpu,cpuacct/x/cpu.cfs_period_us", "100000\n");
    assert_int_equal(cpu_limit(), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_groups_no_limit, start, stop),
        cmocka_unit_test_setup_teardown(version_2_takes_the_least_on_the_way_up, start, stop),
        cmocka_unit_test_setup_teardown(version_1_has_a_folder_a_controller, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
