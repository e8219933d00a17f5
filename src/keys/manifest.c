/* SPDX-License-Identifier: MIT OR Apache-2.0
 * parameters.json: file name -> {cid, digest, sector_size}. Strict JSON, other keys skipped. */
#include "base/file.h"
#include "filecoin/registry.h"
#include "keys/keys_impl.h"

#include <string.h>

typedef struct {
    char *name;
    char digest[DIGEST_HEX];
} Known;

struct Manifest {
    Known *known;
    size_t n, room;
};

static Status add(Manifest *m, const char *name, const char *digest)
{
    if (m->n == m->room) {
        size_t room = m->room ? 2 * m->room : 64;
        Known *known = realloc(m->known, room * sizeof *known);
        if (!known)
            FAIL(ERR_MEMORY, "manifest: out of memory");
        m->known = known;
        m->room = room;
    }
    Known *known = &m->known[m->n];
    known->name = strdup(name);
    if (!known->name)
        FAIL(ERR_MEMORY, "manifest: out of memory");
    memcpy(known->digest, digest, DIGEST_HEX);
    m->n++;
    return OK;
}

/* The text ends in a zero byte, which no rule below accepts. */
typedef struct {
    const char *start, *at;
} Text;

enum { MOST_DEPTH = 16 };

static Status bad(const Text *text, const char *expected)
{
    FAIL(ERR_FORMAT, "byte %zu: expected %s", (size_t)(text->at - text->start), expected);
}

static void skip_space(Text *text)
{
    text->at += strspn(text->at, " \t\r\n");
}

static bool take(Text *text, char c)
{
    skip_space(text);
    if (*text->at != c)
        return false;
    text->at++;
    return true;
}

/* A string without the surrounding quotes; escapes are kept as they stand: no name of ours has
 * any. Longer than room: cut, so that it equals no name. */
static Status take_string(Text *text, char *out, size_t room)
{
    size_t n = 0;
    if (!take(text, '"'))
        return bad(text, "a string");
    for (; *text->at != '"'; text->at++) {
        bool escape = *text->at == '\\';
        if (escape && n + 1 < room)
            out[n++] = '\\';
        text->at += escape;
        if ((unsigned char)*text->at < 0x20)
            return bad(text, "the end of the string");
        if (n + 1 < room)
            out[n++] = *text->at;
    }
    text->at++;
    out[n] = 0;
    return OK;
}

static Status skip_value(Text *text, int depth);

static Status skip_members(Text *text, bool object, int depth)
{
    char close = object ? '}' : ']', name[8];
    text->at++;
    if (take(text, close))
        return OK;
    do {
        if (object) {
            TRY(take_string(text, name, sizeof name));
            if (!take(text, ':'))
                return bad(text, "a colon");
        }
        TRY(skip_value(text, depth + 1));
    } while (take(text, ','));
    return take(text, close) ? OK : bad(text, "a comma or the end");
}

static Status skip_value(Text *text, int depth)
{
    char ignored[8];
    skip_space(text);
    if (depth > MOST_DEPTH)
        return bad(text, "fewer levels");
    if (*text->at == '"')
        return take_string(text, ignored, sizeof ignored);
    if (*text->at == '{' || *text->at == '[')
        return skip_members(text, *text->at == '{', depth);
    size_t n = strspn(text->at, "+-.0123456789abcdefghijklmnopqrstuvwxyzE");
    if (n == 0)
        return bad(text, "a value");
    text->at += n;
    return OK;
}

/* One file's object. */
static Status take_entry(Manifest *m, Text *text, const char *name)
{
    char key[32], digest[64] = "";
    if (!take(text, '{'))
        return bad(text, "an object");
    do {
        TRY(take_string(text, key, sizeof key));
        if (!take(text, ':'))
            return bad(text, "a colon");
        if (strcmp(key, "digest") == 0)
            TRY(take_string(text, digest, sizeof digest));
        else
            TRY(skip_value(text, 2));
    } while (take(text, ','));
    if (!take(text, '}'))
        return bad(text, "a comma or the end of the object");
    if (strlen(digest) != DIGEST_HEX - 1 || strspn(digest, "0123456789abcdef") != DIGEST_HEX - 1)
        FAIL(ERR_FORMAT, "%s: digest is not 32 lower-case hex digits", name);
    return add(m, name, digest);
}

static Status parse(Manifest *m, const char *start)
{
    Text text = {start, start};
    char name[256];
    if (!take(&text, '{'))
        return bad(&text, "an object");
    if (!take(&text, '}')) {
        do {
            TRY(take_string(&text, name, sizeof name));
            if (!take(&text, ':'))
                return bad(&text, "a colon");
            TRY(take_entry(m, &text, name));
        } while (take(&text, ','));
        if (!take(&text, '}'))
            return bad(&text, "a comma or the end of the object");
    }
    skip_space(&text);
    return *text.at ? bad(&text, "the end of the file") : OK;
}

Status manifest_parse(Manifest **out, const char *text)
{
    Manifest *m = calloc(1, sizeof *m);
    if (!m)
        FAIL(ERR_MEMORY, "manifest: out of memory");
    Status status = text ? parse(m, text) : OK;
    if (status != OK) {
        manifest_free(&m);
        return status;
    }
    *out = m;
    return OK;
}

Status manifest_new(Manifest **out, const char *path)
{
    uint8_t *text;
    size_t size;
    if (!path)
        return manifest_parse(out, NULL);
    TRY(file_read(path, 16 << 20, &text, &size));
    Status status = manifest_parse(out, (const char *)text);
    free(text);
    return status == OK ? OK : status_context(status, "%s", path);
}

void manifest_free(Manifest **manifest)
{
    if (!*manifest)
        return;
    for (size_t i = 0; i < (*manifest)->n; i++)
        free((*manifest)->known[i].name);
    free((*manifest)->known);
    free(*manifest);
    *manifest = NULL;
}

/* The registry's digest of STEM.params or STEM.vk. */
static const char *official_digest(const char *file_name)
{
    char stem[256];
    const char *ending = strrchr(file_name, '.');
    size_t length = ending ? (size_t)(ending - file_name) : sizeof stem;
    if (length >= sizeof stem)
        return NULL;
    memcpy(stem, file_name, length);
    stem[length] = 0;
    const OfficialDigests *official = registry_official_digests(stem);
    if (official && strcmp(ending, ".params") == 0)
        return official->params;
    return official && strcmp(ending, ".vk") == 0 ? official->vk : NULL;
}

const char *manifest_digest(const Manifest *manifest, const char *file_name)
{
    for (size_t i = manifest->n; i-- > 0;)
        if (strcmp(manifest->known[i].name, file_name) == 0)
            return manifest->known[i].digest;
    return official_digest(file_name);
}
