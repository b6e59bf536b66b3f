/* A catalog in a git repository on this machine, by path or file://: read from its objects. */
#include "base/shell.h"
#include "git/libgit2.h"

#include "base/arena.h"
#include "base/fileset.h"
#include "base/str.h"
#include "catalog/git_files.h"
#include "catalog/revision.h"
#include "catalog/source.h"
#include "git/odb.h"

#include <errno.h>
#include <git2.h>
#include <git2/sys/repository.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHORTEST_ID = 7 };

static bool has(const char *path, const char *name)
{
    ARENA_SCRATCH(scratch);
    return access(arena_printf(&scratch, "%s/%s", path, name), F_OK) == 0;
}

/* The repository itself, with or without a work tree. */
static bool git_takes(const char *source)
{
    const char *path = source_path(source);
    return path &&
           (has(path, ".git") || (has(path, "HEAD") && has(path, "objects") && has(path, "refs")));
}

/* libgit2 finds the refs; objects are read by ways that damage does not harm. */
static int open_repository(git_repository **out, const char *path, struct err *err)
{
    ARENA_SCRATCH(scratch);
    git_odb *odb = NULL;
    *out = NULL;
    if (git_start(err) < 0)
        return -1;
    if (git_repository_open_ext(out, path, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL) < 0) {
        (void)git_fail(err, "cannot open the catalog's repository '%s'", path);
        return err_hint(
            err, "where another user owns it: %s",
            shell_command(&scratch, "git config --global --add safe.directory %s", path));
    }
    const char *objects = arena_printf(&scratch, "%sobjects", git_repository_commondir(*out));
    int rc = odb_open(&odb, objects, err);
    if (rc == 0 && git_repository_set_odb(*out, odb) < 0)
        rc = git_fail(err, "cannot open the catalog's objects in '%s'", path);
    git_odb_free(odb);
    if (rc < 0) {
        git_repository_free(*out);
        *out = NULL;
    }
    return rc;
}

struct revision_list {
    struct arena *arena;
    struct catalog_revision *items;
    size_t count;
};

static void add_revision(struct revision_list *list, enum revision_kind kind, const char *name,
                         const git_oid *commit)
{
    list->items = arena_grow(list->arena, list->items, list->count, sizeof(*list->items));
    list->items[list->count++] = (struct catalog_revision){
        kind, arena_strdup(list->arena, name), arena_strdup(list->arena, git_oid_tostr_s(commit))};
}

/* A clone's branches are those of its origin; its own come first where both are there. */
static bool split_name(enum revision_kind *kind, const char **name, const char *ref)
{
    static const struct {
        const char *prefix;
        enum revision_kind kind;
    } prefixes[] = {{"refs/tags/", REVISION_TAG},
                    {"refs/heads/", REVISION_BRANCH},
                    {"refs/remotes/origin/", REVISION_BRANCH}};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
        if (str_starts(ref, prefixes[i].prefix)) {
            *kind = prefixes[i].kind;
            *name = ref + strlen(prefixes[i].prefix);
            return true;
        }
    return false;
}

/* A tag of something else is no revision, nor is the branch that an empty origin's HEAD names. */
static bool names_no_commit(const git_reference *ref, int rc)
{
    return rc == GIT_EPEEL || rc == GIT_EINVALIDSPEC || rc == GIT_EAMBIGUOUS ||
           (rc == GIT_ENOTFOUND && git_reference_type(ref) == GIT_REFERENCE_SYMBOLIC);
}

static int list_ref(struct revision_list *list, git_reference *ref, struct err *err)
{
    git_object *commit = NULL;
    enum revision_kind kind;
    const char *name;
    if (!split_name(&kind, &name, git_reference_name(ref)))
        return 0;
    int rc = git_reference_peel(&commit, ref, GIT_OBJECT_COMMIT);
    if (rc < 0) {
        if (names_no_commit(ref, rc))
            return 0;
        (void)git_fail(err, "cannot read the catalog's '%s'", name);
        return err_hint(err, "look at the catalog's repository with 'git fsck'");
    }
    if (!revision_find(list->items, list->count, kind, name))
        add_revision(list, kind, name, git_object_id(commit));
    git_object_free(commit);
    return 0;
}

