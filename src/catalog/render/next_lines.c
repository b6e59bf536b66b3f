/* What `new` says is to be done with a child that it has made. */
#include "catalog/next_lines.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "catalog/manifest.h"
#include "data/yaml.h"
#include "jinja/template.h"

static int render_line(const char **out, struct arena *arena, const struct manifest_text *line,
                       const struct data *context, struct err *err)
{
    BUF_SCRATCH(buf, LIMIT_NEXT_BYTES);
    ERR_SCRATCH(inner);
    struct template_source source = {.name = line->node->doc->name, .text = span_from(line->text)};
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
