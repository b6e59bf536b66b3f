/* What a template mentions in any of its branches: variables, what they hold, other templates. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "jinja/run/loader.h"

#include <stdbool.h>
#include <stddef.h>

struct data;

enum mention_kind {
    MENTION_NAME,     /* a variable of the context */
    MENTION_MEMBER,   /* "a.b.c" of such a variable; its parts are mentioned before it */
    MENTION_TEMPLATE, /* another template, by its name; '*' for what is not known before */
};

struct mention {
    enum mention_kind kind;
    struct span text;    /* only as long as the call */
    const char *file;    /* the template that says it, by its name */
    struct span source;  /* and its text */
    size_t offset;       /* where in it */
    bool dead;           /* it is not reached, by what is known */
    bool lenient;        /* it need not be there: `is defined`, `default`, `ignore missing`; or
                            templates set it, though perhaps not before */
    bool alone;          /* said where nothing is seen of the context: a variable is undefined */
    const char *through; /* "a, b": the templates that include this one, from the outermost */
};

/*
 * `known` is a map of the names that the context has: a text is that text, null is none, anything
 * else is some value. `templates` lists the names that a mentioned template may have; each is
 * loaded and read where it is mentioned, with what is set there.
 */
struct mention_reader {
    const struct data *known;
    const struct template_loader *loader; /* NULL: none is read */
    /* NULL: it is the one that a literal names, and none where that does not see the context. */
    size_t (*templates)(const char *const **names, void *context, struct span mentioned);
    void (*see)(void *context, const struct mention *mention);
    /* A template that is included and cannot be read. NULL: that ends it all. */
    void (*broken)(void *context, const char *name, const struct err *err);
    void *context;
    bool members; /* are told of, too */
    bool dead;    /* nothing of it is reached */
};

/* Fails where `source` itself cannot be read, and at limits. */
TG_CHECKED int template_mentions(const struct mention_reader *reader,
                                 const struct template_source *source, bool expression,
                                 struct err *err);

/* Whether an expression is false whatever else is true than what is known; also where it is wrong.
 */
bool template_never(const struct data *known, const struct template_source *source);
