/* Path safety: which paths are allowed, and which two clash in one tree. */
#include "io/path.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/unicode.h"
#include "base/utf8.h"

#include <string.h>

#define KEY_BYTES_MAX (16 * LIMIT_KIB) /* folding may lengthen a text several times */

/* ---------------------------------------------------------------- one path */

static int fail(struct err *err, enum exit_code exit, const char *code, const char *path,
                const char *reason)
{
    BUF_SCRATCH(masked, KEY_BYTES_MAX);
    struct span text = span_from(path);
    bool cut = text.len > LIMIT_PATH_BYTES;
    if (cut)
        text.len = LIMIT_PATH_BYTES;
    (void)unicode_mask(&masked, text, false);
    return err_set(err, exit, code, "%spath '%s%s': %s", exit == TG_REFUSED ? "unsafe " : "",
                   buf_text(&masked), cut ? "..." : "", reason);
}

static int refuse(struct err *err, const char *path, const char *reason)
{
    return fail(err, TG_REFUSED, "unsafe-path", path, reason);
}

static bool all_digits(struct span text)
{
    for (size_t i = 0; i < text.len; i++)
        if (str_digit(text.ptr[i]) >= 10)
            return false;
    return text.len > 0;
}

static struct span behind(struct span text, size_t skip)
{
    return span_of(text.ptr + skip, text.len - skip);
}

/* The 8.3 name that NTFS makes if the usual ones are taken: `GI7EBA~1`, `GI7~1234`. */
static bool is_hashed_short_name(struct span key)
{
    static const char hash[] = "gi7eba";
    size_t tilde = 0;
    if (key.len != 8)
        return false;
    while (tilde < sizeof(hash) - 1 && key.ptr[tilde] == hash[tilde])
        tilde++;
    return key.ptr[tilde] == '~' && all_digits(behind(key, tilde + 1));
}

/* Whether a folded name is `.git` or `.gitmodules`, by its long or by a short (8.3) name. */
static bool is_git_name(struct span key)
{
    if (span_equal(key, span_from(".git")) || span_equal(key, span_from(".gitmodules")))
        return true;
    if (span_starts(key, "git~") && all_digits(behind(key, 4)))
        return true;
    if (span_starts(key, "gitmod~") && all_digits(behind(key, 7)))
        return true;
    return is_hashed_short_name(key);
}

/* Whether it is a device's number: one digit, maybe a superscript of Latin-1. */
static bool is_device_number(struct span text)
{
    return (text.len == 1 && str_digit(text.ptr[0]) < 10) ||
           span_equal(text, span_from("\xC2\xB9")) || span_equal(text, span_from("\xC2\xB2")) ||
           span_equal(text, span_from("\xC2\xB3"));
}

/* Whether a folded name is a device, ignoring an extension and blanks before it. */
static bool is_device(struct span key)
{
    static const char *const devices[] = {"con", "prn", "aux", "nul", "conin$", "conout$"};
    const char *dot = memchr(key.ptr, '.', key.len);
    if (dot)
        key.len = (size_t)(dot - key.ptr);
    key = span_trim_end(key, " ");
    for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
        if (span_equal(key, span_from(devices[i])))
            return true;
    return (span_starts(key, "com") || span_starts(key, "lpt")) && is_device_number(behind(key, 3));
}

static const char *bad_character(struct span part)
{
    for (size_t pos = 0; pos < part.len;) {
        uint32_t c = utf8_next(part, &pos);
        if (c == UTF8_INVALID)
            return "it is not valid UTF-8";
        if (c == '\\')
            return "a backslash separates folders on Windows";
        if (c == ':')
            return "a colon names a drive or a stream on Windows";
        if (unicode_is_control(c))
            return "it holds a control character";
        if (unicode_is_hidden(c))
            return "it holds a character that does not show";
    }
    return NULL;
}

/* Strips what NTFS drops or takes for a stream: `.git. `, `.git::$INDEX_ALLOCATION`. */
static struct span without_ending(struct span key)
{
    const char *colon = memchr(key.ptr, ':', key.len);
    if (colon)
        key.len = (size_t)(colon - key.ptr);
    return span_trim_end(key, ". ");
}

/* The reason why a part is unsafe, or NULL. Git's files come first, as the gravest reason. */
static const char *bad_part(struct span part)
{
    if (!part.len)
        return "a part of it is empty";
    if (span_equal(part, span_from(".")) || span_equal(part, span_from("..")))
        return "it holds '.' or '..'";
    BUF_SCRATCH(buf, KEY_BYTES_MAX);
    if (unicode_fold_key(&buf, part))
        return "a part of it is too long";
    struct span key = span_of(buf_text(&buf), buf.len);
    if (is_git_name(without_ending(key)))
        return "it means git's own files ('.git' or '.gitmodules') to some file system";
    const char *reason = bad_character(part);
    if (reason)
        return reason;
    if (part.ptr[part.len - 1] == '.' || part.ptr[part.len - 1] == ' ')
        return "Windows drops a dot or a blank at the end of a name";
    return is_device(key) ? "it names a device on Windows" : NULL;
}

