/* Filters of lists and mappings: default first items join last length list reverse sort unique. */
#include "jinja/filters/filter_bodies.h"

#include "base/utf8.h"
#include "jinja/filters/attribute_path.h"
#include "jinja/run/vm.h"
#include "jinja/values/iterate.h"
#include "jinja/values/sort.h"
#include "jinja/values/value.h"
#include "jinja/values/value_text.h"

int filter_default(struct value *out, struct vm *vm, const struct arguments *given)
{
    const struct value *self = given->self;
    bool boolean, truth = true;
    *out = *self;
    if (self->kind != V_UNDEFINED) {
        if (argument_truth(&boolean, vm, given, 1, false) ||
            (boolean && value_truth(&truth, vm, self)))
            return -1;
        if (truth)
            return 0;
    }
    *out = argument_given(given, 0) ? given->values[0] : value_text(span_of("", 0));
    return 0;
}

int filter_length(struct value *out, struct vm *vm, const struct arguments *given)
{
    size_t length;
    if (value_length(&length, vm, given->self))
        return -1;
    *out = value_int((int64_t)length);
    return 0;
}

int filter_list(struct value *out, struct vm *vm, const struct arguments *given)
{
    return iterate_list(out, vm, V_LIST, given->self);
}

/* Jinja2's filter is a generator: an unsuitable value is an error only when iterated. */
static int next_of_items(struct value *out, struct vm *vm, struct iterator *iterator)
{
    if (iterator->source.kind != V_DICT)
        return vm_fail_kind(vm, "'items' takes a mapping", &iterator->source);
    struct iterator *all = iterator->more;
    struct value view = {.kind = V_VIEW, .part = VIEW_ITEMS, .dict = iterator->source.dict};
    if (!all && iterator_open(&all, vm, &view))
        return -1;
    iterator->more = all;
    return iterator_next(out, vm, all);
}

int filter_items(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct value source = given->self->kind == V_UNDEFINED ? dict_new(vm) : *given->self;
    *out = iterator_of(vm, next_of_items, &source, NULL);
    return 0;
}

/* ---------------------------------------------------------------- ends */

/* The last item if `how` is true, else the first. */
int filter_end(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct iterator *iterator;
    if ((given->how ? iterator_open_reversed : iterator_open)(&iterator, vm, given->self))
        return -1;
    int rc = iterator_next(out, vm, iterator);
    if (rc == 0)
        *out =
            vm_undefined_reason(vm, given->how ? "there is no last item: the sequence is empty"
                                               : "there is no first item: the sequence is empty");
    return rc < 0 ? -1 : 0;
}

/* ---------------------------------------------------------------- order */

static int reverse_text(struct value *out, struct vm *vm, const struct value *self)
{
    size_t start = vm_begin(vm);
    for (size_t end = self->text.len; end > 0;) {
        size_t pos = end;
        (void)utf8_previous(self->text, &pos);
        (void)buf_append(&vm->scratch, self->text.ptr + pos, end - pos);
        end = pos;
    }
    if (vm_end(out, vm, start))
        return -1;
    out->safe = self->safe;
    return 0;
}

int filter_reverse(struct value *out, struct vm *vm, const struct arguments *given)
{
    const struct value *self = given->self;
    if (self->kind == V_TEXT)
        return reverse_text(out, vm, self);
    if (!value_is_reversible(self)) { /* values that reversed() refuses become lists */
        if (iterate_list(out, vm, V_LIST, self))
            return -1;
        list_turn(out->list);
        return 0;
    }
    out->kind = V_ITERATOR;
    return iterator_open_reversed(&out->iterator, vm, self);
}

int filter_sort(struct value *out, struct vm *vm, const struct arguments *given)
{
    bool cased;
    int64_t backwards;
    struct value list;
    struct attribute_paths paths;
    if (argument_integer(&backwards, vm, given, 0, 0) ||
        argument_truth(&cased, vm, given, 1, false) || attribute_paths_read(&paths, vm, given, 2) ||
        iterate_list(&list, vm, V_LIST, given->self))
        return -1;
    size_t count = list.list->count;
    struct sorted *items = vm_alloc(vm, count * sizeof(*items));
    for (size_t i = 0; i < count; i++) {
        items[i].value = list.list->items[i];
        if (attribute_paths_key(&items[i].key, vm, &paths, &items[i].value, !cased))
            return -1;
    }
    if (sort_values(vm, items, count, backwards ? SORT_BACKWARDS : 0))
        return -1;
    for (size_t i = 0; i < count; i++)
        list.list->items[i] = items[i].value;
    *out = list;
    return 0;
}

/* ---------------------------------------------------------------- unique */

/* The iterator of "LIST | unique". */
struct unique {
    struct iterator *all; /* NULL until it is walked: then what cannot be walked is an error */
    struct dict *seen;
    struct attribute_path path;
    bool cased;
};

static int next_of_unique(struct value *out, struct vm *vm, struct iterator *iterator)
{
    struct unique *unique = iterator->more;
    struct value key, *seen = NULL, nothing = value_none();
    int rc;
    if (!unique->all && iterator_open(&unique->all, vm, &iterator->source))
        return -1;
    while ((rc = iterator_next(out, vm, unique->all)) > 0) {
        if (attribute_path_get(&key, vm, &unique->path, out, !unique->cased) ||
            dict_find(&seen, vm, unique->seen, &key))
            return -1;
        if (!seen)
            return dict_put(vm, unique->seen, &key, &nothing) ? -1 : 1;
    }
    return rc;
}

int filter_unique(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct unique *unique = vm_alloc(vm, sizeof(*unique));
    if (argument_truth(&unique->cased, vm, given, 0, false) ||
        attribute_path_read(&unique->path, vm, given, 1))
        return -1;
    unique->seen = dict_new(vm).dict;
    *out = iterator_of(vm, next_of_unique, given->self, unique);
    return 0;
}

/* ---------------------------------------------------------------- join */

static int join_items(struct vm *vm, struct iterator *iterator, struct span between,
                      const struct attribute_path *path)
{
    struct value item, part;
    int rc;
    for (size_t i = 0; (rc = iterator_next(&item, vm, iterator)) > 0; i++) {
        if (i)
            (void)buf_append(&vm->scratch, between.ptr, between.len);
        if (attribute_path_get(&part, vm, path, &item, false) ||
            value_print(&vm->scratch, vm, &part))
            return -1;
    }
    return rc;
}

int filter_join(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct value between = value_text(span_of("", 0));
    struct attribute_path path;
    struct iterator *iterator;
    if (argument_given(given, 0) && value_to_text(&between, vm, &given->values[0]))
        return -1;
    if (attribute_path_read(&path, vm, given, 1) || iterator_open(&iterator, vm, given->self))
        return -1;
    size_t start = vm_begin(vm);
    return join_items(vm, iterator, between.text, &path) ? -1 : vm_end(out, vm, start);
}
