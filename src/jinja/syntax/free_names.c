/* The free names of a template: what it may read from its context. */
#include "jinja/template.h"

#include "base/arena.h"
#include "data/data.h"
#include "jinja/functions/builtins.h"
#include "jinja/mentions.h"

struct finder {
    struct data *names;
    struct arena *arena; /* of the names */
};

/* The template is forgotten when its names are found: they are copied. */
static void see(void *context, const struct mention *mention)
{
    const struct finder *finder = context;
    struct span name = mention->text;
    if (mention->kind != MENTION_NAME || data_get_span(finder->names, name) ||
        function_is_refused(&builtins, name))
        return;
    const char *copy = arena_memdup(finder->arena, name.ptr, name.len);
    data_append(finder->arena, finder->names, span_of(copy, name.len), data_null(finder->arena));
}

int template_names(struct data *names, struct arena *arena, const struct template_source *source,
                   bool expression, const struct template_loader *loader, struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct finder finder = {names, arena};
    const struct mention_reader reader = {
        .known = data_map(&scratch), .loader = loader, .see = see, .context = &finder};
    return template_mentions(&reader, source, expression, err);
}
