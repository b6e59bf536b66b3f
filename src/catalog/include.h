/* Where `{% include %}` finds its files: in layers, in types, in templates/_includes/. */
#ifndef TMPLGEN_INCLUDE_H
#define TMPLGEN_INCLUDE_H

#include "jinja/template.h"

struct arena;
struct fileset;

struct include_source {
    struct arena *arena;
    const struct fileset *files;
    size_t bytes; /* that were included so far */
};

/*
 * The `load` of a template_loader whose context is a struct include_source. A name OWNER/FILE is
 * the first that exists of templates/_layers/OWNER/includes/FILE, templates/OWNER/includes/FILE and
 * templates/_includes/OWNER/FILE; a name without a slash is a file of templates/_includes/.
 */
int load_include(struct template_source *out, void *context, const char *name, struct err *err);
/* Which file that is, by its index; -1: there is none. */
long find_include(struct arena *arena, const struct fileset *files, const char *name);

#endif
