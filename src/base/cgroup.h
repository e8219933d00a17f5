/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Limits that control groups put on this process: memory and CPU time, versions 1 and 2. */
#ifndef CUZK_BASE_CGROUP_H
#define CUZK_BASE_CGROUP_H

#include <stdint.h>

/* The smallest limit among the process's own group and the groups above it; 0: none, or none to be
 * read. Memory in bytes; CPUs as quota over period, rounded up. */
uint64_t cgroup_memory_limit(void);
unsigned cgroup_cpu_limit(void);

/* The same with the membership file and the mount point given, for tests ("/proc/self/cgroup",
 * "/sys/fs/cgroup"). */
uint64_t cgroup_memory_limit_at(const char *membership, const char *mount);
unsigned cgroup_cpu_limit_at(const char *membership, const char *mount);

#endif
