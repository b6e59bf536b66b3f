/* A commit as its bytes have it: what a replayed one keeps of it. */
#include "git/raw_commit.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "git/repo.h"
#include "git/store.h"

#include <string.h>

#define COMMIT_MAX (LIMIT_MESSAGE_BYTES + LIMIT_MIB)
enum { SUBJECT_MAX = 200 };

/* What follows `name` on a line of the header; NULL: the line is another. */
static const char *value_of(struct arena *arena, struct span line, const char *name)
{
    size_t len = strlen(name);
    if (line.len <= len || memcmp(line.ptr, name, len) != 0 || line.ptr[len] != ' ')
        return NULL;
    return arena_memdup(arena, line.ptr + len + 1, line.len - len - 1);
}

/* -1 where the line is damaged. */
static int read_line(struct raw_commit *out, struct arena *arena, struct span line)
{
    const char *value;
    if (memchr(line.ptr, '\0', line.len)) /* what is behind it would be lost */
        return -1;
    if ((value = value_of(arena, line, "tree")))
        return oid_parse(&out->tree, value);
    if ((value = value_of(arena, line, "parent")))
        return out->parent_count++ ? 0 : oid_parse(&out->parent, value);
    if (!out->author && (value = value_of(arena, line, "author")))
        out->author = value;
    else if ((value = value_of(arena, line, "encoding")))
        out->encoding = value;
    else if (value_of(arena, line, "gpgsig") || value_of(arena, line, "gpgsig-sha256"))
        out->is_signed = true;
    return 0;
}

static struct span take_line(struct span *text)
{
    const char *end = memchr(text->ptr, '\n', text->len);
    struct span line = span_of(text->ptr, end ? (size_t)(end - text->ptr) : text->len);
    size_t taken = line.len + (end != NULL);
    *text = span_of(text->ptr + taken, text->len - taken);
    return line;
}

/* For people, who would not read all of a very long one. */
static const char *subject_of(struct arena *arena, struct span message)
{
    struct span line = span_of("", 0);
    while (message.len && line.len == 0)
        line = take_line(&message);
    if (line.len <= SUBJECT_MAX)
        return arena_memdup(arena, line.ptr, line.len);
    size_t len = SUBJECT_MAX;
    while (len && (line.ptr[len] & 0xc0) == 0x80) /* within a character */
        len--;
    return arena_printf(arena, "%.*s...", (int)len, line.ptr);
}

int raw_commit_read(struct raw_commit *out, struct arena *arena, const struct store *store,
                    const struct oid *id, struct err *err)
{
    STORE_BYTES_SCRATCH(bytes);
    char hex[41];
    bool valid = true;
    oid_hex(hex, id);
    *out = (struct raw_commit){.id = *id};
    if (store_get(&bytes, store, STORE_COMMIT, id, hex, err) < 0)
        return -1;
    struct span text = bytes.bytes, line;
    while (valid && text.len && (line = take_line(&text)).len)
        valid = read_line(out, arena, line) == 0;
    if (!valid || !out->author)
        return err_set(err, TG_RUNTIME, "git", "commit %s is damaged", hex);
    out->message = span_of(arena_memdup(arena, text.ptr, text.len), text.len);
    out->subject = subject_of(arena, out->message);
    return 0;
}

int raw_commit_put(struct oid *out, struct store *store, const struct raw_commit *commit,
                   const struct oid *tree, const struct oid *parent, const char *committer,
                   struct err *err)
{
    static const struct oid none;
    BUF_SCRATCH(text, COMMIT_MAX);
    char hex[41];
    oid_hex(hex, tree);
    (void)buf_printf(&text, "tree %s\n", hex);
    if (!oid_equal(parent, &none)) {
        oid_hex(hex, parent);
        (void)buf_printf(&text, "parent %s\n", hex);
    }
    (void)buf_printf(&text, "author %s\ncommitter %s\n", commit->author, committer);
    if (commit->encoding)
        (void)buf_printf(&text, "encoding %s\n", commit->encoding);
    (void)buf_putc(&text, '\n');
    (void)buf_append(&text, commit->message.ptr, commit->message.len);
    if (text.overflowed)
        return err_set(err, TG_USAGE, "limit", "the message of a commit is too long");
    return store_put(out, store, STORE_COMMIT, span_of(buf_text(&text), text.len), err);
}
