/* The proven base of an update: what the child was made from, and how we know. */
#include "update/base.h"

#include "base/arena.h"
#include "base/data.h"
#include "base/yaml.h"
#include "catalog/answers.h"
#include "catalog/catalog.h"
#include "catalog/render.h"
#include "child/base_ref.h"
#include "child/record.h"
#include "git/history.h"
#include "git/repo.h"
#include "git/store.h"
#include "git/tree.h"

#include <git2.h>
#include <stdlib.h>
#include <string.h>

const char *const proof_names[PROOFS] = {
    [PROOF_RENDER] = "render",
    [PROOF_REF] = "ref",
    [PROOF_HISTORY] = "history",
    [PROOF_GIVEN] = "given",
};

/* One climb of the ladder. */
struct climb {
    struct base *out;
    const struct repo *repo;
    struct arena *arena;
    const struct record *record;
    const struct base_options *options;
    struct oid wanted; /* the recorded tree */
    char rendered[41]; /* what the re-render gave; "" where there was none */
    struct render render;
    struct err why; /* why there was no re-render */
    struct err *err;
};

void base_list_render(struct plan_list *out, struct arena *arena, const struct render *render)
{
    struct plan_file *files = arena_array(arena, render->count + 1, sizeof(*files));
    for (size_t i = 0; i < render->count; i++) {
        const struct render_entry *entry = &render->entries[i];
        files[i] = (struct plan_file){
            .path = entry->path,
            .leaf.mode = entry->executable ? LEAF_EXECUTABLE : LEAF_FILE,
            .bytes = span_of(entry->bytes.ptr ? entry->bytes.ptr : "", entry->bytes.len),
            .source = entry->source,
            .policy = entry->policy,
            .merge = entry->merge};
        memcpy(files[i].leaf.id.id, entry->id, sizeof(entry->id));
    }
    *out = (struct plan_list){files, render->count};
}

/* All values as templates see them: hidden questions by their default, as they were. */
static int recorded_answers(struct answers *out, struct arena *arena,
                            const struct manifest *manifest, const struct record *record,
                            const struct render_input *input, struct err *err)
{
    struct given_list given = {0};
    const struct yaml_node *node = record->answers_node;
    for (size_t i = 0; node && i < node->map.count; i++)
        given_add(&given, arena,
                  (struct given){.name = node->map.members[i].key->text.ptr,
                                 .from = GIVEN_RECORD,
                                 .node = node->map.members[i].value});
    const char *name = data_text(data_get(record->answers, "name"));
    return answers_collect(out, arena, manifest, &given, render_context(arena, input),
                           name ? name : record->type, NULL, err);
}

static int render_catalog(struct render *out, struct arena *arena, const struct catalog *catalog,
                          const struct record *record, struct err *err)
{
    struct manifest *manifest;
    struct answers answers;
    struct render_input input = {
        .catalog = catalog, .request = record->request, .resolution = record->resolution};
    if (manifest_load(&manifest, arena, catalog, record->type, err) < 0)
        return -1;
    input.manifest = manifest;
    if (recorded_answers(&answers, arena, manifest, record, &input, err) < 0)
        return -1;
    input.answers = answers.values;
    if (render(out, arena, &input, err) < 0)
        return -1;
    render_keep_bytes(out, arena);
    return 0;
}

int base_render(struct render *out, struct arena *arena, const struct record *record,
                const char *source, struct err *err)
{
    struct catalog *catalog;
    if (catalog_open(&catalog, arena, source, record->catalog.commit, err) < 0)
        return -1;
    int rc = render_catalog(out, arena, catalog, record, err);
    catalog_close(catalog);
    return rc;
}

/* ---------------------------------------------------------------- rung 1 */

static bool proven_by_render(struct climb *c)
{
    ERR_SCRATCH(other);
    if (base_render(&c->render, c->arena, c->record, c->record->catalog.source, &c->why) < 0 &&
        (!c->options->moved_to ||
         base_render(&c->render, c->arena, c->record, c->options->moved_to, &other) < 0))
        return false;
    memcpy(c->rendered, c->render.tree, sizeof(c->rendered));
    return strcmp(c->rendered, c->record->tree) == 0;
}

