/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Writes what our field, curve, MSM and pairing answer to random and edge inputs, for blst to
 * check.
 *
 *   peer_blst_ours FILE [SEED]
 *
 * FILE is a sequence of records: a kind byte, then inputs and answers of that kind, in memory form
 * (Montgomery limbs, as blst has them) unless said otherwise. The order in each record is that of
 * the writes below; src/oracle.rs reads the same order. */
#include "base/file.h"
#include "base/random.h"
#include "curve/pairing.h"
#include "msm/msm.h"

#include <string.h>

enum {
    FR = 1,
    FR_BYTES,
    FR_WIDE,
    FP,
    FP_BYTES,
    FP2,
    G1_PLAIN,
    G1_SMALL,
    G2_PLAIN,
    G2_SMALL,
    G1_OPS,
    G2_OPS,
    G1_MSM,
    G2_MSM,
    PAIRING,
};
enum { EDGES = 11, FIELD_PAIRS = 600, POINTS = 120, MOST_PAIRS = 4 };

static FileWriter *file;
static uint64_t seed;

static Status put(const void *data, size_t bytes)
{
    return file_write(file, data, bytes);
}

static Status put_kind(uint8_t kind)
{
    return put(&kind, 1);
}

static Status put_flag(bool flag)
{
    const uint8_t byte = flag;
    return put(&byte, 1);
}

/* xorshift64*: reproducible from the printed seed. */
static uint64_t next_random(void)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * 0x2545f4914f6cdd1dull;
}

static void random_fill(void *out, size_t bytes)
{
    uint8_t *at = out;
    for (size_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)(next_random() >> 56);
}

static void random_fr(Fr *out)
{
    uint8_t wide[64];
    random_fill(wide, sizeof wide);
    fr_from_wide_le(out, wide);
}

static void random_fp(Fp *out)
{
    uint8_t bytes[48];
    do {
        random_fill(bytes, sizeof bytes);
        bytes[0] &= 0x1f;
    } while (!fp_from_be(out, bytes));
}

/* Limbs of all ones below the modulus, single bits and values beside 0 and the modulus, as memory
 * forms: what carry chains trip over; then random. */
#define EDGE_VALUES(T, t, N, MODULUS)                                                              \
    static void t##_value(T *out, size_t i)                                                        \
    {                                                                                              \
        static const uint64_t modulus[N] = MODULUS;                                                \
        *out = (T){{0}};                                                                           \
        switch (i) {                                                                               \
        case 0:                                                                                    \
            return;                                                                                \
        case 1:                                                                                    \
        case 2:                                                                                    \
            out->l[0] = i;                                                                         \
            return;                                                                                \
        case 3:                                                                                    \
        case 4:                                                                                    \
            memcpy(out, modulus, sizeof *out);                                                     \
            out->l[0] -= i - 2;                                                                    \
            return;                                                                                \
        case 5:                                                                                    \
            t##_from_u64(out, 1);                                                                  \
            return;                                                                                \
        case 6:                                                                                    \
            t##_from_u64(out, 1);                                                                  \
            t##_neg(out, out);                                                                     \
            return;                                                                                \
        case 7:                                                                                    \
            memset(out, 0xff, sizeof *out - 8);                                                    \
            return;                                                                                \
        case 8:                                                                                    \
            out->l[N - 1] = modulus[N - 1];                                                        \
            return;                                                                                \
        case 9:                                                                                    \
            out->l[1] = UINT64_MAX;                                                                \
            return;                                                                                \
        case 10:                                                                                   \
            memcpy(out, modulus, sizeof *out);                                                     \
            out->l[N - 1] >>= 1;                                                                   \
            return;                                                                                \
        default:                                                                                   \
            random_##t(out);                                                                       \
        }                                                                                          \
    }
/* clang-format off */
EDGE_VALUES(Fr, fr, 4, FR_MODULUS)
EDGE_VALUES(Fp, fp, 6, FP_MODULUS)
/* clang-format on */

