/* Commit objects, made and read without a repository. */
#include "git/commit.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "git/libgit2.h"
#include "git/repo.h"
#include "git/store.h"
#include "git/tree.h"

#include <git2.h>
#include <stdlib.h>
#include <string.h>

#define COMMIT_MAX (16 * LIMIT_MIB)

static const char *format_who(struct arena *arena, const git_signature *who)
{
    int offset = who->when.offset, minutes = offset < 0 ? -offset : offset;
    return arena_printf(arena, "%s <%s> %lld %c%02d%02d", who->name, who->email,
                        (long long)who->when.time, offset < 0 ? '-' : '+', minutes / 60,
                        minutes % 60);
}

int identity_read(struct identity *out, struct arena *arena, git_repository *repository,
                  struct err *err)
{
    git_signature *author, *committer;
    if (git_identity(&author, &committer, &out->fallback, repository, err) < 0)
        return -1;
    out->author = format_who(arena, author);
    out->committer = format_who(arena, committer);
    out->name = arena_printf(arena, "%s <%s>", author->name, author->email);
    git_signature_free(author);
    git_signature_free(committer);
    return 0;
}

int commit_put(struct oid *out, struct store *store, const struct oid *tree,
               const struct oid *parents, size_t parent_count, const struct identity *who,
               const char *message, struct err *err)
{
    BUF_SCRATCH(text, COMMIT_MAX);
    char hex[41];
    oid_hex(hex, tree);
    (void)buf_printf(&text, "tree %s\n", hex);
    for (size_t i = 0; i < parent_count; i++) {
        oid_hex(hex, &parents[i]);
        (void)buf_printf(&text, "parent %s\n", hex);
    }
    (void)buf_printf(&text, "author %s\ncommitter %s\n\n%s", who->author, who->committer, message);
    if (text.overflowed)
        return err_set(err, TG_USAGE, "limit", "the commit's message is too long");
    return store_put(out, store, STORE_COMMIT, span_of(buf_text(&text), text.len), err);
}

/* ---------------------------------------------------------------- as its bytes have it */

#define RAW_COMMIT_MAX (LIMIT_MESSAGE_BYTES + LIMIT_MIB)
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

/* For people, who would not read all of a very long one. */
static const char *subject_of(struct arena *arena, struct span message)
{
    struct span line = span_of("", 0);
    while (message.len && line.len == 0)
        line = span_cut_line(&message);
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
    const char *hex = oid_text(arena, id);
    bool valid = true;
    *out = (struct raw_commit){.id = *id};
    if (store_get(&bytes, store, STORE_COMMIT, id, hex, err) < 0)
        return -1;
    struct span text = bytes.bytes, line;
    while (valid && text.len && (line = span_cut_line(&text)).len)
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
    BUF_SCRATCH(text, RAW_COMMIT_MAX);
    char hex[41];
    oid_hex(hex, tree);
    (void)buf_printf(&text, "tree %s\n", hex);
    if (!oid_is_zero(parent)) {
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
