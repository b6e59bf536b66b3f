/* Lists what a template mentions in all its branches: variables, their members, other templates. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "jinja/run/loader.h"

#include <stdbool.h>
#include <stddef.h>

struct data;

enum mention_kind {
    MENTION_NAME,     /* a context variable */
    MENTION_MEMBER,   /* "a.b.c" of such a variable, after its shorter prefixes */
    MENTION_TEMPLATE, /* another template's name; '*' for unknown parts */
};

struct mention {
    enum mention_kind kind;
    struct span text;   /* valid during the call only */
    const char *file;   /* the name of the template that contains it */
    struct span source; /* that template's text */
    size_t offset;      /* its byte in `source` */
    bool dead;          /* unreachable, given `known` */
    bool lenient; /* may be absent: `is defined`, `default`, `ignore missing`; or templates set it,
                     perhaps later */
    bool alone;   /* the context is not visible here: a variable is undefined */
    const char *through; /* "a, b": the including templates, outermost first */
};

/*
 * `known` maps names of the context to values: a text is that text, null is none, and anything else
 * is some unknown value. `templates` lists the names that a mentioned template may have; each is
 * loaded and read at the mention, with the variables set there.
 */
struct mention_reader {
    const struct data *known;
    const struct template_loader *loader; /* NULL: no other template is read */
    /* NULL: reads only literal names, and only templates that get the context. */
    size_t (*templates)(const char *const **names, void *context, struct span mentioned);
    void (*see)(void *context, const struct mention *mention);
    /* Called for an included template that cannot be read. NULL: that is an error. */
    void (*broken)(void *context, const char *name, const struct err *err);
    void *context;
    bool members; /* also report members */
    bool dead;    /* all of it is unreachable */
};

/* Fails if `source` itself cannot be read, and at limits. */
TG_CHECKED int template_mentions(const struct mention_reader *reader,
                                 const struct template_source *source, bool expression,
                                 struct err *err);

/* Whether an expression is false or an error, whatever the unknown values are. */
bool template_never(const struct data *known, const struct template_source *source);