static void fp2_value(Fp2 *out, size_t i)
{
    fp_value(&out->c0, i < EDGES ? i : next_random() % (EDGES + 3));
    fp_value(&out->c1, i < 2 * EDGES ? i / 2 : next_random() % (EDGES + 3));
}

/* a, b, a + b, a - b, -a, a b, a^2, 1/a */
#define ARITHMETIC(T, t, KIND)                                                                     \
    static Status t##_arithmetic(const T *a, const T *b)                                           \
    {                                                                                              \
        T out[6];                                                                                  \
        t##_add(&out[0], a, b);                                                                    \
        t##_sub(&out[1], a, b);                                                                    \
        t##_neg(&out[2], a);                                                                       \
        t##_mul(&out[3], a, b);                                                                    \
        t##_sqr(&out[4], a);                                                                       \
        t##_inv(&out[5], a);                                                                       \
        TRY(put_kind(KIND));                                                                       \
        TRY(put(a, sizeof *a));                                                                    \
        TRY(put(b, sizeof *b));                                                                    \
        return put(out, sizeof out);                                                               \
    }
/* clang-format off */
ARITHMETIC(Fr, fr, FR)
ARITHMETIC(Fp, fp, FP)
ARITHMETIC(Fp2, fp2, FP2)
/* clang-format on */

static Status write_fr_pair(size_t i, size_t j)
{
    Fr a, b;
    uint8_t bytes[32];
    fr_value(&a, i);
    fr_value(&b, j);
    TRY(fr_arithmetic(&a, &b));
    fr_to_le(bytes, &a);
    return put(bytes, sizeof bytes); /* canonical, little-endian */
}

/* Then canonical bytes, and a square root if there is one. */
static Status write_fp_pair(size_t i, size_t j)
{
    Fp a, b, root = FP_ZERO;
    uint8_t bytes[48];
    fp_value(&a, i);
    fp_value(&b, j);
    TRY(fp_arithmetic(&a, &b));
    fp_to_be(bytes, &a);
    TRY(put(bytes, sizeof bytes));
    TRY(put_flag(fp_sqrt(&root, &a)));
    return put(&root, sizeof root);
}

static Status write_fp2_pair(size_t i, size_t j)
{
    Fp2 a, b, root = FP2_ZERO;
    fp2_value(&a, i);
    fp2_value(&b, j);
    TRY(fp2_arithmetic(&a, &b));
    TRY(put_flag(fp2_sqrt(&root, &a)));
    return put(&root, sizeof root);
}

/* Bytes around the modulus, and anything: accepted or not, and the value. */
static Status write_fr_bytes(size_t i)
{
    static const uint64_t modulus[4] = FR_MODULUS;
    uint8_t bytes[32], wide[64];
    Fr value = FR_ZERO;
    random_fill(bytes, sizeof bytes);
    if (i < 8) {
        memcpy(bytes, modulus, sizeof bytes);
        bytes[i % 4 * 8] = (uint8_t)(bytes[i % 4 * 8] + (i < 4 ? 1 : -1));
    } else if (i < 10) {
        memcpy(bytes, modulus, sizeof bytes);
        bytes[0] = (uint8_t)(bytes[0] - (i - 8));
    } else if (i == 10) {
        memset(bytes, 0xff, sizeof bytes);
    }
    TRY(put_kind(FR_BYTES));
    TRY(put(bytes, sizeof bytes));
    TRY(put_flag(fr_from_le(&value, bytes)));
    TRY(put(&value, sizeof value));
    random_fill(wide, sizeof wide);
    if (i < 3)
        memset(wide, i == 0 ? 0xff : 0, i == 1 ? 32 : 64);
    fr_from_wide_le(&value, wide);
    TRY(put_kind(FR_WIDE));
    TRY(put(wide, sizeof wide));
    return put(&value, sizeof value);
}

