/* Answers that conditions can be tried with: all that the questions behind them may have. */
#include "author/worlds.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/buf.h"
#include "base/data.h"
#include "base/limits.h"
#include "base/yaml.h"
#include "catalog/manifest.h"
#include "matrix/matrix.h"
#include "template/mentions.h"
#include "template/template.h"

#include <string.h>

#define WORLDS_MAX ((size_t)4096)
#define LIST_CHOICES_MAX ((size_t)6) /* all of whose subsets are tried */

/* A name that conditions read, with the values that it may have. */
struct variable {
    const char *name;
    const struct question *question; /* NULL: resolution */
    const struct data *values;       /* a list */
};

struct world_search {
    struct arena *arena;
    const struct worlds_input *input;
    struct data *names; /* that are read */
    struct variable *variables;
    size_t count, worlds;
    bool simple;
    struct err *err;
};

/* ---------------------------------------------------------------- what is read */

static void see(void *context, const struct mention *mention)
{
    struct world_search *search = context;
    static const char *const known[] = {"resolution.framework", "resolution.framework.name"};
    const char *text = arena_memdup(search->arena, mention->text.ptr, mention->text.len);
    if (mention->kind == MENTION_NAME)
        data_put(search->arena, search->names, text, data_null(search->arena));
    else if (mention->kind == MENTION_MEMBER && str_starts(text, "resolution."))
        search->simple &=
            str_is_among(text, known, 2) || str_starts(text, "resolution.framework.name.");
    else if (mention->kind == MENTION_MEMBER && str_starts(text, "request."))
        search->simple = false;
}

static void read_names(struct world_search *search, const struct manifest_text *text,
                       bool expression)
{
    ERR_SCRATCH(ignored);
    struct data *known = data_map(search->arena);
    struct template_source source = {.name = "when", .text = span_from(text->text)};
    const struct mention_reader reader = {
        .known = known, .see = see, .context = search, .members = true};
    if (template_mentions(&reader, &source, expression, &ignored) < 0)
        search->simple = false;
}

/* ---------------------------------------------------------------- values */

static struct data *choice_texts(struct arena *arena, const struct question *question)
{
    const struct yaml_node *node = question->choices;
    struct data *list = data_list(arena);
    if (!node || node->kind != YAML_LIST)
        return NULL;
    for (size_t i = 0; i < node->list.count; i++) {
        const struct yaml_node *item = choice_value(node->list.items[i]);
        if (!item || item->kind != YAML_SCALAR || strchr(item->text.ptr, '{'))
            return NULL;
        data_push(arena, list, data_str(arena, item->text.ptr));
    }
    return list;
}

static struct data *subsets(struct arena *arena, const struct data *texts)
{
    struct data *all = data_list(arena);
    if (!texts || texts->list.count > LIST_CHOICES_MAX)
        return NULL;
    for (size_t bits = 0; bits < (size_t)1 << texts->list.count; bits++) {
        struct data *one = data_list(arena);
        for (size_t i = 0; i < texts->list.count; i++)
            if (bits >> i & 1)
                data_push(arena, one, texts->list.items[i]);
        data_push(arena, all, one);
    }
    return all;
}

/* NULL: nobody can say. */
static const struct data *values_of(struct arena *arena, const struct question *question)
{
    static const char *const some[] = {"", "x"};
    struct data *list = data_list(arena);
    switch (question->type) {
    case QUESTION_BOOL:
        data_push(arena, list, data_bool(arena, false));
        data_push(arena, list, data_bool(arena, true));
        return list;
    case QUESTION_CHOICE:
        return choice_texts(arena, question);
    case QUESTION_LIST:
        return subsets(arena, choice_texts(arena, question));
    case QUESTION_STR:
        return data_texts(arena, some, 2);
    case QUESTION_INT:
    case QUESTION_FLOAT:
    case QUESTION_TYPE_COUNT:
        break;
    }
    return NULL;
}

static const struct data *frameworks_of(struct arena *arena, const struct worlds_input *input)
{
    const char **names = input->manifest->frameworks;
    size_t count = input->manifest->framework_count;
    struct data *list = data_list(arena);
    if (!input->manifest->has_stack)
        return NULL;
    if (!count)
        count = matrix_frameworks(&names, arena, input->files);
    for (size_t i = 0; i < count; i++) {
        struct data *resolution = data_map(arena), *framework = data_map(arena);
        data_put_text(arena, framework, "name", names[i]);
        data_put(arena, resolution, "framework", framework);
        data_push(arena, list, resolution);
    }
    return list;
}

