/* What a plan is made from: the files of base, child and new render. */
#include "plan/plan_input.h"

#include "base/arena.h"
#include "git/store.h"
#include "git/tree.h"

#include <string.h>

size_t plan_list_lower_bound(const struct plan_list *list, const char *path)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(list->files[middle].path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
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

int plan_list_put(struct oid *tree, struct store *store, struct arena *arena,
                  const struct plan_list *list, struct err *err)
{
    struct tree_edit *edits = arena_array(arena, list->count + 1, sizeof(*edits));
    for (size_t i = 0; i < list->count; i++) {
        const struct plan_file *file = &list->files[i];
        struct oid blob;
        if (file->bytes.ptr && store_put(&blob, store, STORE_BLOB, file->bytes, err) < 0)
            return -1;
        edits[i] = (struct tree_edit){file->path, file->leaf};
    }
    return tree_edit(tree, store, store, NULL, edits, list->count, err);
}
