/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Runs a fuzz target over a folder of inputs, and over seeded mutations of each: fuzzing without
 * libFuzzer, the same in every run. */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

enum { INPUT_BYTES = 1 << 20 };

static uint64_t next_random(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    return *x ^= *x << 17;
}

/* The target on an allocation of exactly this size, so that a sanitizer sees reads beyond it. */
static void feed(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + !size);
    if (!copy)
        abort();
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

/* One small change at a random place: a byte, a cut, a repeated or removed span. */
static size_t mutate(uint8_t *data, size_t size, uint64_t *x)
{
    size_t at = next_random(x) % size, span = 1 + next_random(x) % 40;
    if (span > size - at)
        span = size - at;
    switch (next_random(x) % 5) {
    case 0:
        data[at] ^= (uint8_t)(1u << next_random(x) % 8);
        return size;
    case 1:
        data[at] = (uint8_t) "[]{}\",:0129-\\ "[next_random(x) % 14];
        return size;
    case 2:
        return at;
    case 3:
        memmove(data + at, data + at + span, size - at - span);
        return size - span;
    default:
        if (size + span > INPUT_BYTES)
            return size;
        memmove(data + at + span, data + at, size - at);
        return size + span;
    }
}

static int replay(const char *path, unsigned rounds, uint8_t *data, uint8_t *work)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    size_t size = fread(data, 1, INPUT_BYTES, file);
    fclose(file);
    feed(data, size);
    uint64_t x = 0x9e3779b97f4a7c15 ^ size;
    for (unsigned i = 0; size && i < rounds; i++) {
        size_t length = size;
        memcpy(work, data, size);
        for (uint64_t k = next_random(&x) % 3 + 1; k && length; k--)
            length = mutate(work, length, &x);
        feed(work, length);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s FOLDER [MUTATIONS]\n", argv[0]);
        return 2;
    }
    unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0, inputs = 0;
    DIR *folder = opendir(argv[1]);
    uint8_t *data = malloc(INPUT_BYTES), *work = malloc(INPUT_BYTES);
    if (!folder || !data || !work) {
        perror(argv[1]);
        return 2;
    }
    int status = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[1024];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        status |= replay(path, rounds, data, work);
        inputs++;
    }
    closedir(folder);
    free(data);
    free(work);
    printf("%u inputs, %u mutations each\n", inputs, rounds);
    return inputs ? status : 1;
}
