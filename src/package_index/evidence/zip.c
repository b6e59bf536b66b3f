/* Reads one file of a zip archive in pieces from the archive's end, as for wheels. */
#include "package_index/evidence/zip.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    END_SIZE = 22,
    ENTRY_SIZE = 46,
    HEADER_SIZE = 30,
    HEADER_ROOM = 1024, /* name and extra field, which the directory gives for itself only */
    STORED = 0,
    DEFLATED = 8
};

static unsigned read16(const char *at)
{
    const unsigned char *bytes = (const unsigned char *)at;
    return bytes[0] | (unsigned)bytes[1] << 8;
}

static uint32_t read32(const char *at)
{
    return read16(at) | (uint32_t)read16(at + 2) << 16;
}

int zip_directory(struct zip_range *out, struct span tail)
{
    if (tail.len < END_SIZE)
        return -1;
    for (size_t at = tail.len - END_SIZE + 1; at-- > 0;) {
        const char *end = tail.ptr + at;
        if (memcmp(end, "PK\5\6", 4) != 0 || at + END_SIZE + read16(end + 20) != tail.len)
            continue;
        *out = (struct zip_range){read32(end + 16), read32(end + 12)};
        return out->offset == UINT32_MAX || out->len == UINT32_MAX ? -1 : 0;
    }
    return -1;
}

int zip_find(struct zip_range *out, struct span directory, const char *ending)
{
    size_t len = strlen(ending);
    for (size_t at = 0; directory.len - at >= ENTRY_SIZE;) {
        const char *entry = directory.ptr + at;
        size_t name = read16(entry + 28), rest = (size_t)read16(entry + 30) + read16(entry + 32);
        if (memcmp(entry, "PK\1\2", 4) != 0 || directory.len - at - ENTRY_SIZE < name + rest)
            return -1;
        if (name >= len && memcmp(entry + ENTRY_SIZE + name - len, ending, len) == 0) {
            uint64_t packed = read32(entry + 20);
            *out = (struct zip_range){read32(entry + 42), HEADER_SIZE + HEADER_ROOM + packed};
            return packed == UINT32_MAX || out->offset == UINT32_MAX ? -1 : 0;
        }
        at += ENTRY_SIZE + name + rest;
    }
    return -1;
}

/* Unpacks a stream without its own header; `*len` is the room, then the unpacked length. */
static int inflate_all(char *out, size_t *len, struct span packed)
{
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)packed.ptr,
                       .avail_in = (uInt)packed.len,
                       .next_out = (Bytef *)out,
                       .avail_out = (uInt)*len};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return -1;
    int rc = inflate(&stream, Z_FINISH);
    *len = stream.total_out;
    (void)inflateEnd(&stream);
    return rc == Z_STREAM_END ? 0 : -1;
}

int zip_unpack(struct span *out, struct arena *arena, struct span range, size_t max)
{
    if (range.len < HEADER_SIZE || range.len > UINT32_MAX || max > UINT32_MAX ||
        memcmp(range.ptr, "PK\3\4", 4) != 0)
        return -1;
    size_t skip = HEADER_SIZE + (size_t)read16(range.ptr + 26) + read16(range.ptr + 28);
    unsigned method = read16(range.ptr + 8);
    if (skip > range.len)
        return -1;
    struct span packed = span_of(range.ptr + skip, range.len - skip);
    if (method == STORED) {
        size_t len = read32(range.ptr + 18);
        if (len > packed.len || len > max)
            return -1;
        *out = span_of(arena_memdup(arena, packed.ptr, len), len);
        return 0;
    }
    if (method != DEFLATED)
        return -1;
    size_t len = max;
    char *room = xmalloc(max + 1);
    int rc = inflate_all(room, &len, packed);
    if (rc == 0)
        *out = span_of(arena_memdup(arena, room, len), len);
    free(room);
    return rc;
}
