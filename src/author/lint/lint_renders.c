/* Renders types and base images with their default answers, to find errors. */
#include "author/lint/lint_run.h"

#include "base/arena.h"
#include "catalog/base_image.h"
#include "catalog/catalog.h"
#include "catalog/render.h"
#include "child/making.h"
#include "data/data.h"
#include "data/fileset.h"
#include "data/yaml.h"
#include "image/build_context.h"
#include "image/image_rows.h"
#include "image/lock.h"

#include <string.h>

/* ---------------------------------------------------------------- answers */

/* All choices of a list, separated by commas; NULL: it has no plain ones. */
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

/* Guesses answers without a default. Only a valid guess counts. */
static void guess(struct given_list *out, struct arena *arena, const struct manifest *manifest)
{
    static const char *const some[] = {
        "example", "registry.example.org/example", "1", "1.0", "example@example.org", "e", "true"};
    for (size_t i = 0; i < manifest->question_count; i++) {
        const struct question *question = &manifest->questions[i];
        struct given given = {.name = question->name, .from = GIVEN_GUESS};
        if (question->fallback || strcmp(question->name, "name") == 0)
            continue;
        if (question->type == QUESTION_LIST)
            given.text = all_choices(arena, question);
        if (given.text) {
            given_add(out, arena, given);
            continue;
        }
        for (size_t j = 0; j < sizeof(some) / sizeof(*some); j++) {
            given.text = some[j];
            given_add(out, arena, given);
        }
    }
}

/* ---------------------------------------------------------------- types */

static int make(struct making *m, const struct lint_type *type, struct err *err)
{
    struct given_list given = {0}, none = {0};
    struct stack_request request = {0};
    const char **frameworks;
    if (making_type(m, type->name, err) < 0)
        return -1;
    if (m->manifest->has_stack && making_frameworks(&frameworks, m))
        request_say(&request, m->arena, CHOICE_FRAMEWORK, frameworks[0]);
    guess(&given, m->arena, m->manifest);
    if (making_stack(m, &none, &request, err) < 0 || making_answers(m, &given, "example", err) < 0)
        return -1;
    return making_render(m, err);
}

/* True where "a, b" contains that type. */
static bool is_about(const char *types, const char *type)
{
    size_t len = strlen(type);
    for (const char *at = types; at && (at = strstr(at, type)); at += len)
        if ((at == types || at[-1] == ' ') && (!at[len] || at[len] == ','))
            return true;
    return false;
}

/* True where an error of the type was found before: rendering would only repeat it. */
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

/* ---------------------------------------------------------------- types and images */

static int make_image(struct lint *lint, struct arena *arena, const char *name, struct err *err)
{
    struct image_selection selection = {
        .catalog = lint->catalog, .overlay = span_of("", 0), .images = {&name, 1}};
    struct lock lock = {"", data_map(arena), data_map(arena)};
    struct image_row *rows;
    struct data *refusal;
    struct render render;
    size_t count;
    if (image_rows(&rows, &count, &refusal, arena, &selection, err) < 0)
        return -1;
    return count ? image_context(&render, arena, lint->catalog, rows, &lock, err) : 0;
}

static int check(struct lint *lint, const struct lint_type *type)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(wrong);
    struct making m = {.arena = &arena, .catalog = lint->catalog, .overlay = span_of("", 0)};
    if ((type->image ? make_image(lint, &arena, type->name, &wrong) : make(&m, type, &wrong)) == 0)
        return 0;
    if (lint_ends(&wrong))
        return lint_keep(lint, RULE_RENDER, &wrong);
    if (!is_told(lint, type) && !str_equal(wrong.code, "missing-answer"))
        findings_add_of(lint->findings, RULE_RENDER, &wrong, wrong.message, type->name);
    return 0;
}

int lint_renders(struct lint *lint)
{
    for (size_t i = 0; i < lint->type_count; i++) {
        const struct lint_type *type = &lint->types[i];
        if (type->manifest && !type->damaged && !type->layers_damaged && check(lint, type) < 0)
            return -1;
    }
    return 0;
}
