/* A copy of the built-in catalog for a team to change: a repository with its history. */
#include "author/write.h"

#include "base/arena.h"
#include "base/embed.h"
#include "base/limits.h"
#include "catalog/catalog.h"
#include "catalog/catalog_source.h"
#include "child/write_child.h"
#include "data/fileset.h"
#include "data/yaml.h"
#include "git/commit.h"
#include "git/libgit2.h"
#include "git/new_repo.h"
#include "git/repo.h"
#include "git/store.h"
#include "git/tree.h"
#include "io/io.h"

#include <stdint.h>
#include <string.h>

#define HEADS "refs/heads/"
#define TAGS "refs/tags/"
#define CHECKOUT_PIECE "templates/_includes/actions/checkout"

#define FORK_CHECKOUT "CHECKOUT"
#define FILES "src/author/files/fork/"

EMBED(fork_readme, FILES "README.md");
EMBED(fork_script, FILES "ci/catalog.sh");
EMBED(fork_requirements, FILES "ci/requirements.txt");
EMBED(fork_hadolint, FILES ".hadolint.yaml");
EMBED(fork_github, FILES ".github/workflows/catalog.yml");
EMBED(fork_gitlab, FILES ".gitlab-ci.yml");
EMBED(fork_jenkins, FILES "Jenkinsfile");

/* What a fork has besides the catalog: CI, and how to work on it. FORK_CHECKOUT in a text stands
 * for the action that checks out, as the catalog pins it. */
static const struct {
    const char *path, *text;
    bool executable;
} fork_files[] = {
    {"README.md", fork_readme, false},
    {"ci/catalog.sh", fork_script, true},
    {"ci/requirements.txt", fork_requirements, false},
    {".hadolint.yaml", fork_hadolint, false},
    {".github/workflows/catalog.yml", fork_github, false},
    {".gitlab-ci.yml", fork_gitlab, false},
    {"Jenkinsfile", fork_jenkins, false},
};

struct exporter {
    struct arena *arena;
    struct exported *out;
    struct store *store;
    struct git_repository *repository;
    struct io_maker *maker;
    const char *folder, *branch;
    struct oid commit, tree; /* the newest so far */
    size_t count;            /* of commits so far */
    char pack[PACK_NAME_SIZE];
    struct err *err;
};

/* ---------------------------------------------------------------- the history */

static int put_tree(struct exporter *e, const struct fileset *files)
{
    struct tree_edit *edits = arena_array(e->arena, files->count + 1, sizeof(*edits));
    for (size_t i = 0; i < files->count; i++) {
        const struct fileset_entry *file = &files->entries[i];
        struct span bytes;
        if (files->read(&bytes, files, i, e->err) < 0)
            return -1;
        edits[i].path = file->path;
        edits[i].leaf.mode = file->executable ? LEAF_EXECUTABLE : LEAF_FILE;
        memcpy(edits[i].leaf.id.id, file->id, sizeof(edits[i].leaf.id.id));
        if (!store_has(e->store, &edits[i].leaf.id))
            store_lend(e->store, &edits[i].leaf.id, STORE_BLOB, bytes, file->deflated);
    }
    return tree_edit(&e->tree, e->store, e->store, NULL, edits, files->count, e->err);
}

static int put_commit(struct exporter *e, const struct identity *who, const char *message)
{
    struct oid made;
    if (commit_put(&made, e->store, &e->tree, &e->commit, e->count > 0, who, message, e->err) < 0)
        return -1;
    e->commit = made;
    e->count++;
    return 0;
}

/* Keeps the id of the release: else its children would not find their base here. */
static int put_release(struct exporter *e, const struct builtin_commit *release)
{
    const struct identity who = {.author = release->who, .committer = release->who};
    char hex[41];
    if (put_tree(e, release->files) < 0 || put_commit(e, &who, release->message) < 0)
        return -1;
    oid_hex(hex, &e->commit);
    if (strcmp(hex, release->commit) != 0)
        return err_set(e->err, TG_RUNTIME, "git",
                       "version %s of the catalog became commit %s, not %s", release->version, hex,
                       release->commit);
    return release->tag ? new_repo_ref(e->maker, arena_printf(e->arena, TAGS "%s", release->tag),
                                       &e->commit, e->err)
                        : 0;
}

/* ---------------------------------------------------------------- the team's commit */

static int put_text(struct tree_edit *out, struct exporter *e, const char *path, const char *text,
                    bool executable)
{
    out->path = path;
    out->leaf.mode = executable ? LEAF_EXECUTABLE : LEAF_FILE;
    return store_put(&out->leaf.id, e->store, STORE_BLOB, span_from(text), e->err);
}

/* The `uses:` of the newest catalog, without its comment for template authors. */
static int pinned_checkout(const char **out, struct exporter *e, const struct fileset *files)
{
    struct span text;
    if (fileset_get(&text, files, CHECKOUT_PIECE, e->err) < 0)
        return -1;
    *out = arena_memdup(e->arena, text.ptr, text.len);
    ((char *)(uintptr_t)*out)[strcspn(*out, "{\n")] = '\0';
    return 0;
}

