/* What a plan is made from: the files of base, child and new render. */
#include "plan/sides.h"

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
