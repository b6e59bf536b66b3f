/* Where `{% include %}` finds its files: templates/_includes/ of the catalog. */
#include "catalog/include.h"

#include "base/arena.h"
#include "base/fileset.h"

int load_include(struct span *out, enum template_delimiters *delimiters, void *context,
                 const char *name, struct err *err)
{
    const struct include_source *source = context;
    const char *path = arena_printf(source->arena, "templates/_includes/%s", name);
    long index = fileset_find(source->files, path);
    *delimiters = DELIMITERS_JINJA;
    return index < 0 ? 1 : source->files->read(out, source->files, (size_t)index, err);
}
