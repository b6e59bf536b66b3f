/* A catalog in a git repository on this machine, by path or file://: read from its objects. */
#include "git/libgit2.h"

#include "base/arena.h"
#include "base/str.h"
#include "catalog/catalog_source.h"
#include "catalog/revision.h"
#include "catalog/source/source_files.h"
#include "catalog/trust.h"
#include "data/fileset.h"
#include "git/foreign_repo.h"
#include "git/repo.h"
#include "io/path.h"

#include <git2.h>
#include <string.h>

/* The repository itself, with or without a work tree. */
static bool git_takes(const char *source)
{
    ARENA_SCRATCH(scratch);
    const char *path, *folder;
    source_split(&path, &folder, &scratch, source);
    return path && source_is_repository(path);
}

/* What git_list and git_open ask of a repository. */
struct revision_list {
    struct arena *arena;
    struct foreign_refs refs;
    struct catalog_revision *items;
    size_t count;
    const struct catalog_revision *chosen; /* NULL: a commit by its id */
};

/* A clone's branches are those of its origin; its own count where both are there. */
static bool split_name(enum revision_kind *kind, const char **name, const char *ref,
                       const struct revision_list *list)
{
    static const char heads[] = "refs/heads/";
    static const struct {
        const char *prefix;
        enum revision_kind kind;
    } prefixes[] = {{"refs/tags/", REVISION_TAG},
                    {heads, REVISION_BRANCH},
                    {"refs/remotes/origin/", REVISION_BRANCH}};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
        if (str_starts(ref, prefixes[i].prefix)) {
            ARENA_SCRATCH(scratch);
            *kind = prefixes[i].kind;
            *name = ref + strlen(prefixes[i].prefix);
            const char *own = arena_printf(&scratch, "%s%s", heads, *name);
            return *kind == REVISION_TAG || str_starts(ref, heads) ||
                   !foreign_refs_find(&list->refs, own);
        }
    return false;
}

static int list_revisions(struct revision_list *list, const struct foreign_repo *repository,
                          struct err *err)
{
    if (foreign_refs_read(&list->refs, list->arena, repository, err) < 0)
        return -1;
    list->items = arena_array(list->arena, list->refs.count + 1, sizeof(*list->items));
    for (size_t i = 0; i < list->refs.count; i++) {
        const struct foreign_ref *ref = &list->refs.items[i];
        struct catalog_revision *next = &list->items[list->count];
        if (!split_name(&next->kind, &next->name, ref->name, list))
            continue;
        next->commit = oid_text(list->arena, &ref->commit);
        next->object = oid_text(list->arena, &ref->object);
        list->count++;
    }
    return 0;
}

static int git_list(struct catalog_revision **out, size_t *count, struct arena *arena,
                    const char *source, struct err *err)
{
    struct revision_list list = {.arena = arena};
    struct foreign_repo repository;
    const char *path, *folder;
    source_split(&path, &folder, arena, source);
    if (source_resolve(&path, arena, path, err) < 0 ||
        foreign_open(&repository, arena, path, err) < 0)
        return -1;
    int rc = list_revisions(&list, &repository, err);
    foreign_close(&repository);
    *out = list.items;
    *count = list.count;
    return rc;
}

/* A commit by its id, whole or the beginning of it; false: there is none. */
static bool find_commit(git_oid *out, git_repository *repository, const char *ref)
{
    git_oid id;
    git_commit *commit = NULL;
    size_t len = strlen(ref);
    if (!revision_is_id(ref) || git_oid_fromstrn(&id, ref, len) < 0 ||
        git_commit_lookup_prefix(&commit, repository, &id, len) < 0)
        return false;
    *out = *git_commit_id(commit);
    git_commit_free(commit);
    return true;
}

/* What HEAD names: its branch, or its commit alone. */
static int choose_head(struct catalog *out, struct revision_list *list,
                       const struct foreign_repo *repository, const char *source, struct err *err)
{
    const char *branch;
    struct oid commit;
    bool found;
    if (foreign_head(&commit, &branch, &found, list->arena, repository, &list->refs, err) < 0)
        return -1;
    if (!found)
        return err_set(err, TG_USAGE, "unknown-ref", "the catalog '%s' has no commit", source);
    out->origin.commit = oid_text(list->arena, &commit);
    out->origin.ref =
        branch && str_starts(branch, "refs/heads/") ? repo_branch_name(branch) : out->origin.commit;
    return 0;
}

/* Tag, then branch, then commit. Sets origin.ref and origin.commit. */
static int choose_ref(struct catalog *out, struct revision_list *list,
                      const struct foreign_repo *repository, const char *source, const char *ref,
                      struct err *err)
{
    const char *shown;
    const struct catalog_revision *revision =
        revision_choose(&shown, list->items, list->count, ref);
    git_oid id;
    list->chosen = revision;
    if (revision) {
        out->origin.ref = shown;
        out->origin.commit = revision->commit;
        return 0;
    }
    if (strcmp(ref, "HEAD") == 0)
        return choose_head(out, list, repository, source, err);
    if (!find_commit(&id, repository->git, ref))
        return revision_unknown(err, list->arena, source, ref, list->items, list->count);
    out->origin.ref = out->origin.commit = arena_strdup(list->arena, git_oid_tostr_s(&id));
    return 0;
}

