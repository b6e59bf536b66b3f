/* Walking over values, one item at a time, as Python's iter() and next(). */
#include "jinja/values/iterate.h"

#include "base/utf8.h"
#include "jinja/run/vm.h"
#include "jinja/values/value.h"

/* ---------------------------------------------------------------- forwards */

static int next_of_list(struct value *out, struct vm *vm, struct iterator *iterator)
{
    struct list *list = iterator->source.list;
    list_open(vm, list);
    if (iterator->pos >= list->count)
        return 0;
    *out = list->items[iterator->pos++];
    return 1;
}

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

/* A mapping, or a view of one, which must not grow meanwhile. */
static int check_size(struct vm *vm, struct iterator *iterator)
{
    if (iterator->source.dict->count == iterator->count)
        return 0;
    return vm_fail(vm, CODE_TYPE, "the mapping changed its size while it was walked");
}

static enum view_part part_of(const struct value *source)
{
    return source->kind == V_VIEW ? source->part : VIEW_KEYS;
}

static int next_of_dict(struct value *out, struct vm *vm, struct iterator *iterator)
{
    if (check_size(vm, iterator))
        return -1;
    if (iterator->pos >= iterator->count)
        return 0;
    *out = dict_part(vm, iterator->source.dict, part_of(&iterator->source), iterator->pos++);
    return 1;
}

static int next_of_range(struct value *out, struct vm *vm, struct iterator *iterator)
{
    (void)vm;
    if (iterator->pos >= iterator->source.range->length)
        return 0;
    *out = value_int(range_at(iterator->source.range, iterator->pos++));
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

/* `pos` counts what is left; the list may have shrunk or grown meanwhile, as in Python. */
static int previous_of_list(struct value *out, struct vm *vm, struct iterator *iterator)
{
    (void)vm;
    const struct list *list = iterator->source.list;
    if (iterator->pos == 0 || iterator->pos > list->count)
        return 0;
    *out = list->items[--iterator->pos];
    return 1;
}

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

static int previous_of_dict(struct value *out, struct vm *vm, struct iterator *iterator)
{
    if (check_size(vm, iterator))
        return -1;
    if (iterator->pos == 0)
        return 0;
    *out = dict_part(vm, iterator->source.dict, part_of(&iterator->source), --iterator->pos);
    return 1;
}

static int previous_of_range(struct value *out, struct vm *vm, struct iterator *iterator)
{
    (void)vm;
    if (iterator->pos == 0)
        return 0;
    *out = value_int(range_at(iterator->source.range, --iterator->pos));
    return 1;
}

/* ---------------------------------------------------------------- opening */

struct walker {
    int (*next)(struct value *out, struct vm *vm, struct iterator *iterator);
    int (*previous)(struct value *out, struct vm *vm, struct iterator *iterator);
};

static const struct walker walkers[] = {
    [V_UNDEFINED] = {next_of_nothing, next_of_nothing}, /* a lenient one */
    [V_TEXT] = {next_of_text, previous_of_text},
    [V_LIST] = {next_of_list, previous_of_list},
    [V_TUPLE] = {next_of_list, previous_of_list},
    [V_DICT] = {next_of_dict, previous_of_dict},
    [V_VIEW] = {next_of_dict, previous_of_dict},
    [V_RANGE] = {next_of_range, previous_of_range},
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
    if (source->kind == V_UNDEFINED && !source->undefined->lenient)
        return vm_fail_undefined(vm, source);
    if (!value_is_iterable(source))
        return vm_fail(vm, CODE_TYPE, "%s cannot be walked", value_kind_name(source));
    if (source->kind == V_ITERATOR) {
        *out = source->iterator;
        return 0;
    }
    *out = iterator_new(vm, source);
    (*out)->next = walkers[source->kind].next;
    return 0;
}

int iterator_open_reversed(struct iterator **out, struct vm *vm, const struct value *source)
{
    if (source->kind == V_UNDEFINED && !source->undefined->lenient)
        return vm_fail_undefined(vm, source);
    if (!value_is_reversible(source))
        return vm_fail(vm, CODE_TYPE, "%s cannot be walked backwards", value_kind_name(source));
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
