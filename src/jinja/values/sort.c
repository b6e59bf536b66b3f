/* Stable sorting by keys, like Python's sorted(): a bottom-up merge sort. */
#include "jinja/values/sort.h"

#include "jinja/run/vm.h"
#include "jinja/values/compare.h"

#include <math.h>
#include <stdbool.h>

struct merge {
    struct vm *vm;
    const struct sorted *from;
    struct sorted *to;
    int flags;
};

/* Whether `b`, which follows `a`, must come before it. Equal keys keep their order. */
static int goes_before(bool *out, const struct merge *merge, const struct sorted *b,
                       const struct sorted *a)
{
    bool same = false, bare = merge->flags & SORT_BARE;
    if (vm_charge(merge->vm, 1) || (!bare && value_equal(&same, merge->vm, &a->key, &b->key)))
        return -1;
    *out = false;
    if (same)
        return 0;
    return merge->flags & SORT_BACKWARDS ? value_less(out, merge->vm, &a->key, &b->key)
                                         : value_less(out, merge->vm, &b->key, &a->key);
}

static int merge_runs(const struct merge *merge, size_t start, size_t middle, size_t end)
{
    size_t a = start, b = middle;
    for (size_t i = start; i < end; i++) {
        bool take_b = a >= middle;
        if (a < middle && b < end && goes_before(&take_b, merge, &merge->from[b], &merge->from[a]))
            return -1;
        merge->to[i] = merge->from[take_b ? b++ : a++];
    }
    return 0;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool is_nan(const struct value *value)
{
    return value->kind == V_FLOAT && isnan(value->real);
}

int sort_values(struct vm *vm, struct sorted *items, size_t count, int flags)
{
    struct sorted *other = vm_alloc(vm, count * sizeof(*other)), *from = items, *to = other;
    for (size_t i = 0; i < count; i++)
        if (is_nan(&items[i].key))
            return vm_fail(vm, CODE_TYPE, "a number that is not finite has no order");
    for (size_t width = 1; width < count; width *= 2) {
        const struct merge merge = {vm, from, to, flags};
        for (size_t start = 0; start < count; start += 2 * width)
            if (merge_runs(&merge, start, least(start + width, count),
                           least(start + 2 * width, count)))
                return -1;
        struct sorted *swap = from;
        from = to;
        to = swap;
    }
    for (size_t i = 0; from != items && i < count; i++)
        items[i] = from[i];
    return 0;
}
