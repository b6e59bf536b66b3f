/* Which variable a name means: Jinja2's rules, worked out before rendering. */
#pragma once

#include "base/err.h"
#include "base/intern.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct program;

/* What a variable holds when its scope is entered. */
enum symbol_load {
    LOAD_PARAMETER, /* set by the loop */
    LOAD_RESOLVE,   /* what the context has under the name */
    LOAD_ALIAS,     /* what the variable of an outer scope holds then */
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

/* What has variables of its own each time it runs: a template, a block, a macro. */
struct routine {
    size_t slot_count; /* variables of all its scopes */
    uint16_t depth;    /* of macros around it */
};

struct scope {
    struct scope_resolver *resolver; /* while scope_resolve works */
    struct scope *parent;
    struct routine *routine;
    bool captured;          /* a macro within it sees its variables, and may outlive it */
    struct symbol *symbols; /* in order of appearance */
    struct symbol **end;
    struct intern names;
    struct symbol **by_number; /* of its name */
};

/* Gives every name of the program its symbol, and whatever has a body its scopes. */
TG_CHECKED int scope_resolve(struct program *program, struct arena *arena, struct err *err);
/* The symbol of `name` in this very scope, or NULL. */
struct symbol *scope_own(const struct scope *scope, struct span name);
