/* The tables of methods, and of the attributes that Python has and this language has not. */
#include "jinja/functions/methods.h"

#include "base/arena.h"
#include "jinja/functions/builtins.h"
#include "jinja/functions/method_bodies.h"
#include "jinja/run/vm.h"
#include "jinja/values/object.h"
#include "jinja/values/value.h"

static const struct function text_methods[] = {
    {.name = "capitalize", .body = text_capitalize},
    {.name = "center", .body = text_center, .parameters = {"/width", "/fill"}, .required = 1},
    {.name = "count", .body = text_count, .parameters = {"/sub", "/start", "/end"}, .required = 1},
    {.name = "endswith",
     .body = text_endswith,
     .parameters = {"/suffix", "/start", "/end"},
     .required = 1},
    {.name = "find",
     .body = text_find_method,
     .parameters = {"/sub", "/start", "/end"},
     .required = 1},
    {.name = "index", .body = text_index, .parameters = {"/sub", "/start", "/end"}, .required = 1},
    {.name = "join", .body = text_join, .parameters = {"/items"}, .required = 1},
    {.name = "ljust", .body = text_ljust, .parameters = {"/width", "/fill"}, .required = 1},
    {.name = "lower", .body = text_lower},
    {.name = "lstrip", .body = text_lstrip, .parameters = {"/chars"}},
    {.name = "partition", .body = text_partition, .parameters = {"/sep"}, .required = 1},
    {.name = "removeprefix", .body = text_removeprefix, .parameters = {"/prefix"}, .required = 1},
    {.name = "removesuffix", .body = text_removesuffix, .parameters = {"/suffix"}, .required = 1},
    {.name = "replace",
     .body = text_replace_method,
     .parameters = {"/old", "/new", "/count"},
     .required = 2},
    {.name = "rfind", .body = text_rfind, .parameters = {"/sub", "/start", "/end"}, .required = 1},
    {.name = "rindex",
     .body = text_rindex,
     .parameters = {"/sub", "/start", "/end"},
     .required = 1},
    {.name = "rjust", .body = text_rjust, .parameters = {"/width", "/fill"}, .required = 1},
    {.name = "rpartition", .body = text_rpartition, .parameters = {"/sep"}, .required = 1},
    {.name = "rsplit", .body = text_rsplit, .parameters = {"sep", "maxsplit"}},
    {.name = "rstrip", .body = text_rstrip, .parameters = {"/chars"}},
    {.name = "split", .body = text_split, .parameters = {"sep", "maxsplit"}},
    {.name = "splitlines", .body = text_splitlines, .parameters = {"keepends"}},
    {.name = "startswith",
     .body = text_startswith,
     .parameters = {"/prefix", "/start", "/end"},
     .required = 1},
    {.name = "strip", .body = text_strip_method, .parameters = {"/chars"}},
    {.name = "title", .body = text_title},
    {.name = "upper", .body = text_upper},
    {.name = "zfill", .body = text_zfill, .parameters = {"/width"}, .required = 1},
};

static const char *const text_refused[] = {
    "casefold", "encode",    "expandtabs", "format",       "format_map", "isalnum",   "isalpha",
    "isascii",  "isdecimal", "isdigit",    "isidentifier", "islower",    "isnumeric", "isprintable",
    "isspace",  "istitle",   "isupper",    "maketrans",    "swapcase",   "translate",
};

static const struct function list_methods[] = {
    {.name = "append", .body = list_append, .parameters = {"/item"}, .required = 1},
    {.name = "copy", .body = list_copy},
    {.name = "count", .body = list_count, .parameters = {"/item"}, .required = 1},
    {.name = "extend", .body = list_extend, .parameters = {"/items"}, .required = 1},
    {.name = "index",
     .body = list_index,
     .parameters = {"/item", "/start", "/stop"},
     .required = 1},
    {.name = "insert", .body = list_insert, .parameters = {"/index", "/item"}, .required = 2},
};

static const char *const list_refused[] = {"clear", "pop", "remove", "reverse", "sort"};

static const struct function tuple_methods[] = {
    {.name = "count", .body = list_count, .parameters = {"/item"}, .required = 1},
    {.name = "index",
     .body = list_index,
     .parameters = {"/item", "/start", "/stop"},
     .required = 1},
};

static const struct function dict_methods[] = {
    {.name = "copy", .body = dict_copy},
    {.name = "get", .body = dict_get, .parameters = {"/key", "/default"}, .required = 1},
    {.name = "items", .body = dict_items},
    {.name = "keys", .body = dict_keys},
    {.name = "setdefault",
     .body = dict_setdefault,
     .parameters = {"/key", "/default"},
     .required = 1},
    {.name = "update", .body = dict_update, .parameters = {"/other"}, .keywords = true},
    {.name = "values", .body = dict_values},
};

static const char *const dict_refused[] = {"clear", "fromkeys", "pop", "popitem"};

static const struct function loop_methods[] = {
    {.name = "changed", .body = loop_changed, .variadic = true},
    {.name = "cycle", .body = loop_cycle, .variadic = true},
};

static const char *const number_refused[] = {
    "as_integer_ratio", "bit_count", "bit_length", "conjugate", "denominator",
    "from_bytes",       "fromhex",   "hex",        "imag",      "is_integer",
    "numerator",        "real",      "to_bytes",
};

static const char *const range_refused[] = {"count", "index", "start", "step", "stop"};

static const struct function cycler_methods[] = {
    {.name = "next", .body = cycler_next},
    {.name = "reset", .body = cycler_reset},
};

/* Those of all types that there are. */
static const char *const builtin_refused[] = {
    "clear",      "copy",  "count", "current", "fromkeys", "get",     "index",
    "items",      "keys",  "mro",   "next",    "pop",      "popitem", "reset",
    "setdefault", "start", "step",  "stop",    "update",   "values",
};

static const char *const view_refused[] = {"isdisjoint", "mapping"};

static const char *const iterator_refused[] = {
    "close", "gi_code", "gi_frame", "gi_running", "gi_suspended", "gi_yieldfrom", "send", "throw",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ROWS(array) .functions = (array), .count = COUNT(array)
#define REFUSED(array) .refused = (array), .refused_count = COUNT(array)

static const struct function_table tables[] = {
    [V_BOOL] = {REFUSED(number_refused)},
    [V_INT] = {REFUSED(number_refused)},
    [V_FLOAT] = {REFUSED(number_refused)},
    [V_TEXT] = {ROWS(text_methods), REFUSED(text_refused)},
    [V_LIST] = {ROWS(list_methods), REFUSED(list_refused)},
    [V_TUPLE] = {ROWS(tuple_methods)},
    [V_DICT] = {ROWS(dict_methods), REFUSED(dict_refused)},
    [V_RANGE] = {REFUSED(range_refused)},
    [V_VIEW] = {REFUSED(view_refused)},
    [V_ITERATOR] = {REFUSED(iterator_refused)},
    [V_LOOP] = {ROWS(loop_methods)},
    [V_CYCLER] = {ROWS(cycler_methods)},
    [V_BUILTIN] = {REFUSED(builtin_refused)},
};

const struct function *method_find(const struct value *self, struct span name)
{
    if (self->kind == V_TEXT && self->safe) /* Jinja2's Markup has methods of its own */
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

#define OBJECT_NAMES ((size_t)256) /* of those that an object has, so many are looked at */

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
