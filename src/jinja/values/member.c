/* Attributes and items of values: access by dot or brackets. */
#include "jinja/values/member.h"

#include "base/utf8.h"
#include "jinja/functions/method_bodies.h"
#include "jinja/run/vm.h"
#include "jinja/values/object.h"
#include "jinja/values/value.h"
#include "jinja/values/value_text.h"

/* A slice of a sized value: its `count` items are `start`, `start + step`, ... */
struct slice {
    int64_t length, start, stop, step;
    size_t count;
};

static int fail_hidden(struct vm *vm, const struct value *object, struct span name)
{
    return vm_fail(vm, CODE_SYNTAX, "the attribute '%s' of %s is not in the template language",
                   vm_show(vm, name), value_kind_name(object));
}

/* The attributes grouper and list. Other attributes of Python's named tuples begin with '_'. */
static int group_attribute(struct value *out, struct vm *vm, const struct value *group,
                           struct span name)
{
    bool items = span_equal(name, span_from("list"));
    if (name.len && *name.ptr == '_')
        return fail_hidden(vm, group, name);
    if (!items && !span_equal(name, span_from("grouper")))
        return 0;
    *out = group->list->items[items];
    return 1;
}

/* Python's getattr: returns 1, or 0 if there is no such attribute. */
static int find_attribute(struct value *out, struct vm *vm, const struct value *object,
                          struct span name)
{
    int found = object->kind == V_TUPLE && object->group ? group_attribute(out, vm, object, name)
                                                         : object_attribute(out, vm, object, name);
    if (found)
        return found;
    const struct function *method = method_find(object, name);
    if (!method)
        return method_is_refused(object, name) ? fail_hidden(vm, object, name) : 0;
    struct bound *bound = vm_alloc(vm, sizeof(*bound));
    *bound = (struct bound){*object, method};
    *out = (struct value){.kind = V_METHOD, .bound = bound};
    return 1;
}

int member_attribute(struct value *out, struct vm *vm, const struct value *object, struct span name)
{
    if (object->kind == V_UNDEFINED)
        return vm_fail_undefined(vm, object);
    int found = find_attribute(out, vm, object, name);
    if (found)
        return found < 0 ? -1 : 0;
    const struct value *value =
        object->kind == V_DICT ? dict_find_text(vm, object->dict, name) : NULL;
    *out = value ? *value : vm_undefined_member(vm, object, name);
    return 0;
}

/* Converts an index that may count from the end; false if it is out of range. */
static bool place_index(size_t *out, int64_t index, size_t length)
{
    if (index < 0)
        index += (int64_t)length;
    *out = (size_t)index;
    return index >= 0 && (uint64_t)index < length;
}

static int is_hashable(bool *out, struct vm *vm, const struct value *value)
{
    *out = value->kind != V_LIST && value->kind != V_DICT;
    for (size_t i = 0; *out && value->kind == V_TUPLE && i < value->list->count; i++)
        if (vm_charge(vm, 1) || is_hashable(out, vm, &value->list->items[i]))
            return -1;
    return 0;
}

static int text_item(struct value *out, struct vm *vm, const struct value *text, int64_t index)
{
    size_t i, start, end;
    if (vm_charge_bytes(vm, text->text.len))
        return -1;
    if (!place_index(&i, index, utf8_count(text->text)))
        return 0;
    end = start = utf8_offset(text->text, i);
    (void)utf8_next(text->text, &end);
    *out = value_text(span_of(text->text.ptr + start, end - start));
    out->safe = text->safe;
    return 1;
}

/* Python's []: returns 1, or 0 if there is no such item. */
static int find_item(struct value *out, struct vm *vm, const struct value *object,
                     const struct value *index)
{
    int64_t number;
    size_t i;
    struct value *found = NULL;
    bool hashable;
    if (object->kind == V_DICT) {
        if (is_hashable(&hashable, vm, index) ||
            (hashable && dict_find(&found, vm, object->dict, index)))
            return -1;
        *out = found ? *found : value_none();
        return found != NULL;
    }
    if (!value_is_integer(index, &number))
        return 0;
    switch (object->kind) {
    case V_TEXT:
        return text_item(out, vm, object, number);
    case V_LIST:
    case V_TUPLE:
        list_open(vm, object->list);
        if (!place_index(&i, number, object->list->count))
            return 0;
        *out = object->list->items[i];
        return 1;
    case V_RANGE:
        if (!place_index(&i, number, object->range->length))
            return 0;
        *out = value_int(range_at(object->range, i));
        return 1;
    default:
        return 0;
    }
}

/* ---------------------------------------------------------------- slices */

/* Clips a bound of a slice as Python does; V_MISSING and None give `fallback`. */
static int read_bound(int64_t *out, struct vm *vm, const struct value *bound,
                      const struct slice *slice, int64_t fallback)
{
    int64_t low = slice->step < 0 ? -1 : 0, high = slice->length + low;
    *out = fallback;
    if (bound->kind == V_MISSING || bound->kind == V_NONE)
        return 0;
    if (!value_is_integer(bound, out))
        return vm_fail(vm, CODE_TYPE, "a slice takes integers, not %s", value_kind_name(bound));
    if (*out < 0)
        *out += slice->length;
    *out = *out < low ? low : *out > high ? high : *out;
    return 0;
}

