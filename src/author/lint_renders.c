/* What comes out of types and base images: Dockerfiles and workflows, with rules of their own. */
#include "author/lint_run.h"

#include "author/file_checks.h"
#include "base/arena.h"
#include "base/budget.h"
#include "base/data.h"
#include "base/fileset.h"
#include "base/yaml.h"
#include "catalog/base_image.h"
#include "catalog/catalog.h"
#include "catalog/render.h"
#include "child/making.h"
#include "image/context.h"
#include "image/lock.h"
#include "image/rows.h"

#include <string.h>

/* ---------------------------------------------------------------- where a line comes from */

/* A file of a render that is being checked. */
struct checked {
    struct lint *lint;
    struct arena *arena;
    const struct render_entry *entry;
    const char *type;
};

static struct span line_of(struct span text, size_t number)
{
    while (--number) {
        const char *end = text.len ? memchr(text.ptr, '\n', text.len) : NULL;
        size_t skip = end ? (size_t)(end + 1 - text.ptr) : text.len;
        text = span_of(text.ptr + skip, text.len - skip);
    }
    const char *end = text.len ? memchr(text.ptr, '\n', text.len) : NULL;
    return span_of(text.ptr, end ? (size_t)(end - text.ptr) : text.len);
}

/* Where the line of that text begins that has `before` others like it before it, or -1. */
static long find_line(struct span text, struct span line, size_t before)
{
    for (size_t at = 0; at < text.len;) {
        const char *end = memchr(text.ptr + at, '\n', text.len - at);
        size_t len = end ? (size_t)(end - text.ptr) - at : text.len - at;
        if (span_equal(span_of(text.ptr + at, len), line) && before-- == 0)
            return (long)at;
        at += len + 1;
    }
    return -1;
}

static size_t leading_blanks(struct span line)
{
    size_t blanks = 0;
    while (blanks < line.len && strchr(" \t", line.ptr[blanks]))
        blanks++;
    return blanks;
}

/* In a file of the catalog; false: the line does not stand there. */
static bool place_in(struct err *wrong, const struct checked *checked, const char *path,
                     struct span line, size_t before)
{
    ERR_SCRATCH(ignored);
    struct span text;
    const struct fileset *files = checked->lint->files;
    long index = fileset_find(files, path), at = -1;
    if (index < 0 || files->read(&text, files, (size_t)index, &ignored) < 0)
        return false;
    while ((at = find_line(text, line, before)) < 0 && before > 0)
        before--; /* a loop renders one line several times */
    if (at >= 0)
        (void)err_at(wrong, path, text.ptr, text.len, (size_t)at + leading_blanks(line));
    return at >= 0;
}

/* How many lines before that one are like it. */
static size_t count_before(struct span text, struct span line)
{
    size_t count = 0;
    for (long at; (at = find_line(text, line, count)) >= 0 && text.ptr + at < line.ptr;)
        count++;
    return count;
}

/* The template's line, or one that it includes; where it is made of several, the rendered one. */
static void place(struct err *wrong, const struct checked *checked, size_t number)
{
    const struct render_entry *entry = checked->entry;
    struct span line = line_of(entry->bytes, number);
    if (place_in(wrong, checked, entry->source, line, count_before(entry->bytes, line)))
        return;
    for (size_t i = 0; line.len > 8 && i < checked->lint->include_count; i++)
        if (data_get(checked->lint->reached, checked->lint->include_paths[i]) &&
            place_in(wrong, checked, checked->lint->include_paths[i], line, 0))
            return;
    (void)err_wrap(wrong, "in line %zu of '%s' as it is rendered", number, entry->path);
    (void)err_at(wrong, entry->source, line.ptr, line.len, leading_blanks(line));
    wrong->where.line = wrong->where.column = 1;
}

static void found(void *context, enum lint_rule rule, size_t line, const struct err *wrong)
{
    struct checked *checked = context;
    ERR_SCRATCH(placed);
    if (findings_full(checked->lint->findings, rule) ||
        !budget_try_steps(2 * budget_steps_of(checked->entry->bytes.len)))
        return;
    (void)err_set(&placed, wrong->exit, wrong->code, "%s", wrong->message);
    (void)err_hint(&placed, "%s", wrong->hint);
    place(&placed, checked, line);
    findings_add_of(checked->lint->findings, rule, &placed, wrong->message, checked->type);
}

static int check_files(struct lint *lint, struct arena *arena, const char *type,
                       const struct render *render)
{
    for (size_t i = 0; i < render->count; i++) {
        const struct render_entry *entry = &render->entries[i];
        struct checked checked = {lint, arena, entry, type};
        const struct check_report report = {found, &checked};
        bool dockerfile = is_dockerfile(entry->path), workflow = is_workflow(entry->path);
        if (!*entry->source || (!dockerfile && !workflow))
            continue;
        if (budget_steps(budget_steps_of(entry->bytes.len), lint->err) < 0)
            return -1;
        if (dockerfile)
            check_dockerfile(&report, arena, entry->bytes);
        else
            check_workflow(&report, arena, entry->path, entry->bytes);
    }
    return 0;
}

/* ---------------------------------------------------------------- answers */

