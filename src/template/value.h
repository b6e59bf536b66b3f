/* What an expression can be: Python's plain types, and nothing that leads out of them. */
#ifndef TMPLGEN_TEMPLATE_VALUE_H
#define TMPLGEN_TEMPLATE_VALUE_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct data;
struct function;
struct iterator;
struct loop;
struct unit;
struct vm;

enum value_kind {
    V_MISSING,    /* no value at all: an argument not given, a slot not set */
    V_UNRESOLVED, /* a slot whose name is still to be looked up in the context */
    V_UNDEFINED,
    V_NONE,
    V_BOOL,
    V_INT,
    V_FLOAT,
    V_TEXT,
    V_LIST,
    V_TUPLE,
    V_DICT,
    V_RANGE,
    V_VIEW,     /* what keys(), values(), items() return */
    V_ITERATOR, /* can be walked once */
    V_LOOP,
    V_METHOD,
    V_RANGE_TYPE, /* the function range */
};

enum view_part { VIEW_KEYS, VIEW_VALUES, VIEW_ITEMS };

struct value {
    enum value_kind kind;
    union {
        bool safe;           /* V_TEXT: came from tojson; Jinja2 calls this Markup */
        enum view_part part; /* V_VIEW */
    };
    union {
        bool boolean;
        int64_t integer;
        double real;
        struct span text; /* UTF-8; lives as long as the render */
        struct list *list;
        struct dict *dict;
        struct int_range *range;
        struct iterator *iterator;
        struct loop *loop;
        struct bound *bound;
        struct undefined *undefined;
    };
};

/* Lists and tuples. `pending`: context data whose items are not converted yet. */
struct list {
    struct value *items;
    size_t count, capacity;
    const struct data *pending;
};

struct dict_entry {
    struct value key, value;
    uint64_t hash;
};

/* In order of insertion; with an index of hashes once it is large. */
struct dict {
    struct dict_entry *entries;
    size_t count, capacity;
    uint32_t *index; /* entry number + 1, or 0; `slots` of them, a power of two */
    size_t slots;
    const struct data *pending;
};

struct int_range {
    int64_t start, stop, step;
    size_t length;
};

/* A method that was looked up and not called yet. */
struct bound {
    struct value self;
    const struct function *method;
};

/* Why something is undefined, kept until somebody uses it. */
struct undefined {
    const struct unit *unit; /* where: a byte of a template */
    size_t offset;
    bool lenient; /* the missing else of an inline if: prints as nothing, is false */
    enum { UNDEFINED_NAME, UNDEFINED_MEMBER, UNDEFINED_REASON } why;
    struct span name;    /* of the variable or the member; or the reason */
    struct value object; /* that has no such member */
};

static inline struct value value_none(void)
{
    return (struct value){.kind = V_NONE};
}

static inline struct value value_bool(bool boolean)
{
    return (struct value){.kind = V_BOOL, .boolean = boolean};
}

static inline struct value value_int(int64_t integer)
{
    return (struct value){.kind = V_INT, .integer = integer};
}

/* The text is not copied. */
static inline struct value value_text(struct span text)
{
    return (struct value){.kind = V_TEXT, .text = text};
}

/* "a text", "a list", ... for messages. */
const char *value_kind_name(const struct value *value);

/* Context data as a value; containers are converted when they are first looked into. */
struct value value_from_data(struct vm *vm, const struct data *data);
/* Plain values as data. Refuses undefined values, methods and other things that are no data. */
TG_CHECKED int value_to_data(struct data **out, struct vm *vm, struct arena *arena,
                             const struct value *value);

/* bool(), len(): errors as Python's. */
TG_CHECKED int value_truth(bool *out, struct vm *vm, const struct value *value);
TG_CHECKED int value_length(size_t *out, struct vm *vm, const struct value *value);
/* Has it a len()? */
bool value_is_sized(const struct value *value);
/* Is it a number (a bool counts, as in Python)? As integer or as float. */
bool value_is_integer(const struct value *value, int64_t *integer);
bool value_is_number(const struct value *value);
double value_real(const struct value *number);

/* A list, or with V_TUPLE a tuple, without items and with room for `capacity`. */
struct value list_new(struct vm *vm, enum value_kind kind, size_t capacity);
TG_CHECKED int list_push(struct vm *vm, struct list *list, const struct value *item);
/* Converts what is pending: to be called before `items` and `count` are read. */
void list_open(struct vm *vm, struct list *list);
struct value tuple_pair(struct vm *vm, const struct value *a, const struct value *b);

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

#endif
