/* SPDX-License-Identifier: MIT OR Apache-2.0
 * A compiled circuit in a file: docs/FORMATS.md, "Compiled circuit". */
#include "base/file.h"
#include "hash/sha256.h"
#include "r1cs/r1cs_impl.h"

#include <string.h>

enum { FORMAT_VERSION = 1, DIGEST_BYTES = 32 };
static const char magic[8] = "CUZKROWS";

/* Little-endian machines only, as the whole project; every count is checked against the file's
 * size before anything is allocated. */
typedef struct {
    uint64_t n_inputs, n_aux, n_rows, n_entries;
} PartHeader;

typedef struct {
    char magic[8];
    uint32_t format, version;
    char name[64];
    uint64_t n_blocks, n_codes, n_slots, n_forms, n_form_codes, content_bytes;
    PartHeader part[2];
    uint8_t digest[DIGEST_BYTES]; /* SHA-256 of the header up to here, then the content */
} Header;

_Static_assert(sizeof(Header) == 8 + 8 + 64 + 48 + 2 * 32 + 32, "header has no padding");

/* One array of the file: where it is in memory, how large. */
typedef struct {
    void **array;
    uint64_t bytes;
} Piece;

enum { PIECES = 2 * 3 + 4 };

static size_t list_pieces(Piece pieces[PIECES], R1cs *r, const Header *h)
{
    size_t n = 0;
    Part *parts[2] = {&r->preamble, &r->block};
    for (int p = 0; p < 2; p++) {
        const PartHeader *ph = &h->part[p];
        pieces[n++] = (Piece){(void **)&parts[p]->form, ph->n_rows * sizeof(uint32_t)};
        pieces[n++] = (Piece){(void **)&parts[p]->column, ph->n_entries * sizeof(Column)};
        uint64_t words = bitmap_words(ph->n_aux) * sizeof(uint64_t);
        pieces[n++] = (Piece){(void **)&parts[p]->is_bit, words};
    }
    pieces[n++] = (Piece){(void **)&r->dictionary, h->n_codes * sizeof(Fr)};
    pieces[n++] = (Piece){(void **)&r->forms, h->n_forms * sizeof(Form)};
    pieces[n++] = (Piece){(void **)&r->form_codes, h->n_form_codes * sizeof(uint16_t)};
    pieces[n++] = (Piece){(void **)&r->slots, h->n_slots * h->n_blocks * sizeof(uint32_t)};
    return n;
}

static PartHeader part_header(const Part *p)
{
    return (PartHeader){p->n_inputs, p->n_aux, p->n_rows, p->n_entries};
}

Status r1cs_save(const R1cs *r, const char *path)
{
    Header h = {.format = FORMAT_VERSION,
                .version = r->version,
                .n_blocks = r->n_blocks,
                .n_codes = r->n_codes,
                .n_slots = r->n_slots,
                .n_forms = r->n_forms,
                .n_form_codes = r->n_form_codes};
    memcpy(h.magic, magic, sizeof magic);
    memcpy(h.name, r->name, sizeof h.name);
    h.part[0] = part_header(&r->preamble);
    h.part[1] = part_header(&r->block);
    Piece pieces[PIECES];
    R1cs view = *r; /* list_pieces wants addresses of the pointers, which it only reads here */
    size_t n = list_pieces(pieces, &view, &h);
    for (size_t i = 0; i < n; i++)
        h.content_bytes += pieces[i].bytes;
    Sha256 hash;
    sha256_init(&hash);
    sha256_update(&hash, &h, offsetof(Header, digest));
    for (size_t i = 0; i < n; i++)
        sha256_update(&hash, *pieces[i].array, pieces[i].bytes);
    sha256_final(&hash, h.digest);
    FileWriter *writer;
    TRY(file_create(&writer, path));
    Status status = file_write(writer, &h, sizeof h);
    for (size_t i = 0; i < n && status == OK; i++)
        status = file_write(writer, *pieces[i].array, pieces[i].bytes);
    if (status != OK) {
        file_discard(&writer);
        return status;
    }
    return file_commit(&writer);
}

