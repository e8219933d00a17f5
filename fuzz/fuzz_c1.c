/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Fuzz target: C1 in JSON and in bincode. What is accepted must write and read back the same. */
#include "fuzz.h"
#include "vanilla/c1.h"

#include <string.h>

static void round_trip(const PorepVanilla *vanilla)
{
    PorepVanilla again = {0};
    uint8_t *text[2];
    size_t size[2];
    if (c1_write(vanilla, &text[0], &size[0]) != OK)
        abort();
    if (c1_parse(&again, text[0], size[0]) != OK || c1_write(&again, &text[1], &size[1]) != OK)
        abort();
    if (size[0] != size[1] || memcmp(text[0], text[1], size[0]))
        abort();
    porep_vanilla_free(&again);
    free(text[0]);
    free(text[1]);
}

static void try(Status status, PorepVanilla *vanilla)
{
    if (status == OK)
        round_trip(vanilla);
    else if (vanilla->arena || !*status_message())
        abort();
    porep_vanilla_free(vanilla);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PorepVanilla vanilla = {0};
    clear_message();
    try(c1_parse(&vanilla, data, size), &vanilla);
    clear_message();
    try(c1_parse_bincode(&vanilla, data, size, NULL), &vanilla);
    return 0;
}
