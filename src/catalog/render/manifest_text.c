/* Templates in manifests: conditions, names, `next`, and the files that they include. */
#include "catalog/manifest_text.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "catalog/manifest.h"
#include "data/fileset.h"
#include "data/yaml.h"

#include <string.h>

#define BYTES_EACH ((size_t)256) /* the cost of finding an include, as bytes */

struct template_source manifest_text_source(const struct manifest_text *text)
{
    return (struct template_source){.name = text->node->doc->name, .text = span_from(text->text)};
}

int manifest_text_holds(bool *out, const struct manifest_text *when, const struct data *context,
                        struct err *err)
{
    ERR_SCRATCH(inner);
    *out = true;
    if (!when->text)
        return 0;
    struct template_source source = manifest_text_source(when);
    if (template_test(out, &source, context, &inner) < 0)
        return yaml_blame(err, when->node, &inner);
    return 0;
}

static int render_line(const char **out, struct arena *arena, const struct manifest_text *line,
                       const struct data *context, struct err *err)
{
    BUF_SCRATCH(buf, LIMIT_NEXT_BYTES);
    ERR_SCRATCH(inner);
    struct template_source source = manifest_text_source(line);
    if (template_render(&buf, &source, context, NULL, &inner) < 0)
        return buf.overflowed ? yaml_error(err, line->node,
                                           "an entry of 'next' renders to more than %zu bytes",
                                           LIMIT_NEXT_BYTES)
                              : yaml_error(err, line->node, "%s", inner.message);
    *out = arena_strdup(arena, buf_text(&buf));
    return 0;
}

int next_lines(struct words *out, struct arena *arena, const struct manifest *manifest,
               const struct data *context, struct err *err)
{
    *out = (struct words){arena_array(arena, manifest->next_count + 1, sizeof(*out->items)), 0};
    if (manifest->next_count > LIMIT_NEXT_LINES)
        return yaml_error(err, manifest->next[LIMIT_NEXT_LINES].node,
                          "'next' has more than %zu entries", LIMIT_NEXT_LINES);
    for (size_t i = 0; i < manifest->next_count; i++) {
        const char *line = "";
        if (render_line(&line, arena, &manifest->next[i], context, err) < 0)
            return -1;
        if (*line)
            out->items[out->count++] = line;
    }
    return 0;
}

long find_include(struct arena *arena, const struct fileset *files, const char *name)
{
    int owner = (int)strcspn(name, "/");
    const char *below = name + owner; /* with its slash; empty if the name has no owner */
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
    if (source->files->read(&out->text, source->files, (size_t)index, err) < 0)
        return -1;
    source->bytes += out->text.len + BYTES_EACH;
    return source->bytes <= LIMIT_INCLUDED_BYTES
               ? 0
               : err_set(err, TG_USAGE, "limit", "all templates together include more than %zu MiB",
                         LIMIT_INCLUDED_BYTES / LIMIT_MIB);
}
