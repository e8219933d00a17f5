/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Fuzz target: verifying keys, the layout of parameter files, proofs, and parameters.json. What is
 * accepted must be written back the same. */
#include "fuzz.h"
#include "keys/keys_impl.h"

#include <string.h>

/* A refusal has a message, and of its own. */
static bool accepted(Status status)
{
    if (status != OK && !*status_message())
        abort();
    clear_message();
    return status == OK;
}

static void try_vk(const uint8_t *data, size_t size)
{
    Vk vk;
    size_t used;
    if (!accepted(vk_parse(&vk, data, size, &used, false)))
        return;
    uint8_t *again = malloc(vk_bytes(vk.n_inputs));
    if (!again || used != vk_bytes(vk.n_inputs) || used > size)
        abort();
    vk_encode(again, &vk);
    if (memcmp(again, data, used))
        abort();
    free(again);
    vk_free(&vk);
}

static void try_layout(const uint8_t *data, size_t size)
{
    ParamsLayout layout;
    if (!accepted(params_layout(&layout, data, size)))
        return;
    uint64_t at = vk_bytes(layout.n_inputs);
    for (Section section = SECTION_H; section <= SECTION_B_G2; section++) {
        if (layout.offset[section] != at + 4)
            abort();
        at = layout.offset[section] + layout.n[section] * section_point_bytes(section);
    }
    if (at != size || layout.bytes != size)
        abort();
}

static void try_proof(const uint8_t *data, size_t size)
{
    Proof proof;
    uint8_t again[PROOF_BYTES];
    if (size < PROOF_BYTES || !accepted(proof_decode(&proof, data)))
        return;
    proof_encode(again, &proof);
    if (memcmp(again, data, PROOF_BYTES))
        abort();
}

static void try_manifest(const uint8_t *data, size_t size)
{
    Manifest *manifest;
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = 0;
    if (accepted(manifest_parse(&manifest, text)))
        manifest_free(&manifest);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    clear_message();
    try_vk(data, size);
    try_layout(data, size);
    try_proof(data, size);
    try_manifest(data, size);
    return 0;
}
