/* Writing git objects as one pack with its index (gitformat-pack, version 2 of both). */
#include "git/write/pack.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/sha.h"
#include "io/io.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define PACK_MAX ((size_t)INT32_MAX) /* larger offsets need another table in the index */
#define ID_SIZE 20
#define MEMORY_LEVEL 6 /* of zlib; clears a quarter of the default's memory before each object */

/* One object in the pack. */
struct packed {
    const struct pack_object *object;
    uint32_t offset, crc;
};

struct writer {
    struct arena arena;
    struct buf pack, index;
    struct packed *packed;
    size_t count;
    z_stream stream;
    bool durable;
    struct err *err;
};

static void add_checksum(struct buf *out)
{
    unsigned char sum[SHA1_SIZE];
    sha1_sum(sum, span_of("", 0), span_of(buf_text(out), out->len));
    (void)buf_append(out, sum, sizeof(sum));
}

static void put_number(struct buf *out, uint32_t number)
{
    uint32_t big = htonl(number);
    (void)buf_append(out, &big, sizeof(big));
}

/* Kind and size: 4 bits of size in the first byte, 7 in each that follows. */
static void put_header(struct buf *out, enum pack_kind kind, size_t size)
{
    unsigned byte = (unsigned)kind << 4 | (unsigned)(size & 15);
    for (size >>= 4; size; size >>= 7) {
        (void)buf_putc(out, (char)(byte | 128));
        byte = (unsigned)(size & 127);
    }
    (void)buf_putc(out, (char)byte);
}

static int put_compressed(struct writer *w, struct span bytes)
{
    char chunk[32 * 1024];
    int rc;
    if (deflateReset(&w->stream) != Z_OK || bytes.len > UINT32_MAX)
        return err_set(w->err, TG_RUNTIME, "git", "zlib cannot compress an object");
    w->stream.next_in = (Bytef *)(uintptr_t)bytes.ptr;
    w->stream.avail_in = (uInt)bytes.len;
    do {
        w->stream.next_out = (Bytef *)chunk;
        w->stream.avail_out = sizeof(chunk);
        rc = deflate(&w->stream, Z_FINISH);
        (void)buf_append(&w->pack, chunk, sizeof(chunk) - w->stream.avail_out);
    } while (rc == Z_OK);
    return rc == Z_STREAM_END
               ? 0
               : err_set(w->err, TG_RUNTIME, "git", "zlib cannot compress an object");
}

static int put_object(struct writer *w, struct packed *packed)
{
    size_t start = w->pack.len;
    put_header(&w->pack, packed->object->kind, packed->object->bytes.len);
    if (packed->object->deflated.len)
        (void)buf_append(&w->pack, packed->object->deflated.ptr, packed->object->deflated.len);
    else if (put_compressed(w, packed->object->bytes) < 0)
        return -1;
    if (w->pack.overflowed)
        return err_set(w->err, TG_USAGE, "limit", "the new objects take more than 2 GiB");
    packed->offset = (uint32_t)start;
    packed->crc =
        (uint32_t)crc32(0, (const Bytef *)w->pack.ptr + start, (uInt)(w->pack.len - start));
    return 0;
}

static int fill_pack(struct writer *w)
{
    (void)buf_puts(&w->pack, "PACK");
    put_number(&w->pack, 2);
    put_number(&w->pack, (uint32_t)w->count);
    for (size_t i = 0; i < w->count; i++)
        if (put_object(w, &w->packed[i]) < 0)
            return -1;
    add_checksum(&w->pack);
    return 0;
}

static int by_id(const void *a, const void *b)
{
    const struct packed *left = a, *right = b;
    return memcmp(left->object->id, right->object->id, ID_SIZE);
}

static void fill_index(struct writer *w)
{
    static const char magic[] = "\377tOc";
    size_t at = 0;
    qsort(w->packed, w->count, sizeof(*w->packed), by_id);
    (void)buf_append(&w->index, magic, sizeof(magic) - 1);
    put_number(&w->index, 2);
    for (unsigned first = 0; first < 256; first++) {
        while (at < w->count && w->packed[at].object->id[0] <= first)
            at++;
        put_number(&w->index, (uint32_t)at);
    }
    for (size_t i = 0; i < w->count; i++)
        (void)buf_append(&w->index, w->packed[i].object->id, ID_SIZE);
    for (size_t i = 0; i < w->count; i++)
        put_number(&w->index, w->packed[i].crc);
    for (size_t i = 0; i < w->count; i++)
        put_number(&w->index, w->packed[i].offset);
    (void)buf_append(&w->index, w->pack.ptr + w->pack.len - ID_SIZE, ID_SIZE);
    add_checksum(&w->index);
}

