/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Limits of control groups (Linux, Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst). */
#include "base/cgroup.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 4096 };

/* Up to two numbers of a small file; how many there were ("max" is none). */
static int read_numbers(const char *folder, const char *name, long long value[2])
{
    char path[ROOM];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    int n = fscanf(file, "%lld %lld", &value[0], &value[1]);
    fclose(file);
    return n < 0 ? 0 : n;
}

/* The limit of one folder, 0 for none. */
typedef uint64_t (*Read)(const char *folder, bool v2);

static uint64_t memory_of(const char *folder, bool v2)
{
    long long value[2];
    int n = read_numbers(folder, v2 ? "memory.max" : "memory.limit_in_bytes", value);
    return n >= 1 && value[0] > 0 ? (uint64_t)value[0] : 0;
}

static uint64_t cpus_of(const char *folder, bool v2)
{
    long long value[2] = {0}, period[2] = {0};
    if (v2) {
        if (read_numbers(folder, "cpu.max", value) != 2)
            return 0;
        period[0] = value[1];
    } else if (read_numbers(folder, "cpu.cfs_quota_us", value) < 1 ||
               read_numbers(folder, "cpu.cfs_period_us", period) < 1) {
        return 0;
    }
    if (value[0] <= 0 || period[0] <= 0)
        return 0;
    return (uint64_t)((value[0] - 1) / period[0] + 1);
}

/* From the group up to the mount point; groups that are not to be seen from here (another
 * namespace) do not limit, those above them may. */
static uint64_t smallest_upwards(const char *mount, const char *group, bool v2, Read read)
{
    char folder[ROOM];
    uint64_t smallest = 0;
    int root = snprintf(folder, sizeof folder, "%s%s", mount, group);
    if (root >= (int)sizeof folder)
        return 0;
    size_t base = strlen(mount);
    for (;;) {
        uint64_t limit = read(folder, v2);
        if (limit && (!smallest || limit < smallest))
            smallest = limit;
        char *slash = strrchr(folder + base, '/');
        if (!slash)
            return smallest;
        *slash = '\0';
    }
}

static bool lists(const char *controllers, const char *wanted)
{
    size_t n = strlen(wanted);
    for (const char *at = controllers; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, wanted, n) == 0 && (at[n] == ',' || at[n] == '\0'))
            return true;
    }
    return false;
}

/* Lines "N:CONTROLLERS:GROUP"; version 2 has no controllers there and lies at the mount point
 * itself, version 1 in a folder named after them. */
static uint64_t limit_of(const char *membership, const char *mount, const char *controller,
                         Read read)
{
    FILE *file = fopen(membership, "re");
    char line[ROOM], folder[ROOM];
    uint64_t smallest = 0;
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        controllers++;
        *group++ = '\0';
        bool v2 = !*controllers;
        if (!v2 && !lists(controllers, controller))
            continue;
        if (snprintf(folder, sizeof folder, "%s%s%s", mount, v2 ? "" : "/", controllers) >=
            (int)sizeof folder)
            continue;
        uint64_t limit = smallest_upwards(folder, group, v2, read);
        if (limit && (!smallest || limit < smallest))
            smallest = limit;
    }
    if (file)
        fclose(file);
    return smallest;
}

uint64_t cgroup_memory_limit_at(const char *membership, const char *mount)
{
    return limit_of(membership, mount, "memory", memory_of);
}

unsigned cgroup_cpu_limit_at(const char *membership, const char *mount)
{
    uint64_t cpus = limit_of(membership, mount, "cpu", cpus_of);
    return cpus < UINT32_MAX ? (unsigned)cpus : 0;
}

static const char membership[] = "/proc/self/cgroup", mount[] = "/sys/fs/cgroup";

uint64_t cgroup_memory_limit(void)
{
    return cgroup_memory_limit_at(membership, mount);
}

unsigned cgroup_cpu_limit(void)
{
    return cgroup_cpu_limit_at(membership, mount);
}
