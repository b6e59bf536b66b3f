/* Commit objects, made without a repository. */
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
