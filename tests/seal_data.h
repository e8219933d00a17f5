/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Sectors sealed as the meta files of vectors describe them. After cmocka.h. */
#ifndef CUZK_TESTS_SEAL_DATA_H
#define CUZK_TESTS_SEAL_DATA_H

#include "meta.h"
#include "seal/seal.h"

/* The raw bytes that the meta file's key describes: "zero" or "SHA-256 stream with tag 'TAG'".
 * Free them. */
static inline uint8_t *meta_raw(const char *json, const char *key, size_t size)
{
    char what[128], *tag;
    uint8_t *raw = calloc(1, size);
    assert_non_null(raw);
    meta_text(what, sizeof what, json, key);
    if (strcmp(what, "zero") == 0)
        return raw;
    tag = strchr(what, '\'');
    assert_non_null(tag);
    tag[1 + strcspn(tag + 1, "'")] = 0;
    seal_data_stream(raw, size, tag + 1);
    return raw;
}

/* prover_id is read behind json, sector, ticket and the data's description behind sector. */
static inline Sector *seal_from_meta(const char *json, const char *sector, const char *data,
                                     unsigned registered_proof, Pool *pool)
{
    SealShape shape;
    Sector *sealed = NULL;
    assert_int_equal(seal_shape(&shape, registered_proof), OK);
    SealInput input = {meta_node(json, "prover_id"), meta_node(sector, "ticket"),
                       meta_number(sector, "sector")};
    size_t size = shape.sector_size / 128 * 127;
    uint8_t *raw = meta_raw(sector, data, size);
    if (seal_sector(&sealed, &shape, &input, raw, size, pool) != OK)
        fail_msg("%s", status_message());
    free(raw);
    return sealed;
}

#endif
