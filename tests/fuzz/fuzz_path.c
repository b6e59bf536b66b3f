/*
 * Each line of the input is a path. What path_check accepts stays below its root and out of `.git`
 * by a model of its own of what file systems make of names; what path_set_add says is what
 * comparing all with all says.
 */
#include "fuzz.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "io/path.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

/* Code points that HFS+ leaves out of names. */
static bool hfs_ignores(uint32_t c)
{
    return (c >= 0x200C && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
           (c >= 0x206A && c <= 0x206F) || c == 0xFEFF;
}

/* What Windows and HFS+ make of a name: without what they drop, up to a stream, in lower case. */
static size_t seen_name(char *out, struct span part)
{
    size_t len = 0;
    for (size_t pos = 0; pos < part.len;) {
        size_t start = pos;
        if (hfs_ignores(utf8_next(part, &pos)))
            continue;
        if (part.ptr[start] == ':')
            break;
        for (; start < pos; start++)
            out[len++] = (char)tolower((unsigned char)part.ptr[start]);
    }
    while (len && (out[len - 1] == '.' || out[len - 1] == ' '))
        len--;
    out[len] = '\0';
    return len;
}

static void check_accepted(const char *path)
{
    char name[LIMIT_PATH_BYTES + 1];
    must(strlen(path) <= LIMIT_PATH_BYTES && path[0] != '/' && utf8_valid(span_from(path)));
    for (const char *part = path;;) {
        size_t len = strcspn(part, "/\\");
        must(part[len] != '\\' && len > 0);
        must(seen_name(name, span_of(part, len)) > 0); /* nothing left: "." or ".." to somebody */
        must(strcmp(name, ".git") != 0 && strcmp(name, "git~1") != 0);
        must(strcmp(name, ".gitmodules") != 0 && strcmp(name, "gitmod~1") != 0);
        if (!part[len])
            return;
        part += len + 1;
    }
}

static const char *key_of(struct arena *arena, const char *path, size_t len)
{
    BUF_SCRATCH(key, LIMIT_MIB);
    must(unicode_fold_key(&key, span_of(path, len)) == 0);
    return arena_memdup(arena, buf_text(&key), key.len);
}

static bool is_end(char c)
{
    return c == '/' || c == '\0';
}

/* Whether two paths cannot be in one tree: every beginning of one with every one of the other. */
static bool paths_meet(struct arena *arena, const char *a, const char *b)
{
    for (size_t i = 0; i <= strlen(a); i++)
        for (size_t j = 0; is_end(a[i]) && j <= strlen(b); j++) {
            if (!is_end(b[j]) || strcmp(key_of(arena, a, i), key_of(arena, b, j)) != 0)
                continue;
            bool folders = a[i] == '/' && b[j] == '/';
            if (!folders || i != j || memcmp(a, b, i) != 0)
                return true;
        }
    return false;
}

#define PATHS_MAX 12

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    ARENA_SCRATCH(arena);
    struct path_set *set = path_set_new(&arena);
    const char *paths[PATHS_MAX];
    size_t count = 0;
    char *text = arena_memdup(&arena, bytes, size);
    for (char *line = text, *end; count < PATHS_MAX && line <= text + size; line = end + 1) {
        ERR_SCRATCH(err);
        bool meets = false;
        end = line + strcspn(line, "\n");
        *end = '\0';
        if (path_check(line, &err)) {
            must(err.exit == TG_REFUSED || err.exit == TG_USAGE);
            continue;
        }
        check_accepted(line);
        for (size_t i = 0; i < count; i++)
            meets |= paths_meet(&arena, line, paths[i]);
        must(path_set_add(set, line, "line", &err) == (meets ? -1 : 0));
        if (meets)
            break; /* a refused path may have left its folders in the set */
        paths[count++] = line;
    }
    return 0;
}
