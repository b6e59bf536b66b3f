/* The files of a commit as a set, read from the object database, never checked out. */
#include "catalog/source/source_files.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/limits.h"
#include "catalog/catalog_source.h"
#include "catalog/changelog.h"
#include "data/fileset.h"
#include "git/libgit2.h"
#include "git/odb.h"
#include "git/tree_entry.h"

#include <git2.h>
#include <string.h>
#include <strings.h>

struct git_files {
    struct fileset set; /* must come first: the set is cast back */
    struct arena *arena;
    git_odb *odb;
    struct fileset_entry *entries;
    git_oid *ids;
    bool *looked;             /* fetched, or tried to, with those beside it */
    git_odb_object **objects; /* blobs already read */
    size_t *counted;          /* by the run's budget: libgit2 has them */
};

static int add_blob(struct git_files *files, const char *path, const git_tree_entry *entry,
                    struct err *err)
{
    size_t count = files->set.count;
    if (count == LIMIT_TREE_ENTRIES)
        return err_set(err, TG_USAGE, "limit", "the catalog has more than %zu files",
                       LIMIT_TREE_ENTRIES);
    files->ids = arena_grow(files->arena, files->ids, count, sizeof(*files->ids));
    files->ids[count] = *git_tree_entry_id(entry);
    files->entries = arena_grow(files->arena, files->entries, count, sizeof(*files->entries));
    files->entries[files->set.count++] = (struct fileset_entry){
        .path = path, .executable = git_tree_entry_filemode(entry) == GIT_FILEMODE_BLOB_EXECUTABLE};
    return 0;
}

/* git's order: a folder's name counts as if it ended in '/'. */
static int compare(const git_tree_entry *a, const git_tree_entry *b)
{
    const char *left = git_tree_entry_name(a), *right = git_tree_entry_name(b);
    size_t i = 0;
    while (left[i] && left[i] == right[i])
        i++;
    int one = (unsigned char)left[i], other = (unsigned char)right[i];
    one = one || git_tree_entry_type(a) != GIT_OBJECT_TREE ? one : '/';
    other = other || git_tree_entry_type(b) != GIT_OBJECT_TREE ? other : '/';
    return one - other;
}

/* Refuses names and orders that git never writes: other readers might not find such entries. */
static const char *bad_name(const git_tree *tree, size_t at)
{
    const git_tree_entry *entry = git_tree_entry_byindex(tree, at);
    const char *name = git_tree_entry_name(entry);
    if (!*name || strchr(name, '/'))
        return "its name in git's tree is empty or holds a '/'";
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcasecmp(name, ".git") == 0)
        return "its name in git's tree is '.', '..' or '.git'";
    if ((at && compare(git_tree_entry_byindex(tree, at - 1), entry) >= 0) ||
        git_tree_entry_byname(tree, name) != entry)
        return "git's tree has it twice, or out of order";
    return NULL;
}

static int check_names(const git_tree *tree, const char *prefix, struct err *err)
{
    for (size_t i = 0; i < git_tree_entrycount(tree); i++) {
        const char *reason = bad_name(tree, i);
        if (!reason)
            continue;
        (void)err_set(err, TG_REFUSED, "unsafe-path", "unsafe path '%s%s' in the catalog: %s",
                      prefix, git_tree_entry_name(git_tree_entry_byindex(tree, i)), reason);
        return err_hint(err, "'git fsck' in the catalog's repository tells more");
    }
    return 0;
}

static int walk(struct git_files *files, git_repository *repository, const git_oid *id,
                const char *prefix, size_t depth, struct err *err);

static int visit(struct git_files *files, git_repository *repository, const git_tree_entry *entry,
                 const char *prefix, size_t depth, struct err *err)
{
    const char *name = git_tree_entry_name(entry);
    git_filemode_t mode = git_tree_entry_filemode(entry);
    bool folder = mode == GIT_FILEMODE_TREE;
    const char *path = arena_printf(files->arena, "%s%s%s", prefix, name, folder ? "/" : "");
    if (!catalog_path_counts(path))
        return 0;
    if (folder)
        return walk(files, repository, git_tree_entry_id(entry), path, depth + 1, err);
    bool file = mode == GIT_FILEMODE_BLOB || mode == GIT_FILEMODE_BLOB_EXECUTABLE;
    if (!file && strcmp(path, CHANGELOG_PATH) == 0)
        return 0; /* only text for readers: a catalog works without it */
    if (!file)
        return err_set(err, TG_USAGE, "invalid", "'%s' in the catalog is %s: only files count",
                       path, mode == GIT_FILEMODE_LINK ? "a link" : "a submodule");
    return add_blob(files, path, entry, err);
}

