/* Finds the refs that contain commits of a range, and so keep the old ones alive. */

#include "base/arena.h"
#include "base/shell.h"
#include "base/str.h"
#include "data/document.h"
#include "git/libgit2.h"
#include "git/oid_map.h"
#include "git/repo.h"
#include "git/store.h"
#include "update/rebase/commit_range.h"
#include "update/strategy.h"

#include <git2.h>
#include <string.h>

enum { NAMED = 20 }; /* the report says how to list more */

/* A commit outside of the range, on the way to it. */
struct holder_step {
    struct holder_step *child;
    struct commit commit;
    size_t next;  /* index of the parent to look at */
    size_t place; /* in `reached` */
};

/* Walks from refs down to the range. No commit is walked twice. */
struct holder_search {
    struct arena arena;
    const struct repo *repo;
    const char *moved;          /* the branch to move */
    struct oid_map range, seen; /* indexes in the range, and in `reached` */
    size_t *reached, count;     /* how many commits of the range each one reaches */
    struct holder_step *step;
    struct err *err;
};

static void raise_to(size_t *most, size_t found)
{
    if (found > *most)
        *most = found;
}

/* Raises `most` to what is known of the commit; an unknown commit becomes the next step. */
static int enter(struct holder_search *s, const struct oid *id, size_t *most)
{
    size_t at;
    if (oid_map_find(&at, &s->range, id)) {
        raise_to(most, at + 1);
        return 0;
    }
    if (s->reached && oid_map_find(&at, &s->seen, id)) {
        raise_to(most, s->reached[at]);
        return 0;
    }
    if (!store_has(s->repo->store, id))
        return 0;
    struct holder_step *step = arena_alloc(&s->arena, sizeof(*step));
    *step = (struct holder_step){.child = s->step, .place = s->count};
    s->step = step;
    (void)oid_map_add(&s->seen, id, s->count);
    arena_push(&s->arena, s->reached, s->count) = 0;
    return repo_commit(&step->commit, &s->arena, s->repo->store, id, s->err);
}

static int search_from(size_t *most, struct holder_search *s, const struct oid *tip)
{
    struct holder_step *step;
    *most = 0;
    if (enter(s, tip, most) < 0)
        return -1;
    while ((step = s->step)) {
        size_t found = s->reached[step->place];
        if (step->next < step->commit.parent_count) {
            if (enter(s, &step->commit.parents[step->next++], &found) < 0)
                return -1;
            raise_to(&s->reached[step->place], found);
            continue;
        }
        s->step = step->child;
        raise_to(step->child ? &s->reached[step->child->place] : most, found);
    }
    return 0;
}

/* The commit of a ref; `*found` is false where it names another object, or nothing. */
static int peel(struct oid *out, bool *found, const struct holder_search *s, git_reference *ref)
{
    git_object *object = NULL;
    int rc = git_reference_peel(&object, ref, GIT_OBJECT_COMMIT);
    *found = rc == 0;
    if (*found)
        *out = oid_from(git_object_id(object));
    git_object_free(object);
    if (rc == 0 || rc == GIT_ENOTFOUND || rc == GIT_EPEEL || rc == GIT_EINVALIDSPEC)
        return 0;
    return git_fail(s->err, "cannot read what '%s' names", git_reference_name(ref));
}

/* A remote's HEAD is skipped: it follows a branch that has a ref of its own. */
static bool is_looked_at(const struct holder_search *s, git_reference *ref)
{
    const char *name = git_reference_name(ref);
    bool follows = git_reference_type(ref) == GIT_REFERENCE_SYMBOLIC;
    return !str_equal(name, s->moved) && !(follows && !str_starts(name, "refs/tags/"));
}

static int add_holder(struct commit_holders *out, struct holder_search *s, git_reference *ref)
{
    struct oid tip;
    bool found;
    size_t most;
    const char *name = git_reference_name(ref);
    if (!is_looked_at(s, ref))
        return 0;
    if (peel(&tip, &found, s, ref) < 0 || (found && search_from(&most, s, &tip) < 0))
        return -1;
    if (!found || most == 0)
        return 0;
    struct arena *arena = s->repo->arena;
    arena_push(arena, out->items, out->count) =
        (struct commit_holder){arena_strdup(arena, name), tip, most};
    return 0;
}

static int list_holders(struct commit_holders *out, struct holder_search *s)
{
    static const char *const globs[] = {"refs/remotes/*", "refs/tags/*", "refs/heads/*"};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof(globs) / sizeof(*globs); i++) {
        git_reference_iterator *iterator = NULL;
        git_reference *ref;
        int next = 0;
        if (git_reference_iterator_glob_new(&iterator, s->repo->git, globs[i]) < 0)
            return git_fail(s->err, "cannot list '%s'", globs[i]);
        while (rc == 0 && (next = git_reference_next(&ref, iterator)) == 0) {
            rc = add_holder(out, s, ref);
            git_reference_free(ref);
        }
        if (rc == 0 && next != GIT_ITEROVER)
            rc = git_fail(s->err, "cannot list '%s'", globs[i]);
        git_reference_iterator_free(iterator);
    }
    return rc;
}

