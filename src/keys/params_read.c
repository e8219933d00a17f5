/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Reading .params files: layout first, then every point decoded into one mapping.
 *
 * DESIGN: the layout is settled from the counts and the size of the file before anything is
 * allocated. Threads then read runs of points with pread, not through a mapping of the file, so
 * that a file cut short meanwhile is an error and not a SIGBUS. */
#include "base/file.h"
#include "keys/keys_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const section_names[N_SECTIONS] = {"h", "l", "a", "b_g1", "b_g2"};

Status point_decode_g1(G1Affine *out, const uint8_t *bytes, bool full)
{
    TRY(g1_decode(out, bytes));
    if (g1_affine_is_infinity(out))
        FAIL(ERR_FORMAT, "the point at infinity, which no key holds");
    if (full && !g1_in_subgroup(out))
        FAIL(ERR_FORMAT, "on the curve but not in the subgroup of order r");
    return OK;
}

Status point_decode_g2(G2Affine *out, const uint8_t *bytes, bool full)
{
    TRY(g2_decode(out, bytes));
    if (g2_affine_is_infinity(out))
        FAIL(ERR_FORMAT, "the point at infinity, which no key holds");
    if (full && !g2_in_subgroup(out))
        FAIL(ERR_FORMAT, "on the curve but not in the subgroup of order r");
    return OK;
}

/* Bytes of memory or of an open file. */
typedef struct {
    const uint8_t *data; /* NULL: fd */
    int fd;
    uint64_t size;
} Source;

