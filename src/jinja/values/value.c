/* Operations on values: conversion, truth, length, lists, mappings, ranges. */
#include "jinja/values/value.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "data/data.h"
#include "jinja/run/vm.h"
#include "jinja/values/key.h"

#include <string.h>

/* ---------------------------------------------------------------- data */

static struct value container(struct vm *vm, const struct data *data)
{
    if (data->kind == DATA_MAP) {
        struct value value = dict_new(vm);
        value.dict->pending = data;
        return value;
    }
    struct value value = list_new(vm, V_LIST, 0);
    value.list->pending = data;
    return value;
}

struct value value_from_data(struct vm *vm, const struct data *data)
{
    switch (data->kind) {
    case DATA_NULL:
        return value_none();
    case DATA_BOOL:
        return value_bool(data->boolean);
    case DATA_INT:
        return value_int(data->integer);
    case DATA_FLOAT:
        return (struct value){.kind = V_FLOAT, .real = data->real};
    case DATA_STR:
        return value_text(data->str);
    case DATA_LIST:
    case DATA_MAP:
        return container(vm, data);
    }
    return value_none();
}

static int list_to_data(struct data *out, struct vm *vm, struct arena *arena, struct list *list)
{
    list_open(vm, list);
    for (size_t i = 0; i < list->count; i++) {
        struct data *item;
        if (vm_charge(vm, 1) || value_to_data(&item, vm, arena, &list->items[i]))
            return -1;
        data_push(arena, out, item);
    }
    return 0;
}

static int dict_to_data(struct data *out, struct vm *vm, struct arena *arena, struct dict *dict)
{
    dict_open(vm, dict);
    for (size_t i = 0; i < dict->count; i++) {
        const struct value *key = &dict->entries[i].key;
        struct data *item;
        if (key->kind != V_TEXT)
            return vm_fail(vm, CODE_TYPE, "the key of a mapping is %s, not a text",
                           value_kind_name(key));
        if (vm_charge(vm, 1) || value_to_data(&item, vm, arena, &dict->entries[i].value))
            return -1;
        data_put_span(arena, out, key->text, item);
    }
    return 0;
}

static int container_to_data(struct data **out, struct vm *vm, struct arena *arena,
                             const struct value *value)
{
    bool map = value->kind == V_DICT;
    if (vm_enter(vm) || vm_charge(vm, 1))
        return -1;
    *out = map ? data_map(arena) : data_list(arena);
    if (map ? dict_to_data(*out, vm, arena, value->dict)
            : list_to_data(*out, vm, arena, value->list))
        return -1;
    vm_leave(vm);
    return 0;
}

int value_to_data(struct data **out, struct vm *vm, struct arena *arena, const struct value *value)
{
    switch (value->kind) {
    case V_NONE:
        *out = data_null(arena);
        return 0;
    case V_BOOL:
        *out = data_bool(arena, value->boolean);
        return 0;
    case V_INT:
        *out = data_int(arena, value->integer);
        return 0;
    case V_FLOAT:
        *out = data_float(arena, value->real);
        return 0;
    case V_TEXT:
        if (vm_charge_bytes(vm, value->text.len))
            return -1;
        *out = data_span(arena, value->text);
        return 0;
    case V_LIST:
    case V_TUPLE:
    case V_DICT:
        return container_to_data(out, vm, arena, value);
    default:
        return vm_fail_value(vm, value, "is no plain data");
    }
}

/* ---------------------------------------------------------------- truth and length */

size_t value_size(struct vm *vm, const struct value *value)
{
    switch (value->kind) {
    case V_TEXT:
        return value->text.len;
    case V_LIST:
    case V_TUPLE:
        list_open(vm, value->list);
        return value->list->count;
    case V_RANGE:
        return value->range->length;
    default:
        dict_open(vm, value->dict);
        return value->dict->count;
    }
}

int value_truth(bool *out, struct vm *vm, const struct value *value)
{
    switch (value->kind) {
    case V_UNDEFINED:
        *out = false;
        return value->undefined->lenient ? 0 : vm_fail_undefined(vm, value);
    case V_NONE:
        *out = false;
        return 0;
    case V_BOOL:
        *out = value->boolean;
        return 0;
    case V_INT:
        *out = value->integer != 0;
        return 0;
    case V_FLOAT:
        *out = value->real != 0;
        return 0;
    default:
        *out = value->kind == V_LOOP || !value_is_sized(value) || value_size(vm, value) > 0;
        return 0;
    }
}

