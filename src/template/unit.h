/* One parsed template: its source and its statements. */
#ifndef TMPLGEN_TEMPLATE_UNIT_H
#define TMPLGEN_TEMPLATE_UNIT_H

#include "base/err.h"
#include "base/str.h"
#include "template/loader.h"

#include <stdbool.h>
#include <stddef.h>

struct node;
struct scope;
struct statement;

struct unit {
    const char *name;
    struct span source; /* line ends are \n */
    enum template_delimiters delimiters;
    struct statement *body; /* NULL for an expression */
    struct node *expression;
    struct scope *root;
    size_t slot_count; /* variables of all scopes */
    struct unit *next; /* in the cache of a render */
};

/* Places the error at a byte of the source; -1. */
int unit_error_at(const struct unit *unit, size_t offset, struct err *err);
#ifndef TMPLGEN_TEMPLATE_UNIT_C /* see err.h */
#define unit_error_at(...) err_minus_one(unit_error_at(__VA_ARGS__))
#endif

#endif
