/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Parameter files: names, reading with full validation, writing, what a folder holds. */
#ifndef CUZK_KEYS_KEYS_H
#define CUZK_KEYS_KEYS_H

#include "base/mem.h"
#include "groth16/groth16.h"

/* .vk files. Decoding checks flags, coordinates and the curve; full also subgroups. */
Status vk_read(Vk *out, const char *path, bool full);
Status vk_parse(Vk *out, const uint8_t *bytes, size_t size, size_t *used, bool full);
void vk_free(Vk *vk);
/* Byte count of an encoded vk: 868 + 96 n_inputs. */
size_t vk_bytes(size_t n_inputs);
void vk_encode(uint8_t *bytes, const Vk *vk);

/* A decoded proving key in memory. */
typedef struct Pk Pk;

typedef enum {
    KEY_CHECK_CURVE,    /* flags, coordinates, curve equation (default) */
    KEY_CHECK_SUBGROUP, /* and the subgroup of every point: minutes for large keys */
} KeyCheck;

/* Layout of a .params file from its bytes alone: counts, offsets, sizes against the file's size,
 * before any allocation. Errors name section and what was expected. */
typedef struct {
    size_t n_inputs, n[5];     /* points of h, l, a, b_g1, b_g2 */
    uint64_t offset[5], bytes; /* first point of each section; whole file */
} ParamsLayout;
Status params_layout(ParamsLayout *out, const uint8_t *data, size_t size);

Status pk_load(Pk **out, const char *path, KeyCheck check, MemBudget *budget, Pool *pool);
void pk_free(Pk **pk);
const PkView *pk_view(const Pk *pk);
uint64_t pk_bytes(const Pk *pk);

/* Write a key back, byte for byte the file it came from. */
Status pk_write(const PkView *pk, const char *path);

/* `params setup`: DIR/STEM.{params,vk,meta,dev.json}, each complete or absent. */
typedef struct {
    const char *directory;
    const char *seed_hex; /* NULL: random */
    bool force;           /* overwrite */
    void (*progress)(void *context, double fraction, const char *what);
    void *progress_context;
} SetupOptions;
Status params_setup(const Circuit *circuit, const R1cs *r1cs, const char *stem,
                    uint64_t sector_size, const SetupOptions *options, Pool *pool);

/* The folder of parameter files and where it was named: the caller's (configured, said to come
 * from configured_by; NULL or "" when there is none), else the environment's
 * FIL_PROOFS_PARAMETER_CACHE, else /var/tmp/filecoin-proof-parameters. Borrowed strings. */
typedef struct {
    const char *path, *why;
} ParamsFolder;
ParamsFolder params_folder(const char *configured, const char *configured_by);

/* What a folder holds, sorted by stem (file name without its ending). */
typedef struct {
    char stem[256];
    uint64_t params_bytes, vk_bytes; /* 0: absent */
    bool meta, development;          /* development: marked by its sidecar */
} ParamsEntry;
Status params_list(ParamsEntry **out, size_t *n, const char *folder);

/* Expected digests by file name: the official v28 ones, and those of a parameters.json. */
typedef struct Manifest Manifest;
/* path NULL: only the official ones. Entries of the file win. */
Status manifest_new(Manifest **out, const char *path);
void manifest_free(Manifest **manifest);
/* 32 hex digits, or NULL. */
const char *manifest_digest(const Manifest *manifest, const char *file_name);

/* OFFICIAL: its digest is the expected one. DEVELOPMENT: not, and a sidecar marks it. */
typedef enum { KEY_UNKNOWN, KEY_OFFICIAL, KEY_DEVELOPMENT } KeyOrigin;
const char *key_origin_name(KeyOrigin origin);
/* First 32 hex digits of BLAKE2b-512 of a file; reads all of it. */
enum { DIGEST_HEX = 33 };
Status params_digest(char hex[DIGEST_HEX], const char *path);
/* path: a .params or .vk file. expected: "" where the manifest does not know the name. */
Status key_origin(KeyOrigin *out, char digest[DIGEST_HEX], char expected[DIGEST_HEX],
                  const char *path, const Manifest *manifest);

#endif
