/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The Zcash encodings of BLS12-381 points. */
#include "curve/curve.h"

#include <string.h>

enum { COMPRESSED = 0x80, INFINITE = 0x40, LARGER = 0x20, FLAGS = 0xe0 };

/* A coordinate whose first byte had flags in it. */
static bool coordinate(Fp *out, const uint8_t bytes[48], uint8_t flags)
{
    uint8_t plain[48];
    memcpy(plain, bytes, sizeof plain);
    plain[0] &= (uint8_t)~flags;
    return fp_from_be(out, plain);
}

/* Infinity: nothing but its flags. */
static Status check_infinity(const char *group, const uint8_t *bytes, size_t size)
{
    uint8_t rest = bytes[0] & (uint8_t) ~(COMPRESSED | INFINITE);
    for (size_t i = 1; i < size; i++)
        rest |= bytes[i];
    if (rest)
        FAIL(ERR_FORMAT, "%s point: infinity with other bits set", group);
    return OK;
}

static Status check_form(const char *group, uint8_t first, bool compressed)
{
    if (((first & COMPRESSED) != 0) != compressed)
        FAIL(ERR_FORMAT, "%s point: expected the %scompressed form", group, compressed ? "" : "un");
    if (!compressed && (first & LARGER))
        FAIL(ERR_FORMAT, "%s point: sign flag in the uncompressed form", group);
    return OK;
}

static Status bad_coordinate(const char *group)
{
    FAIL(ERR_FORMAT, "%s point: coordinate not below the modulus", group);
}

static Status off_curve(const char *group)
{
    FAIL(ERR_FORMAT, "%s point: not on the curve", group);
}

Status g1_decode(G1Affine *out, const uint8_t bytes[G1_UNCOMPRESSED])
{
    G1Affine p = {0};
    TRY(check_form("G1", bytes[0], false));
    if (bytes[0] & INFINITE) {
        TRY(check_infinity("G1", bytes, G1_UNCOMPRESSED));
        *out = p;
        return OK;
    }
    if (!fp_from_be(&p.x, bytes) || !fp_from_be(&p.y, bytes + 48))
        return bad_coordinate("G1");
    if (g1_affine_is_infinity(&p) || !g1_on_curve(&p))
        return off_curve("G1");
    *out = p;
    return OK;
}

Status g2_decode(G2Affine *out, const uint8_t bytes[G2_UNCOMPRESSED])
{
    G2Affine p = {0};
    TRY(check_form("G2", bytes[0], false));
    if (bytes[0] & INFINITE) {
        TRY(check_infinity("G2", bytes, G2_UNCOMPRESSED));
        *out = p;
        return OK;
    }
    if (!fp_from_be(&p.x.c1, bytes) || !fp_from_be(&p.x.c0, bytes + 48) ||
        !fp_from_be(&p.y.c1, bytes + 96) || !fp_from_be(&p.y.c0, bytes + 144))
        return bad_coordinate("G2");
    if (g2_affine_is_infinity(&p) || !g2_on_curve(&p))
        return off_curve("G2");
    *out = p;
    return OK;
}

Status g1_decode_compressed(G1Affine *out, const uint8_t bytes[G1_COMPRESSED])
{
    static const Fp four = FP_FOUR;
    G1Affine p = {0};
    TRY(check_form("G1", bytes[0], true));
    if (bytes[0] & INFINITE) {
        TRY(check_infinity("G1", bytes, G1_COMPRESSED));
        *out = p;
        return OK;
    }
    if (!coordinate(&p.x, bytes, FLAGS))
        return bad_coordinate("G1");
    Fp square;
    fp_sqr(&square, &p.x);
    fp_mul(&square, &square, &p.x);
    fp_add(&square, &square, &four);
    if (!fp_sqrt(&p.y, &square))
        return off_curve("G1");
    if (fp_is_larger(&p.y) != ((bytes[0] & LARGER) != 0))
        fp_neg(&p.y, &p.y);
    *out = p;
    return OK;
}

Status g2_decode_compressed(G2Affine *out, const uint8_t bytes[G2_COMPRESSED])
{
    static const Fp2 b = {FP_FOUR, FP_FOUR};
    G2Affine p = {0};
    TRY(check_form("G2", bytes[0], true));
    if (bytes[0] & INFINITE) {
        TRY(check_infinity("G2", bytes, G2_COMPRESSED));
        *out = p;
        return OK;
    }
    if (!coordinate(&p.x.c1, bytes, FLAGS) || !fp_from_be(&p.x.c0, bytes + 48))
        return bad_coordinate("G2");
    Fp2 square;
    fp2_sqr(&square, &p.x);
    fp2_mul(&square, &square, &p.x);
    fp2_add(&square, &square, &b);
    if (!fp2_sqrt(&p.y, &square))
        return off_curve("G2");
    if (fp2_is_larger(&p.y) != ((bytes[0] & LARGER) != 0))
        fp2_neg(&p.y, &p.y);
    *out = p;
    return OK;
}

void g1_encode(uint8_t bytes[G1_UNCOMPRESSED], const G1Affine *p)
{
    fp_to_be(bytes, &p->x);
    fp_to_be(bytes + 48, &p->y);
    if (g1_affine_is_infinity(p))
        bytes[0] |= INFINITE;
}

void g2_encode(uint8_t bytes[G2_UNCOMPRESSED], const G2Affine *p)
{
    fp_to_be(bytes, &p->x.c1);
    fp_to_be(bytes + 48, &p->x.c0);
    fp_to_be(bytes + 96, &p->y.c1);
    fp_to_be(bytes + 144, &p->y.c0);
    if (g2_affine_is_infinity(p))
        bytes[0] |= INFINITE;
}

void g1_encode_compressed(uint8_t bytes[G1_COMPRESSED], const G1Affine *p)
{
    fp_to_be(bytes, &p->x);
    bytes[0] |= COMPRESSED;
    if (g1_affine_is_infinity(p))
        bytes[0] |= INFINITE;
    else if (fp_is_larger(&p->y))
        bytes[0] |= LARGER;
}

void g2_encode_compressed(uint8_t bytes[G2_COMPRESSED], const G2Affine *p)
{
    fp_to_be(bytes, &p->x.c1);
    fp_to_be(bytes + 48, &p->x.c0);
    bytes[0] |= COMPRESSED;
    if (g2_affine_is_infinity(p))
        bytes[0] |= INFINITE;
    else if (fp2_is_larger(&p->y))
        bytes[0] |= LARGER;
}