static int list_refs(struct revision_list *list, git_repository *repository, struct err *err)
{
    git_reference_iterator *iterator = NULL;
    git_reference *ref;
    if (git_reference_iterator_new(&iterator, repository) < 0)
        return git_fail(err, "cannot list the catalog's tags and branches");
    int rc, listed = 0;
    while (listed == 0 && (rc = git_reference_next(&ref, iterator)) == 0) {
        listed = list_ref(list, ref, err);
        git_reference_free(ref);
    }
    git_reference_iterator_free(iterator);
    if (listed < 0)
        return -1;
    return rc == GIT_ITEROVER ? 0 : git_fail(err, "cannot list the catalog's tags and branches");
}

static int git_list(struct catalog_revision **out, size_t *count, struct arena *arena,
                    const char *source, struct err *err)
{
    struct revision_list list = {.arena = arena};
    git_repository *repository;
    if (open_repository(&repository, source_path(source), err) < 0)
        return -1;
    int rc = list_refs(&list, repository, err);
    git_repository_free(repository);
    *out = list.items;
    *count = list.count;
    return rc;
}

static bool is_hex(const char *text)
{
    return strspn(text, "0123456789abcdef") == strlen(text);
}

/* A commit by its id, whole or the beginning of it. */
static int find_commit(git_oid *out, bool *found, git_repository *repository, const char *ref)
{
    git_oid id;
    git_commit *commit = NULL;
    size_t len = strlen(ref);
    *found = false;
    if (!is_hex(ref) || len < SHORTEST_ID || len > GIT_OID_HEXSZ ||
        git_oid_fromstrn(&id, ref, len) < 0)
        return 0;
    if (git_commit_lookup_prefix(&commit, repository, &id, len) < 0)
        return 0;
    *out = *git_commit_id(commit);
    *found = true;
    git_commit_free(commit);
    return 0;
}

static int unknown_ref(const char *source, const char *ref, const struct revision_list *list,
                       struct err *err)
{
    const char **names = arena_array(list->arena, list->count + 1, sizeof(*names));
    for (size_t i = 0; i < list->count; i++)
        names[i] = list->items[i].name;
    const char *nearest = str_nearest(ref, names, list->count);
    (void)err_set(err, TG_USAGE, "unknown-ref",
                  "the catalog '%s' has no tag, branch or commit '%s'", source, ref);
    return nearest ? err_hint(err, "did you mean '%s'?", nearest) : -1;
}

/* Tag, then branch, then commit. Sets origin.ref and origin.commit. */
static int choose_ref(struct catalog *out, struct revision_list *list, git_repository *repository,
                      const char *source, const char *ref, struct err *err)
{
    const struct catalog_revision *revision =
        revision_find(list->items, list->count, REVISION_TAG, ref);
    git_oid id;
    bool found;
    if (!revision)
        revision = revision_find(list->items, list->count, REVISION_BRANCH, ref);
    if (revision) {
        out->origin.ref = revision->name;
        out->origin.commit = revision->commit;
        return 0;
    }
    if (find_commit(&id, &found, repository, ref) < 0)
        return -1;
    if (!found)
        return unknown_ref(source, ref, list, err);
    out->origin.ref = out->origin.commit = arena_strdup(list->arena, git_oid_tostr_s(&id));
    return 0;
}

