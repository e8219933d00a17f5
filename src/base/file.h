/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Files: read whole, mapped, or written aside and renamed. */
#ifndef CUZK_BASE_FILE_H
#define CUZK_BASE_FILE_H

#include "base/status.h"

/* A read-only mapping of a whole file. size 0: data NULL. */
typedef struct {
    const uint8_t *data;
    size_t size;
} FileMap;

Status file_map(FileMap *map, const char *path);
void file_unmap(FileMap *map);

/* Read a whole file of at most limit bytes; *data is malloc'ed, one zero byte follows the end. */
Status file_read(const char *path, size_t limit, uint8_t **data, size_t *size);

/* A new file, written to "PATH.tmp.RANDOM" and renamed over PATH by file_commit after fsync, so
 * that PATH is either absent, old, or complete. */
typedef struct FileWriter FileWriter;

Status file_create(FileWriter **writer, const char *path);
/* Buffered, sequential. size may be 0. */
Status file_write(FileWriter *writer, const void *data, size_t size);
/* At an absolute offset; for counts and sections that are known late. */
Status file_write_at(FileWriter *writer, uint64_t offset, const void *data, size_t size);
/* fsync, rename, free. On failure the temporary file is removed; *writer is freed either way. */
Status file_commit(FileWriter **writer);
/* Remove the temporary file. Safe on NULL. */
void file_discard(FileWriter **writer);

/* Write a whole small file the same way. */
Status file_replace(const char *path, const void *data, size_t size);

bool file_exists(const char *path);
/* mkdir -p. */
Status file_make_directory(const char *path);

#endif
