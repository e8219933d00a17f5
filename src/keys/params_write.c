/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Writing .params files, and `params setup`: key generation into files. */
#include "base/file.h"
#include "base/log.h"
#include "keys/keys_impl.h"

#include <string.h>
#include <time.h>

/* Points encoded at a time. */
enum { ENCODE_RUN = 1 << 14 };

Status params_writer_open(ParamsWriter *out, const char *path, Pool *pool)
{
    ParamsWriter writer = {.pool = pool, .bytes = malloc(ENCODE_RUN * G2_UNCOMPRESSED)};
    if (!writer.bytes)
        FAIL(ERR_MEMORY, "%s: out of memory", path);
    Status status = file_create(&writer.file, path);
    if (status != OK) {
        free(writer.bytes);
        return status;
    }
    *out = writer;
    return OK;
}

Status params_writer_vk(ParamsWriter *writer, const Vk *vk)
{
    uint8_t *bytes = malloc(vk_bytes(vk->n_inputs));
    if (!bytes)
        FAIL(ERR_MEMORY, "verifying key: no memory for %zu inputs", vk->n_inputs);
    vk_encode(bytes, vk);
    Status status = file_write(writer->file, bytes, vk_bytes(vk->n_inputs));
    free(bytes);
    return status;
}

Status params_writer_begin(ParamsWriter *writer, Section section, size_t n)
{
    uint8_t count[4];
    if (n > UINT32_MAX)
        FAIL(ERR_UNSUPPORTED, "section %s: %zu points, the format counts 32 bits",
             section_names[section], n);
    put_u32be(count, (uint32_t)n);
    writer->section = section;
    return file_write(writer->file, count, sizeof count);
}

typedef struct {
    uint8_t *bytes;
    const G1Affine *g1;
    const G2Affine *g2;
} Encode;

static Status encode_range(void *argument, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    const Encode *encode = argument;
    for (size_t i = begin; i < end; i++) {
        if (encode->g1)
            g1_encode(encode->bytes + i * G1_UNCOMPRESSED, &encode->g1[i]);
        else
            g2_encode(encode->bytes + i * G2_UNCOMPRESSED, &encode->g2[i]);
    }
    return OK;
}

Status params_writer_g1(ParamsWriter *writer, const G1Affine *points, size_t n)
{
    for (size_t at = 0; at < n; at += ENCODE_RUN) {
        size_t run = n - at < ENCODE_RUN ? n - at : ENCODE_RUN;
        Encode encode = {.bytes = writer->bytes, .g1 = points + at};
        TRY(parallel_for(writer->pool, run, 0, encode_range, &encode));
        TRY(file_write(writer->file, writer->bytes, run * G1_UNCOMPRESSED));
    }
    return OK;
}

Status params_writer_g2(ParamsWriter *writer, const G2Affine *points, size_t n)
{
    for (size_t at = 0; at < n; at += ENCODE_RUN) {
        size_t run = n - at < ENCODE_RUN ? n - at : ENCODE_RUN;
        Encode encode = {.bytes = writer->bytes, .g2 = points + at};
        TRY(parallel_for(writer->pool, run, 0, encode_range, &encode));
        TRY(file_write(writer->file, writer->bytes, run * G2_UNCOMPRESSED));
    }
    return OK;
}

Status params_writer_commit(ParamsWriter *writer)
{
    free(writer->bytes);
    writer->bytes = NULL;
    return file_commit(&writer->file);
}

void params_writer_discard(ParamsWriter *writer)
{
    free(writer->bytes);
    writer->bytes = NULL;
    file_discard(&writer->file);
}

static Status write_sections(ParamsWriter *writer, const PkView *pk)
{
    TRY(params_writer_vk(writer, pk->vk));
    TRY(params_writer_begin(writer, SECTION_H, pk->n_h));
    TRY(params_writer_g1(writer, pk->h, pk->n_h));
    TRY(params_writer_begin(writer, SECTION_L, pk->n_l));
    TRY(params_writer_g1(writer, pk->l, pk->n_l));
    TRY(params_writer_begin(writer, SECTION_A, pk->n_a));
    TRY(params_writer_g1(writer, pk->a, pk->n_a));
    TRY(params_writer_begin(writer, SECTION_B_G1, pk->n_b));
    TRY(params_writer_g1(writer, pk->b_g1, pk->n_b));
    TRY(params_writer_begin(writer, SECTION_B_G2, pk->n_b));
    return params_writer_g2(writer, pk->b_g2, pk->n_b);
}

Status pk_write(const PkView *pk, const char *path)
{
    ParamsWriter writer;
    TRY(params_writer_open(&writer, path, NULL));
    Status status = write_sections(&writer, pk);
    if (status != OK) {
        params_writer_discard(&writer);
        return status;
    }
    return params_writer_commit(&writer);
}

/* The sink of params_setup: .params as it comes, and the .vk kept for later. */
typedef struct {
    ParamsWriter params;
    const SetupOptions *options;
    uint8_t *vk;
    size_t vk_size;
} SetupFiles;

