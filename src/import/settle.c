/* The manifest of a type in the making, and whether it works. */
#include "import/settle.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/data.h"
#include "base/fileset.h"
#include "base/limits.h"
#include "base/yaml.h"
#include "catalog/answers.h"
#include "catalog/catalog.h"
#include "catalog/include.h"
#include "catalog/manifest.h"
#include "catalog/render.h"
#include "catalog/use.h"
#include "import/convert.h"
#include "import/draft.h"
#include "import/memory.h"
#include "template/template.h"

#include <string.h>

static const char *manifest_path(const struct draft *draft)
{
    return arena_printf(draft->arena, "templates/%s/template.yml", draft->type);
}

/* ---------------------------------------------------------------- the manifest's text */

static void put_rows(struct draft *draft, struct data *root, const char *key, struct data *rows)
{
    if (rows->list.count)
        data_put(draft->arena, root, key, rows);
}

static int put_manifest(struct draft *draft, struct err *err)
{
    BUF_SCRATCH(text, LIMIT_DOCUMENT_BYTES);
    struct data *root = data_map(draft->arena);
    data_put_text(draft->arena, root, "description", draft->description);
    data_put_text(draft->arena, root, "stack", "none");
    if (draft->dialect.files == DELIMITERS_SQUARE)
        data_put_text(draft->arena, root, "delimiters", "square");
    put_rows(draft, root, "questions", draft->questions);
    put_rows(draft, root, "refuse", draft->refuse);
    put_rows(draft, root, "files", draft->rules);
    if (yaml_write(&text, root, 0) < 0)
        return err_set(err, TG_USAGE, "limit", "the manifest of '%s' becomes larger than %zu MiB",
                       draft->type, LIMIT_DOCUMENT_BYTES / LIMIT_MIB);
    struct span bytes = span_of(arena_memdup(draft->arena, text.ptr, text.len), text.len);
    for (size_t i = 0; i < draft->file_count; i++)
        if (strcmp(draft->files[i].path, manifest_path(draft)) == 0) {
            draft->files[i].bytes = bytes;
            return 0;
        }
    draft_add_file(draft, (struct draft_file){.path = manifest_path(draft), .bytes = bytes});
    return 0;
}

/* ---------------------------------------------------------------- questions that nothing reads */

/* A catalog of this type alone, to be read. */
struct trial {
    struct draft *draft;
    struct catalog catalog;
    struct manifest *manifest;
    struct render_input input;
    struct answers answers;
    struct err *err;
};

static int load_trial(struct trial *t)
{
    struct draft *draft = t->draft;
    if (put_manifest(draft, t->err) < 0)
        return -1;
    t->catalog =
        (struct catalog){.name = draft->type,
                         .origin = {.source = draft->type, .version = "0.1.0"},
                         .files = memory_set(draft->arena, draft->files, draft->file_count)};
    return manifest_load(&t->manifest, draft->arena, &t->catalog, draft->type, t->err);
}

static struct data *without(struct draft *draft, const struct data *rows, const struct data *row)
{
    struct data *rest = data_list(draft->arena);
    for (size_t i = 0; i < rows->list.count; i++)
        if (rows->list.items[i] != row)
            data_push(draft->arena, rest, rows->list.items[i]);
    return rest;
}

static bool reads(const struct draft *draft, const char *text, bool expression, const char *name)
{
    struct data *names = data_map(draft->arena);
    struct template_source source = {.name = "", .text = span_from(text)};
    ERR_SCRATCH(ignored);
    return template_names(names, draft->arena, &source, expression, NULL, &ignored) < 0 ||
           data_get(names, name);
}

/* With its rules: what they say of it alone makes no difference either. */
static void drop_question(struct draft *draft, struct data *row)
{
    const char *name = data_get_text(row, "name");
    for (size_t i = draft->refuse->list.count; i-- > 0;) {
        const struct data *rule = draft->refuse->list.items[i];
        if (reads(draft, data_get_text(rule, "when"), true, name) ||
            reads(draft, data_get_text(rule, "because"), false, name))
            draft->refuse = without(draft, draft->refuse, rule);
    }
    data_push(draft->arena, draft->left_out, row);
    draft->questions = without(draft, draft->questions, row);
}

/* The question at the line that a refusal blames. */
static struct data *blamed(const struct draft *draft, const struct err *err)
{
    for (size_t i = 0; i < draft->questions->list.count; i++) {
        struct data *row = draft->questions->list.items[i];
        ARENA_SCRATCH(scratch);
        const char *end = arena_printf(&scratch, "answer to '%s'", data_get_text(row, "name"));
        if (err->message && str_ends(err->message, end))
            return row;
    }
    return NULL;
}

