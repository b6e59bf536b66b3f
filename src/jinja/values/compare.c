/* Equality, order and membership of values, as in Python. */
#include "jinja/values/compare.h"

#include "jinja/run/vm.h"
#include "jinja/values/iterate.h"
#include "jinja/values/key.h"
#include "jinja/values/number.h"
#include "jinja/values/value.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- equality */

static int items_equal(bool *out, struct vm *vm, struct list *a, struct list *b)
{
    list_open(vm, a);
    list_open(vm, b);
    *out = a->count == b->count;
    for (size_t i = 0; *out && i < a->count && i < b->count; i++)
        if (vm_charge(vm, 1) || value_equal(out, vm, &a->items[i], &b->items[i]))
            return -1;
    return 0;
}

static int dicts_equal(bool *out, struct vm *vm, struct dict *a, struct dict *b)
{
    dict_open(vm, a);
    dict_open(vm, b);
    *out = a->count == b->count;
    for (size_t i = 0; *out && i < a->count; i++) {
        struct value *other;
        if (vm_charge(vm, 1) || dict_find(&other, vm, b, &a->entries[i].key))
            return -1;
        *out = other != NULL;
        if (other && value_equal(out, vm, &a->entries[i].value, other))
            return -1;
    }
    return 0;
}

static int containers_equal(bool *out, struct vm *vm, const struct value *a, const struct value *b)
{
    if (vm_enter(vm) || (a->kind == V_DICT ? dicts_equal(out, vm, a->dict, b->dict)
                                           : items_equal(out, vm, a->list, b->list)))
        return -1;
    vm_leave(vm);
    return 0;
}

static bool ranges_equal(const struct int_range *a, const struct int_range *b)
{
    if (a->length != b->length)
        return false;
    return a->length == 0 || (a->start == b->start && (a->length == 1 || a->step == b->step));
}

int value_equal(bool *out, struct vm *vm, const struct value *a, const struct value *b)
{
    switch (a->kind == b->kind ? a->kind : V_NONE) {
    case V_LIST:
    case V_TUPLE:
    case V_DICT:
        return containers_equal(out, vm, a, b);
    case V_RANGE:
        *out = ranges_equal(a->range, b->range);
        return 0;
    default:
        return key_equal(out, vm, a, b);
    }
}

/* ---------------------------------------------------------------- order */

static int fail_order(struct vm *vm, const struct value *a, const struct value *b)
{
    if (a->kind == V_UNDEFINED)
        return vm_fail_undefined(vm, a);
    if (b->kind == V_UNDEFINED)
        return vm_fail_undefined(vm, b);
    return vm_fail(vm, CODE_TYPE, "%s and %s have no order", value_kind_name(a),
                   value_kind_name(b));
}

static int items_less(bool *out, struct vm *vm, struct list *a, struct list *b)
{
    list_open(vm, a);
    list_open(vm, b);
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        bool same;
        if (vm_charge(vm, 1) || value_equal(&same, vm, &a->items[i], &b->items[i]))
            return -1;
        if (!same)
            return value_less(out, vm, &a->items[i], &b->items[i]);
    }
    *out = a->count < b->count;
    return 0;
}

int value_less(bool *out, struct vm *vm, const struct value *a, const struct value *b)
{
    if (value_is_number(a) && value_is_number(b)) {
        *out = number_sign(a, b) == -1;
        return 0;
    }
    if (a->kind == V_TEXT && b->kind == V_TEXT) {
        *out = span_compare(a->text, b->text) < 0;
        return vm_charge(vm, a->text.len / 1024);
    }
    if (a->kind != b->kind || (a->kind != V_LIST && a->kind != V_TUPLE))
        return fail_order(vm, a, b);
    if (vm_enter(vm) || items_less(out, vm, a->list, b->list))
        return -1;
    vm_leave(vm);
    return 0;
}

/* ---------------------------------------------------------------- membership */

