/* A catalog out of a cookiecutter or copier template. */
#ifndef TMPLGEN_IMPORT_IMPORT_H
#define TMPLGEN_IMPORT_IMPORT_H

#include "base/err.h"

struct arena;
struct catalog;
struct data;

/* What counts of a source, and where what is left out is told: see import_scope. */
struct import_links {
    struct arena *arena;
    struct data *paths; /* a map: a path, and what it is */
};

/* Opens nothing itself: the scope in which a source is opened to be imported. */
struct source_scope import_scope(struct import_links *links);

/*
 * Makes the folder `output`, all or nothing, of a source that was opened in that scope. `source` is
 * what it was called: its last part names the type. `*out` is the document (docs/json.md, "template
 * import"). Exit 2, "invalid", where it is no template of a known format.
 */
TG_CHECKED int import_run(struct data **out, struct arena *arena, const struct catalog *source,
                          const char *called, const struct import_links *links, const char *output,
                          struct err *err);

#endif
