/* Iterates over values like Python's iter() and next(). */
#include "jinja/values/iterate.h"

#include "base/utf8.h"
#include "jinja/run/vm.h"
#include "jinja/values/value.h"

/* ---------------------------------------------------------------- forwards */

static int next_of_text(struct value *out, struct vm *vm, struct iterator *iterator)
{
    (void)vm;
    struct span text = iterator->source.text;
    size_t start = iterator->pos;
    if (start >= text.len)
        return 0;
    (void)utf8_next(text, &iterator->pos);
    *out = value_text(span_of(text.ptr + start, iterator->pos - start));
    return 1;
}

/* Fails if a mapping, or the mapping of a view, has changed its size since the start. */
static int check_size(struct vm *vm, const struct iterator *iterator)
{
    const struct value *source = &iterator->source;
    if ((source->kind != V_DICT && source->kind != V_VIEW) ||
        source->dict->count == iterator->count)
        return 0;
    return vm_fail(vm, CODE_TYPE, "the mapping changed its size while it was walked");
}

/* An item of a list, a range, a mapping or a view of one. */
static struct value item_of(struct vm *vm, const struct value *source, size_t i)
{
    switch (source->kind) {
    case V_RANGE:
        return value_int(range_at(source->range, i));
    case V_DICT:
        return dict_part(vm, source->dict, VIEW_KEYS, i);
    case V_VIEW:
        return dict_part(vm, source->dict, source->part, i);
    default:
        return source->list->items[i];
    }
}

static int next_of_items(struct value *out, struct vm *vm, struct iterator *iterator)
{
    if (check_size(vm, iterator))
        return -1;
    if (iterator->pos >= value_size(vm, &iterator->source))
        return 0;
    *out = item_of(vm, &iterator->source, iterator->pos++);
    return 1;
}

static int next_of_nothing(struct value *out, struct vm *vm, struct iterator *iterator)
{
    (void)out;
    (void)vm;
    (void)iterator;
    return 0;
}

/* ---------------------------------------------------------------- backwards */

static int previous_of_text(struct value *out, struct vm *vm, struct iterator *iterator)
{
    (void)vm;
    struct span text = iterator->source.text;
    size_t end = iterator->pos;
    if (end == 0)
        return 0;
    (void)utf8_previous(text, &iterator->pos);
    *out = value_text(span_of(text.ptr + iterator->pos, end - iterator->pos));
    return 1;
}

/* `pos` counts the items left. As in Python, a list may shrink or grow during iteration. */
static int previous_of_items(struct value *out, struct vm *vm, struct iterator *iterator)
{
    if (check_size(vm, iterator))
        return -1;
    if (iterator->pos == 0 || iterator->pos > value_size(vm, &iterator->source))
        return 0;
    *out = item_of(vm, &iterator->source, --iterator->pos);
    return 1;
}

/* ---------------------------------------------------------------- opening */

struct walker {
    int (*next)(struct value *out, struct vm *vm, struct iterator *iterator);
    int (*previous)(struct value *out, struct vm *vm, struct iterator *iterator);
};

static const struct walker walkers[] = {
    [V_UNDEFINED] = {next_of_nothing, next_of_nothing}, /* if lenient */
    [V_TEXT] = {next_of_text, previous_of_text},
    [V_LIST] = {next_of_items, previous_of_items},
    [V_TUPLE] = {next_of_items, previous_of_items},
    [V_DICT] = {next_of_items, previous_of_items},
    [V_VIEW] = {next_of_items, previous_of_items},
    [V_RANGE] = {next_of_items, previous_of_items},
    [V_BUILTIN] = {NULL, NULL},
};

bool value_is_reversible(const struct value *value)
{
    return walkers[value->kind].previous != NULL;
}

bool value_is_iterable(const struct value *value)
{
    return walkers[value->kind].next != NULL || value->kind == V_ITERATOR;
}

/* Of undefined values, only a missing else of an inline if is iterable. */
static bool is_walkable(const struct value *value)
{
    return value->kind != V_UNDEFINED || value->undefined->lenient;
}

static struct iterator *iterator_new(struct vm *vm, const struct value *source)
{
    struct iterator *iterator = vm_alloc(vm, sizeof(*iterator));
    iterator->source = *source;
    iterator->count = value_is_sized(source) ? value_size(vm, source) : 0;
    return iterator;
}

struct value iterator_of(struct vm *vm,
                         int (*next)(struct value *out, struct vm *vm, struct iterator *iterator),
                         const struct value *source, void *more)
{
    struct iterator *iterator = vm_alloc(vm, sizeof(*iterator));
    *iterator = (struct iterator){.next = next, .source = *source, .more = more};
    return (struct value){.kind = V_ITERATOR, .iterator = iterator};
}

int iterator_open(struct iterator **out, struct vm *vm, const struct value *source)
{
    if (source->kind == V_ITERATOR) {
        *out = source->iterator;
        return 0;
    }
    if (!value_is_iterable(source) || !is_walkable(source))
        return vm_fail_value(vm, source, "cannot be walked");
    *out = iterator_new(vm, source);
    (*out)->next = walkers[source->kind].next;
    return 0;
}

int iterator_open_reversed(struct iterator **out, struct vm *vm, const struct value *source)
{
    if (!value_is_reversible(source) || !is_walkable(source))
        return vm_fail_value(vm, source, "cannot be walked backwards");
    *out = iterator_new(vm, source);
    (*out)->pos = (*out)->count;
    (*out)->next = walkers[source->kind].previous;
    return 0;
}

int iterator_next(struct value *out, struct vm *vm, struct iterator *iterator)
{
    if (iterator->state == ITERATOR_ENDED)
        return 0;
    if (iterator->state == ITERATOR_WALKS)
        return vm_fail(vm, CODE_TYPE, "the iterator is being walked already");
    if (vm_charge(vm, 1) || vm_enter(vm)) /* iterators of iterators of iterators ... */
        return -1;
    iterator->state = ITERATOR_WALKS;
    int rc = iterator->next(out, vm, iterator);
    iterator->state = rc > 0 ? ITERATOR_WAITS : ITERATOR_ENDED;
    vm_leave(vm);
    return rc;
}

int iterate_list(struct value *out, struct vm *vm, enum value_kind kind, const struct value *source)
{
    struct iterator *iterator;
    struct value item;
    int rc;
    if (iterator_open(&iterator, vm, source))
        return -1;
    struct value list = list_new(vm, kind, 0);
    while ((rc = iterator_next(&item, vm, iterator)) != 0)
        if (rc < 0 || list_push(vm, list.list, &item))
            return -1;
    *out = list;
    return 0;
}
