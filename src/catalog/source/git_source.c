/* A catalog in a local git repository (path or file://), read from its objects. */
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

/* The state of opening a catalog in a repository. */
struct opening {
    struct arena *arena;
    struct foreign_repo repository;
    const char *source, *folder; /* as recorded; in the repository */
    struct foreign_refs refs;
    struct catalog_revision *items;
    size_t count;
    const struct catalog_revision *chosen; /* NULL: a commit id was given */
    struct catalog *out;
    struct err *err;
};

/* Branches of `origin` count as branches, unless the clone has its own of the same name. */
static bool split_name(enum revision_kind *kind, const char **name, const char *ref,
                       const struct opening *o)
{
    static const char remote[] = "refs/remotes/origin/";
    ARENA_SCRATCH(scratch);
    if (revision_split(kind, name, ref))
        return true;
    if (!str_starts(ref, remote))
        return false;
    *kind = REVISION_BRANCH;
    *name = ref + strlen(remote);
    return !foreign_refs_find(&o->refs, arena_printf(&scratch, "refs/heads/%s", *name));
}

static int list_revisions(struct opening *o)
{
    if (foreign_refs_read(&o->refs, o->arena, &o->repository, o->err) < 0)
        return -1;
    o->items = arena_array(o->arena, o->refs.count + 1, sizeof(*o->items));
    for (size_t i = 0; i < o->refs.count; i++) {
        const struct foreign_ref *ref = &o->refs.items[i];
        struct catalog_revision *next = &o->items[o->count];
        if (!split_name(&next->kind, &next->name, ref->name, o))
            continue;
        next->commit = oid_text(o->arena, &ref->commit);
        next->object = oid_text(o->arena, &ref->object);
        o->count++;
    }
    return 0;
}

static int git_list(struct catalog_revision **out, size_t *count, struct arena *arena,
                    const char *source, struct err *err)
{
    struct opening o = {.arena = arena, .err = err};
    const char *path;
    source_split(&path, &o.folder, arena, source);
    if (source_resolve(&path, arena, path, err) < 0 ||
        foreign_open(&o.repository, arena, path, err) < 0)
        return -1;
    int rc = list_revisions(&o);
    foreign_close(&o.repository);
    *out = o.items;
    *count = o.count;
    return rc;
}

/* Finds a commit by its full or abbreviated id; false if there is none. */
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

static int take(struct opening *o, const char *ref, const char *commit)
{
    o->out->origin.ref = ref;
    o->out->origin.commit = commit;
    return 0;
}

/* Chooses HEAD's branch, or the commit of a detached HEAD. */
static int choose_head(struct opening *o)
{
    const char *branch;
    struct oid commit;
    bool found;
    if (foreign_head(&commit, &branch, &found, o->arena, &o->repository, &o->refs, o->err) < 0)
        return -1;
    if (!found)
        return err_set(o->err, TG_USAGE, "unknown-ref", "the catalog '%s' has no commit",
                       o->source);
    const char *id = oid_text(o->arena, &commit);
    return take(o, branch && str_starts(branch, "refs/heads/") ? repo_branch_name(branch) : id, id);
}

/* Tag, then branch, then commit. Sets origin.ref and origin.commit. */
static int choose_ref(struct opening *o, const char *ref)
{
    const char *shown;
    git_oid id;
    o->chosen = revision_choose(&shown, o->items, o->count, ref);
    if (o->chosen)
        return take(o, shown, o->chosen->commit);
    if (strcmp(ref, "HEAD") == 0)
        return choose_head(o);
    if (!find_commit(&id, o->repository.git, ref))
        return revision_unknown(o->err, o->arena, o->source, ref, o->items, o->count);
    const char *hex = arena_strdup(o->arena, git_oid_tostr_s(&id));
    return take(o, hex, hex);
}

/* Chooses the newest release tag; without one, HEAD's branch. */
static int choose_default(struct opening *o)
{
    o->chosen = revision_newest(o->items, o->count, NULL, false);
    return o->chosen ? take(o, o->chosen->name, o->chosen->commit) : choose_head(o);
}

