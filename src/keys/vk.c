/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Verifying keys as bytes: alpha_g1, beta_g1, beta_g2, gamma_g2, delta_g1, delta_g2, count, ic. */
#include "base/file.h"
#include "keys/keys_impl.h"

#include <string.h>

size_t vk_bytes(size_t n_inputs)
{
    return VK_FIXED_BYTES + n_inputs * G1_UNCOMPRESSED;
}

static uint8_t *put_g1(uint8_t *at, const G1Affine *p)
{
    g1_encode(at, p);
    return at + G1_UNCOMPRESSED;
}

static uint8_t *put_g2(uint8_t *at, const G2Affine *p)
{
    g2_encode(at, p);
    return at + G2_UNCOMPRESSED;
}

void vk_encode(uint8_t *bytes, const Vk *vk)
{
    uint8_t *at = put_g1(bytes, &vk->alpha_g1);
    at = put_g1(at, &vk->beta_g1);
    at = put_g2(at, &vk->beta_g2);
    at = put_g2(at, &vk->gamma_g2);
    at = put_g1(at, &vk->delta_g1);
    at = put_g2(at, &vk->delta_g2);
    put_u32be(at, (uint32_t)vk->n_inputs);
    at += 4;
    for (size_t i = 0; i < vk->n_inputs; i++)
        at = put_g1(at, &vk->ic[i]);
}

static Status get_g1(G1Affine *out, const uint8_t **at, const char *name, bool full)
{
    Status status = point_decode_g1(out, *at, full);
    if (status != OK)
        return status_context(status, "verifying key: %s", name);
    *at += G1_UNCOMPRESSED;
    return OK;
}

static Status get_g2(G2Affine *out, const uint8_t **at, const char *name, bool full)
{
    Status status = point_decode_g2(out, *at, full);
    if (status != OK)
        return status_context(status, "verifying key: %s", name);
    *at += G2_UNCOMPRESSED;
    return OK;
}

static Status parse_fixed(Vk *vk, const uint8_t *at, bool full)
{
    TRY(get_g1(&vk->alpha_g1, &at, "alpha_g1", full));
    TRY(get_g1(&vk->beta_g1, &at, "beta_g1", full));
    TRY(get_g2(&vk->beta_g2, &at, "beta_g2", full));
    TRY(get_g2(&vk->gamma_g2, &at, "gamma_g2", full));
    TRY(get_g1(&vk->delta_g1, &at, "delta_g1", full));
    TRY(get_g2(&vk->delta_g2, &at, "delta_g2", full));
    return vk_check(vk);
}

static Status parse_ic(Vk *vk, const uint8_t *at, bool full)
{
    for (size_t i = 0; i < vk->n_inputs; i++, at += G1_UNCOMPRESSED) {
        Status status = point_decode_g1(&vk->ic[i], at, full);
        if (status != OK)
            return status_context(status, "verifying key: ic %zu", i);
    }
    return OK;
}

Status vk_count(size_t *n_inputs, uint64_t size, const uint8_t count[4])
{
    uint64_t n = get_u32be(count), most = (size - VK_FIXED_BYTES) / G1_UNCOMPRESSED;
    if (n == 0)
        FAIL(ERR_FORMAT, "verifying key: no inputs, expected at least the one");
    if (n > most)
        FAIL(ERR_FORMAT, "verifying key: %llu inputs announced, the file has room for %llu",
             (unsigned long long)n, (unsigned long long)most);
    *n_inputs = n;
    return OK;
}

Status vk_parse(Vk *out, const uint8_t *bytes, size_t size, size_t *used, bool full)
{
    Vk vk = {0};
    if (size < VK_FIXED_BYTES)
        FAIL(ERR_FORMAT, "verifying key: %zu bytes, expected at least %d", size, VK_FIXED_BYTES);
    TRY(vk_count(&vk.n_inputs, size, bytes + VK_FIXED_BYTES - 4));
    TRY(parse_fixed(&vk, bytes, full));
    vk.ic = malloc(vk.n_inputs * sizeof *vk.ic);
    if (!vk.ic)
        FAIL(ERR_MEMORY, "verifying key: no memory for %zu inputs", vk.n_inputs);
    Status status = parse_ic(&vk, bytes + VK_FIXED_BYTES, full);
    if (status != OK) {
        vk_free(&vk);
        return status;
    }
    *out = vk;
    if (used)
        *used = vk_bytes(vk.n_inputs);
    return OK;
}

Status vk_read(Vk *out, const char *path, bool full)
{
    enum { MOST_INPUTS = 1 << 20 };
    uint8_t *bytes;
    size_t size, used;
    TRY(file_read(path, vk_bytes(MOST_INPUTS), &bytes, &size));
    Vk vk;
    Status status = vk_parse(&vk, bytes, size, &used, full);
    free(bytes);
    if (status == OK && used != size) {
        vk_free(&vk);
        status = status_fail(ERR_FORMAT, "verifying key: %zu bytes, expected %zu for its inputs",
                             size, used);
    }
    if (status != OK)
        return status_context(status, "%s", path);
    *out = vk;
    return OK;
}

void vk_free(Vk *vk)
{
    free(vk->ic);
    *vk = (Vk){0};
}
