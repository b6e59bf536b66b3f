/* The bytes of a file; of a gzip file, by what it begins with, those that it holds. */
#include "smoke/gzip.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { ROOM = 1 << 16, TAR_MAGIC_AT = 257 };

static const char gzip_magic[] = "\x1f\x8b";

/* What others compress with, and how that begins. */
static const struct {
    const char *magic;
    size_t size;
    const char *what;
} others[] = {
    {"\xfd"
     "7zXZ",
     5, "is compressed with xz, which is not read: unpack it with 'xz -d'"},
    {"\x28\xb5\x2f\xfd", 4, "is compressed with zstd, which is not read: unpack it with 'zstd -d'"},
    {"BZh", 3, "is compressed with bzip2, which is not read: unpack it with 'bzip2 -d'"},
    {"\x04\x22\x4d\x18", 4, "is compressed with lz4, which is not read: unpack it with 'lz4 -d'"},
    {"LZIP", 4, "is compressed with lzip, which is not read: unpack it with 'lzip -d'"},
    {"\x1f\x9d", 2, "is compressed with compress, which is not read: unpack it with 'gzip -d'"},
    {"PK\3\4", 4, "is a zip archive: make a tar of what it holds"},
    {"7z\xbc\xaf", 4, "is a 7z archive: make a tar of what it holds"},
};

struct gzip {
    int fd, packed, between; /* of a gzip file: before a member */
    const char *wrong;
    z_stream z; /* what was read and not yet given, too */
    unsigned char in[ROOM];
};

/* Reads more behind what is there; -1: it cannot be read. At the end nothing more comes. */
static int refill(struct gzip *g)
{
    if (g->z.avail_in)
        memmove(g->in, g->z.next_in, g->z.avail_in);
    g->z.next_in = g->in;
    while (g->z.avail_in < ROOM) {
        ssize_t n = read(g->fd, g->in + g->z.avail_in, ROOM - g->z.avail_in);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            g->wrong = "cannot be read";
        if (n <= 0)
            return n < 0 ? -1 : 0;
        g->z.avail_in += (uInt)n;
    }
    return 0;
}

static int begins(const struct gzip *g, const char *magic, size_t size)
{
    return g->z.avail_in >= size && memcmp(g->z.next_in, magic, size) == 0;
}

static void look(struct gzip *g)
{
    int tar = g->z.avail_in > TAR_MAGIC_AT + 5 && memcmp(g->in + TAR_MAGIC_AT, "ustar", 5) == 0;
    g->packed = g->between = begins(g, gzip_magic, 2);
    for (size_t i = 0; i < sizeof others / sizeof *others && !tar; i++)
        if (begins(g, others[i].magic, others[i].size))
            g->wrong = others[i].what;
    if (g->packed && inflateInit2(&g->z, 16 + MAX_WBITS) != Z_OK) {
        g->packed = 0;
        g->wrong = "cannot be read: out of memory";
    }
}

struct gzip *gzip_open(const char *path)
{
    struct gzip *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (g->fd < 0 || refill(g) < 0) {
        int error = errno;
        gzip_close(g);
        errno = error;
        return NULL;
    }
    look(g);
    return g;
}

static int fail(struct gzip *g, const char *wrong)
{
    g->wrong = wrong;
    return -1;
}

static ssize_t read_plain(struct gzip *g, void *out, size_t size)
{
    if (!g->z.avail_in && refill(g) < 0)
        return -1;
    size_t n = size < g->z.avail_in ? size : g->z.avail_in;
    memcpy(out, g->z.next_in, n);
    g->z.next_in += n;
    g->z.avail_in -= (uInt)n;
    return (ssize_t)n;
}

/* 1: another member begins here; 0: none. What stands behind the last one gzip ignores too. */
static int next_member(struct gzip *g)
{
    if (g->z.avail_in < 2 && refill(g) < 0)
        return -1;
    if (!begins(g, gzip_magic, 2))
        return 0;
    g->between = 0;
    return inflateReset(&g->z) == Z_OK ? 1 : fail(g, "is a damaged gzip file");
}

static int read_packed(struct gzip *g, void *out, size_t size)
{
    uInt room = size < ROOM ? (uInt)size : ROOM;
    g->z.next_out = out;
    g->z.avail_out = room;
    while (g->z.avail_out == room) {
        int more = g->between ? next_member(g) : 1;
        if (more <= 0)
            return more;
        if (!g->z.avail_in && refill(g) < 0)
            return -1;
        if (!g->z.avail_in)
            return fail(g, "is a gzip file that is cut short");
        int rc = inflate(&g->z, Z_NO_FLUSH);
        g->between = rc == Z_STREAM_END;
        if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
            return fail(g, "is a damaged gzip file");
    }
    return (int)(room - g->z.avail_out);
}

ssize_t gzip_read(struct gzip *g, void *out, size_t size)
{
    if (g->wrong)
        return -1;
    return size && g->packed ? read_packed(g, out, size) : read_plain(g, out, size);
}

const char *gzip_wrong(const struct gzip *g)
{
    return g->wrong ? g->wrong : "is fine";
}

void gzip_close(struct gzip *g)
{
    if (g->packed)
        (void)inflateEnd(&g->z);
    if (g->fd >= 0)
        close(g->fd);
    free(g);
}
