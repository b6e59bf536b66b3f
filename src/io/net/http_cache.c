/* A cache of HTTP answers across runs: used as they are for a while, or revalidated. */
#include "io/net/http_cache.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/sha.h"
#include "io/io.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HEAD_LINES 8
#define MAGIC "tmplgen-http 2"

/* A hash: URLs are not file names, and may be too long for one. */
static const char *path_of(struct arena *arena, const char *folder, const char *url,
                           const char *key)
{
    char name[SHA256_HEX_SIZE];
    const char *whole = arena_printf(arena, "%s\n%s", url, key ? key : "");
    sha256_hex(name, whole, strlen(whole));
    return arena_printf(arena, "%s/%s", folder, name);
}

/* Splits off the header lines; false if there are too few. */
static bool split_head(const char **lines, struct arena *arena, struct span *rest)
{
    for (size_t i = 0; i < HEAD_LINES; i++) {
        const char *end = rest->len ? memchr(rest->ptr, '\n', rest->len) : NULL;
        if (!end)
            return false;
        size_t len = (size_t)(end - rest->ptr);
        lines[i] = arena_memdup(arena, rest->ptr, len);
        *rest = span_of(end + 1, rest->len - len - 1);
    }
    return true;
}

bool http_cache_load(struct http_cached *out, struct arena *arena, const char *folder,
                     const char *url, const char *key, size_t max)
{
    ERR_SCRATCH(err);
    const char *lines[HEAD_LINES], *path = path_of(arena, folder, url, key);
    char sum[SHA256_HEX_SIZE];
    struct span text;
    struct stat info;
    if (stat(path, &info) != 0 ||
        io_read(&text, arena, AT_FDCWD, path, max + 64 * LIMIT_KIB, &err) < 0 ||
        !split_head(lines, arena, &text) || text.len > max)
        return false;
    sha256_hex(sum, text.ptr, text.len);
    if (!str_equal(lines[0], MAGIC) || !str_equal(lines[1], url) || !str_equal(lines[7], sum))
        return false;
    *out = (struct http_cached){*lines[3] ? lines[3] : NULL,
                                *lines[4] ? lines[4] : NULL,
                                *lines[5] ? lines[5] : NULL,
                                lines[6],
                                text,
                                (int64_t)(time(NULL) - info.st_mtime)};
    return true;
}

/* Writes to another name and renames, so that no reader sees half a file. */
static void write_beside(const char *path, struct span text)
{
    ARENA_SCRATCH(arena);
    char *beside = arena_printf(&arena, "%s.XXXXXX", path);
    int fd = mkostemp(beside, O_CLOEXEC);
    if (fd < 0)
        return;
    bool written = io_write_all(fd, text) == 0;
    if (close(fd) < 0 || !written || rename(beside, path) < 0)
        (void)unlink(beside);
}

void http_cache_store(const char *folder, const char *url, const char *key,
                      const struct http_cached *answer)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    BUF_SCRATCH(text, answer->body.len + 64 * LIMIT_KIB);
    char sum[SHA256_HEX_SIZE];
    const char *made;
    if (io_make_folders(&made, &arena, folder, &err) < 0)
        return;
    sha256_hex(sum, answer->body.ptr, answer->body.len);
    (void)buf_printf(&text, "%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n", MAGIC, url, key ? key : "",
                     answer->etag ? answer->etag : "",
                     answer->last_modified ? answer->last_modified : "",
                     answer->type ? answer->type : "", answer->place, sum);
    if (buf_append(&text, answer->body.ptr, answer->body.len) == 0)
        write_beside(path_of(&arena, folder, url, key), span_of(text.ptr, text.len));
}
