/* Where `{% include %}` finds its files: in layers, in types, in templates/_includes/. */
#include "catalog/include.h"

#include "base/arena.h"
#include "base/fileset.h"

#include <string.h>

int load_include(struct span *out, enum template_delimiters *delimiters, void *context,
                 const char *name, struct err *err)
{
    const struct include_source *source = context;
    int owner = (int)strcspn(name, "/");
    const char *below = name + owner; /* with its slash; empty where the name has no owner */
    const char *const places[] = {
        arena_printf(source->arena, "templates/_layers/%.*s/includes%s", owner, name, below),
        arena_printf(source->arena, "templates/%.*s/includes%s", owner, name, below),
        arena_printf(source->arena, "templates/_includes/%s", name)};
    *delimiters = DELIMITERS_JINJA;
    for (size_t i = *below ? 0 : 2; i < sizeof(places) / sizeof(*places); i++) {
        long index = fileset_find(source->files, places[i]);
        if (index >= 0)
            return source->files->read(out, source->files, (size_t)index, err);
    }
    return 1;
}