/* The newest release tag; where there is none, the branch that HEAD names. */
static int choose_default(struct catalog *out, struct revision_list *list,
                          git_repository *repository, const char *source, struct err *err)
{
    const struct catalog_revision *newest = revision_newest(list->items, list->count, false);
    git_reference *head = NULL;
    if (newest) {
        out->origin.ref = newest->name;
        out->origin.commit = newest->commit;
        return 0;
    }
    if (git_repository_head(&head, repository) < 0)
        return err_set(err, TG_USAGE, "unknown-ref", "the catalog '%s' has no commit", source);
    out->origin.commit = arena_strdup(list->arena, git_oid_tostr_s(git_reference_target(head)));
    out->origin.ref = git_reference_is_branch(head)
                          ? arena_strdup(list->arena, git_reference_shorthand(head))
                          : out->origin.commit;
    git_reference_free(head);
    return 0;
}

static void git_close(struct catalog *catalog)
{
    catalog_git_files_free(catalog->files);
    git_repository_free(catalog->handle);
}

static int open_files(struct catalog *out, struct arena *arena, git_repository *repository,
                      struct err *err)
{
    git_oid id;
    if (git_oid_fromstr(&id, out->origin.commit) < 0)
        return git_fail(err, "cannot read the catalog's commit");
    return catalog_git_files(&out->files, arena, repository, &id, err);
}

/* Whether two sets hold the same files with the same content. */
static int same_files(bool *out, const struct fileset *a, const struct fileset *b, struct err *err)
{
    *out = a->count == b->count;
    for (size_t i = 0; *out && i < a->count; i++) {
        const struct fileset_entry *one = &a->entries[i], *other = &b->entries[i];
        struct span left, right;
        *out = strcmp(one->path, other->path) == 0 && one->executable == other->executable &&
               one->size == other->size;
        if (!*out)
            break;
        if (a->read(&left, a, i, err) < 0 || b->read(&right, b, i, err) < 0)
            return -1;
        *out = span_equal(left, right);
    }
    return 0;
}

/* The work tree as it lies there, where it is not what HEAD says: for development. */
static int open_dirty(struct catalog *out, bool *dirty, struct arena *arena,
                      git_repository *repository, const char *path, struct err *err)
{
    struct catalog folder = {.name = NULL};
    const struct fileset *committed = NULL;
    git_oid id;
    bool same = false;
    *dirty = false;
    if (git_repository_is_bare(repository))
        return 0;
    if (source_folder.open(&folder, arena, path, NULL, err) < 0)
        return -1;
    int rc = 0;
    if (git_reference_name_to_id(&id, repository, "HEAD") == 0) {
        rc = catalog_git_files(&committed, arena, repository, &id, err);
        if (rc == 0)
            rc = same_files(&same, folder.files, committed, err);
        catalog_git_files_free(committed);
    }
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

static int open_revision(struct catalog *out, struct arena *arena, git_repository *repository,
                         const char *source, const char *ref, struct err *err)
{
    struct revision_list list = {.arena = arena};
    out->origin.source = source;
    if (list_refs(&list, repository, err) < 0)
        return -1;
    int rc = ref ? choose_ref(out, &list, repository, source, ref, err)
                 : choose_default(out, &list, repository, source, err);
    if (rc == 0)
        rc = open_files(out, arena, repository, err);
    if (rc == 0) {
        out->handle = repository;
        out->close = git_close;
    }
    return rc;
}

static int git_open(struct catalog *out, struct arena *arena, const char *source, const char *ref,
                    struct err *err)
{
    git_repository *repository;
    bool dirty = false, is_url = source_path(source) != source;
    const char *path;
    if (source_resolve(&path, arena, source, err) < 0 ||
        open_repository(&repository, path, err) < 0)
        return -1;
    int rc = ref || is_url ? 0 : open_dirty(out, &dirty, arena, repository, path, err);
    if (rc == 0 && !dirty)
        rc = open_revision(out, arena, repository, is_url ? source : path, ref, err);
    if (rc < 0 || dirty)
        git_repository_free(repository);
    return rc;
}

const struct source_kind source_git = {.takes = git_takes, .open = git_open, .revisions = git_list};
