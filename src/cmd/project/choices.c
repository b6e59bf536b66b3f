/* A user's choices for a child, from all their sources. */
#include "cmd/project/choices.h"

#include "base/limits.h"
#include "base/str.h"
#include "child/making.h"
#include "cmd/cmd.h"
#include "data/yaml.h"
#include "io/io.h"
#include "registry/reference.h"

#include <fcntl.h>
#include <string.h>

/* Flags that answer a question of the same name ('-' becomes '_'). */
static const char *const project_flags[] = {"name",        "ci",           "deploy",
                                            "gpu-sharing", "orchestrator", "registry"};

const struct option project_options[] = {
    {"name", "NAME", "name of the project (default: PATH's last part, else FRAMEWORK-TYPE)", false},
    {"ci", "LIST", "CI systems, separated by commas, or none", false},
    {"deploy", "WORD", "what to write manifests for: k8s, or none", false},
    {"orchestrator", "WORD", "flyte, airflow, kubeflow, argo, ray, skypilot, slurm, or none",
     false},
    {"gpu-sharing", "WORD", "none, mig:PROFILE, time-slicing, mps, aws-vgpu, dra", false},
    {"registry", "HOST/PATH", "registry of the team's images", false},
    {"set", "KEY=VALUE", "answer any question of the template", true},
    {NULL, NULL, NULL, false},
};

static bool is_stack_name(const char *name)
{
    return stack_choice_of(span_from(name)) < CHOICE_COUNT;
}

/* Adds to the list that the name belongs to. */
static void add(struct choices *out, struct run *run, struct given given)
{
    given_add(is_stack_name(given.name) ? &out->stack : &out->answers, &run->arena, given);
}

static void add_flags(struct choices *out, struct run *run)
{
    const struct parsed *options = &run->options;
    out->type = opt_value(options, "type");
    for (size_t i = 0; i < sizeof(project_flags) / sizeof(*project_flags); i++) {
        const char *text = opt_value(options, project_flags[i]);
        char *name = arena_strdup(&run->arena, project_flags[i]);
        for (char *dash = name; (dash = strchr(dash, '-'));)
            *dash = '_';
        if (text)
            add(out, run, (struct given){.name = name, .from = GIVEN_FLAG, .text = text});
    }
    for (size_t i = 0; i < options->count; i++)
        if (is_stack_name(options->values[i].option->name))
            add(out, run,
                (struct given){.name = options->values[i].option->name,
                               .from = GIVEN_FLAG,
                               .text = options->values[i].text});
}

static int add_sets(struct choices *out, struct run *run, struct err *err)
{
    const struct words sets = opt_values(&run->arena, &run->options, "set");
    for (size_t i = 0; i < sets.count; i++) {
        const char *equals = strchr(sets.items[i], '=');
        if (!equals || equals == sets.items[i])
            return err_set(err, TG_USAGE, "usage", "'--set %s' is not of the form KEY=VALUE",
                           image_shown(&run->arena, sets.items[i]));
        const char *name =
            arena_memdup(&run->arena, sets.items[i], (size_t)(equals - sets.items[i]));
        if (strcmp(name, "type") == 0)
            out->type = out->type ? out->type : equals + 1;
        else
            add(out, run, (struct given){.name = name, .from = GIVEN_SET, .text = equals + 1});
    }
    return 0;
}

static int add_map(struct choices *out, struct run *run, const struct yaml_node *map,
                   enum given_from from, struct err *err)
{
    for (size_t i = 0; map && i < map->map.count; i++) {
        const char *name = map->map.members[i].key->text.ptr, *type = NULL;
        if (strcmp(name, "type") != 0) {
            add(out, run,
                (struct given){.name = name, .from = from, .node = map->map.members[i].value});
            continue;
        }
        if (yaml_text(&type, map->map.members[i].value, "type", err) < 0)
            return -1;
        out->type = out->type ? out->type : type;
    }
    return 0;
}