/* Prefetches the subtrees that belong to a catalog, in one round trip. */
static void look_ahead(const struct git_files *files, const git_tree *tree, const char *prefix)
{
    ARENA_SCRATCH(scratch);
    size_t count = 0;
    git_oid *ids = arena_array(&scratch, git_tree_entrycount(tree) + 1, sizeof(*ids));
    for (size_t i = 0; i < git_tree_entrycount(tree); i++) {
        const git_tree_entry *entry = git_tree_entry_byindex(tree, i);
        const char *path = arena_printf(&scratch, "%s%s/", prefix, git_tree_entry_name(entry));
        if (git_tree_entry_type(entry) == GIT_OBJECT_TREE && catalog_path_counts(path))
            ids[count++] = *git_tree_entry_id(entry);
    }
    odb_look_ahead(files->odb, ids, count);
}

static int walk(struct git_files *files, git_repository *repository, const git_oid *id,
                const char *prefix, size_t depth, struct err *err)
{
    git_tree *tree = NULL;
    int rc = 0;
    if (depth > LIMIT_TREE_DEPTH)
        return err_set(err, TG_USAGE, "limit", "'%s' is more than %zu folders deep", prefix,
                       LIMIT_TREE_DEPTH);
    if (git_tree_lookup(&tree, repository, id) < 0)
        return git_fail(err, "cannot read the catalog's folder '%s'", prefix);
    rc = check_names(tree, prefix, err);
    if (rc == 0)
        look_ahead(files, tree, prefix);
    for (size_t i = 0; rc == 0 && i < git_tree_entrycount(tree); i++)
        rc = visit(files, repository, git_tree_entry_byindex(tree, i), prefix, depth, err);
    git_tree_free(tree);
    return rc;
}

/* Prefetches the files of a folder, in one round trip: one that is read is seldom the only one. */
static void look_beside(const struct git_files *files, size_t index)
{
    ARENA_SCRATCH(scratch);
    const char *path = files->entries[index].path, *slash = strrchr(path, '/');
    const char *folder = arena_memdup(&scratch, path, slash ? (size_t)(slash + 1 - path) : 0);
    git_oid *ids = NULL;
    size_t count = 0;
    for (size_t i = fileset_lower_bound(&files->set, folder);
         i < files->set.count && str_starts(files->entries[i].path, folder); i++)
        if (!strchr(files->entries[i].path + strlen(folder), '/')) {
            files->looked[i] = true;
            arena_push(&scratch, ids, count) = files->ids[i];
        }
    odb_look_ahead(files->odb, ids, count);
}

static int read_object(const struct git_files *files, size_t index, struct err *err)
{
    const char *path = files->entries[index].path;
    git_object_t type;
    size_t size;
    if (!files->looked[index])
        look_beside(files, index);
    if (git_odb_read_header(&size, &type, files->odb, &files->ids[index]) < 0)
        return git_fail(err, "cannot read '%s' of the catalog", path);
    if (size > LIMIT_RENDERED_BYTES)
        return err_set(err, TG_USAGE, "limit", "'%s' is larger than %zu MiB", path,
                       LIMIT_RENDERED_BYTES / LIMIT_MIB);
    return git_odb_read(&files->objects[index], files->odb, &files->ids[index]) < 0
               ? git_fail(err, "cannot read '%s' of the catalog", path)
               : 0;
}

static int read_blob(struct span *out, const struct fileset *set, size_t index, struct err *err)
{
    const struct git_files *files = (const struct git_files *)set;
    git_odb_object **object = &files->objects[index];
    if (!*object && read_object(files, index, err) < 0)
        return -1;
    if (git_odb_object_type(*object) != GIT_OBJECT_BLOB)
        return err_set(err, TG_RUNTIME, "git", "'%s' of the catalog is no file",
                       set->entries[index].path);
    if (!files->counted[index])
        files->counted[index] = account_take(git_odb_object_size(*object));
    if (budget_check(err) < 0)
        return err_wrap(err, "'%s'", set->entries[index].path);
    *out = span_of(git_odb_object_data(*object), git_odb_object_size(*object));
    return 0;
}

