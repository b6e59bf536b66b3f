/* Commit objects, made and read without a repository. */
#include "git/commit.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "git/libgit2.h"
#include "git/repo.h"
#include "git/store.h"

#include <git2.h>
#include <stdlib.h>
#include <string.h>

#define COMMIT_MAX (16 * LIMIT_MIB)

/* ---------------------------------------------------------------- identities */

#define FALLBACK_NAME "tmplgen"
#define FALLBACK_EMAIL "tmplgen@localhost"

static const char *config_text(git_config *config, const char *key)
{
    const char *value = NULL;
    return git_config_get_string(&value, config, key) == 0 && *value ? value : NULL;
}

/* The sources of a name or an email: environment, then configuration, then EMAIL. */
struct identity_source {
    const char *variable, *own_key, *user_key, *last_variable;
};

struct who {
    struct identity_source name, email;
};

static const struct who author_source = {
    {"GIT_AUTHOR_NAME", "author.name", "user.name", NULL},
    {"GIT_AUTHOR_EMAIL", "author.email", "user.email", "EMAIL"}};
static const struct who committer_source = {
    {"GIT_COMMITTER_NAME", "committer.name", "user.name", NULL},
    {"GIT_COMMITTER_EMAIL", "committer.email", "user.email", "EMAIL"}};

/* Removes characters that would end the field in a commit, as git does. */
static const char *without_brackets(struct arena *arena, const char *text)
{
    char *out = arena_strdup(arena, text), *to = out;
    for (const char *at = text; *at; at++)
        if (!strchr("<>\n", *at))
            *to++ = *at;
    *to = '\0';
    return out;
}

static const char *find_half(struct arena *arena, git_config *config,
                             const struct identity_source *source)
{
    const char *text = getenv(source->variable);
    if (!text || !*text)
        text = config_text(config, source->own_key);
    if (!text)
        text = config_text(config, source->user_key);
    if (!text && source->last_variable)
        text = getenv(source->last_variable);
    return text && *text ? without_brackets(arena, text) : NULL;
}

/* Sets `*out` to git's form, `*name` to "NAME <EMAIL>". Falls back if either half is missing. */
static int find_who(const char **out, const char **name, bool *fallback, struct arena *arena,
                    git_config *config, const struct who *who, struct err *err)
{
    git_signature *now = NULL;
    const char *half = find_half(arena, config, &who->name);
    const char *email = find_half(arena, config, &who->email);
    bool known = half && email;
    *fallback = *fallback || !known;
    if (git_signature_now(&now, known ? half : FALLBACK_NAME, known ? email : FALLBACK_EMAIL) < 0)
        return git_fail(err, "the git identity '%s <%s>' cannot be used", half ? half : "",
                        email ? email : "");
    int offset = now->when.offset, minutes = offset < 0 ? -offset : offset;
    *name = arena_printf(arena, "%s <%s>", now->name, now->email);
    *out = arena_printf(arena, "%s %lld %c%02d%02d", *name, (long long)now->when.time,
                        offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
    git_signature_free(now);
    return 0;
}

int identity_read(struct identity *out, struct arena *arena, git_repository *repository,
                  struct err *err)
{
    git_config *config = NULL;
    const char *committer;
    *out = (struct identity){.fallback = false};
    if (git_start(err) < 0)
        return -1;
    if (git_repository_config_snapshot(&config, repository) < 0)
        return git_fail(err, "cannot read git's configuration");
    int rc = find_who(&out->author, &out->name, &out->fallback, arena, config, &author_source, err);
    if (rc == 0)
        rc = find_who(&out->committer, &committer, &out->fallback, arena, config, &committer_source,
                      err);
    git_config_free(config);
    return rc;
}

/* ---------------------------------------------------------------- new commits */

static void put_ids(struct buf *out, const struct oid *tree, const struct oid *parents,
                    size_t parent_count)
{
    char hex[41];
    oid_hex(hex, tree);
    (void)buf_printf(out, "tree %s\n", hex);
    for (size_t i = 0; i < parent_count; i++) {
        oid_hex(hex, &parents[i]);
        (void)buf_printf(out, "parent %s\n", hex);
    }
}

int commit_put(struct oid *out, struct store *store, const struct oid *tree,
               const struct oid *parents, size_t parent_count, const struct identity *who,
               const char *message, struct err *err)
{
    BUF_SCRATCH(text, COMMIT_MAX);
    put_ids(&text, tree, parents, parent_count);
    (void)buf_printf(&text, "author %s\ncommitter %s\n\n%s", who->author, who->committer, message);
    if (text.overflowed)
        return err_set(err, TG_USAGE, "limit", "the commit's message is too long");
    return store_put(out, store, STORE_COMMIT, span_of(buf_text(&text), text.len), err);
}

/* ---------------------------------------------------------------- parsing */

#define RAW_COMMIT_MAX (LIMIT_MESSAGE_BYTES + LIMIT_MIB)
enum { SUBJECT_MAX = 200 };

/* The rest of a header line after `name`; NULL if it is another line. */
static const char *value_of(struct arena *arena, struct span line, const char *name)
{
    size_t len = strlen(name);
    if (line.len <= len || memcmp(line.ptr, name, len) != 0 || line.ptr[len] != ' ')
        return NULL;
    return arena_memdup(arena, line.ptr + len + 1, line.len - len - 1);
}

/* Returns -1 if the line is damaged. */
static int read_line(struct raw_commit *out, struct arena *arena, struct span line)
{
    const char *value;
    if (memchr(line.ptr, '\0', line.len)) /* the text behind it would be lost */
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

/* The subject, cut to a length that people read. */
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
    put_ids(&text, tree, parent, !oid_is_zero(parent));
    (void)buf_printf(&text, "author %s\ncommitter %s\n", commit->author, committer);
    if (commit->encoding)
        (void)buf_printf(&text, "encoding %s\n", commit->encoding);
    (void)buf_putc(&text, '\n');
    (void)buf_append(&text, commit->message.ptr, commit->message.len);
    if (text.overflowed)
        return err_set(err, TG_USAGE, "limit", "the message of a commit is too long");
    return store_put(out, store, STORE_COMMIT, span_of(buf_text(&text), text.len), err);
}
