/* The tables of methods, and of Python's attributes that this language lacks. */
#include "jinja/functions/method_bodies.h"

#include "base/arena.h"
#include "jinja/functions/builtins.h"
#include "jinja/functions/text_parts.h"
#include "jinja/run/vm.h"
#include "jinja/values/object.h"
#include "jinja/values/value.h"

static const struct function text_methods[] = {
    {.name = "capitalize", text_change_case, .how = UNICODE_CAPITALIZED},
    {.name = "center", text_justify, {"/width", "/fill"}, 1, .how = TEXT_BOTH},
    {.name = "count", text_count, {"/sub", "/start", "/end"}, 1},
    {.name = "endswith", text_has_end, {"/suffix", "/start", "/end"}, 1, .how = TEXT_RIGHT},
    {.name = "find", text_index, {"/sub", "/start", "/end"}, 1, .how = TEXT_LEFT},
    {.name = "index", text_index, {"/sub", "/start", "/end"}, 1, .how = TEXT_LEFT | TEXT_MUST},
    {.name = "join", text_join, {"/items"}, 1},
    {.name = "ljust", text_justify, {"/width", "/fill"}, 1, .how = TEXT_RIGHT},
    {.name = "lower", text_change_case, .how = UNICODE_LOWER},
    {.name = "lstrip", text_strip_method, {"/chars"}, .how = TEXT_LEFT},
    {.name = "partition", text_partition, {"/sep"}, 1, .how = TEXT_LEFT},
    {.name = "removeprefix", text_remove, {"/prefix"}, 1, .how = TEXT_LEFT},
    {.name = "removesuffix", text_remove, {"/suffix"}, 1, .how = TEXT_RIGHT},
    {.name = "replace", text_replace_method, {"/old", "/new", "/count"}, 2},
    {.name = "rfind", text_index, {"/sub", "/start", "/end"}, 1, .how = TEXT_RIGHT},
    {.name = "rindex", text_index, {"/sub", "/start", "/end"}, 1, .how = TEXT_RIGHT | TEXT_MUST},
    {.name = "rjust", text_justify, {"/width", "/fill"}, 1, .how = TEXT_LEFT},
    {.name = "rpartition", text_partition, {"/sep"}, 1, .how = TEXT_RIGHT},
    {.name = "rsplit", text_split, {"sep", "maxsplit"}, .how = TEXT_RIGHT},
    {.name = "rstrip", text_strip_method, {"/chars"}, .how = TEXT_RIGHT},
    {.name = "split", text_split, {"sep", "maxsplit"}, .how = TEXT_LEFT},
    {.name = "splitlines", text_splitlines, {"keepends"}},
    {.name = "startswith", text_has_end, {"/prefix", "/start", "/end"}, 1, .how = TEXT_LEFT},
    {.name = "strip", text_strip_method, {"/chars"}, .how = TEXT_BOTH},
    {.name = "title", text_change_case, .how = UNICODE_TITLE},
    {.name = "upper", text_change_case, .how = UNICODE_UPPER},
    {.name = "zfill", text_zfill, {"/width"}, 1},
};

static const char *const text_refused[] = {
    "casefold", "encode",    "expandtabs", "format",       "format_map", "isalnum",   "isalpha",
    "isascii",  "isdecimal", "isdigit",    "isidentifier", "islower",    "isnumeric", "isprintable",
    "isspace",  "istitle",   "isupper",    "maketrans",    "swapcase",   "translate",
};

static const struct function list_methods[] = {
    {.name = "append", list_append, {"/item"}, 1},
    {.name = "copy", list_copy},
    {.name = "count", list_count, {"/item"}, 1},
    {.name = "extend", list_extend, {"/items"}, 1},
    {.name = "index", list_index, {"/item", "/start", "/stop"}, 1},
    {.name = "insert", list_insert, {"/index", "/item"}, 2},
};

static const char *const list_refused[] = {"clear", "pop", "remove", "reverse", "sort"};

static const struct function tuple_methods[] = {
    {.name = "count", list_count, {"/item"}, 1},
    {.name = "index", list_index, {"/item", "/start", "/stop"}, 1},
};

