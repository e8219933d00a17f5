/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Files: mapping, whole reads, and write-aside-then-rename. */
#include "base/file.h"

#include "base/random.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static Status open_regular(const char *path, int *descriptor, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not block */
    if (fd < 0)
        FAIL(errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s: %s", path, strerror(errno));
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(fd);
        FAIL(ERR_IO, "%s: not a regular file", path);
    }
    *descriptor = fd;
    *size = (size_t)info.st_size;
    return OK;
}

Status file_map(FileMap *map, const char *path)
{
    int fd;
    size_t size;
    TRY(open_regular(path, &fd, &size));
    void *data = NULL;
    if (size) {
        data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data == MAP_FAILED) {
            int error = errno;
            close(fd);
            FAIL(ERR_IO, "%s: mmap: %s", path, strerror(error));
        }
    }
    close(fd);
    *map = (FileMap){data, size};
    return OK;
}

void file_unmap(FileMap *map)
{
    if (map->data)
        munmap((void *)(uintptr_t)map->data, map->size);
    *map = (FileMap){0};
}

static Status read_all(int fd, const char *path, uint8_t *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = read(fd, data + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            FAIL(ERR_IO, "%s: read: %s", path, got ? strerror(errno) : "file shrank");
        done += (size_t)got;
    }
    return OK;
}

Status file_read(const char *path, size_t limit, uint8_t **data, size_t *size)
{
    int fd;
    size_t bytes;
    TRY(open_regular(path, &fd, &bytes));
    if (bytes > limit) {
        close(fd);
        FAIL(ERR_FORMAT, "%s: %zu bytes, expected at most %zu", path, bytes, limit);
    }
    uint8_t *buffer = malloc(bytes + 1);
    if (!buffer) {
        close(fd);
        FAIL(ERR_MEMORY, "%s: no memory for %zu bytes", path, bytes);
    }
    Status status = read_all(fd, path, buffer, bytes);
    close(fd);
    if (status != OK) {
        free(buffer);
        return status;
    }
    buffer[bytes] = 0;
    *data = buffer;
    *size = bytes;
    return OK;
}

enum { WRITER_BUFFER = 1 << 20 };

struct FileWriter {
    int fd;
    char *path, *temporary;
    uint64_t offset; /* where buffer will land */
    size_t used;
    uint8_t buffer[WRITER_BUFFER];
};

static void writer_free(FileWriter *writer)
{
    free(writer->path);
    free(writer->temporary);
    free(writer);
}

/* A name that nobody can have made beforehand: folders may be shared, with strangers and with other
 * containers where process numbers repeat. NULL: no memory, no randomness. */
static char *temporary_name(const char *path)
{
    char *name;
    uint64_t random;
    if (random_bytes(&random, sizeof random) != OK ||
        asprintf(&name, "%s.tmp.%016llx", path, (unsigned long long)random) < 0)
        return NULL;
    return name;
}

Status file_create(FileWriter **out, const char *path)
{
    FileWriter *writer = malloc(sizeof *writer);
    if (!writer)
        FAIL(ERR_MEMORY, "%s: out of memory", path);
    writer->fd = -1;
    writer->offset = 0;
    writer->used = 0;
    writer->path = strdup(path);
    writer->temporary = temporary_name(path);
    if (!writer->path || !writer->temporary) {
        writer_free(writer);
        FAIL(ERR_MEMORY, "%s: out of memory", path);
    }
    writer->fd = open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (writer->fd < 0) {
        int error = errno;
        writer_free(writer);
        FAIL(ERR_IO, "%s: %s", path, strerror(error));
    }
    *out = writer;
    return OK;
}

static Status write_at(FileWriter *writer, uint64_t offset, const uint8_t *data, size_t size)
{
    while (size) {
        ssize_t put = pwrite(writer->fd, data, size, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            FAIL(ERR_IO, "%s: write: %s", writer->temporary, strerror(errno));
        data += put;
        offset += (uint64_t)put;
        size -= (size_t)put;
    }
    return OK;
}

static Status flush(FileWriter *writer)
{
    TRY(write_at(writer, writer->offset, writer->buffer, writer->used));
    writer->offset += writer->used;
    writer->used = 0;
    return OK;
}

Status file_write(FileWriter *writer, const void *data, size_t size)
{
    if (size == 0) /* data may be NULL then */
        return OK;
    if (writer->used + size > WRITER_BUFFER)
        TRY(flush(writer));
    if (size > WRITER_BUFFER) {
        TRY(write_at(writer, writer->offset, data, size));
        writer->offset += size;
        return OK;
    }
    memcpy(writer->buffer + writer->used, data, size);
    writer->used += size;
    return OK;
}

Status file_write_at(FileWriter *writer, uint64_t offset, const void *data, size_t size)
{
    TRY(flush(writer));
    return write_at(writer, offset, data, size);
}

Status file_commit(FileWriter **writer_pointer)
{
    FileWriter *writer = *writer_pointer;
    Status status = flush(writer);
    if (status == OK && fsync(writer->fd) != 0)
        status = status_fail(ERR_IO, "%s: fsync: %s", writer->temporary, strerror(errno));
    if (status == OK && rename(writer->temporary, writer->path) != 0)
        status = status_fail(ERR_IO, "%s: rename: %s", writer->path, strerror(errno));
    if (status != OK) {
        file_discard(writer_pointer);
        return status;
    }
    close(writer->fd);
    writer_free(writer);
    *writer_pointer = NULL;
    return OK;
}

void file_discard(FileWriter **writer_pointer)
{
    FileWriter *writer = *writer_pointer;
    if (!writer)
        return;
    close(writer->fd);
    unlink(writer->temporary);
    writer_free(writer);
    *writer_pointer = NULL;
}

Status file_replace(const char *path, const void *data, size_t size)
{
    FileWriter *writer;
    TRY(file_create(&writer, path));
    Status status = file_write(writer, data, size);
    if (status != OK) {
        file_discard(&writer);
        return status;
    }
    return file_commit(&writer);
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

Status file_make_directory(const char *path)
{
    char *copy = strdup(path);
    if (!copy)
        FAIL(ERR_MEMORY, "%s: out of memory", path);
    Status status = OK;
    for (char *p = copy + 1; status == OK; p++) {
        char saved = *p;
        if (saved != '/' && saved != '\0')
            continue;
        *p = '\0';
        if (mkdir(copy, 0755) != 0 && errno != EEXIST)
            status = status_fail(ERR_IO, "%s: %s", copy, strerror(errno));
        *p = saved;
        if (saved == '\0')
            break;
    }
    free(copy);
    return status;
}
