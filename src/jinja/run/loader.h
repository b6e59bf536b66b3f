/* The sources of templates, and where an include finds them. */
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
    const char *path; /* of what a loader found: the file, for messages; NULL: the name */
};

/* What includes have found, parsed: zeroed at first, but for the arena that all of it lives in. */
struct template_cache {
    struct arena *arena;
    struct intern names;
    struct program **programs; /* by the number of their name */
};

/*
 * Finds the source of `{% include %}`. `load` returns 0 and fills all of `out` but its name (bytes
 * that live at least as long as the render, or the cache), 1 where there is no such name, -1 with
 * `err` set on failure.
 */
struct template_loader {
    int (*load)(struct template_source *out, void *context, const char *name, struct err *err);
    void *context;
    struct template_cache *cache; /* for many renders; NULL: each parses anew what it includes */
};