int holders_find(struct commit_holders *out, const struct repo *repo,
                 const struct commit_range *range, const char *moved, struct err *err)
{
    struct holder_search search = {.arena = ARENA_INIT, .repo = repo, .moved = moved, .err = err};
    *out = (struct commit_holders){NULL, 0};
    for (size_t i = 0; i < range->count; i++)
        (void)oid_map_add(&search.range, &range->commits[i].raw.id, i);
    int rc = list_holders(out, &search);
    oid_map_release(&search.range);
    oid_map_release(&search.seen);
    arena_release(&search.arena);
    return rc;
}

/* ---------------------------------------------------------------- published commits */

static bool publishes(const struct commit_holder *holder)
{
    return str_starts(holder->ref, "refs/remotes/") || str_starts(holder->ref, "refs/tags/");
}

int holders_check_published(const struct commit_holders *holders, const struct repo *repo,
                            const struct commit_range *range, struct err *err)
{
    const struct commit_holder *most = NULL;
    for (size_t i = 0; i < holders->count; i++)
        if (publishes(&holders->items[i]) && (!most || holders->items[i].commits > most->commits))
            most = &holders->items[i];
    if (!most)
        return 0;
    (void)err_set(err, TG_REFUSED, "published",
                  "commit %s is published: '%s' has it (%zu of the %zu commits that would be "
                  "rewritten)",
                  range_name(repo->arena, &range->commits[most->commits - 1].raw), most->ref,
                  most->commits, range->count);
    return err_hint(err, "'tmplgen update' without --strategy rebase rewrites nothing; where "
                         "everybody who has them agrees, --rewrite-published does it");
}

/* ---------------------------------------------------------------- the report */

static bool has_note(const struct repo *repo, const struct oid *commit)
{
    git_note *note = NULL;
    git_oid id;
    memcpy(id.id, commit->id, sizeof(id.id));
    bool found = git_note_read(&note, repo->git, NULL, &id) == 0;
    git_note_free(note);
    return found;
}

static void warn_of_lost(struct replay_result *out, const struct repo *repo,
                         const struct commit_range *range)
{
    size_t signatures = 0, notes = 0;
    for (size_t i = 0; i < range->count; i++) {
        signatures += range->commits[i].raw.is_signed;
        notes += has_note(repo, &range->commits[i].raw.id);
    }
    if (signatures)
        words_printf(&out->warnings, repo->arena, "%zu %s signed: the new commits are not",
                     signatures, signatures == 1 ? "commit is" : "commits are");
    if (notes)
        words_printf(&out->warnings, repo->arena,
                     "%zu %s a note, which stays with the old one: 'git notes copy OLD NEW' "
                     "takes it over",
                     notes, notes == 1 ? "commit has" : "commits have");
}

/* "refs/remotes/origin/main": returns "origin", and `*branch` is "main"; NULL: no remote's. */
static const char *remote_of(const char **branch, const struct repo *repo, const char *ref)
{
    static const char start[] = "refs/remotes/";
    if (!str_starts(ref, start))
        return NULL;
    const char *rest = ref + strlen(start);
    for (const char *slash = strchr(rest, '/'); slash; slash = strchr(slash + 1, '/')) {
        const char *remote = arena_memdup(repo->arena, rest, (size_t)(slash - rest));
        *branch = slash + 1;
        if (repo_text(repo, arena_printf(repo->arena, "remote.%s.url", remote)))
            return remote;
    }
    return NULL;
}

/* Lists a remote's copy of the branch, which must be pushed anew once everybody agrees. */
static bool add_rewritten(struct data *list, const struct repo *repo,
                          const struct commit_holder *holder, const char *moved)
{
    const char *branch, *remote = remote_of(&branch, repo, holder->ref);
    if (!remote || !moved || strcmp(branch, repo_branch_name(moved)) != 0)
        return false;
    data_push(repo->arena, list,
              data_of(repo->arena, FIELD("remote", remote), FIELD("branch", branch),
                      FIELD("old", oid_text(repo->arena, &holder->tip))));
    return true;
}

void holders_report(struct replay_result *out, const struct commit_holders *holders,
                    const struct repo *repo, const struct commit_range *range, const char *moved)
{
    struct arena *arena = repo->arena;
    size_t named = 0;
    out->rewritten = data_list(arena);
    warn_of_lost(out, repo, range);
    for (size_t i = 0; i < holders->count; i++) {
        const struct commit_holder *holder = &holders->items[i];
        if (!add_rewritten(out->rewritten, repo, holder, moved) && named++ < NAMED)
            words_printf(&out->warnings, arena, "'%s' keeps %zu of the commits as they were",
                         holder->ref, holder->commits);
    }
    if (named > NAMED)
        words_printf(&out->warnings, arena, "%zu more refs keep some of them: `%s` lists all",
                     named - NAMED,
                     shell_command(arena, "git for-each-ref --contains %s",
                                   oid_text(arena, &range->commits[0].raw.id)));
}
