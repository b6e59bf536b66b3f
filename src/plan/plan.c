/* The files of base, child and new render; and a plan: an update's effect on each path. */
#include "plan/plan.h"

#include "base/arena.h"
#include "git/store.h"
#include "git/tree.h"

#include <stdlib.h>
#include <string.h>

const char *const path_state_names[PATH_STATES] = {
    [PATH_UPDATED] = "updated",           [PATH_MERGED] = "merged",
    [PATH_CONFLICT] = "conflict",         [PATH_KEPT_YOURS] = "kept-yours",
    [PATH_KEPT_DELETED] = "kept-deleted", [PATH_DELETED] = "deleted",
    [PATH_RENAMED] = "renamed",           [PATH_ADDED] = "added",
    [PATH_ADOPTED] = "adopted",
};

void plan_sort_edits(struct plan_edit *edits, size_t count)
{
    if (count)
        qsort(edits, count, sizeof(*edits), str_compare_first);
}

size_t plan_list_lower_bound(const struct plan_list *list, const char *path)
{
    return str_lower_bound(path, list->files, list->count, sizeof(*list->files));
}

const struct plan_file *plan_list_find(const struct plan_list *list, const char *path)
{
    size_t at = plan_list_lower_bound(list, path);
    return at < list->count && strcmp(list->files[at].path, path) == 0 ? &list->files[at] : NULL;
}

const struct plan_file *plan_list_next(const struct plan_list *list, size_t *at, const char *path)
{
    int order = -1;
    while (*at < list->count && (order = strcmp(list->files[*at].path, path)) < 0)
        ++*at;
    return *at < list->count && order == 0 ? &list->files[*at] : NULL;
}

bool plan_list_has_folder(const struct plan_list *list, const char *folder)
{
    size_t at = plan_list_lower_bound(list, folder);
    return at < list->count && str_starts(list->files[at].path, folder);
}

int plan_list_put(struct oid *tree, struct store *store, struct arena *arena,
                  const struct plan_list *list, struct err *err)
{
    struct tree_edit *edits = arena_array(arena, list->count + 1, sizeof(*edits));
    for (size_t i = 0; i < list->count; i++) {
        const struct plan_file *file = &list->files[i];
        if (file->bytes.ptr)
            store_lend(store, &file->entry.id, STORE_BLOB, file->bytes, span_of(NULL, 0));
        edits[i] = (struct tree_edit){file->path, file->entry};
    }
    return tree_edit(tree, store, store, NULL, edits, list->count, err);
}