static const struct function dict_methods[] = {
    {.name = "copy", dict_copy},
    {.name = "get", dict_get, {"/key", "/default"}, 1},
    {.name = "items", dict_view, .how = VIEW_ITEMS},
    {.name = "keys", dict_view, .how = VIEW_KEYS},
    {.name = "setdefault", dict_setdefault, {"/key", "/default"}, 1},
    {.name = "update", dict_update, {"/other"}, .keywords = true},
    {.name = "values", dict_view, .how = VIEW_VALUES},
};

static const char *const dict_refused[] = {"clear", "fromkeys", "pop", "popitem"};

static const struct function loop_methods[] = {
    {.name = "changed", loop_changed, .variadic = true},
    {.name = "cycle", loop_cycle, .variadic = true},
};

static const char *const number_refused[] = {
    "as_integer_ratio", "bit_count", "bit_length", "conjugate", "denominator",
    "from_bytes",       "fromhex",   "hex",        "imag",      "is_integer",
    "numerator",        "real",      "to_bytes",
};

static const char *const range_refused[] = {"count", "index", "start", "step", "stop"};

static const struct function cycler_methods[] = {
    {.name = "next", cycler_next},
    {.name = "reset", cycler_reset},
};

/* Attributes of all Python types. */
static const char *const builtin_refused[] = {
    "clear",      "copy",  "count", "current", "fromkeys", "get",     "index",
    "items",      "keys",  "mro",   "next",    "pop",      "popitem", "reset",
    "setdefault", "start", "step",  "stop",    "update",   "values",
};

static const char *const view_refused[] = {"isdisjoint", "mapping"};

static const char *const iterator_refused[] = {
    "close", "gi_code", "gi_frame", "gi_running", "gi_suspended", "gi_yieldfrom", "send", "throw",
};

static const struct function_table tables[] = {
    [V_BOOL] = {REFUSED(number_refused)},
    [V_INT] = {REFUSED(number_refused)},
    [V_FLOAT] = {REFUSED(number_refused)},
    [V_TEXT] = {FUNCTIONS(text_methods), REFUSED(text_refused)},
    [V_LIST] = {FUNCTIONS(list_methods), REFUSED(list_refused)},
    [V_TUPLE] = {FUNCTIONS(tuple_methods)},
    [V_DICT] = {FUNCTIONS(dict_methods), REFUSED(dict_refused)},
    [V_RANGE] = {REFUSED(range_refused)},
    [V_VIEW] = {REFUSED(view_refused)},
    [V_ITERATOR] = {REFUSED(iterator_refused)},
    [V_LOOP] = {FUNCTIONS(loop_methods)},
    [V_CYCLER] = {FUNCTIONS(cycler_methods)},
    [V_BUILTIN] = {REFUSED(builtin_refused)},
};

const struct function *method_find(const struct value *self, struct span name)
{
    if (self->kind == V_TEXT && self->safe) /* Jinja2's Markup has more methods */
        return NULL;
    return function_find(&tables[self->kind], name);
}

bool method_is_refused(const struct value *self, struct span name)
{
    bool hidden = name.len >= 2 && name.ptr[0] == '_' && name.ptr[1] == '_';
    hidden |= object_hides(self, name);
    if (self->kind == V_TEXT && self->safe && function_find(&tables[V_TEXT], name))
        return true;
    return hidden || function_is_refused(&tables[self->kind], name);
}

#define OBJECT_NAMES ((size_t)256) /* limit on the names of an object to compare */

const char *member_nearest(struct vm *vm, const struct value *object, struct span name)
{
    const struct function_table *table = &tables[object->kind];
    size_t keys = 0, count = 0;
    if (object->kind == V_DICT) {
        dict_open(vm, object->dict);
        keys = object->dict->count;
    }
    const char **names = arena_array(vm->arena, keys + table->count + OBJECT_NAMES, sizeof(*names));
    for (size_t i = 0; i < keys; i++) {
        const struct value *key = &object->dict->entries[i].key;
        if (key->kind == V_TEXT)
            names[count++] = arena_memdup(vm->arena, key->text.ptr, key->text.len);
    }
    for (size_t i = 0; i < table->count; i++)
        names[count++] = table->functions[i].name;
    count += object_names(&names[count], OBJECT_NAMES, vm, object);
    return str_nearest(arena_memdup(vm->arena, name.ptr, name.len), names, count);
}