/* Descends from a tree to a folder, one part at a time. */
static int enter(git_oid *id, git_repository *repository, const char *folder, struct err *err)
{
    ARENA_SCRATCH(scratch);
    char *rest = arena_strdup(&scratch, folder), *part;
    while (*folder && (part = strsep(&rest, "/"))) {
        git_tree *tree = NULL;
        if (git_tree_lookup(&tree, repository, id) < 0)
            return git_fail(err, "cannot read the catalog's repository");
        const git_tree_entry *entry = git_tree_entry_byname(tree, part);
        bool found = entry && git_tree_entry_type(entry) == GIT_OBJECT_TREE;
        int rc = check_names(tree, "", err);
        if (rc == 0 && found)
            *id = *git_tree_entry_id(entry);
        git_tree_free(tree);
        if (rc < 0)
            return -1;
        if (!found)
            return err_set(err, TG_USAGE, "unknown-catalog",
                           "there is no folder '%s' in the catalog's repository", folder);
    }
    return 0;
}

/* Git sorts a folder as if its name ended in '/', so entries come in order of full paths. */
static int start_walk(struct git_files *files, git_repository *repository, const git_oid *id,
                      const char *folder, struct err *err)
{
    git_oid top;
    git_commit *commit = NULL;
    if (git_repository_odb(&files->odb, repository) < 0)
        return git_fail(err, "cannot open the catalog's objects");
    if (git_commit_lookup(&commit, repository, id) < 0)
        return git_fail(err, "cannot read the catalog's commit");
    top = *git_commit_tree_id(commit);
    git_commit_free(commit);
    return enter(&top, repository, folder, err) < 0 ? -1
                                                    : walk(files, repository, &top, "", 0, err);
}

int catalog_git_missing(struct oid **out, size_t *count, struct arena *arena,
                        git_repository *repository, const git_oid *commit, const char *folder,
                        struct err *err)
{
    struct git_files files = {.arena = arena};
    int rc = start_walk(&files, repository, commit, folder, err);
    bool *there = arena_array(arena, files.set.count + 1, sizeof(*there));
    *out = arena_array(arena, files.set.count + 1, sizeof(**out));
    *count = 0;
    if (rc == 0)
        odb_find(there, files.odb, files.ids, files.set.count);
    for (size_t i = 0; rc == 0 && i < files.set.count; i++)
        if (!there[i])
            memcpy((*out)[(*count)++].id, files.ids[i].id, sizeof((*out)->id));
    git_odb_free(files.odb);
    return rc;
}

int catalog_git_files(const struct fileset **out, struct arena *arena, git_repository *repository,
                      const git_oid *commit, const char *folder, struct err *err)
{
    struct git_files *files = arena_alloc(arena, sizeof(*files));
    files->arena = arena;
    if (start_walk(files, repository, commit, folder, err) < 0) {
        git_odb_free(files->odb);
        return -1;
    }
    for (size_t i = 0; i < files->set.count; i++)
        files->entries[i].id = files->ids[i].id;
    files->looked = arena_array(arena, files->set.count + 1, sizeof(*files->looked));
    files->objects = arena_array(arena, files->set.count + 1, sizeof(*files->objects));
    files->counted = arena_array(arena, files->set.count + 1, sizeof(*files->counted));
    files->set.entries = files->entries;
    files->set.read = read_blob;
    *out = &files->set;
    return 0;
}

void catalog_git_files_free(const struct fileset *files)
{
    const struct git_files *owned = (const struct git_files *)files;
    if (!owned)
        return;
    for (size_t i = 0; i < files->count; i++) {
        account_give(owned->counted[i]);
        git_odb_object_free(owned->objects[i]);
    }
    git_odb_free(owned->odb);
}

void catalog_git_close(struct catalog *catalog)
{
    catalog_git_files_free(catalog->files);
    git_repository_free(catalog->handle);
}
