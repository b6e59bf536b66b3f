/* The types of values: Python's plain types, without access to anything beyond them. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block_code;
struct context;
struct data;
struct frame;
struct function;
struct iterator;
struct loop;
struct macro_code;
struct program;

/* Types, with their names for messages. Those from V_TEXT to V_VIEW have a len(). */
#define EACH_VALUE_KIND(X)                                                                         \
    X(V_MISSING, "nothing")    /* no value: an argument not given, an unset slot */                \
    X(V_UNRESOLVED, "nothing") /* a slot whose name must still be looked up in the context */      \
    X(V_UNDEFINED, "an undefined value")                                                           \
    X(V_NONE, "none")                                                                              \
    X(V_BOOL, "true or false")                                                                     \
    X(V_INT, "an integer")                                                                         \
    X(V_FLOAT, "a float")                                                                          \
    X(V_TEXT, "a text")                                                                            \
    X(V_LIST, "a list")                                                                            \
    X(V_TUPLE, "a tuple")                                                                          \
    X(V_DICT, "a mapping")                                                                         \
    X(V_RANGE, "a range")                                                                          \
    X(V_VIEW, "a view of a mapping") /* of keys(), values(), items() */                            \
    X(V_ITERATOR, "an iterator")     /* can be used once */                                        \
    X(V_LOOP, "the loop")                                                                          \
    X(V_METHOD, "a method")                                                                        \
    X(V_MACRO, "a macro")                                                                          \
    X(V_MODULE, "an imported template") /* made by `import` */                                     \
    X(V_SELF, "'self'")                 /* a template's blocks, by name */                         \
    X(V_BLOCK, "a block")               /* one of them, or `super` */                              \
    X(V_NAMESPACE, "a namespace")       /* a mapping that can be assigned to */                    \
    X(V_CYCLER, "a cycler")                                                                        \
    X(V_JOINER, "a joiner")                                                                        \
    X(V_BUILTIN, "a built-in function") /* range, dict, ... */

#define VALUE_CONSTANT(constant, words) constant,
enum value_kind { EACH_VALUE_KIND(VALUE_CONSTANT) };

enum view_part { VIEW_KEYS, VIEW_VALUES, VIEW_ITEMS };

struct value {
    enum value_kind kind;
    union {
        bool safe;           /* V_TEXT: from tojson or escape; Markup in Jinja2 */
        bool group;          /* V_TUPLE: from groupby; has grouper and list */
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
        struct closure *macro;
        struct module *module;
        const struct context *context; /* V_SELF */
        struct block *block;
        struct cycler *cycler;
        struct joiner *joiner;
        const struct function *function; /* V_BUILTIN */
    };
};

/* Lists and tuples. `pending` holds context data whose items are not converted yet. */
struct list {
    struct value *items;
    size_t count, capacity;
    const struct data *pending;
};

struct dict_entry {
    struct value key, value;
    uint64_t hash;
};

/* In order of insertion; large ones have an index of hashes. */
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

/* A method of an object, before its call. */
struct bound {
    struct value self;
    const struct function *method;
};

/* A macro or `call` body, with access to the variables of the frame that created it. */
struct closure {
    const struct macro_code *code;
    const struct frame *frame;
};

/* An imported template. */
struct module {
    const struct program *program;
    struct value text; /* its output */
    struct dict *members;
    struct module *next; /* the next module that the render imported without context */
};

/* A block of one template, and that of the template it extends. */
struct block_definition {
    const struct program *program;
    const struct block_code *code;
    struct block_definition *parent;
};

/* A block definition bound to a context, for rendering. */
struct block {
    const struct context *context;
    struct block_definition *definition;
};

struct cycler {
    struct list *items;
    size_t pos; /* of the next item */
};

struct joiner {
    struct value separator;
    bool used;
};

/* The reason why a value is undefined, for the error on its use. */
struct undefined {
    const struct program *program; /* the place: a byte of a template */
    size_t offset;
    bool lenient; /* from an inline if without else: prints nothing, is false */
    enum { UNDEFINED_NAME, UNDEFINED_MEMBER, UNDEFINED_REASON } why;
    struct span name;    /* of the variable or the member; or the reason */
    struct value object; /* the object that lacks the member */
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

/* Does not copy the text. */
static inline struct value value_text(struct span text)
{
    return (struct value){.kind = V_TEXT, .text = text};
}

/* For messages: "a text", "a list", ... */
const char *value_kind_name(const struct value *value);
/* Whether it has a len(). */
bool value_is_sized(const struct value *value);
/* Whether it is a number (including a bool, as in Python), and its value as integer or float. */
bool value_is_integer(const struct value *value, int64_t *integer);
bool value_is_number(const struct value *value);
double value_real(const struct value *number);
