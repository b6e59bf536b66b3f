/*
 * Branches of remotes. libgit2 1.5 would search the whole configuration with a regular expression,
 * and leak 20 KiB for each setting that does not match.
 */
#include "git/upstream.h"

#include "base/arena.h"
#include "base/str.h"
#include "git/libgit2.h"
#include "git/repo.h"

#include <git2.h>
#include <string.h>

/* The local name of `merge`, if a fetch refspec of the remote covers it. */
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

/* Whether `ref` is refs/remotes/REMOTE/`branch` of a remote; both parts may have slashes. */
static bool is_copy(const struct repo *repo, const char *ref, const char *branch)
{
    const char *rest = ref + strlen("refs/remotes/");
    size_t len = strlen(rest), tail = strlen(branch) + 1;
    if (len <= tail || rest[len - tail] != '/' || strcmp(rest + len - tail + 1, branch) != 0)
        return false;
    const char *remote = arena_memdup(repo->arena, rest, len - tail);
    return repo_text(repo, arena_printf(repo->arena, "remote.%s.url", remote)) != NULL;
}

int upstream_copies(struct upstream_copy **out, size_t *count, const struct repo *repo,
                    const char *branch, struct err *err)
{
    git_reference_iterator *iterator = NULL;
    const char *ref;
    bool found;
    int rc = 0;
    *out = NULL;
    *count = 0;
    if (git_reference_iterator_glob_new(&iterator, repo->git, "refs/remotes/*") < 0)
        return git_fail(err, "cannot list the branches of remotes");
    while (rc == 0 && git_reference_next_name(&ref, iterator) == 0) {
        if (!is_copy(repo, ref, branch))
            continue;
        *out = arena_grow(repo->arena, *out, *count, sizeof(**out));
        struct upstream_copy *copy = &(*out)[*count];
        copy->name = arena_strdup(repo->arena, ref + strlen("refs/remotes/"));
        rc = repo_ref(&copy->tip, &found, repo, ref, err);
        *count += found;
    }
    git_reference_iterator_free(iterator);
    return rc;
}