static Status write_fp_bytes(size_t i)
{
    static const uint64_t modulus[6] = FP_MODULUS;
    uint8_t bytes[48];
    Fp value = FP_ZERO;
    random_fill(bytes, sizeof bytes);
    bytes[0] &= i % 2 ? 0x1f : 0xff;
    if (i < 3) {
        for (int k = 0; k < 48; k++)
            bytes[47 - k] = (uint8_t)(modulus[k / 8] >> (8 * (k % 8)));
        bytes[47] = (uint8_t)(bytes[47] + i - 1);
    }
    TRY(put_kind(FP_BYTES));
    TRY(put(bytes, sizeof bytes));
    TRY(put_flag(fp_from_be(&value, bytes)));
    return put(&value, sizeof value);
}

static Status write_fields(void)
{
    for (size_t i = 0; i < EDGES; i++)
        for (size_t j = 0; j < EDGES; j++) {
            TRY(write_fr_pair(i, j));
            TRY(write_fp_pair(i, j));
        }
    for (size_t i = 0; i < FIELD_PAIRS; i++) {
        TRY(write_fr_pair(EDGES, next_random() % (2 * EDGES)));
        TRY(write_fp_pair(EDGES, next_random() % (2 * EDGES)));
        TRY(write_fp2_pair(i, next_random() % (2 * EDGES)));
        TRY(write_fr_bytes(i));
        TRY(write_fp_bytes(i));
    }
    return OK;
}

static void random_scalar(FrCanon *out, size_t i)
{
    Fr k;
    if (i < EDGES)
        fr_value(&k, i);
    else
        random_fr(&k);
    fr_to_canon(out, &k);
}