static Status source_read(const Source *source, uint64_t offset, void *out, size_t n)
{
    if (offset > source->size || n > source->size - offset)
        FAIL(ERR_FORMAT, "%llu bytes, expected at least %llu", (unsigned long long)source->size,
             (unsigned long long)(offset + n));
    if (source->data) {
        memcpy(out, source->data + offset, n);
        return OK;
    }
    for (size_t done = 0; done < n;) {
        ssize_t got = pread(source->fd, (uint8_t *)out + done, n - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            FAIL(ERR_IO, "read at %llu: %s", (unsigned long long)(offset + done),
                 got ? strerror(errno) : "the file became shorter");
        done += (size_t)got;
    }
    return OK;
}

static Status layout_section(ParamsLayout *layout, const Source *source, Section section,
                             uint64_t *at)
{
    uint8_t count[4];
    Status status = source_read(source, *at, count, sizeof count);
    if (status != OK)
        return status_context(status, "section %s: its count", section_names[section]);
    uint64_t n = get_u32be(count);
    *at += sizeof count;
    uint64_t room = (source->size - *at) / section_point_bytes(section);
    if (n > room)
        FAIL(ERR_FORMAT,
             "section %s: %llu points announced at offset %llu, the file has room for "
             "%llu",
             section_names[section], (unsigned long long)n, (unsigned long long)(*at - 4),
             (unsigned long long)room);
    layout->n[section] = n;
    layout->offset[section] = *at;
    *at += n * section_point_bytes(section);
    return OK;
}

/* What every key satisfies whatever its circuit. */
static Status check_counts(const ParamsLayout *layout)
{
    size_t h = layout->n[SECTION_H], b = layout->n[SECTION_B_G1];
    if (h & (h + 1))
        FAIL(ERR_FORMAT, "section h: %zu points, expected a power of two less one", h);
    if (layout->n_inputs + layout->n[SECTION_L] < layout->n[SECTION_A])
        FAIL(ERR_FORMAT, "section a: %zu points for %zu inputs and %zu aux", layout->n[SECTION_A],
             layout->n_inputs, layout->n[SECTION_L]);
    if (layout->n[SECTION_A] < layout->n_inputs)
        FAIL(ERR_FORMAT, "section a: %zu points, expected at least the %zu inputs",
             layout->n[SECTION_A], layout->n_inputs);
    if (b != layout->n[SECTION_B_G2])
        FAIL(ERR_FORMAT, "sections b_g1 and b_g2: %zu and %zu points, expected as many", b,
             layout->n[SECTION_B_G2]);
    if (layout->n_inputs + layout->n[SECTION_L] < b)
        FAIL(ERR_FORMAT, "section b_g1: %zu points for %zu inputs and %zu aux", b, layout->n_inputs,
             layout->n[SECTION_L]);
    return OK;
}

static Status layout_of(ParamsLayout *out, const Source *source)
{
    ParamsLayout layout = {0};
    uint8_t count[4];
    Status status = source_read(source, VK_FIXED_BYTES - sizeof count, count, sizeof count);
    if (status != OK)
        return status_context(status, "verifying key");
    TRY(vk_count(&layout.n_inputs, source->size, count));
    uint64_t at = vk_bytes(layout.n_inputs);
    for (Section section = SECTION_H; section <= SECTION_B_G2; section++)
        TRY(layout_section(&layout, source, section, &at));
    layout.bytes = at;
    if (at != source->size)
        FAIL(ERR_FORMAT, "%llu bytes after section b_g2, expected none",
             (unsigned long long)(source->size - at));
    TRY(check_counts(&layout));
    *out = layout;
    return OK;
}

Status params_layout(ParamsLayout *out, const uint8_t *data, size_t size)
{
    Source source = {.data = data ? data : (const uint8_t *)"", .fd = -1, .size = size};
    Status status = layout_of(out, &source);
    return status == OK ? OK : status_context(status, "parameters");
}

struct Pk {
    PkView view;
    Vk vk;
    MemBudget *budget;
    void *memory; /* all points, section after section */
    uint64_t bytes;
};

typedef struct {
    const Source *source;
    const ParamsLayout *layout;
    Pk *pk;
    Section section;
    bool full;
} Decode;

/* Where the points of a section go. */
static void *section_memory(const Pk *pk, Section section)
{
    const PkView *view = &pk->view;
    const void *const starts[N_SECTIONS] = {view->h, view->l, view->a, view->b_g1, view->b_g2};
    return (void *)(uintptr_t)starts[section];
}

static Status decode_points(const Decode *decode, const uint8_t *bytes, size_t begin, size_t n)
{
    void *memory = section_memory(decode->pk, decode->section);
    for (size_t i = 0; i < n; i++) {
        Status status;
        if (decode->section == SECTION_B_G2)
            status = point_decode_g2((G2Affine *)memory + begin + i, bytes + i * G2_UNCOMPRESSED,
                                     decode->full);
        else
            status = point_decode_g1((G1Affine *)memory + begin + i, bytes + i * G1_UNCOMPRESSED,
                                     decode->full);
        if (status != OK)
            return status_context(status, "section %s, point %zu", section_names[decode->section],
                                  begin + i);
    }
    return OK;
}

static Status decode_range(void *argument, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    enum { RUN = 256 };
    const Decode *decode = argument;
    uint8_t bytes[RUN * G2_UNCOMPRESSED];
    size_t size = section_point_bytes(decode->section);
    uint64_t offset = decode->layout->offset[decode->section];
    for (size_t at = begin; at < end; at += RUN) {
        size_t n = end - at < RUN ? end - at : RUN;
        Status status = source_read(decode->source, offset + at * size, bytes, n * size);
        if (status != OK)
            return status_context(status, "section %s, point %zu", section_names[decode->section],
                                  at);
        TRY(decode_points(decode, bytes, at, n));
    }
    return OK;
}

static Status read_vk(Vk *out, const Source *source, const ParamsLayout *layout, bool full)
{
    size_t size = vk_bytes(layout->n_inputs);
    uint8_t *bytes = malloc(size);
    if (!bytes)
        FAIL(ERR_MEMORY, "verifying key: no memory for %zu bytes", size);
    Status status = source_read(source, 0, bytes, size);
    if (status == OK)
        status = vk_parse(out, bytes, size, NULL, full);
    free(bytes);
    return status;
}

/* 64-byte aligned sections behind each other. */
static void lay_out_memory(Pk *pk, const ParamsLayout *layout)
{
    uint64_t at[N_SECTIONS], end = 0;
    for (Section section = SECTION_H; section <= SECTION_B_G2; section++) {
        size_t size = section == SECTION_B_G2 ? sizeof(G2Affine) : sizeof(G1Affine);
        at[section] = end;
        end += (layout->n[section] * size + 63) & ~(uint64_t)63;
    }
    const uint8_t *base = pk->memory;
    pk->bytes = end;
    pk->view = (PkView){
        .vk = &pk->vk,
        .h = (const void *)(base + at[SECTION_H]),
        .l = (const void *)(base + at[SECTION_L]),
        .a = (const void *)(base + at[SECTION_A]),
        .b_g1 = (const void *)(base + at[SECTION_B_G1]),
        .b_g2 = (const void *)(base + at[SECTION_B_G2]),
        .n_h = layout->n[SECTION_H],
        .n_l = layout->n[SECTION_L],
        .n_a = layout->n[SECTION_A],
        .n_b = layout->n[SECTION_B_G1],
    };
}

static Status load_sections(Pk *pk, const Source *source, const ParamsLayout *layout, bool full,
                            Pool *pool)
{
    TRY(read_vk(&pk->vk, source, layout, full));
    Decode decode = {.source = source, .layout = layout, .pk = pk, .full = full};
    for (Section section = SECTION_H; section <= SECTION_B_G2; section++) {
        decode.section = section;
        TRY(parallel_for(pool, layout->n[section], 0, decode_range, &decode));
    }
    struct stat now;
    if (fstat(source->fd, &now) != 0 || (uint64_t)now.st_size != source->size)
        FAIL(ERR_IO, "the file changed its size while it was read");
    return OK;
}

static Status load_from(Pk **out, const Source *source, bool full, MemBudget *budget, Pool *pool)
{
    ParamsLayout layout;
    TRY(layout_of(&layout, source));
    Pk *pk = calloc(1, sizeof *pk);
    if (!pk)
        FAIL(ERR_MEMORY, "out of memory");
    lay_out_memory(pk, &layout);
    Status status = mem_reserve(budget, "proving key", pk->bytes);
    if (status != OK) {
        free(pk);
        return status;
    }
    pk->budget = budget;
    status = mem_map(&pk->memory, pk->bytes, "proving key");
    lay_out_memory(pk, &layout);
    if (status == OK)
        status = load_sections(pk, source, &layout, full, pool);
    if (status != OK) {
        pk_free(&pk);
        return status;
    }
    *out = pk;
    return OK;
}

Status pk_load(Pk **out, const char *path, KeyCheck check, MemBudget *budget, Pool *pool)
{
    Source source = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (source.fd < 0)
        FAIL(errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s: %s", path, strerror(errno));
    struct stat info;
    Status status = OK;
    if (fstat(source.fd, &info) != 0 || !S_ISREG(info.st_mode))
        status = status_fail(ERR_IO, "not a regular file");
    source.size = status == OK ? (uint64_t)info.st_size : 0;
    if (status == OK)
        status = load_from(out, &source, check == KEY_CHECK_SUBGROUP, budget, pool);
    close(source.fd);
    return status == OK ? OK : status_context(status, "%s", path);
}

void pk_free(Pk **pk)
{
    if (!*pk)
        return;
    mem_unmap((*pk)->memory, (*pk)->bytes);
    mem_release((*pk)->budget, (*pk)->bytes);
    vk_free(&(*pk)->vk);
    free(*pk);
    *pk = NULL;
}

const PkView *pk_view(const Pk *pk)
{
    return &pk->view;
}

uint64_t pk_bytes(const Pk *pk)
{
    return pk->bytes;
}