/* Whether the folder's files equal those in HEAD. */
static int is_committed(bool *out, struct opening *o, const struct fileset *files)
{
    const struct fileset *committed = NULL;
    const char *branch;
    struct oid commit;
    git_oid id;
    *out = false;
    if (foreign_refs_read(&o->refs, o->arena, &o->repository, o->err) < 0 ||
        foreign_head(&commit, &branch, out, o->arena, &o->repository, &o->refs, o->err) < 0)
        return -1;
    if (!*out)
        return 0;
    (void)git_oid_fromraw(&id, commit.id);
    int rc = catalog_git_files(&committed, o->arena, o->repository.git, &id, o->folder, o->err);
    if (rc == 0)
        rc = fileset_equal(out, files, committed, o->err);
    catalog_git_files_free(committed);
    return rc;
}

/* Opens the work tree `path` as it is, if it differs from HEAD: for development. */
static int open_dirty(bool *dirty, struct opening *o, const char *path)
{
    struct catalog folder = {0};
    bool same;
    *dirty = false;
    if (!o->repository.has_work_tree)
        return 0;
    if (*o->folder)
        path = arena_printf(o->arena, "%s/%s", path, o->folder);
    if (source_folder.open(&folder, o->arena, path, NULL, o->err) < 0)
        return -1;
    int rc = is_committed(&same, o, folder.files);
    if (rc < 0 || same) {
        folder.close(&folder);
        return rc;
    }
    *dirty = true;
    *o->out = folder;
    o->out->origin.source = o->source;
    o->out->warning =
        "the catalog has changes that are not committed, which is for development: a "
        "fresh clone of this child has only its own history to prove what it was made from";
    return 0;
}

/* Only on request: local repositories are the user's own. */
static int check_signature(struct opening *o)
{
    const struct signature_wanted wanted = {
        .tag = o->chosen && o->chosen->kind == REVISION_TAG ? o->chosen : NULL,
        .revisions = o->items,
        .count = o->count,
        .commit = o->out->origin.commit,
        .source = o->source};
    return trust_wants_signature(o->source)
               ? signature_check(&o->out->origin, o->arena, o->repository.git, &wanted, o->err)
               : 0;
}

static int open_revision(struct opening *o, const char *ref)
{
    struct catalog *out = o->out;
    git_oid id;
    out->origin.source = o->source;
    if (list_revisions(o) < 0 || (ref ? choose_ref(o, ref) : choose_default(o)) < 0 ||
        check_signature(o) < 0)
        return -1;
    if (git_oid_fromstr(&id, out->origin.commit) < 0)
        return git_fail(o->err, "cannot read the catalog's commit");
    if (catalog_git_files(&out->files, o->arena, o->repository.git, &id, o->folder, o->err) < 0)
        return -1;
    out->handle = o->repository.git;
    out->close = catalog_git_close;
    return 0;
}

static int git_open(struct catalog *out, struct arena *arena, const char *source, const char *ref,
                    struct err *err)
{
    struct opening o = {.arena = arena, .out = out, .err = err};
    bool dirty = false, is_url = source_path(source) != source;
    const char *path;
    source_split(&path, &o.folder, arena, source);
    if (*o.folder && path_check(o.folder, err) < 0)
        return err_wrap(err, "the catalog's folder");
    if (source_resolve(&path, arena, path, err) < 0 ||
        foreign_open(&o.repository, arena, path, err) < 0)
        return -1;
    o.source = is_url ? source : *o.folder ? arena_printf(arena, "%s//%s", path, o.folder) : path;
    int rc = 0;
    if (!ref && !is_url && !trust_wants_signature(source)) /* uncommitted files have no signature */
        rc = open_dirty(&dirty, &o, path);
    if (rc == 0 && !dirty)
        rc = open_revision(&o, ref);
    if (rc < 0 || dirty)
        foreign_close(&o.repository);
    return rc;
}

const struct source_kind source_git = {.takes = git_takes, .open = git_open, .revisions = git_list};