static void take_render(struct climb *c)
{
    base_list_render(&c->out->files, c->arena, &c->render);
    c->out->has_rules = true;
    c->out->proof = PROOF_RENDER;
    if (oid_parse(&c->out->tree, c->rendered) < 0)
        c->out->tree = c->wanted;
}

/* ---------------------------------------------------------------- rung 2 */

/* The id of a tree without its record. */
static int without_record(struct oid *out, const struct climb *c, const struct oid *tree)
{
    struct tree_edit edit = {.path = RECORD_PATH};
    return tree_edit(out, c->repo->store, NULL, tree, &edit, 1, c->err);
}

/* Its files. A template has neither links nor submodules: those of a tree are the child's own. */
static int take_tree(struct climb *c, enum proof proof, const struct oid *tree)
{
    struct tree_files all;
    struct plan_file *files;
    if (tree_list(&all, c->arena, c->repo->store, tree, TREE_ENTRIES, c->err) < 0)
        return -1;
    files = arena_array(c->arena, all.count + 1, sizeof(*files));
    c->out->files = (struct plan_list){files, 0};
    for (size_t i = 0; i < all.count; i++)
        if (leaf_is_file(&all.files[i].leaf) && strcmp(all.files[i].path, RECORD_PATH) != 0)
            files[c->out->files.count++] =
                (struct plan_file){.path = all.files[i].path, .leaf = all.files[i].leaf};
    c->out->proof = proof;
    return 0;
}

/* `*proven` where a commit's tree, or the child's folder in it, is the recorded one. */
static int try_commit(bool *proven, struct climb *c, const struct oid *commit, bool in_folder,
                      enum proof proof)
{
    struct commit read;
    struct leaf folder;
    struct oid found;
    *proven = false;
    if (!store_has(c->repo->store, commit))
        return 0;
    if (repo_commit(&read, c->arena, c->repo->store, commit, c->err) < 0)
        return -1;
    folder = (struct leaf){LEAF_TREE, read.tree};
    if (in_folder && *c->repo->prefix) {
        const char *path = arena_memdup(c->arena, c->repo->prefix, strlen(c->repo->prefix) - 1);
        if (tree_find(&folder, c->repo->store, &read.tree, path, c->err) < 0)
            return -1;
    }
    if (folder.mode != LEAF_TREE || !store_has(c->repo->store, &folder.id))
        return 0;
    if (without_record(&found, c, &folder.id) < 0)
        return -1;
    if (!oid_equal(&found, &c->wanted))
        return 0;
    c->out->tree = found;
    *proven = true;
    return take_tree(c, proof, &folder.id);
}

static int proven_by_ref(bool *proven, struct climb *c)
{
    struct oid commit;
    const char *name = arena_printf(c->arena, BASE_REF_PREFIX "%s", c->record->tree);
    if (repo_ref(&commit, proven, c->repo, name, c->err) < 0)
        return -1;
    return *proven ? try_commit(proven, c, &commit, false, PROOF_REF) : 0;
}

static void note_commit(struct climb *c, const struct oid *commit)
{
    char hex[41];
    oid_hex(hex, commit);
    c->out->commit = arena_strdup(c->arena, hex);
}

/*
 * A merge's second parent, or a root. A commit at a shallow clone's edge counts as a root: what
 * lies behind it is not there.
 */
static int try_ancestor(bool *proven, void *context, const struct oid *id)
{
    struct climb *c = context;
    struct commit commit;
    bool root = true;
    if (repo_commit(&commit, c->arena, c->repo->store, id, c->err) < 0)
        return -1;
    for (size_t i = 0; i < commit.parent_count; i++)
        root = root && !store_has(c->repo->store, &commit.parents[i]);
    if (!root && commit.parent_count > 1 &&
        try_commit(proven, c, &commit.parents[1], false, PROOF_HISTORY) < 0)
        return -1;
    if (root && try_commit(proven, c, id, true, PROOF_HISTORY) < 0)
        return -1;
    if (*proven)
        note_commit(c, root ? id : &commit.parents[1]);
    return 0;
}