static const char *fill_in(struct arena *arena, const char *text, const char *checkout)
{
    const char *at = strstr(text, FORK_CHECKOUT);
    return at ? arena_printf(arena, "%.*s%s%s", (int)(at - text), text, checkout,
                             at + strlen(FORK_CHECKOUT))
              : text;
}

/* Replaces our name in catalog.yml by the team's. */
static int rename_catalog(const char **out, struct exporter *e, const struct fileset *files)
{
    struct yaml_doc *doc;
    if (fileset_document(&doc, e->arena, files, "catalog.yml", e->err) < 0)
        return -1;
    const struct yaml_node *name = yaml_get(doc->root, "name");
    *out = arena_printf(e->arena, "%.*s%s%.*s", (int)name->offset, doc->source.ptr, e->out->name,
                        (int)(doc->source.len - name->offset - name->text.len),
                        doc->source.ptr + name->offset + name->text.len);
    return 0;
}

static int put_team(struct exporter *e, const struct fileset *files)
{
    struct tree_edit edits[16];
    struct identity who;
    const char *checkout, *named;
    size_t count = 0;
    if (identity_read(&who, e->arena, e->repository, e->err) < 0 ||
        pinned_checkout(&checkout, e, files) < 0 || rename_catalog(&named, e, files) < 0 ||
        put_text(&edits[count++], e, "catalog.yml", named, false) < 0)
        return -1;
    for (size_t i = 0; i < sizeof(fork_files) / sizeof(*fork_files); i++) {
        const char *text = fill_in(e->arena, fork_files[i].text, checkout);
        if (put_text(&edits[count++], e, fork_files[i].path, text, fork_files[i].executable) < 0)
            return -1;
    }
    if (tree_edit(&e->tree, e->store, e->store, &e->tree, edits, count, e->err) < 0 ||
        put_commit(e, &who,
                   "Fork the catalog of tmplgen\n\nIts name, CI, and how to work on it.\n") < 0)
        return -1;
    return new_repo_branch(e->maker, e->branch, &e->commit, &who, "tmplgen template export",
                           e->err);
}

static int put_all(struct exporter *e)
{
    struct exported *out = e->out;
    for (size_t i = 0; i < out->count; i++)
        if (put_release(e, &out->history[i]) < 0)
            return -1;
    if (put_team(e, out->history[out->count - 1].files) < 0)
        return -1;
    out->commit = oid_text(e->arena, &e->commit);
    const char *packs = arena_printf(e->arena, "%s/.git/objects/pack", e->folder);
    return store_write_pack(e->pack, e->store, packs, false, e->err);
}

/* Syncs all but the work tree, which git restores. */
static int sync_all(const struct exporter *e)
{
    const struct exported *out = e->out;
    struct io_place *tags = arena_array(e->arena, out->count + 1, sizeof(*tags));
    size_t count = 0;
    for (size_t i = 0; i < out->count; i++)
        if (out->history[i].tag)
            tags[count++] = (struct io_place){
                e->maker->top, arena_printf(e->arena, ".git/" TAGS "%s", out->history[i].tag)};
    tags[count++] = (struct io_place){e->maker->top, ".git/refs/tags"};
    return io_sync(tags, count, e->err) < 0
               ? -1
               : new_repo_sync(e->maker, e->pack, e->branch, e->branch, e->err);
}

static int fill(void *context, struct io_maker *maker, const char *folder, struct err *err)
{
    struct exporter *e = context;
    e->maker = maker;
    e->folder = folder;
    e->branch = HEADS EXPORT_BRANCH;
    e->err = err;
    if (new_repo_init(&e->repository, &e->branch, e->arena, maker, folder, err) < 0 ||
        store_open(&e->store, NULL, err) < 0 || put_all(e) < 0)
        return -1;
    return new_repo_checkout(e->repository, err) < 0 ? -1 : sync_all(e);
}

int export_builtin(struct exported *out, struct arena *arena, const struct create_target *target,
                   const char *name, struct err *err)
{
    struct exporter e = {.arena = arena, .out = out};
    struct builtin_commit *history;
    *out = (struct exported){.path = target->path, .name = name};
    out->count = builtin_history(&history, arena);
    out->history = history;
    if (name && !catalog_name_is_valid(name))
        return err_set(err, TG_USAGE, "usage", "--name " CATALOG_NAME_RULE,
                       LIMIT_CATALOG_NAME_BYTES);
    if (!name) {
        struct catalog *catalog;
        if (catalog_open(&catalog, arena, NULL, NULL, err) < 0)
            return -1;
        out->name = catalog->name;
        catalog_close(catalog);
    }
    int rc = create_folder(arena, target, fill, &e, err);
    new_repo_close(e.repository);
    store_free(e.store);
    return rc;
}
