/* Resolves names to variables before rendering, by Jinja2's rules. */
#pragma once

#include "base/err.h"
#include "base/intern.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct program;

/* The initial value of a variable, on entry to its scope. */
enum symbol_load {
    LOAD_PARAMETER, /* set by the loop */
    LOAD_RESOLVE,   /* the value of the name in the context */
    LOAD_ALIAS,     /* the current value of an outer scope's variable */
    LOAD_UNDEFINED, /* nothing */
};

struct symbol {
    struct span name;
    enum symbol_load load;
    bool stored; /* assigned to in its scope, so that includes see it */
    uint32_t slot;
    uint16_t depth;             /* of its routine */
    const struct symbol *outer; /* LOAD_ALIAS */
    struct symbol *next;
};

/* Code with variables of its own in each call: a template, a block, a macro. */
struct routine {
    size_t slot_count; /* number of variables in all its scopes */
    uint16_t depth;    /* number of enclosing macros */
};

struct scope {
    struct scope_resolver *resolver; /* only during scope_resolve */
    struct scope *parent;
    struct routine *routine;
    bool captured;          /* a macro within it sees its variables, and may outlive it */
    struct symbol *symbols; /* in order of appearance */
    struct symbol **end;
    struct intern names;
    struct symbol **by_number; /* by number of the name */
};

/* Sets the symbol of every name in the program, and the scopes of every body. */
TG_CHECKED int scope_resolve(struct program *program, struct arena *arena, struct err *err);
/* The symbol of `name` in this very scope, or NULL. */
struct symbol *scope_own(const struct scope *scope, struct span name);
