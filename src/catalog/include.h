/* Where `{% include %}` finds its files: templates/_includes/ of the catalog. */
#ifndef TMPLGEN_CATALOG_INCLUDE_H
#define TMPLGEN_CATALOG_INCLUDE_H

#include "template/template.h"

struct arena;
struct fileset;

struct include_source {
    struct arena *arena;
    const struct fileset *files;
};

/* The `load` of a template_loader whose context is a struct include_source. */
int load_include(struct span *out, enum template_delimiters *delimiters, void *context,
                 const char *name, struct err *err);

#endif