int value_length(size_t *out, struct vm *vm, const struct value *value)
{
    if (value->kind == V_UNDEFINED && !value->undefined->lenient)
        return vm_fail_undefined(vm, value);
    if (value->kind != V_UNDEFINED && !value_is_sized(value))
        return vm_fail(vm, CODE_TYPE, "%s has no length", value_kind_name(value));
    *out = value->kind == V_UNDEFINED ? 0 : value_size(vm, value);
    if (value->kind == V_TEXT)
        *out = utf8_count(value->text);
    return vm_charge_bytes(vm, value->kind == V_TEXT ? value->text.len : 0);
}

/* ---------------------------------------------------------------- lists */

static void *grow(struct vm *vm, void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    *capacity = *capacity ? *capacity * 2 : 4;
    void *larger = vm_alloc(vm, *capacity * size);
    if (count)
        memcpy(larger, array, count * size);
    return larger;
}

struct value list_new(struct vm *vm, enum value_kind kind, size_t capacity)
{
    struct list *list = vm_alloc(vm, sizeof(*list));
    list->capacity = capacity;
    list->items = capacity ? vm_alloc(vm, capacity * sizeof(*list->items)) : NULL;
    return (struct value){.kind = kind, .list = list};
}

int list_push(struct vm *vm, struct list *list, const struct value *item)
{
    if (list->count >= LIMIT_TEMPLATE_ITEMS)
        return vm_fail(vm, CODE_LIMIT, "a list has more than %zu items", LIMIT_TEMPLATE_ITEMS);
    list->items = grow(vm, list->items, list->count, &list->capacity, sizeof(*list->items));
    list->items[list->count++] = *item;
    return 0;
}

int list_push_all(struct vm *vm, struct list *list, const struct value *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list_push(vm, list, &items[i]))
            return -1;
    return 0;
}

void list_turn(struct list *list)
{
    for (size_t i = 0; i < list->count / 2; i++) {
        struct value swap = list->items[i];
        list->items[i] = list->items[list->count - 1 - i];
        list->items[list->count - 1 - i] = swap;
    }
}

void list_open(struct vm *vm, struct list *list)
{
    const struct data *data = list->pending;
    if (!data)
        return;
    list->pending = NULL;
    list->count = list->capacity = data->list.count;
    list->items = vm_alloc(vm, list->count * sizeof(*list->items));
    for (size_t i = 0; i < list->count; i++)
        list->items[i] = value_from_data(vm, data->list.items[i]);
}

static struct value tuple_pair(struct vm *vm, const struct value *a, const struct value *b)
{
    struct value pair = list_new(vm, V_TUPLE, 2);
    pair.list->items[0] = *a;
    pair.list->items[1] = *b;
    pair.list->count = 2;
    return pair;
}

/* ---------------------------------------------------------------- mappings */

struct value dict_new(struct vm *vm)
{
    return (struct value){.kind = V_DICT, .dict = vm_alloc(vm, sizeof(struct dict))};
}

static void index_put(struct dict *dict, size_t entry)
{
    size_t i = dict->entries[entry].hash & (dict->slots - 1);
    while (dict->index[i])
        i = (i + 1) & (dict->slots - 1);
    dict->index[i] = (uint32_t)entry + 1;
}

#define INDEX_FROM 8

static void index_added(struct vm *vm, struct dict *dict)
{
    if (dict->count <= INDEX_FROM)
        return;
    if (dict->index && dict->count * 2 <= dict->slots) {
        index_put(dict, dict->count - 1);
        return;
    }
    dict->slots = dict->slots ? dict->slots * 2 : 4 * (size_t)INDEX_FROM;
    dict->index = vm_alloc(vm, dict->slots * sizeof(*dict->index));
    for (size_t i = 0; i < dict->count; i++)
        index_put(dict, i);
}

static int dict_add(struct vm *vm, struct dict *dict, const struct dict_entry *entry)
{
    if (dict->count >= LIMIT_TEMPLATE_ITEMS)
        return vm_fail(vm, CODE_LIMIT, "a mapping has more than %zu items", LIMIT_TEMPLATE_ITEMS);
    dict->entries = grow(vm, dict->entries, dict->count, &dict->capacity, sizeof(*dict->entries));
    dict->entries[dict->count++] = *entry;
    index_added(vm, dict);
    return 0;
}

