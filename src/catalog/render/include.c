/* Where `{% include %}` finds its files: in layers, in types, in templates/_includes/. */
#include "catalog/include.h"

#include "base/arena.h"
#include "base/limits.h"
#include "data/fileset.h"

#include <string.h>

#define BYTES_EACH ((size_t)256) /* that finding one counts as */

long find_include(struct arena *arena, const struct fileset *files, const char *name)
{
    int owner = (int)strcspn(name, "/");
    const char *below = name + owner; /* with its slash; empty where the name has no owner */
    const char *const places[] = {
        arena_printf(arena, "templates/_layers/%.*s/includes%s", owner, name, below),
        arena_printf(arena, "templates/%.*s/includes%s", owner, name, below),
        arena_printf(arena, "templates/_includes/%s", name)};
    long index = -1;
    for (size_t i = *below ? 0 : 2; i < sizeof(places) / sizeof(*places) && index < 0; i++)
        index = fileset_find(files, places[i]);
    return index;
}

int load_include(struct template_source *out, void *context, const char *name, struct err *err)
{
    struct include_source *source = context;
    long index = find_include(source->arena, source->files, name);
    if (index < 0)
        return 1;
    const struct fileset_entry *entry = &source->files->entries[index];
    out->delimiters = DELIMITERS_JINJA;
    out->path = entry->path;
    source->bytes += entry->size + BYTES_EACH;
    return source->bytes <= LIMIT_INCLUDED_BYTES
               ? source->files->read(&out->text, source->files, (size_t)index, err)
               : err_set(err, TG_USAGE, "limit", "all templates together include more than %zu MiB",
                         LIMIT_INCLUDED_BYTES / LIMIT_MIB);
}