/* Gives each name its values; false where there are too many worlds, or a name of another kind. */
static bool choose_variables(struct world_search *search)
{
    search->variables =
        arena_array(search->arena, search->names->map.count + 1, sizeof(*search->variables));
    search->worlds = 1;
    for (size_t i = 0; i < search->names->map.count; i++) {
        const char *name = search->names->map.members[i].name.ptr;
        const struct question *question = manifest_question(search->input->manifest, name);
        if (strcmp(name, "template") == 0)
            continue;
        const struct data *values = question ? values_of(search->arena, question)
                                    : strcmp(name, "resolution") == 0
                                        ? frameworks_of(search->arena, search->input)
                                        : NULL;
        if (!values || !values->list.count || search->worlds * values->list.count > WORLDS_MAX)
            return false;
        search->worlds *= values->list.count;
        search->variables[search->count++] = (struct variable){name, question, values};
    }
    return true;
}

/* ---------------------------------------------------------------- trying them */

static bool holds(const struct manifest_text *when, const struct data *world)
{
    ERR_SCRATCH(ignored);
    bool truth = false;
    struct template_source source = {.name = "when", .text = span_from(when->text)};
    return template_test(&truth, &source, world, &ignored) == 0 && truth;
}

static bool renders_to(const struct wanted_text *wanted, const struct data *world)
{
    ERR_SCRATCH(ignored);
    BUF_SCRATCH(out, LIMIT_PATH_BYTES);
    struct template_source source = {.name = "name", .text = span_from(wanted->text->text)};
    return template_render(&out, &source, world, NULL, &ignored) == 0 &&
           str_equal(buf_text(&out), wanted->is);
}

/* A question that is not asked has its default, which nobody knows here. */
static bool is_possible(const struct world_search *search, const struct data *world)
{
    for (size_t i = 0; i < search->count; i++) {
        const struct question *question = search->variables[i].question;
        if (question && question->when.text && !holds(&question->when, world))
            return false;
    }
    for (size_t i = 0; i < search->input->manifest->refusal_count; i++)
        if (holds(&search->input->manifest->refusals[i].when, world))
            return false;
    return true;
}

static bool is_wanted(const struct world_search *search, const struct data *world)
{
    const struct worlds_input *input = search->input;
    for (size_t i = 0; i < input->condition_count; i++)
        if (!holds(input->conditions[i], world))
            return false;
    for (size_t i = 0; i < input->wanted_count; i++)
        if (!renders_to(&input->wanted[i], world))
            return false;
    return is_possible(search, world);
}

static struct data *make_world(const struct world_search *search, struct arena *arena,
                               size_t number)
{
    struct data *world = data_map(arena);
    data_put_text(arena, world, "template", search->input->manifest->kind);
    for (size_t i = 0; i < search->count; i++) {
        const struct data *values = search->variables[i].values;
        data_put(arena, world, search->variables[i].name,
                 data_copy(arena, values->list.items[number % values->list.count]));
        number /= values->list.count;
    }
    return world;
}

int worlds_find(struct data **out, struct arena *arena, const struct worlds_input *input,
                struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct world_search search = {
        .arena = &scratch, .input = input, .names = data_map(&scratch), .simple = true, .err = err};
    *out = NULL;
    for (size_t i = 0; i < input->condition_count; i++)
        read_names(&search, input->conditions[i], true);
    for (size_t i = 0; i < input->wanted_count; i++)
        read_names(&search, input->wanted[i].text, false);
    if (!search.simple || !choose_variables(&search))
        return budget_steps(0, err);
    for (size_t i = 0; i < search.worlds && !*out; i++) {
        ARENA_SCRATCH(room);
        const struct data *world = make_world(&search, &room, i);
        if (budget_steps(1, err) < 0)
            return -1;
        if (is_wanted(&search, world))
            *out = data_copy(arena, world);
    }
    return 0;
}

const char *worlds_shown(struct arena *arena, const struct data *world)
{
    BUF_SCRATCH(out, LIMIT_MIB);
    for (size_t i = 0; i < world->map.count; i++) {
        const struct data_member *member = &world->map.members[i];
        bool stack = str_equal(member->name.ptr, "resolution");
        if (str_equal(member->name.ptr, "template"))
            continue;
        (void)buf_printf(&out, "%s%s = ", out.len ? ", " : "",
                         stack ? "framework" : member->name.ptr);
        (void)yaml_write_flow(&out, stack ? data_get(data_get(member->value, "framework"), "name")
                                          : member->value);
    }
    return arena_strdup(arena, buf_text(&out));
}