static Status check_header(const Header *h, const FileMap *map, const Circuit *circuit)
{
    if (memcmp(h->magic, magic, sizeof magic) != 0 || h->format != FORMAT_VERSION)
        FAIL(ERR_FORMAT, "not a compiled circuit of format %d", FORMAT_VERSION);
    if (memchr(h->name, 0, sizeof h->name) == NULL || strcmp(h->name, circuit->name) != 0 ||
        h->version != circuit->version || h->n_blocks != circuit->n_blocks)
        FAIL(ERR_FORMAT, "circuit %.63s version %u, expected %s version %u", h->name, h->version,
             circuit->name, circuit->version);
    const uint64_t most = map->size;
    for (int p = 0; p < 2; p++) {
        const PartHeader *ph = &h->part[p];
        // inputs have no bytes of their own, and variables in no row only a bit
        if (ph->n_inputs > most || ph->n_aux > most || ph->n_rows > most || ph->n_entries > most)
            FAIL(ERR_FORMAT, "counts exceed the file's %llu bytes", (unsigned long long)most);
        if (ph->n_aux > COLUMN_MASK || ph->n_inputs > COLUMN_MASK)
            FAIL(ERR_FORMAT, "a block of more than %d variables", COLUMN_MASK);
    }
    if (h->part[0].n_inputs == 0)
        FAIL(ERR_FORMAT, "no input");
    if (h->n_forms > most || h->n_form_codes > most || h->n_form_codes > UINT32_MAX ||
        h->part[0].n_entries > UINT32_MAX || h->part[1].n_entries > UINT32_MAX)
        FAIL(ERR_FORMAT, "forms exceed the file's %llu bytes", (unsigned long long)most);
    if (h->n_codes < 2 || h->n_codes > MOST_CODES)
        FAIL(ERR_FORMAT, "%llu coefficients, expected 2 to %d", (unsigned long long)h->n_codes,
             MOST_CODES);
    if (h->n_slots && (h->n_blocks == 0 || h->n_slots > most / h->n_blocks))
        FAIL(ERR_FORMAT, "slots exceed the file's %llu bytes", (unsigned long long)most);
    return OK;
}

/* Reduced, and 1 and -1 at their places. */
static Status check_dictionary(const R1cs *r)
{
    static const uint64_t modulus[4] = FR_MODULUS;
    for (size_t i = 0; i < r->n_codes; i++) {
        const uint64_t *l = r->dictionary[i].l;
        int limb = 3;
        while (limb > 0 && l[limb] == modulus[limb])
            limb--;
        if (l[limb] >= modulus[limb] || fr_is_zero(&r->dictionary[i]))
            FAIL(ERR_FORMAT, "coefficient %zu is zero or not reduced", i);
    }
    Fr minus_one;
    fr_neg(&minus_one, &FR_ONE);
    if (!fr_eq(&r->dictionary[CODE_ONE], &FR_ONE) ||
        !fr_eq(&r->dictionary[CODE_MINUS_ONE], &minus_one))
        FAIL(ERR_FORMAT, "the first coefficients are not 1 and -1");
    return OK;
}

/* A bit's column must name a bit: field elements have no place in the bitmap. */
static Status check_column(const R1cs *r, Column column, bool own)
{
    const Part *p = &r->preamble, *b = &r->block;
    const size_t limit[8] = {p->n_inputs, b->n_inputs, p->n_aux,   p->n_fields,
                             b->n_aux,    b->n_fields, r->n_slots, r->n_slots};
    uint32_t tag = column_tag(column), index = column_index(column);
    bool of_block = tag == COLUMN_OWN_INPUT || tag >= COLUMN_OWN_BIT;
    if ((of_block && !own) || index >= limit[tag])
        FAIL(ERR_FORMAT, "column out of range");
    if ((tag == COLUMN_BIT && !bitmap_get(p->is_bit, index)) ||
        (tag == COLUMN_OWN_BIT && !bitmap_get(b->is_bit, index)))
        FAIL(ERR_FORMAT, "column of a bit names a field element");
    for (size_t k = 0; k < r->n_blocks && tag >= COLUMN_SLOT_BIT; k++) {
        size_t place = column_place(r, column, k);
        if (tag == COLUMN_SLOT_FIELD ? place >= p->n_fields
                                     : place >= p->n_aux || !bitmap_get(p->is_bit, place))
            FAIL(ERR_FORMAT, "slot out of range");
    }
    return OK;
}

static Status check_forms(const R1cs *r)
{
    for (size_t i = 0; i < r->n_forms; i++) {
        const Form *form = &r->forms[i];
        uint64_t end = (uint64_t)form->first + form->n[0] + form->n[1] + form->n[2];
        if (end > r->n_form_codes)
            FAIL(ERR_FORMAT, "form %zu out of range", i);
    }
    for (size_t i = 0; i < r->n_form_codes; i++)
        if (r->form_codes[i] >= r->n_codes)
            FAIL(ERR_FORMAT, "coefficient out of range");
    return OK;
}

/* Rows have known forms and cover the entries. */
static Status check_rows(const R1cs *r, const Part *part)
{
    uint64_t entries = 0;
    for (size_t row = 0; row < part->n_rows; row++) {
        if (part->form[row] >= r->n_forms)
            FAIL(ERR_FORMAT, "row %zu has no form", row);
        entries += form_entries(&r->forms[part->form[row]]);
        if (entries > part->n_entries)
            break;
    }
    if (entries != part->n_entries)
        FAIL(ERR_FORMAT, "rows do not cover the entries");
    if (part->n_aux % 64 && part->is_bit[part->n_aux / 64] >> (part->n_aux % 64))
        FAIL(ERR_FORMAT, "kinds of variables past the last one");
    return OK;
}