static int proven_by_history(bool *proven, struct climb *c)
{
    *proven = false;
    if (c->repo->unborn || history_walk(c->repo, &c->repo->head, try_ancestor, c, c->err) < 0)
        return c->repo->unborn ? 0 : -1;
    *proven = c->out->commit != NULL;
    return 0;
}

/* ---------------------------------------------------------------- --base */

static int take_given(struct climb *c)
{
    git_object *object = NULL, *commit = NULL;
    struct oid id;
    struct commit read;
    struct leaf folder;
    int rc = git_revparse_single(&object, c->repo->git, c->options->commit);
    if (rc == 0)
        rc = git_object_peel(&commit, object, GIT_OBJECT_COMMIT);
    if (rc == 0)
        memcpy(id.id, git_object_id(commit)->id, sizeof(id.id));
    git_object_free(object);
    git_object_free(commit);
    if (rc < 0)
        return err_set(c->err, TG_USAGE, "unknown-commit", "--base: there is no commit '%s' here",
                       c->options->commit);
    if (repo_commit(&read, c->arena, c->repo->store, &id, c->err) < 0)
        return -1;
    folder = (struct leaf){LEAF_TREE, read.tree};
    if (*c->repo->prefix) {
        /* A commit that holds the child alone, or the whole repository. */
        const char *path = arena_memdup(c->arena, c->repo->prefix, strlen(c->repo->prefix) - 1);
        if (tree_find(&folder, c->repo->store, &read.tree, path, c->err) < 0)
            return -1;
        if (folder.mode != LEAF_TREE)
            folder = (struct leaf){LEAF_TREE, read.tree};
    }
    note_commit(c, &id);
    if (without_record(&c->out->tree, c, &folder.id) < 0)
        return -1;
    return take_tree(c, PROOF_GIVEN, &folder.id);
}

/* ---------------------------------------------------------------- the ladder */

static int refuse_drift(const struct climb *c)
{
    (void)err_set(
        c->err, TG_REFUSED, "drift",
        "the base cannot be proven: the record says tree %s, made by engine %d; engine %d "
        "renders %s",
        c->record->tree, c->record->engine, TEMPLATE_ENGINE, c->rendered);
    return err_hint(c->err, "--accept-drift takes the new rendering as the base: what the engine "
                            "changed then counts as yours. --base COMMIT names a base of your own");
}

static int refuse_base(const struct climb *c)
{
    const char *why = *c->rendered
                          ? arena_printf(c->arena, "the catalog '%s' renders tree %s today",
                                         c->record->catalog.source, c->rendered)
                          : arena_printf(c->arena, "%s", c->why.message);
    (void)err_set(c->err, TG_REFUSED, "no-base",
                  "the base cannot be proven: the record says tree %s, but %s", c->record->tree,
                  why);
    return err_hint(c->err, "--base COMMIT names the commit of this repository that is the "
                            "unchanged rendering; 'tmplgen adopt' starts anew");
}

static int climb(struct climb *c)
{
    bool proven = false;
    if (c->options->commit)
        return take_given(c);
    if (proven_by_render(c)) {
        take_render(c);
        return 0;
    }
    if (proven_by_ref(&proven, c) < 0)
        return -1;
    if (!proven && proven_by_history(&proven, c) < 0)
        return -1;
    if (proven)
        return 0;
    if (!*c->rendered || c->record->engine == TEMPLATE_ENGINE)
        return refuse_base(c);
    if (!c->options->accept_drift)
        return refuse_drift(c);
    take_render(c);
    c->out->drift = c->record->tree;
    return 0;
}

int base_prove(struct base *out, const struct repo *repo, const struct record *record,
               const struct base_options *options, struct err *err)
{
    struct climb c = {.out = out,
                      .repo = repo,
                      .arena = repo->arena,
                      .record = record,
                      .options = options,
                      .err = err};
    *out = (struct base){.proof = PROOF_RENDER};
    int rc = oid_parse(&c.wanted, record->tree);
    if (rc < 0)
        (void)err_set(err, TG_USAGE, "invalid-record", "'tree' of the record is no id");
    else
        rc = climb(&c);
    err_release(&c.why);
    return rc;
}
