/* The making of a new child: from a catalog and the user's choices to its files and its record. */
#include "child/making.h"

#include "base/arena.h"
#include "catalog/catalog.h"
#include "catalog/manifest.h"
#include "catalog/manifest_text.h"
#include "child/team_image.h"
#include "data/data.h"
#include "data/fileset.h"
#include "data/yaml.h"
#include "matrix/matrix.h"
#include "resolver/resolver.h"

#include <string.h>

/* ---------------------------------------------------------------- the type */

/* A text at the head of a catalog's file; "" where it cannot be read: a later step reports that. */
static const char *head_text(const struct making *m, const char *path, const char *key)
{
    ERR_SCRATCH(ignored);
    struct yaml_doc *doc;
    const char *text = NULL;
    if (fileset_document(&doc, m->arena, m->catalog->files, path, &ignored) < 0 || !doc->root ||
        doc->root->kind != YAML_MAP ||
        yaml_text(&text, yaml_get(doc->root, key), key, &ignored) < 0)
        return "";
    return text ? text : "";
}

static const char *const *labels(const struct making *m, const struct words *names,
                                 const char *(*label)(const struct making *, const char *))
{
    const char **all = arena_array(m->arena, names->count + 1, sizeof(*all));
    for (size_t i = 0; i < names->count; i++)
        all[i] = label(m, names->items[i]);
    return all;
}

static const char *type_label(const struct making *m, const char *type)
{
    return head_text(m, arena_printf(m->arena, "templates/%s/template.yml", type), "description");
}

static const char *framework_label(const struct making *m, const char *name)
{
    return head_text(m, arena_printf(m->arena, "matrices/frameworks/%s.yml", name), "title");
}

int making_type(struct making *m, const char *type, struct err *err)
{
    struct words types;
    types.count = catalog_types(&types.items, m->arena, m->catalog->files);
    if (!type && m->asker && types.count &&
        answers_choose(&type, m->arena, m->asker, "type", "kind of project", &types,
                       labels(m, &types, type_label), false, err) < 0)
        return -1;
    if (!type) {
        (void)err_set(err, TG_USAGE, "missing-answer", "--type is missing");
        return err_hint(err, "the catalog '%s' has: %s", m->catalog->name,
                        str_join(m->arena, types.items, types.count, ", "));
    }
    if (manifest_load(&m->manifest, m->arena, m->catalog, type, err) < 0 ||
        migrations_check(m->arena, m->manifest, err) < 0)
        return -1;
    return migrations_check_names(m->arena, m->manifest, err);
}

/* ---------------------------------------------------------------- the stack */

size_t making_frameworks(const char ***names, const struct making *m)
{
    *names = m->manifest->frameworks.items;
    if (m->manifest->frameworks.count)
        return m->manifest->frameworks.count;
    return matrix_frameworks(names, m->arena, m->catalog->files);
}

/* The type may have files for only some of the catalog's frameworks. */
static int check_framework(const struct making *m, const char *const *names, size_t count,
                           struct err *err)
{
    const char *name = request_framework(&m->request, m->arena);
    const char **known;
    size_t known_count = matrix_frameworks(&known, m->arena, m->catalog->files);
    const char *because = m->manifest->frameworks_because;
    if (str_is_among(name, names, count) || !str_is_among(name, known, known_count))
        return 0; /* unknown everywhere: the matrix names the nearest */
    (void)err_set(err, TG_USAGE, "unknown-framework",
                  "the type '%s' has no files for the framework '%s'%s%s", m->manifest->type, name,
                  because ? ": " : "", because ? because : "");
    return err_hint(err, "it has files for: %s", str_join(m->arena, names, count, ", "));
}

static int no_frameworks(const struct making *m, struct err *err)
{
    (void)err_set(err, TG_USAGE, "missing-file",
                  "the type '%s' has a stack, and the catalog '%s' no frameworks: there is nothing "
                  "in matrices/frameworks/",
                  m->manifest->type, m->catalog->name);
    return err_hint(err,
                    "say 'stack: none' in templates/%s/template.yml, or give the catalog "
                    "matrices/, such as those of tmplgen's own",
                    m->manifest->type);
}

static int choose_framework(struct making *m, struct err *err)
{
    const char *name;
    struct words names;
    names.count = making_frameworks(&names.items, m);
    if (names.count == 0)
        return no_frameworks(m, err);
    if (request_text(&m->request, CHOICE_FRAMEWORK))
        return check_framework(m, names.items, names.count, err);
    if (m->asker) {
        if (answers_choose(&name, m->arena, m->asker, "framework", "what the project uses", &names,
                           labels(m, &names, framework_label), true, err) < 0)
            return -1;
        request_say(&m->request, m->arena, CHOICE_FRAMEWORK, name);
        return 0;
    }
    (void)err_set(err, TG_USAGE, "missing-answer", "--framework is missing");
    return err_hint(err, "the type '%s' takes: %s", m->manifest->type,
                    str_join(m->arena, names.items, names.count, ", "));
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

/*
 * A misspelt name in a template also leaves its question unread. A trial with the defaults finds
 * the undefined name; that error comes first.
 */
static int explain_unused(struct making *m, const struct given_list *given,
                          const char *name_default, struct err *err)
{
    ERR_SCRATCH(trial);
    struct making attempt = *m;
    attempt.asker = NULL;
    struct render_input input = input_of(&attempt);
    int rc = answers_collect(&attempt.answers, m->arena, m->manifest, given,
                             render_context(m->arena, &input), name_default, NULL, &trial);
    if (rc == 0)
        rc = making_render(&attempt, &trial);
    if (rc == 0 || strcmp(trial.code, "template-undefined") != 0)
        return -1;
    (void)err_trace(&trial, "%s:%zu:%zu: %s", err->where.file, err->where.line, err->where.column,
                    err->message);
    return err_move(err, &trial);
}

int making_answers(struct making *m, const struct given_list *given, const char *name_default,
                   struct err *err)
{
    struct render_input input = input_of(m);
    if (!m->is_read && !m->catalog->is_tested &&
        manifest_check_use(m->arena, m->catalog, m->manifest, err) < 0)
        return str_equal(err->code, UNUSED_QUESTION) ? explain_unused(m, given, name_default, err)
                                                     : -1;
    m->is_read = true;
    return answers_collect(&m->answers, m->arena, m->manifest, given,
                           render_context(m->arena, &input), name_default, m->asker, err);
}

const char *making_name(const struct making *m)
{
    const char *type = m->manifest->type;
    return m->manifest->has_stack
               ? arena_printf(m->arena, "%s-%s", request_framework(&m->request, m->arena), type)
               : type;
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
    struct data *context = render_context(m->arena, &input);
    const struct data *secrets = m->answers.secrets;
    for (size_t i = 0; i < secrets->map.count; i++)
        data_put_span(m->arena, context, secrets->map.members[i].name,
                      secrets->map.members[i].value);
    return next_lines(out, m->arena, m->manifest, context, err);
}