static Status sink_vk(void *context, const Vk *vk)
{
    SetupFiles *files = context;
    files->vk_size = vk_bytes(vk->n_inputs);
    files->vk = malloc(files->vk_size);
    if (!files->vk)
        FAIL(ERR_MEMORY, "verifying key: no memory for %zu inputs", vk->n_inputs);
    vk_encode(files->vk, vk);
    return params_writer_vk(&files->params, vk);
}

static Status sink_begin(void *context, Section section, size_t n)
{
    return params_writer_begin(&((SetupFiles *)context)->params, section, n);
}

static Status sink_g1(void *context, const G1Affine *points, size_t n)
{
    return params_writer_g1(&((SetupFiles *)context)->params, points, n);
}

static Status sink_g2(void *context, const G2Affine *points, size_t n)
{
    return params_writer_g2(&((SetupFiles *)context)->params, points, n);
}

static void sink_progress(void *context, double fraction, const char *what)
{
    const SetupOptions *options = ((SetupFiles *)context)->options;
    if (options->progress)
        options->progress(options->progress_context, fraction, what);
}

static const char *const suffixes[] = {".params", ".vk", ".meta", ".dev.json"};
enum { PARAMS, VK, META, SIDECAR, N_SUFFIXES };

static Status setup_path(char *path, size_t room, const SetupOptions *options, const char *stem,
                         int suffix)
{
    int n = snprintf(path, room, "%s/%s%s", options->directory, stem, suffixes[suffix]);
    if (n < 0 || (size_t)n >= room)
        FAIL(ERR_ARG, "%s: path too long", options->directory);
    return OK;
}

static Status refuse_existing(const SetupOptions *options, const char *stem)
{
    char path[1024];
    for (int suffix = 0; suffix < N_SUFFIXES; suffix++) {
        TRY(setup_path(path, sizeof path, options, stem, suffix));
        if (!options->force && file_exists(path))
            FAIL(ERR_INVALID, "%s exists, not overwritten unless forced", path);
    }
    return OK;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* NULL stays NULL. At most 64 bytes. */
static Status parse_seed(uint8_t seed[64], size_t *n, const char *hex)
{
    size_t digits = hex ? strlen(hex) : 0;
    if (hex && (digits == 0 || digits % 2 || digits > 128))
        FAIL(ERR_FORMAT, "seed: %zu hex digits, expected an even number from 2 to 128", digits);
    for (size_t i = 0; i < digits; i += 2) {
        int high = hex_digit(hex[i]), low = hex_digit(hex[i + 1]);
        if (high < 0 || low < 0)
            FAIL(ERR_FORMAT, "seed: not a hex digit at %zu", high < 0 ? i : i + 1);
        seed[i / 2] = (uint8_t)(high << 4 | low);
    }
    *n = digits / 2;
    return OK;
}

/* The small files. The sidecar is written before .params is renamed into place, so that a
 * development key is never without its mark. */
static Status write_small(const SetupFiles *files, const Circuit *circuit, const char *stem,
                          uint64_t sector_size)
{
    const SetupOptions *options = files->options;
    char path[1024], text[512], date[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    int n = snprintf(
        text, sizeof text, "{\"circuit\":\"%s\",\"version\":%u,\"seed\":\"%s\",\"date\":\"%s\"}\n",
        circuit->name, circuit->version, options->seed_hex ? options->seed_hex : "random", date);
    TRY(setup_path(path, sizeof path, options, stem, SIDECAR));
    TRY(file_replace(path, text, (size_t)n));
    n = snprintf(text, sizeof text, "{\"sector_size\":%llu}", (unsigned long long)sector_size);
    TRY(setup_path(path, sizeof path, options, stem, META));
    TRY(file_replace(path, text, (size_t)n));
    TRY(setup_path(path, sizeof path, options, stem, VK));
    return file_replace(path, files->vk, files->vk_size);
}

Status params_setup(const Circuit *circuit, const R1cs *r1cs, const char *stem,
                    uint64_t sector_size, const SetupOptions *options, Pool *pool)
{
    uint8_t seed[64];
    size_t seed_bytes = 0;
    char path[1024];
    TRY(parse_seed(seed, &seed_bytes, options->seed_hex));
    TRY(file_make_directory(options->directory));
    TRY(refuse_existing(options, stem));
    LOG_W("keys", "%s: a development key, whoever has its tau can forge proofs under it",
          circuit->name);
    SetupFiles files = {.options = options};
    TRY(setup_path(path, sizeof path, options, stem, PARAMS));
    TRY(params_writer_open(&files.params, path, pool));
    SetupSink sink = {&files, sink_vk, sink_begin, sink_g1, sink_g2, sink_progress};
    Status status = setup(r1cs, options->seed_hex ? seed : NULL, seed_bytes, &sink, pool);
    if (status == OK)
        status = write_small(&files, circuit, stem, sector_size);
    if (status == OK)
        status = params_writer_commit(&files.params);
    else
        params_writer_discard(&files.params);
    free(files.vk);
    return status;
}
