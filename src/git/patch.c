/* The difference of two trees as a patch, in git's form. */
#include "git/patch.h"

#include "base/arena.h"
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
