/* Filters that order, group and add up: batch dictsort groupby max min slice sum. */
#include "jinja/filters/filter_bodies.h"

#include "base/unicode.h"
#include "jinja/filters/attribute_path.h"
#include "jinja/functions/text_parts.h"
#include "jinja/run/vm.h"
#include "jinja/values/arith.h"
#include "jinja/values/compare.h"
#include "jinja/values/iterate.h"
#include "jinja/values/sort.h"
#include "jinja/values/value.h"

/* ---------------------------------------------------------------- dictsort */

/* The position in a pair to sort by. */
static int pair_position(size_t *out, struct vm *vm, const struct arguments *arguments)
{
    struct span by = span_from("key");
    if (argument_given(arguments, 1) && argument_text(&by, vm, arguments, 1))
        return -1;
    *out = span_equal(by, span_from("value"));
    if (*out || span_equal(by, span_from("key")))
        return 0;
    return vm_fail(vm, CODE_TYPE, "'dictsort' sorts by 'key' or by 'value'");
}

/* Texts compare in lower case if case is ignored. */
static int sorted_pair(struct sorted *out, struct vm *vm, const struct value *pair, size_t position,
                       bool cased)
{
    out->value = *pair;
    out->key = pair->list->items[position];
    if (cased || out->key.kind != V_TEXT)
        return 0;
    return text_case(&out->key, vm, out->key.text, UNICODE_LOWER);
}

int filter_dictsort(struct value *out, struct vm *vm, const struct arguments *given)
{
    const struct value *self = given->self;
    bool cased;
    int64_t backwards;
    size_t position;
    if (argument_truth(&cased, vm, given, 0, false) || pair_position(&position, vm, given) ||
        argument_integer(&backwards, vm, given, 2, 0))
        return -1;
    if (self->kind != V_DICT)
        return vm_fail_kind(vm, "'dictsort' takes a mapping", self);
    dict_open(vm, self->dict);
    size_t count = self->dict->count;
    struct sorted *items = vm_alloc(vm, count * sizeof(*items));
    struct value pair, list = list_new(vm, V_LIST, count);
    for (size_t i = 0; i < count; i++) {
        pair = dict_part(vm, self->dict, VIEW_ITEMS, i);
        if (vm_charge(vm, 1) || sorted_pair(&items[i], vm, &pair, position, cased))
            return -1;
    }
    if (sort_values(vm, items, count, SORT_BARE | (backwards ? SORT_BACKWARDS : 0)))
        return -1;
    for (size_t i = 0; i < count; i++)
        list.list->items[list.list->count++] = items[i].value;
    *out = list;
    return 0;
}

/* ---------------------------------------------------------------- groupby */

static int sort_by(struct sorted **out, struct vm *vm, const struct list *list,
                   const struct attribute_path *path, bool cased)
{
    *out = vm_alloc(vm, list->count * sizeof(**out));
    for (size_t i = 0; i < list->count; i++) {
        (*out)[i].value = list->items[i];
        if (attribute_path_get(&(*out)[i].key, vm, path, &list->items[i], !cased))
            return -1;
    }
    return sort_values(vm, *out, list->count, SORT_BARE);
}

/* Groups the items behind `first` that have an equal key, as (key, items). */
static int take_group(struct value *out, struct vm *vm, const struct sorted **first,
                      const struct sorted *end)
{
    struct value items = list_new(vm, V_LIST, 0), group = list_new(vm, V_TUPLE, 2);
    const struct value key = (*first)->key;
    bool same = true;
    while (same) {
        if (list_push(vm, items.list, &(*first)->value))
            return -1;
        if (++*first == end)
            break;
        if (vm_charge(vm, 1) || value_equal(&same, vm, &key, &(*first)->key))
            return -1;
    }
    group.group = true;
    *out = group;
    return list_push(vm, group.list, &key) || list_push(vm, group.list, &items);
}

int filter_groupby(struct value *out, struct vm *vm, const struct arguments *given)
{
    bool cased;
    struct value all, group, groups = list_new(vm, V_LIST, 0);
    struct attribute_path path;
    struct sorted *items;
    if (argument_truth(&cased, vm, given, 2, false) || attribute_path_read(&path, vm, given, 0) ||
        iterate_list(&all, vm, V_LIST, given->self))
        return -1;
    if (argument_given(given, 1) && given->values[1].kind != V_NONE)
        path.fallback = given->values[1];
    if (sort_by(&items, vm, all.list, &path, cased))
        return -1;
    const struct sorted *next = items, *end = items + all.list->count;
    while (next < end) {
        const struct value *first = &next->value;
        if (take_group(&group, vm, &next, end) ||
            attribute_path_get(&group.list->items[0], vm, &path, first, false) ||
            list_push(vm, groups.list, &group))
            return -1;
    }
    *out = groups;
    return 0;
}

/* ---------------------------------------------------------------- min, max, sum */