/* The choices of a list with commas between, or NULL: there are none that are plain. */
static const char *all_choices(struct arena *arena, const struct question *question)
{
    const struct yaml_node *node = question->choices;
    const char *all = NULL;
    for (size_t i = 0; node && node->kind == YAML_LIST && i < node->list.count; i++)
        if (node->list.items[i]->kind == YAML_SCALAR)
            all = arena_printf(arena, "%s%s%s", all ? all : "", all ? "," : "",
                               node->list.items[i]->text.ptr);
    return all;
}

/* Guesses count only where they are right: of what has no default, and with `all` of what adds. */
static void guess(struct given_list *out, struct arena *arena, const struct manifest *manifest,
                  bool all)
{
    static const char *const some[] = {
        "example", "registry.example.org/example", "1", "1.0", "example@example.org", "e", "true"};
    for (size_t i = 0; i < manifest->question_count; i++) {
        const struct question *question = &manifest->questions[i];
        struct given given = {.name = question->name, .from = GIVEN_GUESS};
        if (question->type == QUESTION_LIST && (all || !question->fallback))
            given.text = all_choices(arena, question);
        else if (question->type == QUESTION_BOOL && all)
            given.text = "true";
        if (given.text)
            given_add(out, arena, given);
        if (given.text || (question->fallback && !(all && question->type == QUESTION_STR)) ||
            strcmp(question->name, "name") == 0)
            continue;
        for (size_t j = 0; j < sizeof(some) / sizeof(*some); j++) {
            given.text = some[j];
            given_add(out, arena, given);
        }
    }
}

/* ---------------------------------------------------------------- types */

static int make(struct making *m, const struct lint_type *type, bool all, struct err *err)
{
    struct given_list given = {0}, none = {0};
    struct stack_request request = {0};
    const char **frameworks;
    if (making_type(m, type->name, err) < 0)
        return -1;
    if (m->manifest->has_stack && making_frameworks(&frameworks, m))
        request_say(&request, m->arena, CHOICE_FRAMEWORK, frameworks[0]);
    guess(&given, m->arena, m->manifest, all);
    if (making_stack(m, &none, &request, err) < 0 || making_answers(m, &given, "example", err) < 0)
        return -1;
    return making_render(m, err);
}

/* Whether one of "a, b" is that type. */
static bool is_about(const char *types, const char *type)
{
    size_t len = strlen(type);
    for (const char *at = types; at && (at = strstr(at, type)); at += len)
        if ((at == types || at[-1] == ' ') && (!at[len] || at[len] == ','))
            return true;
    return false;
}

/* Whether an error of the type was found before: rendering would only say it again. */
static bool is_told(const struct lint *lint, const struct lint_type *type)
{
    const char *folder =
        arena_printf(lint->arena, type->image ? "base-images/%s/" : "templates/%s/", type->name);
    for (size_t i = 0; i < lint->findings->count; i++) {
        const struct finding *finding = &lint->findings->items[i];
        const char *file = finding->file ? finding->file : "";
        if (lint_rules[finding->rule].is_error &&
            (finding->rule == RULE_MATRIX || is_about(finding->types, type->name) ||
             str_starts(file, folder) || str_ends(file, "/layer.yml")))
            return true;
    }
    return lint->findings->more > 0;
}

static int check_type(struct lint *lint, const struct lint_type *type, bool all)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(wrong);
    struct making m = {.arena = &arena, .catalog = lint->input->catalog, .overlay = span_of("", 0)};
    if (make(&m, type, all, &wrong) == 0)
        return check_files(lint, &arena, type->name, &m.render);
    if (lint_ends(&wrong))
        return lint_keep(lint, RULE_RENDER, &wrong);
    if (all || is_told(lint, type) || str_equal(wrong.code, "missing-answer"))
        return 0;
    findings_add_of(lint->findings, RULE_RENDER, &wrong, wrong.message, type->name);
    return 0;
}

/* ---------------------------------------------------------------- base images */

static int check_image(struct lint *lint, const struct lint_type *type)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(wrong);
    const char *name = type->name;
    struct image_selection selection = {
        .catalog = lint->input->catalog, .overlay = span_of("", 0), .images = {&name, 1}};
    struct lock lock = {"", data_map(&arena), data_map(&arena)};
    struct image_row *rows;
    struct data *refusal;
    struct render render;
    size_t count;
    int rc = image_rows(&rows, &count, &refusal, &arena, &selection, &wrong);
    if (rc == 0 && !count)
        return 0;
    if (rc == 0 && image_context(&render, &arena, lint->input->catalog, rows, &lock, &wrong) == 0)
        return check_files(lint, &arena, name, &render);
    if (lint_ends(&wrong))
        return lint_keep(lint, RULE_RENDER, &wrong);
    if (!is_told(lint, type))
        findings_add_of(lint->findings, RULE_RENDER, &wrong, wrong.message, name);
    return 0;
}

int lint_renders(struct lint *lint)
{
    for (size_t i = 0; i < lint->type_count; i++) {
        const struct lint_type *type = &lint->types[i];
        if (!type->manifest || type->damaged || type->layers_damaged)
            continue;
        if (type->image ? check_image(lint, type) < 0
                        : check_type(lint, type, false) < 0 || check_type(lint, type, true) < 0)
            return -1;
    }
    return 0;
}
