/* Keys of mappings: hashes and equality. */
#include "jinja/values/key.h"

#include "jinja/run/vm.h"
#include "jinja/values/number.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- equality */

static int undefined_equal(bool *out, struct vm *vm, const struct value *a, const struct value *b)
{
    *out = a->kind == b->kind;
    if (*out && a->undefined == b->undefined)
        return 0;
    if (a->kind == V_UNDEFINED && !a->undefined->lenient)
        return vm_fail_undefined(vm, a);
    if (b->kind == V_UNDEFINED && !b->undefined->lenient)
        return vm_fail_undefined(vm, b);
    return 0;
}

static int tuples_equal(bool *out, struct vm *vm, const struct list *a, const struct list *b)
{
    if (vm_enter(vm))
        return -1;
    *out = a->count == b->count;
    for (size_t i = 0; *out && i < a->count; i++)
        if (vm_charge(vm, 1) || key_equal(out, vm, &a->items[i], &b->items[i]))
            return -1;
    vm_leave(vm);
    return 0;
}

int key_equal(bool *out, struct vm *vm, const struct value *a, const struct value *b)
{
    *out = false;
    if (a->kind == V_UNDEFINED || b->kind == V_UNDEFINED)
        return undefined_equal(out, vm, a, b);
    if (value_is_number(a) && value_is_number(b)) {
        *out = number_sign(a, b) == 0;
        return 0;
    }
    if (a->kind != b->kind)
        return 0;
    switch (a->kind) {
    case V_NONE:
        *out = true;
        return 0;
    case V_TEXT:
        *out = span_equal(a->text, b->text);
        return vm_charge(vm, a->text.len / 1024);
    case V_TUPLE:
        return tuples_equal(out, vm, a->list, b->list);
    default:
        return vm_fail(vm, CODE_TYPE, "%s cannot be compared", value_kind_name(a));
    }
}

/* ---------------------------------------------------------------- hashes */

uint64_t text_hash(struct span text)
{
    uint64_t hash = 14695981039346656037U;
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.ptr[i]) * 1099511628211U;
    return hash ^ hash >> 32;
}

static uint64_t hash_bits(uint64_t bits)
{
    bits = (bits ^ bits >> 31) * 0x9E3779B97F4A7C15U;
    return bits ^ bits >> 29;
}

static uint64_t hash_number(const struct value *value)
{
    int64_t integer;
    uint64_t bits = 0;
    if (value_is_integer(value, &integer))
        return hash_bits((uint64_t)integer);
    if (value->real >= -TWO_TO_63 && value->real < TWO_TO_63 && value->real == floor(value->real))
        return hash_bits((uint64_t)(int64_t)value->real);
    memcpy(&bits, &value->real, sizeof(bits));
    return hash_bits(bits);
}

static int hash_tuple(uint64_t *out, struct vm *vm, const struct list *list)
{
    if (vm_enter(vm))
        return -1;
    uint64_t hash = 0x345678;
    for (size_t i = 0; i < list->count; i++) {
        uint64_t item;
        if (vm_charge(vm, 1) || value_hash(&item, vm, &list->items[i]))
            return -1;
        hash = hash_bits(hash * 31 + item);
    }
    vm_leave(vm);
    *out = hash;
    return 0;
}

int value_hash(uint64_t *out, struct vm *vm, const struct value *value)
{
    switch (value->kind) {
    case V_NONE:
        *out = 0x4E6F6E65;
        return 0;
    case V_BOOL:
    case V_INT:
    case V_FLOAT:
        *out = hash_number(value);
        return 0;
    case V_TEXT:
        *out = text_hash(value->text);
        return vm_charge(vm, value->text.len / 64);
    case V_TUPLE:
        return hash_tuple(out, vm, value->list);
    case V_UNDEFINED:
        *out = 0;
        return value->undefined->lenient ? 0 : vm_fail_undefined(vm, value);
    default:
        return vm_fail(vm, CODE_TYPE, "%s cannot be a key", value_kind_name(value));
    }
}
