/* Operations on values: conversion, truth, length, lists, mappings, ranges. */
#pragma once

#include "base/err.h"
#include "jinja/values/types.h"

struct vm;

/* Converts context data to a value; containers are converted on first access. */
struct value value_from_data(struct vm *vm, const struct data *data);
/* Converts plain values to data. Refuses undefined values, methods and other non-data. */
TG_CHECKED int value_to_data(struct data **out, struct vm *vm, struct arena *arena,
                             const struct value *value);

/* bool() and len(), with Python's errors. */
TG_CHECKED int value_truth(bool *out, struct vm *vm, const struct value *value);
/* The number of items of a sized value, or of bytes of a text. */
size_t value_size(struct vm *vm, const struct value *value);
TG_CHECKED int value_length(size_t *out, struct vm *vm, const struct value *value);
/* An empty list, or with V_TUPLE an empty tuple, with room for `capacity` items. */
struct value list_new(struct vm *vm, enum value_kind kind, size_t capacity);
TG_CHECKED int list_push(struct vm *vm, struct list *list, const struct value *item);
TG_CHECKED int list_push_all(struct vm *vm, struct list *list, const struct value *items,
                             size_t count);
/* Reverses the list. */
void list_turn(struct list *list);
/* Converts pending items; call it before reading `items` and `count`. */
void list_open(struct vm *vm, struct list *list);

struct value dict_new(struct vm *vm);
void dict_open(struct vm *vm, struct dict *dict);
/* Unhashable keys fail as in Python. `*out` is NULL if there is no such key. */
TG_CHECKED int dict_find(struct value **out, struct vm *vm, struct dict *dict,
                         const struct value *key);
struct value *dict_find_text(struct vm *vm, struct dict *dict, struct span key);
TG_CHECKED int dict_put(struct vm *vm, struct dict *dict, const struct value *key,
                        const struct value *value);
/* The key, value or pair of entry `i`. */
struct value dict_part(struct vm *vm, const struct dict *dict, enum view_part part, size_t i);

/* Fails if the step is 0, or the range is too long to count. */
TG_CHECKED int range_new(struct value *out, struct vm *vm, int64_t start, int64_t stop,
                         int64_t step);
int64_t range_at(const struct int_range *range, size_t i);
