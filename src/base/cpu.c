/* SPDX-License-Identifier: MIT OR Apache-2.0
 * CPUID, once, before main. */
#include "base/cpu.h"

#include <stdlib.h>
#include <string.h>

CpuFeatures cpu_features;

#if defined(__x86_64__)
#include <cpuid.h>

static unsigned long long xgetbv0(void)
{
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return ((unsigned long long)high << 32) | low;
}

static CpuFeatures ask(void)
{
    CpuFeatures found = {0};
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return found;
    bool sse41 = c & bit_SSE4_1, osxsave = c & bit_OSXSAVE;
    unsigned long long state = osxsave ? xgetbv0() : 0;
    bool ymm = (state & 0x6) == 0x6, zmm = (state & 0xe6) == 0xe6;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return found;
    found.adx = (b & bit_BMI2) && (b & bit_ADX);
    found.sha_ni = sse41 && (b & bit_SHA);
    found.avx2 = ymm && (b & bit_AVX2);
    unsigned need = bit_AVX512F | bit_AVX512DQ | bit_AVX512BW | bit_AVX512VL | bit_AVX512IFMA;
    found.avx512_ifma = zmm && (b & need) == need;
    return found;
}
#else
static CpuFeatures ask(void)
{
    return (CpuFeatures){0};
}
#endif

static bool named(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *p = list; (p = strstr(p, name)); p += length) {
        bool starts = p == list || p[-1] == ',';
        bool ends = p[length] == '\0' || p[length] == ',';
        if (starts && ends)
            return true;
    }
    return false;
}

__attribute__((constructor)) static void cpu_init(void)
{
    cpu_features = ask();
    const char *only = getenv("CUZK_CPU");
    if (!only || !*only)
        return;
    cpu_features.adx &= named(only, "adx");
    cpu_features.sha_ni &= named(only, "sha");
    cpu_features.avx2 &= named(only, "avx2");
    cpu_features.avx512_ifma &= named(only, "ifma");
}
