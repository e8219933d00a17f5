/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Which folder holds the parameters, what lies in it, and where a key comes from. */
#include "base/file.h"
#include "keys/keys_impl.h"

#include <dirent.h>
#include <errno.h>
#include <openssl/evp.h>
#include <string.h>
#include <sys/stat.h>

ParamsFolder params_folder(const char *configured, const char *configured_by)
{
    const char *environment = getenv("FIL_PROOFS_PARAMETER_CACHE");
    if (configured && *configured)
        return (ParamsFolder){configured, configured_by};
    if (environment && *environment)
        return (ParamsFolder){environment, "FIL_PROOFS_PARAMETER_CACHE"};
    return (ParamsFolder){"/var/tmp/filecoin-proof-parameters", "the default"};
}

typedef struct {
    ParamsEntry *entries;
    size_t n, room;
} Listing;

/* The entry of a stem, made where it is new. */
static ParamsEntry *entry_of(Listing *listing, const char *stem, size_t length)
{
    for (size_t i = 0; i < listing->n; i++)
        if (strncmp(listing->entries[i].stem, stem, length) == 0 &&
            listing->entries[i].stem[length] == 0)
            return &listing->entries[i];
    if (listing->n == listing->room) {
        size_t room = listing->room ? 2 * listing->room : 32;
        ParamsEntry *entries = realloc(listing->entries, room * sizeof *entries);
        if (!entries)
            return NULL;
        listing->entries = entries;
        listing->room = room;
    }
    ParamsEntry *entry = &listing->entries[listing->n++];
    *entry = (ParamsEntry){0};
    memcpy(entry->stem, stem, length);
    return entry;
}

/* The stem's length when name ends so, else 0. */
static size_t stem_length(const char *name, const char *ending)
{
    size_t n = strlen(name), tail = strlen(ending);
    bool fits = n > tail && n - tail < sizeof((ParamsEntry *)0)->stem;
    return fits && strcmp(name + n - tail, ending) == 0 ? n - tail : 0;
}

static Status note_file(Listing *listing, DIR *folder, const char *name)
{
    static const char *const endings[] = {".params", ".vk", ".meta", ".dev.json"};
    struct stat info;
    for (int kind = 0; kind < 4; kind++) {
        size_t length = stem_length(name, endings[kind]);
        if (!length || fstatat(dirfd(folder), name, &info, 0) != 0 || !S_ISREG(info.st_mode))
            continue;
        ParamsEntry *entry = entry_of(listing, name, length);
        if (!entry)
            FAIL(ERR_MEMORY, "parameter folder: out of memory");
        if (kind == 0)
            entry->params_bytes = (uint64_t)info.st_size;
        if (kind == 1)
            entry->vk_bytes = (uint64_t)info.st_size;
        entry->meta |= kind == 2;
        entry->development |= kind == 3;
    }
    return OK;
}

static int by_stem(const void *a, const void *b)
{
    return strcmp(((const ParamsEntry *)a)->stem, ((const ParamsEntry *)b)->stem);
}

Status params_list(ParamsEntry **out, size_t *n, const char *folder)
{
    Listing listing = {0};
    DIR *open = opendir(folder);
    if (!open)
        FAIL(errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s: %s", folder, strerror(errno));
    Status status = OK;
    for (struct dirent *entry; status == OK && (entry = readdir(open));)
        status = note_file(&listing, open, entry->d_name);
    closedir(open);
    if (status != OK) {
        free(listing.entries);
        return status;
    }
    if (listing.n)
        qsort(listing.entries, listing.n, sizeof *listing.entries, by_stem);
    *out = listing.entries;
    *n = listing.n;
    return OK;
}

const char *key_origin_name(KeyOrigin origin)
{
    static const char *const names[] = {"UNKNOWN", "OFFICIAL", "DEVELOPMENT"};
    return names[origin];
}

static Status digest_stream(char hex[DIGEST_HEX], FILE *file, EVP_MD_CTX *hash)
{
    enum { CHUNK = 1 << 16 };
    uint8_t chunk[CHUNK], digest[64];
    bool fine = EVP_DigestInit_ex(hash, EVP_blake2b512(), NULL);
    for (size_t n; fine && (n = fread(chunk, 1, CHUNK, file)) > 0;)
        fine = EVP_DigestUpdate(hash, chunk, n);
    if (ferror(file))
        FAIL(ERR_IO, "%s", strerror(errno));
    if (!fine || !EVP_DigestFinal_ex(hash, digest, NULL))
        FAIL(ERR_INTERNAL, "BLAKE2b failed");
    for (int i = 0; i < (DIGEST_HEX - 1) / 2; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    return OK;
}

Status params_digest(char hex[DIGEST_HEX], const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file)
        FAIL(errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s: %s", path, strerror(errno));
    EVP_MD_CTX *hash = EVP_MD_CTX_new();
    Status status =
        hash ? digest_stream(hex, file, hash) : status_fail(ERR_MEMORY, "digest: out of memory");
    EVP_MD_CTX_free(hash);
    fclose(file);
    return status == OK ? OK : status_context(status, "%s", path);
}

/* Is there a STEM.dev.json beside the file? */
static bool has_sidecar(const char *path)
{
    char side[1024];
    const char *dot = strrchr(path, '.');
    int n = snprintf(side, sizeof side, "%.*s.dev.json", dot ? (int)(dot - path) : 0, path);
    return dot && n > 0 && (size_t)n < sizeof side && file_exists(side);
}

Status key_origin(KeyOrigin *out, char digest[DIGEST_HEX], char expected[DIGEST_HEX],
                  const char *path, const Manifest *manifest)
{
    const char *name = strrchr(path, '/');
    const char *known = manifest_digest(manifest, name ? name + 1 : path);
    TRY(params_digest(digest, path));
    snprintf(expected, DIGEST_HEX, "%s", known ? known : "");
    if (known && strcmp(known, digest) == 0)
        *out = KEY_OFFICIAL;
    else
        *out = has_sidecar(path) ? KEY_DEVELOPMENT : KEY_UNKNOWN;
    return OK;
}
