/* Callables: filters, tests and methods, all described by tables. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "jinja/values/types.h"

#include <stdbool.h>
#include <stddef.h>

struct vm;

#define FUNCTION_PARAMETERS 4

/* Arguments by parameter; V_MISSING if not given. */
struct arguments {
    const struct value *self; /* the operand before `|`, `is` or the dot */
    const struct value *values;
    size_t count;          /* of `values`, including extra ones of variadic functions */
    struct dict *keywords; /* surplus keywords; NULL unless the function takes keywords */
    uint32_t how;          /* copied from the function */
};

typedef int function_body(struct value *out, struct vm *vm, const struct arguments *given);

struct function {
    const char *name;
    function_body *body;
    const char *parameters[FUNCTION_PARAMETERS]; /* their Python names; "/" before: not by name */
    unsigned char required;                      /* number of mandatory parameters */
    bool variadic;                               /* takes more positional arguments */
    bool keywords;                               /* any other keyword arguments */
    uint32_t how; /* selects a variant; the body defines its meaning */
};

struct function_table {
    const struct function *functions;
    size_t count;
    const char *const *refused; /* names of Jinja2 that this language lacks */
    size_t refused_count;
};

#define FUNCTIONS(rows) .functions = (rows), .count = sizeof(rows) / sizeof((rows)[0])
#define REFUSED(names) .refused = (names), .refused_count = sizeof(names) / sizeof((names)[0])

/* Filters, tests, and the built-in functions. */
extern const struct function_table filters, tests, builtins;

/* The function of that name, or NULL if there is none. */
const struct function *function_find(const struct function_table *table, struct span name);
bool function_is_refused(const struct function_table *table, struct span name);
/* The nearest name in the table, for "did you mean", or NULL. */
const char *function_nearest(const struct function_table *table, struct span name);

/*
 * Calls a function with these arguments, positional or by keyword, as Python would. A function may
 * read all its arguments, so this charges for their bytes. A function that loops further charges
 * for that itself.
 */
TG_CHECKED int function_call(struct value *out, struct vm *vm, const struct function *function,
                             const struct arguments *given);

/* Checks of arguments, with Python's errors. A missing argument gives the fallback. */
TG_CHECKED int argument_truth(bool *out, struct vm *vm, const struct arguments *arguments, size_t i,
                              bool fallback);
TG_CHECKED int argument_integer(int64_t *out, struct vm *vm, const struct arguments *arguments,
                                size_t i, int64_t fallback);
/* None counts as missing. */
TG_CHECKED int argument_count(int64_t *out, struct vm *vm, const struct arguments *arguments,
                              size_t i, int64_t fallback);
TG_CHECKED int argument_text(struct span *out, struct vm *vm, const struct arguments *arguments,
                             size_t i);
bool argument_given(const struct arguments *arguments, size_t i);