/* The maximum if `how` is true, else the minimum. */
int filter_extreme(struct value *out, struct vm *vm, const struct arguments *given)
{
    bool cased, better;
    struct attribute_path path;
    struct iterator *iterator;
    struct value item, key, best;
    int rc;
    if (iterator_open(&iterator, vm, given->self) || (rc = iterator_next(out, vm, iterator)) < 0)
        return -1;
    if (rc == 0) {
        *out = vm_undefined_reason(vm, "there is no least or greatest item: the sequence is empty");
        return 0;
    }
    if (argument_truth(&cased, vm, given, 0, false) || attribute_path_read(&path, vm, given, 1) ||
        attribute_path_get(&best, vm, &path, out, !cased))
        return -1;
    while ((rc = iterator_next(&item, vm, iterator)) > 0) {
        if (attribute_path_get(&key, vm, &path, &item, !cased) ||
            (given->how ? value_less(&better, vm, &best, &key)
                        : value_less(&better, vm, &key, &best)))
            return -1;
        *out = better ? item : *out;
        best = better ? key : best;
    }
    return rc;
}

int filter_sum(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct attribute_path path;
    struct iterator *iterator;
    struct value item, part, sum = argument_given(given, 1) ? given->values[1] : value_int(0);
    int rc;
    if (attribute_path_read(&path, vm, given, 0) || iterator_open(&iterator, vm, given->self))
        return -1;
    if (sum.kind == V_TEXT)
        return vm_fail(vm, CODE_TYPE, "'sum' adds no texts: use 'join'");
    while ((rc = iterator_next(&item, vm, iterator)) > 0) {
        struct value before = sum;
        if (attribute_path_get(&part, vm, &path, &item, false) ||
            value_binary(&sum, vm, OP_ADD, &before, &part))
            return -1;
    }
    *out = sum;
    return rc;
}

/* ---------------------------------------------------------------- batch and slice */

/* The iterator of batch and slice. */
struct cutting {
    struct iterator *all; /* of batch; NULL until iteration begins */
    struct value items;   /* of slice; unset until iteration begins */
    struct value size;    /* items in a batch, or number of slices */
    struct value fill;
    struct value next; /* the first item of the next batch */
    int64_t slice, offset;
};

static int fill_up(struct vm *vm, struct list *list, const struct cutting *cutting)
{
    int64_t size;
    bool short_of;
    struct value count = value_int((int64_t)list->count);
    if (cutting->fill.kind == V_NONE)
        return 0;
    if (value_less(&short_of, vm, &count, &cutting->size) || !short_of)
        return short_of ? -1 : 0;
    if (!value_is_integer(&cutting->size, &size))
        return vm_fail(vm, CODE_TYPE, "'batch' needs an integer to fill up with");
    while ((int64_t)list->count < size)
        if (vm_charge(vm, 1) || list_push(vm, list, &cutting->fill))
            return -1;
    return 0;
}

static int next_batch(struct value *out, struct vm *vm, struct iterator *iterator)
{
    struct cutting *cutting = iterator->more;
    struct value item, count, batch = list_new(vm, V_LIST, 0);
    bool full = false;
    int rc = 1;
    if (!cutting->all && iterator_open(&cutting->all, vm, &iterator->source))
        return -1;
    if (cutting->next.kind != V_MISSING && list_push(vm, batch.list, &cutting->next))
        return -1;
    cutting->next.kind = V_MISSING;
    while (!full && (rc = iterator_next(&item, vm, cutting->all)) > 0) {
        count = value_int((int64_t)batch.list->count);
        if (value_equal(&full, vm, &count, &cutting->size))
            return -1;
        if (full)
            cutting->next = item;
        else if (list_push(vm, batch.list, &item))
            return -1;
    }
    *out = batch;
    if (rc < 0 || full)
        return rc;
    if (batch.list->count == 0)
        return 0;
    return fill_up(vm, batch.list, cutting) ? -1 : 1;
}

static int next_slice(struct value *out, struct vm *vm, struct iterator *iterator)
{
    struct cutting *cutting = iterator->more;
    int64_t slices, length, start;
    if (!cutting->items.list && iterate_list(&cutting->items, vm, V_LIST, &iterator->source))
        return -1;
    if (!value_is_integer(&cutting->size, &slices))
        return vm_fail(vm, CODE_TYPE, "'slice' needs an integer, not %s",
                       value_kind_name(&cutting->size));
    if (slices == 0)
        return vm_fail(vm, CODE_TYPE, "'slice' into 0 slices");
    if (cutting->slice >= slices)
        return 0;
    length = (int64_t)cutting->items.list->count;
    bool longer = cutting->slice < length % slices;
    start = cutting->offset;
    cutting->offset += length / slices + longer;
    cutting->slice++;
    *out = list_new(vm, V_LIST, 0);
    for (int64_t i = start; i < cutting->offset; i++)
        if (vm_charge(vm, 1) || list_push(vm, out->list, &cutting->items.list->items[i]))
            return -1;
    if (!longer && cutting->fill.kind != V_NONE && list_push(vm, out->list, &cutting->fill))
        return -1;
    return 1;
}

/* Batches, or slices if `how` is true. */
int filter_cut(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct cutting *cutting = vm_alloc(vm, sizeof(*cutting));
    cutting->size = given->values[0];
    cutting->fill = argument_given(given, 1) ? given->values[1] : value_none();
    *out = iterator_of(vm, given->how ? next_slice : next_batch, given->self, cutting);
    return 0;
}