/* The newest release tag; where there is none, the branch that HEAD names. */
static int choose_default(struct catalog *out, struct revision_list *list,
                          const struct foreign_repo *repository, const char *source,
                          struct err *err)
{
    const struct catalog_revision *newest = revision_newest(list->items, list->count, NULL, false);
    list->chosen = newest;
    if (!newest)
        return choose_head(out, list, repository, source, err);
    out->origin.ref = newest->name;
    out->origin.commit = newest->commit;
    return 0;
}

static int open_files(struct catalog *out, struct arena *arena, git_repository *repository,
                      const char *folder, struct err *err)
{
    git_oid id;
    if (git_oid_fromstr(&id, out->origin.commit) < 0)
        return git_fail(err, "cannot read the catalog's commit");
    return catalog_git_files(&out->files, arena, repository, &id, folder, err);
}

/* Whether the folder holds what HEAD says. */
static int is_committed(bool *out, const struct fileset *files, struct arena *arena,
                        const struct foreign_repo *repository, const char *inner, struct err *err)
{
    struct revision_list list = {.arena = arena};
    const struct fileset *committed = NULL;
    const char *branch;
    struct oid commit;
    git_oid id;
    *out = false;
    if (foreign_refs_read(&list.refs, arena, repository, err) < 0 ||
        foreign_head(&commit, &branch, out, arena, repository, &list.refs, err) < 0)
        return -1;
    if (!*out)
        return 0;
    (void)git_oid_fromraw(&id, commit.id);
    int rc = catalog_git_files(&committed, arena, repository->git, &id, inner, err);
    if (rc == 0)
        rc = fileset_equal(out, files, committed, err);
    catalog_git_files_free(committed);
    return rc;
}

/* The work tree as it lies there, where it is not what HEAD says: for development. */
static int open_dirty(struct catalog *out, bool *dirty, struct arena *arena,
                      const struct foreign_repo *repository, const char *path, const char *inner,
                      struct err *err)
{
    struct catalog folder = {0};
    bool same;
    *dirty = false;
    if (!repository->has_work_tree)
        return 0;
    if (*inner)
        path = arena_printf(arena, "%s/%s", path, inner);
    if (source_folder.open(&folder, arena, path, NULL, err) < 0)
        return -1;
    int rc = is_committed(&same, folder.files, arena, repository, inner, err);
    if (rc < 0 || same) {
        folder.close(&folder);
        return rc;
    }
    *dirty = true;
    *out = folder;
    out->warnings[0] =
        "the catalog has changes that are not committed, which is for development: a "
        "fresh clone of this child has only its own history to prove what it was made from";
    return 0;
}

/* Only where the user requires one: what lies on this machine is the user's own. */
static int check_signature(struct catalog *out, struct arena *arena, git_repository *repository,
                           const struct revision_list *list, struct err *err)
{
    const struct catalog_revision *chosen = list->chosen;
    const struct signature_wanted wanted = {.tag = chosen && chosen->kind == REVISION_TAG ? chosen
                                                                                          : NULL,
                                            .revisions = list->items,
                                            .count = list->count,
                                            .commit = out->origin.commit,
                                            .source = out->origin.source};
    return trust_wants_signature(out->origin.source)
               ? signature_check(&out->origin, arena, repository, &wanted, err)
               : 0;
}

static int open_revision(struct catalog *out, struct arena *arena,
                         const struct foreign_repo *repository, const char *source,
                         const char *folder, const char *ref, struct err *err)
{
    struct revision_list list = {.arena = arena};
    out->origin.source = source;
    if (list_revisions(&list, repository, err) < 0)
        return -1;
    int rc = ref ? choose_ref(out, &list, repository, source, ref, err)
                 : choose_default(out, &list, repository, source, err);
    if (rc == 0)
        rc = check_signature(out, arena, repository->git, &list, err);
    if (rc == 0)
        rc = open_files(out, arena, repository->git, folder, err);
    if (rc == 0) {
        out->handle = repository->git;
        out->close = catalog_git_close;
    }
    return rc;
}

static int git_open(struct catalog *out, struct arena *arena, const char *source, const char *ref,
                    struct err *err)
{
    struct foreign_repo repository;
    bool dirty = false, is_url = source_path(source) != source;
    const char *path, *folder;
    source_split(&path, &folder, arena, source);
    if (*folder && path_check(folder, err) < 0)
        return err_wrap(err, "the catalog's folder");
    if (source_resolve(&path, arena, path, err) < 0 ||
        foreign_open(&repository, arena, path, err) < 0)
        return -1;
    const char *shown = *folder ? arena_printf(arena, "%s//%s", path, folder) : path;
    int rc =
        ref || is_url || trust_wants_signature(source) /* nobody signed what is not committed */
            ? 0
            : open_dirty(out, &dirty, arena, &repository, path, folder, err);
    if (rc == 0 && !dirty)
        rc = open_revision(out, arena, &repository, is_url ? source : shown, folder, ref, err);
    if (dirty)
        out->origin.source = shown;
    if (rc < 0 || dirty)
        foreign_close(&repository);
    return rc;
}

const struct source_kind source_git = {.takes = git_takes, .open = git_open, .revisions = git_list};
