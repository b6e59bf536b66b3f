/* What a child is made of: from a catalog and what was said, to its files and its record. */
#include "child/making.h"

#include "base/arena.h"
#include "base/data.h"
#include "catalog/catalog.h"
#include "catalog/manifest.h"
#include "catalog/migrations.h"
#include "catalog/next_lines.h"
#include "catalog/use.h"
#include "child/team_image.h"
#include "matrix/matrix.h"
#include "resolver/resolver.h"

#include <string.h>

/* ---------------------------------------------------------------- the type */

int making_type(struct making *m, const char *type, struct err *err)
{
    const char **types;
    size_t count = catalog_types(&types, m->arena, m->catalog->files);
    if (!type && m->asker && count &&
        answers_choose(&type, m->arena, m->asker, "type", "kind of project", types, count, err) < 0)
        return -1;
    if (!type) {
        (void)err_set(err, TG_USAGE, "missing-answer", "--type is missing");
        return err_hint(err, "the catalog '%s' has: %s", m->catalog->name,
                        str_join(m->arena, types, count, ", "));
    }
    if (manifest_load(&m->manifest, m->arena, m->catalog, type, err) < 0 ||
        migrations_check(m->arena, m->manifest, err) < 0 ||
        migrations_check_names(m->arena, m->manifest, err) < 0)
        return -1;
    return manifest_check_use(m->arena, m->catalog, m->manifest, err);
}

/* ---------------------------------------------------------------- the stack */

size_t making_frameworks(const char ***names, const struct making *m)
{
    *names = m->manifest->frameworks;
    if (m->manifest->framework_count)
        return m->manifest->framework_count;
    return matrix_frameworks(names, m->arena, m->catalog->files);
}

/* The type may have files for some of the catalog's frameworks only. */
static int check_framework(const struct making *m, const char *const *names, size_t count,
                           struct err *err)
{
    const char *name = request_framework(&m->request, m->arena);
    const char **known;
    size_t known_count = matrix_frameworks(&known, m->arena, m->catalog->files);
    const char *because = m->manifest->frameworks_because;
    bool in_matrix = false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return 0;
    for (size_t i = 0; i < known_count; i++)
        in_matrix |= strcmp(known[i], name) == 0;
    if (!in_matrix)
        return 0; /* unknown altogether: the matrix names the nearest */
    (void)err_set(err, TG_USAGE, "unknown-framework",
                  "the type '%s' has no files for the framework '%s'%s%s", m->manifest->type, name,
                  because ? ": " : "", because ? because : "");
    return err_hint(err, "it has files for: %s", str_join(m->arena, names, count, ", "));
}

static int choose_framework(struct making *m, struct err *err)
{
    const char **names, *name;
    size_t count = making_frameworks(&names, m);
    if (request_text(&m->request, CHOICE_FRAMEWORK))
        return check_framework(m, names, count, err);
    if (m->asker && count) {
        if (answers_choose(&name, m->arena, m->asker, "framework", "what the project uses", names,
                           count, err) < 0)
            return -1;
        request_say(&m->request, m->arena, CHOICE_FRAMEWORK, name);
        return 0;
    }
    (void)err_set(err, TG_USAGE, "missing-answer", "--framework is missing");
    return err_hint(err, "the type '%s' takes: %s", m->manifest->type,
                    str_join(m->arena, names, count, ", "));
}

static int refuse_stack(const struct making *m, const struct given_list *said, struct err *err)
{
    for (size_t i = 0; i < said->count; i++) {
        const struct given *given = &said->items[i];
        if (given->from == GIVEN_CONFIG)
            continue;
        (void)err_set(err, TG_USAGE, "usage", "the type '%s' has no stack: '%s' means nothing",
                      m->manifest->type, given->name);
        return err_hint(err, "leave --%s out", given->name);
    }
    return 0;
}

int making_stack(struct making *m, const struct given_list *said,
                 const struct stack_request *request, struct err *err)
{
    struct matrix *matrix;
    m->refusal = m->request_data = m->resolution = NULL;
    if (!m->manifest->has_stack)
        return refuse_stack(m, said, err);
    m->request = *request;
    m->request.need = manifest_need(m->manifest);
    if (choose_framework(m, err) < 0)
        return -1;
    m->request_data = stack_request_data(m->arena, &m->request);
    const char *name = request_framework(&m->request, m->arena);
    if (matrix_load(&matrix, m->arena, m->catalog->files, m->overlay, name, err) < 0)
        return -1;
    return matrix_resolve(&m->resolution, &m->refusal, m->arena, matrix, &m->request, err);
}

/* ---------------------------------------------------------------- answers and files */

static struct render_input input_of(const struct making *m)
{
    return (struct render_input){.catalog = m->catalog,
                                 .manifest = m->manifest,
                                 .answers = m->answers.values,
                                 .request = m->request_data,
                                 .resolution = m->resolution};
}

int making_answers(struct making *m, const struct given_list *given, const char *name_default,
                   struct err *err)
{
    struct render_input input = input_of(m);
    return answers_collect(&m->answers, m->arena, m->manifest, given,
                           render_context(m->arena, &input), name_default, m->asker, err);
}

int making_render(struct making *m, struct err *err)
{
    struct team_image_input image = {.catalog = m->catalog,
                                     .overlay = m->overlay,
                                     .manifest = m->manifest,
                                     .answers = m->answers.values,
                                     .request = m->request_data};
    if (team_image_put(&m->resolution, m->arena, &image, err) < 0)
        return -1;
    struct render_input input = input_of(m);
    if (render(&m->render, m->arena, &input, err) < 0)
        return -1;
    m->record = (struct record){.catalog = m->catalog->origin,
                                .type = m->manifest->type,
                                .answers = m->answers.kept,
                                .request = m->request_data,
                                .resolution = m->resolution,
                                .engine = TEMPLATE_ENGINE};
    memcpy(m->record.tree, m->render.tree, sizeof(m->record.tree));
    record_hash_inputs(m->record.inputs, &m->record, m->overlay);
    return 0;
}

int making_next(struct words *out, const struct making *m, struct err *err)
{
    struct render_input input = input_of(m);
    return next_lines(out, m->arena, m->manifest, render_context(m->arena, &input), err);
}