static uint32_t sort_key(const R1cs *r, Column column, size_t k)
{
    return column_variable(r, column, k) ^ VAR_INPUT;
}

/* No variable twice, in every block that the two can differ in. */
static Status check_order(const R1cs *r, const Column *column, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        bool slot = column_tag(column[i]) >= COLUMN_SLOT_BIT ||
                    column_tag(column[i - 1]) >= COLUMN_SLOT_BIT;
        for (size_t k = 0; k == 0 || (slot && k < r->n_blocks); k++)
            if (sort_key(r, column[i - 1], k) >= sort_key(r, column[i], k))
                FAIL(ERR_FORMAT, "a row is not sorted");
    }
    return OK;
}

static Status check_entries(const R1cs *r, const Part *part, bool own)
{
    for (size_t i = 0; i < part->n_entries; i++)
        TRY(check_column(r, part->column[i], own));
    uint32_t at = 0;
    for (size_t i = 0; i < part->n_rows; i++) {
        Row row;
        at = row_load(&row, r, part, i, at);
        for (int s = 0; s < 3; s++)
            TRY(check_order(r, row.column[s], row.n[s]));
    }
    return OK;
}

static void take_counts(Part *part, const PartHeader *h)
{
    part->n_inputs = h->n_inputs;
    part->n_aux = h->n_aux;
    part->n_rows = h->n_rows;
    part->n_entries = h->n_entries;
}

static Status read_pieces(R1cs *r, const Header *h, const FileMap *map)
{
    Piece pieces[PIECES];
    size_t n = list_pieces(pieces, r, h), at = sizeof *h;
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += pieces[i].bytes;
    if (total != h->content_bytes || total != map->size - sizeof *h)
        FAIL(ERR_FORMAT, "%zu bytes, expected %llu", map->size,
             (unsigned long long)(total + sizeof *h));
    uint8_t digest[DIGEST_BYTES];
    Sha256 hash;
    sha256_init(&hash);
    sha256_update(&hash, map->data, offsetof(Header, digest));
    sha256_update(&hash, map->data + sizeof *h, total);
    sha256_final(&hash, digest);
    if (memcmp(digest, h->digest, sizeof digest) != 0)
        FAIL(ERR_FORMAT, "content does not match its digest");
    for (size_t i = 0; i < n; i++) {
        *pieces[i].array = malloc(pieces[i].bytes + sizeof(uint64_t));
        if (!*pieces[i].array)
            FAIL(ERR_MEMORY, "no memory for %llu bytes", (unsigned long long)pieces[i].bytes);
        memcpy(*pieces[i].array, map->data + at, pieces[i].bytes);
        at += pieces[i].bytes;
    }
    return OK;
}

static Status load(R1cs *r, const FileMap *map, const Circuit *circuit)
{
    Header h;
    if (map->size < sizeof h)
        FAIL(ERR_FORMAT, "%zu bytes, expected at least %zu", map->size, sizeof h);
    memcpy(&h, map->data, sizeof h);
    TRY(check_header(&h, map, circuit));
    memcpy(r->name, h.name, sizeof r->name);
    r->version = h.version;
    r->n_blocks = h.n_blocks;
    r->n_codes = h.n_codes;
    take_counts(&r->preamble, &h.part[0]);
    take_counts(&r->block, &h.part[1]);
    r->n_slots = h.n_slots;
    r->n_forms = h.n_forms;
    r->n_form_codes = h.n_form_codes;
    TRY(read_pieces(r, &h, map));
    TRY(check_dictionary(r));
    TRY(check_forms(r));
    TRY(check_rows(r, &r->preamble));
    TRY(check_rows(r, &r->block));
    TRY(part_index(r, &r->preamble));
    TRY(part_index(r, &r->block));
    TRY(check_entries(r, &r->preamble, false));
    TRY(check_entries(r, &r->block, true));
    return r1cs_finish(r);
}

Status r1cs_load(R1cs **out, const char *path, const Circuit *circuit)
{
    FileMap map;
    TRY(file_map(&map, path));
    R1cs *r = calloc(1, sizeof *r);
    Status status = r ? load(r, &map, circuit) : status_fail(ERR_MEMORY, "out of memory");
    file_unmap(&map);
    if (status != OK) {
        status_context(status, "%s", path);
        r1cs_free(&r);
        return status;
    }
    *out = r;
    return OK;
}
