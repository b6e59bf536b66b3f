/* Methods of lists, tuples, mappings and the loop. */
#include "jinja/functions/method_bodies.h"

#include "jinja/run/loop.h"
#include "jinja/run/vm.h"
#include "jinja/values/compare.h"
#include "jinja/values/iterate.h"
#include "jinja/values/value.h"

#include <string.h>

/* ---------------------------------------------------------------- lists and tuples */

int list_append(struct value *out, struct vm *vm, const struct arguments *given)
{
    *out = value_none();
    list_open(vm, given->self->list);
    return list_push(vm, given->self->list, &given->values[0]);
}

int list_copy(struct value *out, struct vm *vm, const struct arguments *given)
{
    return iterate_list(out, vm, V_LIST, given->self);
}

int list_count(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct list *list = given->self->list;
    int64_t count = 0;
    list_open(vm, list);
    for (size_t i = 0; i < list->count; i++) {
        bool same;
        if (vm_charge(vm, 1) || value_equal(&same, vm, &list->items[i], &given->values[0]))
            return -1;
        count += same;
    }
    *out = value_int(count);
    return 0;
}

int list_extend(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct value items; /* a copy: a list may be extended by itself */
    list_open(vm, given->self->list);
    if (iterate_list(&items, vm, V_LIST, &given->values[0]))
        return -1;
    *out = value_none();
    return list_push_all(vm, given->self->list, items.list->items, items.list->count);
}

/* Converts an index that may count from the end, and clips it to [0, length]. */
static size_t clip_index(int64_t index, size_t length)
{
    if (index < 0)
        index += (int64_t)length;
    if (index < 0)
        return 0;
    return (uint64_t)index > length ? length : (size_t)index;
}

int list_index(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct list *list = given->self->list;
    int64_t start, stop;
    list_open(vm, list);
    if (argument_integer(&start, vm, given, 1, 0) ||
        argument_integer(&stop, vm, given, 2, INT64_MAX))
        return -1;
    size_t end = clip_index(stop, list->count);
    for (size_t i = clip_index(start, list->count); i < end; i++) {
        bool same;
        if (vm_charge(vm, 1) || value_equal(&same, vm, &list->items[i], &given->values[0]))
            return -1;
        if (same) {
            *out = value_int((int64_t)i);
            return 0;
        }
    }
    return vm_fail(vm, CODE_TYPE, "'index' does not find the item");
}

int list_insert(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct list *list = given->self->list;
    int64_t index;
    list_open(vm, list);
    if (argument_integer(&index, vm, given, 0, 0))
        return -1;
    size_t at = clip_index(index, list->count);
    if (list_push(vm, list, &given->values[1]) || vm_charge(vm, (list->count - at) / 16))
        return -1;
    memmove(&list->items[at + 1], &list->items[at], (list->count - 1 - at) * sizeof(*list->items));
    list->items[at] = given->values[1];
    *out = value_none();
    return 0;
}

/* ---------------------------------------------------------------- mappings */

int dict_view(struct value *out, struct vm *vm, const struct arguments *given)
{
    (void)vm;
    *out = (struct value){
        .kind = V_VIEW, .part = (enum view_part)given->how, .dict = given->self->dict};
    return 0;
}

int dict_get(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct value *found;
    if (dict_find(&found, vm, given->self->dict, &given->values[0]))
        return -1;
    *out = argument_given(given, 1) ? given->values[1] : value_none();
    if (found)
        *out = *found;
    return 0;
}

int dict_setdefault(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct value *found;
    if (dict_get(out, vm, given) || dict_find(&found, vm, given->self->dict, &given->values[0]))
        return -1;
    return found ? 0 : dict_put(vm, given->self->dict, &given->values[0], out);
}

static int put_all(struct vm *vm, struct dict *to, struct dict *from)
{
    dict_open(vm, from);
    size_t count = from->count;
    for (size_t i = 0; i < count; i++)
        if (dict_put(vm, to, &from->entries[i].key, &from->entries[i].value))
            return -1;
    return vm_charge(vm, count);
}

static int put_pairs(struct vm *vm, struct dict *to, const struct value *pairs)
{
    struct iterator *iterator;
    struct value item, pair;
    int rc;
    if (iterator_open(&iterator, vm, pairs))
        return -1;
    while ((rc = iterator_next(&item, vm, iterator)) > 0) {
        if (iterate_list(&pair, vm, V_LIST, &item))
            return -1;
        if (pair.list->count != 2)
            return vm_fail(vm, CODE_TYPE, "'update' takes a mapping or pairs");
        if (dict_put(vm, to, &pair.list->items[0], &pair.list->items[1]))
            return -1;
    }
    return rc;
}

int dict_copy(struct value *out, struct vm *vm, const struct arguments *given)
{
    *out = dict_new(vm);
    return put_all(vm, out->dict, given->self->dict);
}

int dict_update(struct value *out, struct vm *vm, const struct arguments *given)
{
    const struct value *self = given->self;
    const struct value *other = &given->values[0];
    *out = value_none();
    dict_open(vm, self->dict);
    if (other->kind == V_UNDEFINED) /* even a lenient one: Python calls its keys() */
        return vm_fail_undefined(vm, other);
    if (argument_given(given, 0) && (other->kind == V_DICT ? put_all(vm, self->dict, other->dict)
                                                           : put_pairs(vm, self->dict, other)))
        return -1;
    return given->keywords ? put_all(vm, self->dict, given->keywords) : 0;
}

/* ---------------------------------------------------------------- the loop */

int loop_cycle(struct value *out, struct vm *vm, const struct arguments *given)
{
    if (given->count == 0)
        return vm_fail(vm, CODE_TYPE, "'cycle' takes at least one value");
    *out = given->values[given->self->loop->index0 % given->count];
    return 0;
}

int loop_changed(struct value *out, struct vm *vm, const struct arguments *given)
{
    const struct value *self = given->self;
    struct value now = list_new(vm, V_TUPLE, given->count);
    bool same = false;
    if (list_push_all(vm, now.list, given->values, given->count))
        return -1;
    if (self->loop->changed.kind != V_MISSING && value_equal(&same, vm, &self->loop->changed, &now))
        return -1;
    self->loop->changed = now;
    *out = value_bool(!same);
    return 0;
}