static int read_slice(struct slice *slice, struct vm *vm, const struct value bounds[3])
{
    const struct value *step = &bounds[2];
    slice->step = 1;
    if (step->kind != V_MISSING && step->kind != V_NONE && !value_is_integer(step, &slice->step))
        return vm_fail(vm, CODE_TYPE, "a slice takes integers, not %s", value_kind_name(step));
    if (slice->step == 0)
        return vm_fail(vm, CODE_TYPE, "the step of a slice cannot be 0");
    bool down = slice->step < 0;
    if (read_bound(&slice->start, vm, &bounds[0], slice, down ? slice->length - 1 : 0) ||
        read_bound(&slice->stop, vm, &bounds[1], slice, down ? -1 : slice->length))
        return -1;
    uint64_t stride = down ? -(uint64_t)slice->step : (uint64_t)slice->step;
    int64_t distance = down ? slice->start - slice->stop : slice->stop - slice->start;
    slice->count = distance > 0 ? (size_t)(((uint64_t)distance - 1) / stride + 1) : 0;
    return 0;
}

static struct span part_of_text(struct span text, const struct slice *slice)
{
    size_t start = utf8_offset(text, (size_t)slice->start);
    struct span rest = span_of(text.ptr + start, text.len - start);
    return span_of(rest.ptr, utf8_offset(rest, slice->count));
}

static int slice_text(struct value *out, struct vm *vm, const struct value *text,
                      const struct slice *slice)
{
    size_t start = vm_begin(vm), at = 0, index = 0;
    if (vm_charge_bytes(vm, text->text.len * 2))
        return -1;
    if (slice->step == 1) {
        *out = *text;
        out->text = slice->count ? part_of_text(text->text, slice) : span_of("", 0);
        return 0;
    }
    if (vm_charge(vm, slice->count / 4))
        return -1;
    for (size_t i = 0; i < slice->count; i++) {
        size_t wanted = (size_t)(slice->start + (int64_t)i * slice->step), end;
        for (; index < wanted; index++)
            (void)utf8_next(text->text, &at);
        for (; index > wanted; index--)
            (void)utf8_previous(text->text, &at);
        end = at;
        (void)utf8_next(text->text, &end);
        (void)buf_append(&vm->scratch, text->text.ptr + at, end - at);
    }
    if (vm_end(out, vm, start))
        return -1;
    out->safe = text->safe;
    return 0;
}

static int slice_list(struct value *out, struct vm *vm, const struct value *list,
                      const struct slice *slice)
{
    if (vm_charge(vm, slice->count))
        return -1;
    *out = list_new(vm, list->kind, slice->count);
    for (size_t i = 0; i < slice->count; i++)
        out->list->items[i] = list->list->items[slice->start + (int64_t)i * slice->step];
    out->list->count = slice->count;
    return 0;
}

static int slice_range(struct value *out, struct vm *vm, const struct value *object,
                       const struct slice *slice)
{
    const struct int_range *range = object->range;
    int64_t start, stop, step;
    if (__builtin_mul_overflow(slice->start, range->step, &start) ||
        __builtin_add_overflow(start, range->start, &start) ||
        __builtin_mul_overflow(slice->stop, range->step, &stop) ||
        __builtin_add_overflow(stop, range->start, &stop) ||
        __builtin_mul_overflow(slice->step, range->step, &step))
        return vm_fail(vm, CODE_LIMIT, "the range does not fit in 64 bits");
    return range_new(out, vm, start, stop, step);
}

int member_slice(struct value *out, struct vm *vm, const struct value *object,
                 const struct value bounds[3])
{
    struct slice slice;
    size_t length;
    if (object->kind != V_TEXT && object->kind != V_LIST && object->kind != V_TUPLE &&
        object->kind != V_RANGE)
        return vm_fail_value(vm, object, "cannot be sliced");
    if (value_length(&length, vm, object))
        return -1;
    slice.length = (int64_t)length;
    if (read_slice(&slice, vm, bounds))
        return -1;
    if (object->kind == V_RANGE)
        return slice_range(out, vm, object, &slice);
    return (object->kind == V_TEXT ? slice_text : slice_list)(out, vm, object, &slice);
}

/* ---------------------------------------------------------------- items */

/* The name of a missing index in a message. */
static int index_name(struct span *out, struct vm *vm, const struct value *index)
{
    struct value text;
    size_t start = vm_begin(vm);
    *out = span_of("?", 1);
    if (index->kind == V_TEXT) {
        *out = index->text;
        return 0;
    }
    if (index->kind >= V_VIEW)
        return 0;
    if (value_repr(&vm->scratch, vm, index) || vm_end(&text, vm, start))
        return -1;
    *out = text.text;
    return 0;
}

int member_item(struct value *out, struct vm *vm, const struct value *object,
                const struct value *index)
{
    struct span name;
    if (object->kind == V_UNDEFINED)
        return vm_fail_undefined(vm, object);
    int found = find_item(out, vm, object, index);
    if (!found && index->kind == V_TEXT)
        found = find_attribute(out, vm, object, index->text);
    if (found)
        return found < 0 ? -1 : 0;
    if (index_name(&name, vm, index))
        return -1;
    *out = vm_undefined_member(vm, object, name);
    return 0;
}