/* Until each is read: one may be read by another that is not. */
static int drop_unread(struct trial *t)
{
    struct draft *draft = t->draft;
    for (;;) {
        ERR_SCRATCH(err);
        if (load_trial(t) < 0)
            return -1;
        if (manifest_check_use(draft->arena, &t->catalog, t->manifest, &err) == 0)
            return 0;
        struct data *row = blamed(draft, &err);
        if (!row) {
            *t->err = err;
            err = (struct err)ERR_INIT;
            return -1;
        }
        if (!draft_is_computed(row))
            draft_tell(draft, "unused", NULL, 0,
                       "no template reads the answer to '%s': it is left out",
                       data_get_text(row, "name"));
        drop_question(draft, row);
    }
}

/* ---------------------------------------------------------------- does it render? */

/* Something for each answer that is needed. */
static void invent(struct given_list *given, struct arena *arena, const struct manifest *manifest)
{
    static const char *const some[QUESTION_TYPE_COUNT] = {
        [QUESTION_STR] = "x",      [QUESTION_INT] = "1",  [QUESTION_FLOAT] = "1",
        [QUESTION_BOOL] = "false", [QUESTION_LIST] = "x",
    };
    for (size_t i = 0; i < manifest->question_count; i++) {
        const struct question *question = &manifest->questions[i];
        const struct yaml_node *choices = question->choices;
        const char *text = some[question->type];
        if (question->fallback || question->when.text || yaml_get(question->node, "computed"))
            continue;
        if (choices && choices->kind == YAML_LIST && choices->list.items[0]->kind == YAML_SCALAR)
            text = choices->list.items[0]->text.ptr;
        if (text && strcmp(question->name, "name") != 0)
            given_add(given, arena,
                      (struct given){.name = question->name, .from = GIVEN_SET, .text = text});
    }
}

/* With its defaults. */
static int answer_trial(struct trial *t, struct err *err)
{
    struct arena *arena = t->draft->arena;
    struct given_list given = {0};
    t->input = (struct render_input){.catalog = &t->catalog, .manifest = t->manifest};
    invent(&given, arena, t->manifest);
    if (answers_collect(&t->answers, arena, t->manifest, &given, render_context(arena, &t->input),
                        t->draft->type, NULL, err) < 0)
        return -1;
    t->input.answers = t->answers.values;
    return 0;
}

/* The template that a failure is the fault of, or -1: also where a piece of it is. */
static long faulty_file(const struct draft *draft, const struct err *err)
{
    const char *place = err->where.file;
    for (size_t i = 0; i < draft->file_count; i++) {
        const char *path = draft->files[i].path;
        bool in_trace = err->trace && strstr(err->trace, path);
        if (str_ends(path, ".j2") && (str_equal(place, path) || in_trace))
            return (long)i;
    }
    return -1;
}

/* Each template for itself, so that all that fail are found at once: how many did. */
static int undo_failing(size_t *undone, struct trial *t)
{
    struct draft *draft = t->draft;
    struct include_source includes = {.arena = draft->arena, .files = t->catalog.files};
    struct template_loader loader = {.load = load_include, .context = &includes};
    const struct data *context = render_context(draft->arena, &t->input);
    const char *folder = arena_printf(draft->arena, "templates/%s/files/", draft->type);
    for (size_t i = draft->file_count; i-- > 0;) {
        BUF_SCRATCH(out, LIMIT_RENDERED_BYTES);
        ERR_SCRATCH(why);
        const struct draft_file *file = &draft->files[i];
        struct template_source source = {
            .name = file->path, .text = file->bytes, .delimiters = draft->dialect.files};
        if (!str_starts(file->path, folder) || !str_ends(file->path, ".j2") ||
            template_render(&out, &source, context, &loader, &why) == 0)
            continue;
        if (convert_undo(draft, i, why.where.line, why.message, t->err) < 0)
            return -1;
        ++*undone;
    }
    return 0;
}

/* Until it renders: 1 where a file was put aside, and another try is due. */
static int try_type(struct trial *t)
{
    struct draft *draft = t->draft;
    ERR_SCRATCH(why);
    struct render rendered;
    size_t undone = 0;
    if (drop_unread(t) < 0)
        return -1;
    if (answer_trial(t, &why) == 0) {
        if (undo_failing(&undone, t) < 0)
            return -1;
        if (undone)
            return 1;
        if (render(&rendered, draft->arena, &t->input, &why) == 0)
            return 0;
    }
    long file = faulty_file(draft, &why);
    if (file >= 0)
        return convert_undo(draft, (size_t)file, why.where.line, why.message, t->err) < 0 ? -1 : 1;
    draft_tell(draft, "render", why.where.file, why.where.line,
               "with the defaults it does not render: %s", why.message);
    return 0;
}

enum { TRIES = 100 };

int settle_type(struct draft *draft, struct err *err)
{
    struct trial t = {.draft = draft, .err = err};
    int rc = 1;
    for (int i = 0; rc > 0 && i < TRIES; i++)
        rc = try_type(&t);
    if (rc > 0)
        draft_tell(draft, "render", NULL, 0, "too many names of files do not render");
    return rc < 0 ? -1 : 0;
}
