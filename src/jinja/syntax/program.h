/* One parsed template: its source and its statements. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "jinja/run/loader.h"

#include <stdbool.h>
#include <stddef.h>

struct block_code;
struct node;
struct routine;
struct scope;
struct statement;

struct program {
    const char *name;   /* its name in includes */
    const char *path;   /* for messages */
    struct span source; /* line ends are \n */
    enum template_delimiters delimiters;
    struct statement *body; /* NULL for an expression */
    struct node *expression;
    struct scope *root;
    const struct routine *routine; /* the template itself */
    struct block_code *blocks;     /* in the order of the source */
    bool extends;                  /* another template */
    bool uses_self;                /* uses `self` outside its blocks */
    size_t deepest;                /* nesting of the deepest expression */
};

/* Sets the error's place to a byte of the source; returns -1. */
static inline int program_error_at(const struct program *program, size_t offset, struct err *err)
{
    return err_at(err, program->path, program->source.ptr, program->source.len, offset);
}