/* What a decoder says of bytes: accepted, the point, in the subgroup; and both encodings of it. */
#define GROUP(A, X, g, PLAIN_KIND, SMALL_KIND, OPS_KIND, PLAIN, SMALL, GENERATOR)                  \
    static Status g##_describe(bool accepted, const A *p)                                          \
    {                                                                                              \
        uint8_t plain[PLAIN], small[SMALL];                                                        \
        TRY(put_flag(accepted));                                                                   \
        if (!accepted)                                                                             \
            return OK;                                                                             \
        g##_encode(plain, p);                                                                      \
        g##_encode_compressed(small, p);                                                           \
        TRY(put(p, sizeof *p));                                                                    \
        TRY(put_flag(g##_in_subgroup(p)));                                                         \
        TRY(put(plain, sizeof plain));                                                             \
        return put(small, sizeof small);                                                           \
    }                                                                                              \
    static Status g##_try(const uint8_t *bytes, bool compressed)                                   \
    {                                                                                              \
        A p;                                                                                       \
        TRY(put_kind(compressed ? SMALL_KIND : PLAIN_KIND));                                       \
        TRY(put(bytes, compressed ? SMALL : PLAIN));                                               \
        Status status = compressed ? g##_decode_compressed(&p, bytes) : g##_decode(&p, bytes);     \
        return g##_describe(status == OK, &p);                                                     \
    }                                                                                              \
    /* One valid encoding, then each flag, a bit of it, and non-canonical coordinates. */          \
    static Status g##_spoil(const uint8_t *good, bool compressed)                                  \
    {                                                                                              \
        size_t size = compressed ? SMALL : PLAIN;                                                  \
        uint8_t bytes[PLAIN];                                                                      \
        TRY(g##_try(good, compressed));                                                            \
        for (unsigned flags = 0x20; flags < 0x100; flags += 0x20) {                                \
            memcpy(bytes, good, size);                                                             \
            bytes[0] ^= (uint8_t)flags;                                                            \
            TRY(g##_try(bytes, compressed));                                                       \
        }                                                                                          \
        for (size_t at = 0; at < size; at += 48) {                                                 \
            memcpy(bytes, good, size);                                                             \
            bytes[at] = (at ? 0 : bytes[at] & 0xe0) | 0x1a;                                        \
            memset(bytes + at + 1, 0xff, 47);                                                      \
            TRY(g##_try(bytes, compressed));                                                       \
        }                                                                                          \
        memcpy(bytes, good, size);                                                                 \
        bytes[next_random() % size] ^= (uint8_t)(1u << next_random() % 8);                         \
        return g##_try(bytes, compressed);                                                         \
    }                                                                                              \
    static void g##_random(A *out)                                                                 \
    {                                                                                              \
        FrCanon k;                                                                                 \
        X p;                                                                                       \
        random_scalar(&k, EDGES);                                                                  \
        g##_mul_affine(&p, &GENERATOR, &k);                                                        \
        g##_to_affine(out, &p);                                                                    \
    }                                                                                              \
    static Status g##_encodings(void)                                                              \
    {                                                                                              \
        uint8_t plain[PLAIN], small[SMALL];                                                        \
        A p = {0};                                                                                 \
        for (size_t i = 0; i < POINTS; i++) {                                                      \
            g##_encode(plain, &p);                                                                 \
            g##_encode_compressed(small, &p);                                                      \
            TRY(g##_spoil(plain, false));                                                          \
            TRY(g##_spoil(small, true));                                                           \
            /* Mostly on no curve or outside the subgroup. */                                      \
            memset(small, 0, sizeof small);                                                        \
            small[0] = i % 2 ? 0x80 : 0xa0;                                                        \
            small[sizeof small - 1] = (uint8_t)i;                                                  \
            TRY(g##_try(small, true));                                                             \
            random_fill(plain, sizeof plain);                                                      \
            TRY(g##_try(plain, false));                                                            \
            TRY(g##_try(plain, true));                                                             \
            g##_random(&p);                                                                        \
        }                                                                                          \
        return OK;                                                                                 \
    }                                                                                              \
    /* p, q, k (canonical); p + q, 2 p, -p, k p, affine. */                                        \
    static Status g##_operate(const A *p, const A *q, size_t scalar)                               \
    {                                                                                              \
        FrCanon k;                                                                                 \
        X x, sum;                                                                                  \
        A out[4];                                                                                  \
        random_scalar(&k, scalar);                                                                 \
        g##_from_affine(&x, p);                                                                    \
        g##_add_affine(&sum, &x, q);                                                               \
        g##_to_affine(&out[0], &sum);                                                              \
        g##_dbl(&sum, &x);                                                                         \
        g##_to_affine(&out[1], &sum);                                                              \
        g##_affine_neg(&out[2], p);                                                                \
        g##_mul(&sum, &x, &k);                                                                     \
        g##_to_affine(&out[3], &sum);                                                              \
        TRY(put_kind(OPS_KIND));                                                                   \
        TRY(put(p, sizeof *p));                                                                    \
        TRY(put(q, sizeof *q));                                                                    \
        TRY(put(&k, sizeof k));                                                                    \
        return put(out, sizeof out);                                                               \
    }                                                                                              \
    static Status g##_operations(void)                                                             \
    {                                                                                              \
        A p[2] = {{0}}, minus;                                                                     \
        for (size_t i = 0; i < POINTS / 2; i++) {                                                  \
            g##_affine_neg(&minus, &p[0]);                                                         \
            TRY(g##_operate(&p[0], &p[1], i));                                                     \
            TRY(g##_operate(&p[0], &p[0], EDGES));                                                 \
            TRY(g##_operate(&p[0], &minus, EDGES));                                                \
            p[1] = p[0];                                                                           \
            g##_random(&p[0]);                                                                     \
        }                                                                                          \
        return OK;                                                                                 \
    }                                                                                              \
    /* n, points, canonical scalars, the sum; repeats, infinity and small scalars among them. */   \
    static Status g##_sum(uint32_t n, uint8_t kind)                                                \
    {                                                                                              \
        A *p = calloc(n, sizeof *p), out;                                                          \
        FrCanon *k = calloc(n, sizeof *k);                                                         \
        X sum;                                                                                     \
        Status status = p && k ? OK : status_fail(ERR_MEMORY, "sum: out of memory");               \
        for (uint32_t i = 0; status == OK && i < n; i++) {                                         \
            if (i % 7 == 3)                                                                        \
                p[i] = p[i - 1];                                                                   \
            else if (i % 7 == 4)                                                                   \
                g##_affine_neg(&p[i], &p[i - 1]);                                                  \
            else if (i % 7 != 5)                                                                   \
                g##_random(&p[i]);                                                                 \
            random_scalar(&k[i], next_random() % (4 * EDGES));                                     \
        }                                                                                          \
        const MsmScalars scalars = {.n_full = n, .full = k};                                       \
        if (status == OK)                                                                          \
            status = msm_##g(&sum, p, n, &scalars, NULL);                                          \
        if (status == OK) {                                                                        \
            g##_to_affine(&out, &sum);                                                             \
            status = put_kind(kind);                                                               \
        }                                                                                          \
        if (status == OK)                                                                          \
            status = put(&n, sizeof n);                                                            \
        if (status == OK)                                                                          \
            status = put(p, n * sizeof *p);                                                        \
        if (status == OK)                                                                          \
            status = put(k, n * sizeof *k);                                                        \
        if (status == OK)                                                                          \
            status = put(&out, sizeof out);                                                        \
        free(p);                                                                                   \
        free(k);                                                                                   \
        return status;                                                                             \
    }
/* clang-format off */
GROUP(G1Affine, G1Xyzz, g1, G1_PLAIN, G1_SMALL, G1_OPS, G1_UNCOMPRESSED, G1_COMPRESSED, G1_GENERATOR)
GROUP(G2Affine, G2Xyzz, g2, G2_PLAIN, G2_SMALL, G2_OPS, G2_UNCOMPRESSED, G2_COMPRESSED, G2_GENERATOR)
/* clang-format on */

static Status write_sums(void)
{
    static const uint32_t sizes[] = {1, 2, 3, 31, 64, 257, 1000, 4097};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        TRY(g1_sum(sizes[i], G1_MSM));
        if (sizes[i] <= 1000)
            TRY(g2_sum(sizes[i], G2_MSM));
    }
    return OK;
}

/* n pairs and the product of their pairings; every third product is one by construction. */
static Status write_pairings(void)
{
    for (uint32_t i = 0; i < 24; i++) {
        uint32_t n = 1 + i % MOST_PAIRS;
        G1Affine p[MOST_PAIRS] = {{{{0}}, {{0}}}};
        G2Affine q[MOST_PAIRS];
        Fp12 out;
        memset(q, 0, sizeof q);
        for (uint32_t k = 0; k < n; k++) {
            if (i % 8 != 5 || k)
                g1_random(&p[k]);
            if (i % 8 != 6 || k)
                g2_random(&q[k]);
        }
        if (i % 3 == 1 && n >= 2) {
            g1_affine_neg(&p[1], &p[0]);
            q[1] = q[0];
        }
        TRY(pairing_product(&out, p, q, n));
        TRY(put_kind(PAIRING));
        TRY(put(&n, sizeof n));
        TRY(put(p, n * sizeof *p));
        TRY(put(q, n * sizeof *q));
        TRY(put(&out, sizeof out));
    }
    return OK;
}

static Status write_all(const char *path)
{
    TRY(file_create(&file, path));
    Status status = write_fields();
    if (status == OK)
        status = g1_encodings();
    if (status == OK)
        status = g2_encodings();
    if (status == OK)
        status = g1_operations();
    if (status == OK)
        status = g2_operations();
    if (status == OK)
        status = write_sums();
    if (status == OK)
        status = write_pairings();
    if (status != OK) {
        file_discard(&file);
        return status;
    }
    return file_commit(&file);
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: %s FILE [SEED]\n", argv[0]);
        return 2;
    }
    Status status = OK;
    if (argc == 3)
        seed = strtoull(argv[2], NULL, 16);
    else
        status = random_bytes(&seed, sizeof seed);
    seed |= 1;
    printf("seed %016llx\n", (unsigned long long)seed);
    if (status == OK)
        status = write_all(argv[1]);
    if (status != OK)
        fprintf(stderr, "%s: %s\n", argv[0], status_message());
    return status == OK ? 0 : 1;
}
