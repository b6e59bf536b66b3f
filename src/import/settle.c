/* The manifest of a type in the making, and whether it works. */
#include "import/settle.h"

#include "base/arena.h"
#include "base/budget.h"
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
#include "import/unread.h"
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
    if (manifest_load(&t->manifest, draft->arena, &t->catalog, draft->type, t->err) < 0)
        return -1;
    return manifest_check_use(draft->arena, &t->catalog, t->manifest, t->err);
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

/* Whether a template that is left takes a piece in, by the name that includes have for it. */
static int is_taken(bool *out, const struct draft *draft, const struct draft_file *piece,
                    const char *name, struct err *err)
{
    *out = false;
    for (size_t i = 0; !*out && i < draft->file_count; i++) {
        const struct draft_file *file = &draft->files[i];
        if (budget_steps(budget_steps_of(file->bytes.len), err) < 0)
            return -1;
        *out = file != piece && file->bytes.len &&
               memmem(file->bytes.ptr, file->bytes.len, name, strlen(name));
    }
    return 0;
}

/* Pieces of files that were put aside: nothing takes them in. */
static int drop_pieces(struct draft *draft, struct err *err)
{
    const char *folder = arena_printf(draft->arena, "templates/%s/includes/", draft->type);
    for (size_t i = draft->unconverted ? draft->file_count : 0; i-- > 0;) {
        const char *path = draft->files[i].path;
        bool taken = true;
        if (str_starts(path, folder) &&
            is_taken(&taken, draft, &draft->files[i],
                     arena_printf(draft->arena, "%s/%s", draft->type, path + strlen(folder)),
                     err) < 0)
            return -1;
        if (taken)
            continue;
        draft->file_count--;
        memmove(&draft->files[i], &draft->files[i + 1],
                (draft->file_count - i) * sizeof(*draft->files));
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
    if (drop_pieces(draft, t->err) < 0 || unread_drop(draft, t->err) < 0 || load_trial(t) < 0)
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