void dict_open(struct vm *vm, struct dict *dict)
{
    const struct data *data = dict->pending;
    if (!data)
        return;
    dict->pending = NULL;
    for (size_t i = 0; i < data->map.count && i < LIMIT_TEMPLATE_ITEMS; i++) {
        struct dict_entry entry = {.key = value_text(data->map.members[i].name),
                                   .value = value_from_data(vm, data->map.members[i].value),
                                   .hash = text_hash(data->map.members[i].name)};
        (void)dict_add(vm, dict, &entry);
    }
}

struct dict_key {
    const struct value *key;
    uint64_t hash;
};

static int entry_matches(bool *out, struct vm *vm, const struct dict_entry *entry,
                         const struct dict_key *lookup)
{
    *out = false;
    if (entry->hash != lookup->hash)
        return 0;
    if (entry->key.kind == V_TEXT && lookup->key->kind == V_TEXT) {
        *out = span_equal(entry->key.text, lookup->key->text);
        return 0;
    }
    return key_equal(out, vm, &entry->key, lookup->key);
}

/* Uses the index if there is one, else searches linearly. */
static int find_entry(struct dict_entry **out, struct vm *vm, struct dict *dict,
                      const struct dict_key *lookup)
{
    bool match = false;
    size_t probes = 0;
    dict_open(vm, dict);
    *out = NULL;
    const uint32_t *index = dict->index;
    size_t mask = index ? dict->slots - 1 : SIZE_MAX, i = index ? lookup->hash & mask : 0;
    for (; index ? index[i] != 0 : i < dict->count; i = (i + 1) & mask) {
        struct dict_entry *entry = &dict->entries[index ? index[i] - 1 : i];
        if (entry_matches(&match, vm, entry, lookup))
            return -1;
        if (match) {
            *out = entry;
            break;
        }
        probes++;
    }
    return index ? vm_charge(vm, probes / 8) : 0;
}

int dict_find(struct value **out, struct vm *vm, struct dict *dict, const struct value *key)
{
    struct dict_key lookup = {.key = key};
    struct dict_entry *entry;
    if (value_hash(&lookup.hash, vm, key) || find_entry(&entry, vm, dict, &lookup))
        return -1;
    *out = entry ? &entry->value : NULL;
    return 0;
}

struct value *dict_find_text(struct vm *vm, struct dict *dict, struct span key)
{
    struct value text = value_text(key), *found = NULL;
    return dict_find(&found, vm, dict, &text) ? NULL : found;
}

int dict_put(struct vm *vm, struct dict *dict, const struct value *key, const struct value *value)
{
    struct dict_key lookup = {.key = key};
    struct dict_entry *entry;
    if (value_hash(&lookup.hash, vm, key) || find_entry(&entry, vm, dict, &lookup))
        return -1;
    if (entry) {
        entry->value = *value;
        return 0;
    }
    return dict_add(vm, dict,
                    &(struct dict_entry){.key = *key, .value = *value, .hash = lookup.hash});
}

struct value dict_part(struct vm *vm, const struct dict *dict, enum view_part part, size_t i)
{
    const struct dict_entry *entry = &dict->entries[i];
    if (part == VIEW_ITEMS)
        return tuple_pair(vm, &entry->key, &entry->value);
    return part == VIEW_KEYS ? entry->key : entry->value;
}

/* ---------------------------------------------------------------- ranges */

int range_new(struct value *out, struct vm *vm, int64_t start, int64_t stop, int64_t step)
{
    struct int_range *range = vm_alloc(vm, sizeof(*range));
    if (step == 0)
        return vm_fail(vm, CODE_TYPE, "the step of a range cannot be 0");
    *range = (struct int_range){.start = start, .stop = stop, .step = step};
    bool up = step > 0;
    uint64_t distance = 0, stride = up ? (uint64_t)step : -(uint64_t)step;
    if (up ? stop > start : start > stop)
        distance = up ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
    uint64_t length = distance / stride + (distance % stride != 0);
    if (length > INT64_MAX)
        return vm_fail(vm, CODE_LIMIT, "the range is too long");
    range->length = (size_t)length;
    *out = (struct value){.kind = V_RANGE, .range = range};
    return 0;
}

int64_t range_at(const struct int_range *range, size_t i)
{
    return (int64_t)((uint64_t)range->start + (uint64_t)range->step * i);
}
