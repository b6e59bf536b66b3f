/* Sources of templates, and how an include finds them. */
#pragma once

#include "base/err.h"
#include "base/intern.h"
#include "base/str.h"

struct program;

enum template_delimiters { DELIMITERS_JINJA, DELIMITERS_SQUARE };

struct template_source {
    const char *name; /* for messages: the path in the catalog */
    struct span text;
    enum template_delimiters delimiters;
    const char *path; /* set by a loader: the file, for messages; NULL: use the name */
};

/* Parsed templates of includes. Zero-initialized except for the arena, which holds all of it. */
struct template_cache {
    struct arena *arena;
    struct intern names;
    struct program **programs; /* by the number of their name */
};

/*
 * Finds the source for `{% include %}`. `load` returns 0 and fills in `out` except its name (the
 * bytes must outlive the render and the cache), 1 if there is no such name, -1 with `err` on
 * failure.
 */
struct template_loader {
    int (*load)(struct template_source *out, void *context, const char *name, struct err *err);
    void *context;
    struct template_cache *cache; /* shared by renders; NULL: each parses its includes */
};