static int check_part(const char *path, struct span part, struct err *err)
{
    if (part.len > LIMIT_NAME_BYTES) {
        (void)fail(err, TG_USAGE, "limit", path, "a name in it is too long");
        return err_hint(err, "the limit is %zu bytes a name", LIMIT_NAME_BYTES);
    }
    const char *reason = bad_part(part);
    return reason ? refuse(err, path, reason) : 0;
}

int path_check(const char *path, struct err *err)
{
    size_t depth = 0;
    if (!*path)
        return refuse(err, path, "it is empty");
    if (*path == '/')
        return refuse(err, path, "it is absolute");
    if (strlen(path) > LIMIT_PATH_BYTES) {
        (void)fail(err, TG_USAGE, "limit", path, "it is too long");
        return err_hint(err, "the limit is %zu bytes a path", LIMIT_PATH_BYTES);
    }
    for (const char *part = path;;) {
        size_t len = strcspn(part, "/");
        if (check_part(path, span_of(part, len), err))
            return -1;
        if (++depth > LIMIT_TREE_DEPTH) {
            (void)fail(err, TG_USAGE, "limit", path, "it is too deep");
            return err_hint(err, "the limit is %zu levels", LIMIT_TREE_DEPTH);
        }
        if (!part[len])
            return 0;
        part += len + 1;
    }
}

/* ---------------------------------------------------------------- sets of paths */

/* A file of the set, or a folder that one of its files is in. */
struct entry {
    struct span spelled; /* as in the first path that has it */
    const char *path;    /* that path, and its origin */
    const char *origin;
    bool folder;
};

struct path_set {
    struct arena *arena;
    struct intern keys;
    struct entry *entries; /* by the number of their key */
};

struct path_set *path_set_new(struct arena *arena)
{
    struct path_set *set = arena_alloc(arena, sizeof(*set));
    set->arena = arena;
    return set;
}

static int clash(const struct entry *old, const struct entry *new, struct err *err)
{
    const char *const format =
        "'%s' (%s) and '%s' (%s) cannot both be written: '%.*s' and '%.*s' are one name to some "
        "file systems";
    if (!span_equal(old->spelled, new->spelled))
        return err_set(err, TG_USAGE, "path-clash", format, old->path, old->origin, new->path,
                       new->origin, (int)old->spelled.len, old->spelled.ptr, (int)new->spelled.len,
                       new->spelled.ptr);
    if (old->folder != new->folder)
        return err_set(err, TG_USAGE, "path-clash",
                       "'%s' (%s) and '%s' (%s) cannot both be written: '%.*s' would be a file and "
                       "a folder",
                       old->path, old->origin, new->path, new->origin, (int)new->spelled.len,
                       new->spelled.ptr);
    return err_set(err, TG_USAGE, "path-clash", "'%s' would be written twice: by %s and by %s",
                   new->path, old->origin, new->origin);
}

static int add_entry(struct path_set *set, struct span key, const struct entry *entry,
                     struct err *err)
{
    size_t count = set->keys.count, number = intern_add(&set->keys, set->arena, key);
    if (number == count) {
        set->entries = arena_grow(set->arena, set->entries, count, sizeof(*set->entries));
        set->entries[number] = *entry;
        return 0;
    }
    const struct entry *old = &set->entries[number];
    if (old->folder && entry->folder && span_equal(old->spelled, entry->spelled))
        return 0;
    return clash(old, entry, err);
}

/* The length of `text` up to the first '/' at or after `from`, or all of it. */
static size_t up_to_slash(struct span text, size_t from)
{
    const char *slash = memchr(text.ptr + from, '/', text.len - from);
    return slash ? (size_t)(slash - text.ptr) : text.len;
}

int path_set_add(struct path_set *set, const char *path, const char *origin, struct err *err)
{
    BUF_SCRATCH(buf, KEY_BYTES_MAX);
    struct span text = span_from(arena_strdup(set->arena, path));
    if (unicode_fold_key(&buf, text))
        return fail(err, TG_USAGE, "limit", path, "it is too long");
    struct span key = span_of(arena_memdup(set->arena, buf_text(&buf), buf.len), buf.len);
    struct entry entry = {.path = text.ptr, .origin = arena_strdup(set->arena, origin)};
    /* folding neither creates nor drops a '/': both texts have the same parts */
    for (size_t key_end = 0, end = 0;; key_end++, end++) {
        key_end = up_to_slash(key, key_end);
        end = up_to_slash(text, end);
        entry.spelled = span_of(text.ptr, end);
        entry.folder = end < text.len;
        if (add_entry(set, span_of(key.ptr, key_end), &entry, err))
            return -1;
        if (!entry.folder)
            return 0;
    }
}