static int add_file(struct choices *out, struct run *run, struct err *err)
{
    const char *path = opt_value(&run->options, "answers");
    struct yaml_doc *doc;
    struct span text;
    if (!path)
        return 0;
    if (io_read(&text, &run->arena, AT_FDCWD, path, LIMIT_DOCUMENT_BYTES, err) < 0) {
        err->exit = TG_USAGE;
        return err_wrap(err, "--answers");
    }
    if (yaml_parse(&doc, &run->arena, path, text, err) < 0)
        return -1;
    if (doc->root && doc->root->kind != YAML_MAP)
        return yaml_error(err, doc->root, "answers must be a mapping of names to values");
    return add_map(out, run, doc->root, GIVEN_FILE, err);
}

static void add_spelled(struct stack_request *out, const struct run *run)
{
    if (!opt_given(&run->options, "unchecked"))
        out->spelled = out->said[CHOICE_WITH];
}

bool choices_said(struct stack_request *out, struct run *run)
{
    bool any = false;
    *out = (struct stack_request){0};
    for (enum stack_choice i = 0; i < CHOICE_COUNT; i++) {
        out->said[i] = opt_values(&run->arena, &run->options, stack_options[i].name);
        any |= out->said[i].count > 0;
    }
    add_spelled(out, run);
    return any;
}

int choices_gather(struct choices *out, struct run *run, bool configured, struct err *err)
{
    const struct config *config = &run->config;
    *out = (struct choices){0};
    if (configured && cmd_config(run, err) < 0)
        return -1;
    add_flags(out, run);
    if (add_sets(out, run, err) < 0 || add_file(out, run, err) < 0 ||
        (configured && add_map(out, run, config->answers, GIVEN_CONFIG, err) < 0))
        return -1;
    if (configured && config->registry)
        add(out, run,
            (struct given){.name = "registry", .from = GIVEN_CONFIG, .text = config->registry});
    return 0;
}

/* Reads a single text; a list of one counts, too. */
static int one_text(struct words *out, struct arena *arena, const struct given *given,
                    const char *name, struct err *err)
{
    const char *text = given->text;
    if (given->node && yaml_text(&text, given->node, name, err) < 0)
        return -1;
    if (text) {
        out->items = arena_array(arena, 1, sizeof(*out->items));
        out->items[out->count++] = text;
    }
    return 0;
}

struct words choices_split(struct arena *arena, const char *text)
{
    struct words out = {0};
    char *rest = arena_strdup(arena, text), *part;
    while ((part = strsep(&rest, ","))) {
        part += strspn(part, " ");
        struct span piece = span_trim_end(span_from(part), " ");
        if (piece.len)
            words_add(&out, arena, arena_memdup(arena, piece.ptr, piece.len));
    }
    return out;
}

/* Reads several texts: repeated flags, a list in a file, or a text with commas in --set. */
static int many_texts(struct words *out, struct run *run, const struct given *given,
                      const char *name, struct err *err)
{
    if (given->from == GIVEN_FLAG) {
        *out = opt_values(&run->arena, &run->options, name);
        return 0;
    }
    if (given->node && given->node->kind == YAML_LIST)
        return yaml_texts(out, &run->arena, given->node, name, err);
    const char *text = given->text;
    if (given->node && yaml_text(&text, given->node, name, err) < 0)
        return -1;
    *out = choices_split(&run->arena, text);
    return 0;
}

int choices_request(struct stack_request *out, struct run *run, const struct choices *choices,
                    struct err *err)
{
    *out = (struct stack_request){0};
    for (enum stack_choice i = 0; i < CHOICE_COUNT; i++) {
        const char *name = stack_options[i].name;
        const struct given *given = given_find(&choices->stack, name);
        if (given && (stack_options[i].repeatable
                          ? many_texts(&out->said[i], run, given, name, err)
                          : one_text(&out->said[i], &run->arena, given, name, err)) < 0)
            return -1;
    }
    add_spelled(out, run);
    return machine_fill_auto(out, run, err);
}

int choices_stack(struct making *making, struct run *run, const struct choices *choices,
                  struct err *err)
{
    struct stack_request request = {0};
    if (making->manifest->has_stack && choices_request(&request, run, choices, err) < 0)
        return -1;
    int rc = making_stack(making, &choices->stack, &request, err);
    if (making->refusal)
        cmd_refuse(run, making->refusal);
    return rc;
}