/* One of the two files: written under a temporary name, then renamed. */
struct part {
    const char *path, *temporary;
    bool made;
};

static int write_part(struct part *part, struct writer *w, const char *path,
                      const struct buf *bytes)
{
    part->path = path;
    part->temporary = arena_printf(&w->arena, "%s.%ld.tmp", path, (long)getpid());
    int fd = open(part->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
    if (fd < 0)
        return err_errno(w->err, errno, "io", "cannot write '%s'", path);
    part->made = true;
    int rc = io_write_all(fd, span_of(bytes->ptr, bytes->len)), number = errno;
    (void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE); /* on its way: fsync waits the less */
    if (close(fd) < 0 && rc == 0) {
        rc = -1;
        number = errno;
    }
    return rc < 0 ? err_errno(w->err, number, "io", "cannot write '%s'", path) : 0;
}

static int show_part(struct part *part, struct writer *w)
{
    if (rename(part->temporary, part->path) < 0)
        return err_errno(w->err, errno, "io", "cannot write '%s'", part->path);
    part->made = false;
    return 0;
}

static int sync_folder(struct writer *w, const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return err_errno(w->err, errno, "io", "cannot open '%s'", folder);
    (void)fsync(fd); /* some file systems cannot sync a folder; there is no alternative */
    (void)close(fd);
    return 0;
}

/* Renames the index last: git ignores a pack without one. */
static int write_files(struct writer *w, const char *folder, char name[PACK_NAME_SIZE])
{
    struct part pack = {0}, index = {0};
    (void)snprintf(name, PACK_NAME_SIZE, "pack-");
    for (size_t i = 0; i < ID_SIZE; i++)
        (void)snprintf(name + 5 + 2 * i, 3, "%02x",
                       (unsigned char)w->pack.ptr[w->pack.len - ID_SIZE + i]);
    int rc = write_part(&pack, w, arena_printf(&w->arena, "%s/%s.pack", folder, name), &w->pack);
    if (rc == 0)
        rc = write_part(&index, w, arena_printf(&w->arena, "%s/%s.idx", folder, name), &w->index);
    if (rc == 0 && w->durable)
        rc = io_sync((struct io_place[]){{AT_FDCWD, pack.temporary}, {AT_FDCWD, index.temporary}},
                     2, w->err);
    if (rc == 0)
        rc = show_part(&pack, w);
    if (rc == 0)
        rc = show_part(&index, w);
    if (pack.made)
        (void)unlink(pack.temporary);
    if (index.made)
        (void)unlink(index.temporary);
    return rc < 0 || !w->durable ? rc : sync_folder(w, folder);
}

int pack_write(char name[PACK_NAME_SIZE], const char *folder, const struct pack_object *objects,
               size_t count, bool durable, struct err *err)
{
    struct writer w = {.arena = ARENA_INIT,
                       .pack = BUF_INIT(PACK_MAX),
                       .index = BUF_INIT(PACK_MAX),
                       .count = count,
                       .durable = durable,
                       .err = err};
    w.packed = arena_array(&w.arena, count + 1, sizeof(*w.packed));
    for (size_t i = 0; i < count; i++)
        w.packed[i].object = &objects[i];
    int rc = deflateInit2(&w.stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS, MEMORY_LEVEL,
                          Z_DEFAULT_STRATEGY) == Z_OK
                 ? 0
                 : err_set(err, TG_RUNTIME, "git", "zlib cannot be started");
    if (rc == 0)
        rc = fill_pack(&w);
    if (rc == 0) {
        fill_index(&w);
        rc = write_files(&w, folder, name);
    }
    (void)deflateEnd(&w.stream);
    buf_release(&w.pack);
    buf_release(&w.index);
    arena_release(&w.arena);
    return rc;
}
