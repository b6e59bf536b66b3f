/* Differences: patches in git's form for trees and files, hunks for two texts. */
#include "git/patch.h"

#include "base/arena.h"
#include "base/buf.h"
#include "git/libgit2.h"
#include "git/repo.h"

#include <git2.h>
#include <string.h>

static int find_tree(git_tree **out, const struct repo *repo, const struct oid *tree,
                     struct err *err)
{
    git_oid id;
    memcpy(id.id, tree->id, sizeof(id.id));
    return git_tree_lookup(out, repo->git, &id) < 0 ? git_fail(err, "cannot read a tree") : 0;
}

static int format(git_buf *out, const struct repo *repo, git_tree *old, git_tree *new,
                  struct err *err)
{
    git_diff *diff = NULL;
    git_diff_options options;
    (void)git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
    options.ignore_submodules = GIT_SUBMODULE_IGNORE_ALL;
    int rc = git_diff_tree_to_tree(&diff, repo->git, old, new, &options);
    if (rc == 0)
        rc = git_diff_to_buf(out, diff, GIT_DIFF_FORMAT_PATCH);
    git_diff_free(diff);
    return rc < 0 ? git_fail(err, "cannot compare two trees") : 0;
}

int patch_trees(struct span *out, struct arena *arena, const struct repo *repo,
                const struct oid *old, const struct oid *new, struct err *err)
{
    git_tree *from = NULL, *to = NULL;
    git_buf text = GIT_BUF_INIT;
    int rc = old ? find_tree(&from, repo, old, err) : 0;
    if (rc == 0)
        rc = find_tree(&to, repo, new, err);
    if (rc == 0)
        rc = format(&text, repo, from, to, err);
    if (rc == 0)
        *out = span_of(arena_memdup(arena, text.ptr ? text.ptr : "", text.size), text.size);
    git_buf_dispose(&text);
    git_tree_free(from);
    git_tree_free(to);
    return rc;
}

static unsigned mode_of(const struct patch_side *side)
{
    return side->executable ? LEAF_EXECUTABLE : LEAF_FILE;
}

/* The header that libgit2 cannot write for content that is in no tree. */
static int put_head(struct buf *out, const char *path, const struct patch_side *old,
                    const struct patch_side *new)
{
    if (buf_printf(out, "diff --git a/%s b/%s\n", path, path) < 0)
        return -1;
    if (!old->bytes.ptr)
        return buf_printf(out, "new file mode %o\n", mode_of(new));
    if (!new->bytes.ptr)
        return buf_printf(out, "deleted file mode %o\n", mode_of(old));
    if (old->executable == new->executable)
        return 0;
    return buf_printf(out, "old mode %o\nnew mode %o\n", mode_of(old), mode_of(new));
}

int patch_file(struct buf *out, const char *path, const struct patch_side *old,
               const struct patch_side *new, struct err *err)
{
    git_patch *patch = NULL;
    git_buf text = GIT_BUF_INIT;
    size_t before = out->len;
    if (git_start(err) < 0)
        return -1;
    int rc = git_patch_from_buffers(&patch, old->bytes.ptr, old->bytes.len, path, new->bytes.ptr,
                                    new->bytes.len, path, NULL);
    if (rc == 0 && patch)
        rc = git_patch_to_buf(&text, patch);
    if (rc < 0)
        rc = git_fail(err, "cannot compare two versions of '%s'", path);
    const char *line = text.ptr; /* skips libgit2's own header, which names blobs */
    while (rc == 0 && line && strncmp(line, "--- ", 4) != 0 && strncmp(line, "Binary", 6) != 0) {
        const char *end = strchr(line, '\n');
        line = end ? end + 1 : NULL;
    }
    if (rc == 0 && (put_head(out, path, old, new) < 0 || buf_puts(out, line ? line : "") < 0)) {
        buf_truncate(out, before);
        out->overflowed = false;
        rc = err_set(err, TG_USAGE, "limit", "the patch of '%s' is too long", path);
    }
    git_buf_dispose(&text);
    git_patch_free(patch);
    return rc;
}

/* ---------------------------------------------------------------- two texts */

struct hunk_call {
    hunk_taker *take;
    void *context;
};

static int take_hunk(const git_diff_delta *delta, const git_diff_hunk *found, void *payload)
{
    const struct hunk_call *call = payload;
    struct hunk hunk = {.old_count = (size_t)found->old_lines,
                        .new_count = (size_t)found->new_lines};
    (void)delta;
    /* for a hunk without old lines libgit2 gives the line before it */
    hunk.old_at = (size_t)found->old_start - (hunk.old_count ? 1 : 0);
    call->take(call->context, &hunk);
    return 0;
}

static struct span ended(struct arena *arena, struct span text)
{
    if (text.len == 0 || text.ptr[text.len - 1] == '\n')
        return text;
    char *copy = arena_memdup(arena, text.ptr, text.len);
    copy[text.len] = '\n';
    return span_of(copy, text.len + 1);
}

int patch_hunks(struct arena *arena, struct span old, struct span new, hunk_taker *take,
                void *context)
{
    struct hunk_call call = {take, context};
    git_diff_options options;
    struct span a = ended(arena, old), b = ended(arena, new);
    (void)git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
    options.context_lines = 0;
    options.interhunk_lines = 0;
    options.flags = GIT_DIFF_FORCE_TEXT;
    return git_diff_buffers(a.ptr, a.len, NULL, b.ptr, b.len, NULL, &options, NULL, NULL, take_hunk,
                            NULL, &call) < 0
               ? -1
               : 0;
}
