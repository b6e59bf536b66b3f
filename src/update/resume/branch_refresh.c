/* `--branch NAME --refresh`: makes a branch anew that has only commits of tmplgen's. */
#include "update/resume/branch_refresh.h"

#include "base/arena.h"
#include "base/shell.h"
#include "base/str.h"
#include "git/history.h"
#include "git/ref.h"
#include "git/repo.h"
#include "git/store.h"
#include "git/upstream.h"
#include "update/report/commit_message.h"

#include <string.h>

enum { COMMITS_MAX = 1000 }; /* of one branch */

/* Finds the first commit from `tip` downwards that is not tmplgen's. */
static int skip_own(struct oid *out, const struct repo *repo, const struct oid *tip,
                    struct err *err)
{
    *out = *tip;
    for (int i = 0; i < COMMITS_MAX && store_has(repo->store, out); i++) {
        struct commit commit;
        const char *sealed;
        if (message_seal_of(&sealed, repo, out, err) < 0 ||
            repo_commit(&commit, repo->arena, repo->store, out, err) < 0)
            return -1;
        if (!sealed)
            break;
        *out = commit.parents[0];
    }
    return 0;
}

static int refuse(const struct repo *repo, const char *name, const struct oid *commit,
                  struct err *err)
{
    (void)err_set(err, TG_REFUSED, "foreign-commit",
                  "'%s' has a commit that is not tmplgen's: %.12s", name,
                  oid_text(repo->arena, commit));
    if (repo_is_shallow(repo))
        return err_hint(err, "the history here is cut short: 'git fetch --unshallow' brings it, in "
                             "case that commit is an old one");
    return err_hint(err, "somebody worked on it: merge it or give another name; `%s` shows it",
                    shell_command(repo->arena, "git log HEAD..%s", name));
}

/* The commits below tmplgen's own must belong to HEAD's history. */
static int check_tip(const struct repo *repo, const char *name, const struct oid *tip,
                     struct err *err)
{
    struct oid below;
    bool found;
    if (skip_own(&below, repo, tip, err) < 0 ||
        history_reaches(&found, repo, &repo->head, &below, err) < 0)
        return -1;
    return found ? 0 : refuse(repo, name, &below, err);
}

static int check_here(struct refresh *out, const struct repo *repo, const char *name,
                      struct err *err)
{
    bool found;
    struct oid *tip = arena_alloc(repo->arena, sizeof(*tip));
    const char *full = arena_printf(repo->arena, "refs/heads/%s", name);
    if (ref_read(tip, &found, repo, full, err) < 0)
        return -1;
    if (!found)
        return 0;
    out->tip = tip;
    out->old_tip = oid_text(repo->arena, tip);
    return check_tip(repo, name, tip, err);
}

static int check_copies(struct refresh *out, const struct repo *repo, const char *name,
                        struct err *err)
{
    if (upstream_copies(&out->copies, &out->copy_count, repo, name, err) < 0)
        return -1;
    for (size_t i = 0; i < out->copy_count; i++) {
        const struct upstream_copy *copy = &out->copies[i];
        if (check_tip(repo, copy->name, &copy->tip, err) < 0)
            return -1;
        if (!out->old_tip)
            out->old_tip = oid_text(repo->arena, &copy->tip);
    }
    return 0;
}

int branch_refresh_check(struct refresh *out, const struct repo *repo, const char *name,
                         struct err *err)
{
    *out = (struct refresh){.tip = NULL};
    if (repo->branch &&
        strcmp(repo->branch, arena_printf(repo->arena, "refs/heads/%s", name)) == 0) {
        (void)err_set(err, TG_REFUSED, "on-branch", "'%s' is the branch that you are on", name);
        return err_hint(err, "'git switch' to the branch that it is to start from");
    }
    if (check_here(out, repo, name, err) < 0)
        return -1;
    return check_copies(out, repo, name, err);
}

int branch_refresh_is_same(bool *out, const struct repo *repo, const struct oid *a,
                           const struct oid *b, struct err *err)
{
    const char *left, *right;
    *out = false;
    if (message_seal_of(&left, repo, a, err) < 0 || message_seal_of(&right, repo, b, err) < 0)
        return -1;
    *out = left && str_equal(left, right);
    return 0;
}

int branch_refresh_take_copy(struct oid *commit, const struct refresh *refresh,
                             const struct repo *repo, struct err *err)
{
    bool same = false;
    for (size_t i = 0; i < refresh->copy_count && !same; i++) {
        const struct oid *tip = &refresh->copies[i].tip;
        if (branch_refresh_is_same(&same, repo, tip, commit, err) < 0)
            return -1;
        if (same)
            *commit = *tip;
    }
    return 0;
}
