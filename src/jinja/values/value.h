/* What can be done with values: conversion, truth, length, lists, mappings, ranges. */
#pragma once

#include "base/err.h"
#include "jinja/values/types.h"

struct vm;

/* Context data as a value; containers are converted when they are first looked into. */
struct value value_from_data(struct vm *vm, const struct data *data);
/* Plain values as data. Refuses undefined values, methods and other things that are no data. */
TG_CHECKED int value_to_data(struct data **out, struct vm *vm, struct arena *arena,
                             const struct value *value);

/* bool(), len(): errors as Python's. */
TG_CHECKED int value_truth(bool *out, struct vm *vm, const struct value *value);
/* The items, or bytes of a text, that something sized has. */
size_t value_size(struct vm *vm, const struct value *value);
TG_CHECKED int value_length(size_t *out, struct vm *vm, const struct value *value);
/* A list, or with V_TUPLE a tuple, without items and with room for `capacity`. */
struct value list_new(struct vm *vm, enum value_kind kind, size_t capacity);
TG_CHECKED int list_push(struct vm *vm, struct list *list, const struct value *item);
TG_CHECKED int list_push_all(struct vm *vm, struct list *list, const struct value *items,
                             size_t count);
/* The last item first. */
void list_turn(struct list *list);
/* Converts what is pending: to be called before `items` and `count` are read. */
void list_open(struct vm *vm, struct list *list);

struct value dict_new(struct vm *vm);
void dict_open(struct vm *vm, struct dict *dict);
/* Unhashable keys fail as in Python. `*out` is NULL where there is no such key. */
TG_CHECKED int dict_find(struct value **out, struct vm *vm, struct dict *dict,
                         const struct value *key);
struct value *dict_find_text(struct vm *vm, struct dict *dict, struct span key);
TG_CHECKED int dict_put(struct vm *vm, struct dict *dict, const struct value *key,
                        const struct value *value);
/* The key, value or pair of entry `i`. */
struct value dict_part(struct vm *vm, const struct dict *dict, enum view_part part, size_t i);

/* Fails where the step is 0 or the range is too long to count. */
TG_CHECKED int range_new(struct value *out, struct vm *vm, int64_t start, int64_t stop,
                         int64_t step);
int64_t range_at(const struct int_range *range, size_t i);
