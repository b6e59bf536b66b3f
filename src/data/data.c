/* A plain tree of data: what YAML and JSON can say. */
#include "data/data.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct data *data_new(struct arena *arena, enum data_kind kind)
{
    struct data *data = arena_alloc(arena, sizeof(*data));
    data->kind = kind;
    return data;
}

struct data *data_null(struct arena *arena)
{
    return data_new(arena, DATA_NULL);
}

struct data *data_bool(struct arena *arena, bool value)
{
    struct data *data = data_new(arena, DATA_BOOL);
    data->boolean = value;
    return data;
}

struct data *data_int(struct arena *arena, int64_t value)
{
    struct data *data = data_new(arena, DATA_INT);
    data->integer = value;
    return data;
}

struct data *data_float(struct arena *arena, double value)
{
    struct data *data = data_new(arena, DATA_FLOAT);
    data->real = value;
    return data;
}

struct data *data_span(struct arena *arena, struct span text)
{
    struct data *data = data_new(arena, DATA_STR);
    data->str = span_of(arena_memdup(arena, text.ptr, text.len), text.len);
    return data;
}

struct data *data_str(struct arena *arena, const char *text)
{
    return text ? data_span(arena, span_from(text)) : data_null(arena);
}

struct data *data_list(struct arena *arena)
{
    return data_new(arena, DATA_LIST);
}

struct data *data_map(struct arena *arena)
{
    return data_new(arena, DATA_MAP);
}

void data_push(struct arena *arena, struct data *list, struct data *item)
{
    arena_push(arena, list->list.items, list->list.count) = item;
}

struct data *data_texts(struct arena *arena, const char *const *texts, size_t count)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; i < count; i++)
        data_push(arena, list, data_str(arena, texts[i]));
    return list;
}

static struct data_member *find_member(const struct data *map, struct span name)
{
    if (!map || map->kind != DATA_MAP)
        return NULL;
    if (map->map.index) {
        size_t number = intern_find(map->map.index, name);
        return number == INTERN_NONE ? NULL : &map->map.members[number];
    }
    for (size_t i = 0; i < map->map.count; i++)
        if (span_equal(map->map.members[i].name, name))
            return &map->map.members[i];
    return NULL;
}

#define INDEX_FROM 16 /* so many names are found as fast one by one */

/* Maps names to the numbers of their members. */
static void index_members(struct arena *arena, struct data *map)
{
    if (map->map.count < INDEX_FROM)
        return;
    if (!map->map.index)
        map->map.index = arena_alloc(arena, sizeof(*map->map.index));
    for (size_t i = map->map.index->count; i < map->map.count; i++)
        (void)intern_add(map->map.index, arena, map->map.members[i].name);
}

void data_append(struct arena *arena, struct data *map, struct span name, struct data *value)
{
    arena_push(arena, map->map.members, map->map.count) = (struct data_member){
        .name = span_of(arena_memdup(arena, name.ptr, name.len), name.len), .value = value};
    index_members(arena, map);
}

void data_put_span(struct arena *arena, struct data *map, struct span name, struct data *value)
{
    struct data_member *member = find_member(map, name);
    if (member)
        member->value = value;
    else
        data_append(arena, map, name, value);
}

void data_put(struct arena *arena, struct data *map, const char *name, struct data *value)
{
    data_put_span(arena, map, span_from(name), value);
}

void data_put_text(struct arena *arena, struct data *map, const char *name, const char *text)
{
    data_put(arena, map, name, data_str(arena, text));
}

struct data *data_get_span(const struct data *map, struct span name)
{
    struct data_member *member = find_member(map, name);
    return member ? member->value : NULL;
}

struct data *data_get(const struct data *map, const char *name)
{
    return data_get_span(map, span_from(name));
}

const char *data_text(const struct data *data)
{
    return data && data->kind == DATA_STR ? data->str.ptr : NULL;
}

bool data_has_text(const struct data *list, const char *text)
{
    for (size_t i = 0; list && i < list->list.count; i++)
        if (str_equal(data_text(list->list.items[i]), text))
            return true;
    return false;
}

const char *data_get_text(const struct data *map, const char *name)
{
    return data_text(data_get(map, name));
}

bool data_is_true(const struct data *map, const char *name)
{
    const struct data *value = data_get(map, name);
    return value && value->kind == DATA_BOOL && value->boolean;
}

const char *data_shown(const struct data *map, const char *name)
{
    const char *text = data_get_text(map, name);
    return text ? text : "";
}

static bool lists_equal(const struct data *a, const struct data *b)
{
    if (a->list.count != b->list.count)
        return false;
    for (size_t i = 0; i < a->list.count; i++)
        if (!data_equal(a->list.items[i], b->list.items[i]))
            return false;
    return true;
}

static bool maps_equal(const struct data *a, const struct data *b)
{
    if (a->map.count != b->map.count)
        return false;
    for (size_t i = 0; i < a->map.count; i++) {
        const struct data *other = data_get_span(b, a->map.members[i].name);
        if (!other || !data_equal(a->map.members[i].value, other))
            return false;
    }
    return true;
}

bool data_equal(const struct data *a, const struct data *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case DATA_NULL:
        return true;
    case DATA_BOOL:
        return a->boolean == b->boolean;
    case DATA_INT:
        return a->integer == b->integer;
    case DATA_FLOAT:
        return a->real == b->real;
    case DATA_STR:
        return span_equal(a->str, b->str);
    case DATA_LIST:
        return lists_equal(a, b);
    case DATA_MAP:
        return maps_equal(a, b);
    }
    return false;
}

static int by_name(const void *a, const void *b)
{
    const struct data_member *left = a, *right = b;
    return span_compare(left->name, right->name);
}

static struct data *copy_of(struct arena *arena, const struct data *data, bool sorted)
{
    if (data->kind == DATA_STR)
        return data_span(arena, data->str);
    struct data *copy = data_new(arena, data->kind);
    if (data->kind == DATA_LIST) {
        for (size_t i = 0; i < data->list.count; i++)
            data_push(arena, copy, copy_of(arena, data->list.items[i], sorted));
    } else if (data->kind == DATA_MAP) {
        for (size_t i = 0; i < data->map.count; i++)
            data_append(arena, copy, data->map.members[i].name,
                        copy_of(arena, data->map.members[i].value, sorted));
        if (sorted && copy->map.count) {
            qsort(copy->map.members, copy->map.count, sizeof(*copy->map.members), by_name);
            copy->map.index = NULL;
            index_members(arena, copy);
        }
    } else {
        *copy = *data;
    }
    return copy;
}

struct data *data_copy(struct arena *arena, const struct data *data)
{
    return copy_of(arena, data, false);
}

struct data *data_sorted(struct arena *arena, const struct data *data)
{
    return copy_of(arena, data, true);
}

/* 15 digits always survive, 17 always read back as the same number. */
int data_put_real(struct buf *out, double value)
{
    char text[64];
    if (!isfinite(value))
        return buf_puts(out, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    int digits = isnormal(value) ? 15 : 1;
    do
        (void)snprintf(text, sizeof(text), "%.*e", digits - 1, value);
    while (strtod(text, NULL) != value && ++digits <= 17);
    char *power = strchr(text, 'e'), *end = power;
    for (; digits > 1 && end[-1] == '0'; digits--)
        end--;
    int exponent = atoi(power + 1), decimals = digits - 1 - exponent;
    if (exponent >= -4 && exponent < 16)
        return buf_printf(out, "%.*f", decimals > 1 ? decimals : 1, value);
    (void)buf_append(out, text, (size_t)(end - text) - (end[-1] == '.'));
    return buf_puts(out, power);
}
