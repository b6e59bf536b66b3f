/*
 * The branch that a branch is pulled from. libgit2 1.5 would search the whole configuration by a
 * regular expression for it, and lose 20 KiB for each setting that does not match.
 */
#include "git/upstream.h"

#include "base/arena.h"
#include "git/repo.h"

#include <git2.h>
#include <string.h>

/* What `merge` is called here, once a fetch refspec of the remote covers it. */
struct mapping {
    const struct repo *repo;
    const char *merge;
    const char *name; /* NULL: not found yet */
};

static int try_refspec(const git_config_entry *entry, void *payload)
{
    struct mapping *m = payload;
    git_refspec *refspec = NULL;
    git_buf name = GIT_BUF_INIT;
    if (m->name || git_refspec_parse(&refspec, entry->value, 1) < 0)
        return 0;
    if (git_refspec_src_matches(refspec, m->merge) &&
        git_refspec_transform(&name, refspec, m->merge) == 0)
        m->name = arena_strdup(m->repo->arena, name.ptr);
    git_buf_dispose(&name);
    git_refspec_free(refspec);
    return 0;
}

static const char *find_name(const struct repo *repo)
{
    const char *branch = repo->branch + strlen("refs/heads/");
    const char *remote = repo_text(repo, arena_printf(repo->arena, "branch.%s.remote", branch));
    struct mapping m = {.repo = repo,
                        .merge =
                            repo_text(repo, arena_printf(repo->arena, "branch.%s.merge", branch))};
    if (!remote || !m.merge)
        return NULL;
    if (strcmp(remote, ".") == 0)
        return m.merge;
    (void)git_config_get_multivar_foreach(
        repo->config, arena_printf(repo->arena, "remote.%s.fetch", remote), NULL, try_refspec, &m);
    return m.name;
}

int upstream_find(struct oid *out, bool *found, const char **name, const struct repo *repo,
                  struct err *err)
{
    *found = false;
    *name = repo->branch ? find_name(repo) : NULL;
    return *name ? repo_ref(out, found, repo, *name, err) : 0;
}
