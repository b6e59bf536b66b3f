/* Trees of a child's repository as renders: without the record. */
#include "update/base/base_tree.h"

#include "base/arena.h"
#include "catalog/render.h"
#include "git/repo.h"
#include "git/store.h"
#include "git/tree.h"
#include "plan/plan.h"

#include <string.h>

int base_tree_bare(struct oid *out, const struct repo *repo, const struct oid *tree,
                   struct err *err)
{
    struct tree_edit edit = {.path = RECORD_PATH};
    return tree_edit(out, repo->store, NULL, tree, &edit, 1, err);
}

/* The child's folder in a tree of the whole repository. */
static int find_folder(struct tree_entry *out, const struct repo *repo, const struct oid *tree,
                       struct err *err)
{
    ARENA_SCRATCH(scratch);
    *out = (struct tree_entry){LEAF_TREE, *tree};
    if (!*repo->prefix)
        return 0;
    const char *path = arena_memdup(&scratch, repo->prefix, strlen(repo->prefix) - 1);
    return tree_find(out, repo->store, tree, path, err);
}

int base_tree_at(struct base_tree *out, bool *found, const struct repo *repo,
                 const struct oid *commit, bool whole, struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct commit read;
    struct tree_entry folder;
    *found = false;
    if (!store_has(repo->store, commit))
        return 0;
    if (repo_commit(&read, &scratch, repo->store, commit, err) < 0)
        return -1;
    folder = (struct tree_entry){LEAF_TREE, read.tree};
    if (!store_has(repo->store, &read.tree))
        return 0;
    if (!whole && find_folder(&folder, repo, &read.tree, err) < 0)
        return -1;
    if (folder.mode != LEAF_TREE || !store_has(repo->store, &folder.id))
        return 0;
    *out = (struct base_tree){.held = folder.id};
    *found = true;
    return base_tree_bare(&out->tree, repo, &folder.id, err);
}

int base_tree_files(struct plan_list *out, struct arena *arena, const struct repo *repo,
                    const struct oid *tree, struct err *err)
{
    struct tree_files all;
    if (tree_list(&all, arena, repo->store, tree, TREE_ENTRIES, err) < 0)
        return -1;
    struct plan_file *files = arena_array(arena, all.count + 1, sizeof(*files));
    *out = (struct plan_list){files, 0};
    for (size_t i = 0; i < all.count; i++)
        if (tree_entry_is_file(&all.files[i].leaf) && strcmp(all.files[i].path, RECORD_PATH) != 0)
            files[out->count++] =
                (struct plan_file){.path = all.files[i].path, .entry = all.files[i].leaf};
    return 0;
}
