/* SPDX-License-Identifier: MIT OR Apache-2.0
 * What the files of this folder share: byte order, single points, sections. */
#ifndef CUZK_KEYS_KEYS_IMPL_H
#define CUZK_KEYS_KEYS_IMPL_H

#include "keys/keys.h"

/* Six points and the count of ic. */
enum { VK_FIXED_BYTES = 3 * G1_UNCOMPRESSED + 3 * G2_UNCOMPRESSED + 4, N_SECTIONS = 5 };

static inline uint32_t get_u32be(const uint8_t bytes[4])
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static inline void put_u32be(uint8_t bytes[4], uint32_t value)
{
    bytes[0] = (uint8_t)(value >> 24);
    bytes[1] = (uint8_t)(value >> 16);
    bytes[2] = (uint8_t)(value >> 8);
    bytes[3] = (uint8_t)value;
}

/* Decode and refuse infinity, which no key may hold; full: refuse points outside the subgroup. */
Status point_decode_g1(G1Affine *out, const uint8_t *bytes, bool full);
Status point_decode_g2(G2Affine *out, const uint8_t *bytes, bool full);

/* The count of ic, bounded by the size of the whole file. */
Status vk_count(size_t *n_inputs, uint64_t size, const uint8_t count[4]);

/* text: a whole parameters.json, zero-terminated; NULL: the official digests only. */
Status manifest_parse(Manifest **out, const char *text);

extern const char *const section_names[N_SECTIONS];

static inline size_t section_point_bytes(Section section)
{
    return section == SECTION_B_G2 ? G2_UNCOMPRESSED : G1_UNCOMPRESSED;
}

/* Writes a .params file in order: vk, then sections announced and filled. */
typedef struct {
    struct FileWriter *file;
    uint8_t *bytes; /* [ENCODE_RUN] points encoded */
    Pool *pool;
    Section section;
} ParamsWriter;

Status params_writer_open(ParamsWriter *out, const char *path, Pool *pool);
Status params_writer_vk(ParamsWriter *writer, const Vk *vk);
Status params_writer_begin(ParamsWriter *writer, Section section, size_t n);
Status params_writer_g1(ParamsWriter *writer, const G1Affine *points, size_t n);
Status params_writer_g2(ParamsWriter *writer, const G2Affine *points, size_t n);
Status params_writer_commit(ParamsWriter *writer);
void params_writer_discard(ParamsWriter *writer);

#endif