static int text_contains(bool *out, struct vm *vm, const struct value *item, struct span text)
{
    if (item->kind != V_TEXT)
        return vm_fail_value(vm, item, "cannot be in a text");
    *out = item->text.len == 0 ||
           (text.len && memmem(text.ptr, text.len, item->text.ptr, item->text.len));
    return vm_charge_bytes(vm, text.len + item->text.len);
}

static int range_contains(bool *out, struct vm *vm, const struct value *item,
                          const struct int_range *range)
{
    int64_t n;
    *out = false;
    if (item->kind == V_UNDEFINED && range->length)
        return key_equal(out, vm, item, &(struct value){.kind = V_INT});
    if (item->kind == V_FLOAT && item->real >= -TWO_TO_63 && item->real < TWO_TO_63 &&
        item->real == floor(item->real))
        n = (int64_t)item->real;
    else if (!value_is_integer(item, &n))
        return 0;
    bool up = range->step > 0;
    if (up ? n < range->start || n >= range->stop : n > range->start || n <= range->stop)
        return 0;
    uint64_t distance =
        up ? (uint64_t)n - (uint64_t)range->start : (uint64_t)range->start - (uint64_t)n;
    uint64_t stride = up ? (uint64_t)range->step : -(uint64_t)range->step;
    *out = distance % stride == 0;
    return 0;
}

static int dict_contains(bool *out, struct vm *vm, const struct value *key, struct dict *dict)
{
    struct value *found;
    if (dict_find(&found, vm, dict, key))
        return -1;
    *out = found != NULL;
    return 0;
}

static int pairs_contain(bool *out, struct vm *vm, const struct value *item, struct dict *dict)
{
    struct value *found;
    *out = false;
    if (item->kind != V_TUPLE || item->list->count != 2)
        return 0;
    if (dict_find(&found, vm, dict, &item->list->items[0]))
        return -1;
    return found ? value_equal(out, vm, found, &item->list->items[1]) : 0;
}

static int walk_contains(bool *out, struct vm *vm, const struct value *item,
                         const struct value *container)
{
    struct iterator *iterator;
    struct value candidate;
    int rc;
    *out = false;
    if (iterator_open(&iterator, vm, container))
        return -1;
    while (!*out && (rc = iterator_next(&candidate, vm, iterator)) != 0)
        if (rc < 0 || value_equal(out, vm, item, &candidate))
            return -1;
    return 0;
}

/* Is `item` in `container`? */
static int value_contains(bool *out, struct vm *vm, const struct value *item,
                          const struct value *container)
{
    switch (container->kind) {
    case V_TEXT:
        return text_contains(out, vm, item, container->text);
    case V_RANGE:
        return range_contains(out, vm, item, container->range);
    case V_DICT:
        return dict_contains(out, vm, item, container->dict);
    case V_VIEW:
        if (container->part == VIEW_KEYS)
            return dict_contains(out, vm, item, container->dict);
        if (container->part == VIEW_ITEMS)
            return pairs_contain(out, vm, item, container->dict);
        return walk_contains(out, vm, item, container);
    default:
        return walk_contains(out, vm, item, container);
    }
}

int value_compare(bool *out, struct vm *vm, enum compare_op op, const struct value *a,
                  const struct value *b)
{
    bool negate = op == OP_NE || op == OP_NOT_IN;
    int rc;
    *out = false;
    switch (op) {
    case OP_EQ:
    case OP_NE:
        rc = value_equal(out, vm, a, b);
        break;
    case OP_LT:
        rc = value_less(out, vm, a, b);
        break;
    case OP_GT:
        rc = value_less(out, vm, b, a);
        break;
    case OP_LE:
        rc = value_less(out, vm, a, b) || (!*out && value_equal(out, vm, a, b));
        break;
    case OP_GE:
        rc = value_less(out, vm, b, a) || (!*out && value_equal(out, vm, a, b));
        break;
    default:
        rc = value_contains(out, vm, a, b);
        break;
    }
    *out = *out != negate;
    return rc ? -1 : 0;
}
