/* `template list`, `template show`: the types of a catalog; a type's questions, and the source
 * of each path. */
#include "author/show_catalog.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "child/making.h"
#include "cmd/cmd.h"
#include "cmd/project/choices.h"
#include "cmd/template/author_session.h"
#include "data/document.h"
#include "data/yaml.h"

#include <string.h>

#define WIDTH 98

/* ---------------------------------------------------------------- words */

/* Prints lines that fit the screen, each after `indent` blanks. */
static void print_wrapped(struct run *run, int indent, const char *text)
{
    BUF_SCRATCH(lines, LIMIT_MIB);
    if (!*text)
        return;
    (void)buf_printf(&lines, "%*s", indent, "");
    wrap_text(&lines, text, (size_t)indent, (size_t)indent, WIDTH);
    cmd_print(run, "%s", buf_text(&lines));
}

/* Prints "LABEL text"; nothing without a text. */
static void print_member(struct run *run, int indent, const char *label, const char *text)
{
    if (text && *text)
        print_wrapped(run, indent, arena_printf(&run->arena, "%s %s", label, text));
}

/* A text as it is, a list as in YAML. */
static const char *value_text(struct run *run, const struct data *value)
{
    BUF_SCRATCH(out, LIMIT_MIB);
    if (value->kind == DATA_NULL)
        return NULL;
    (void)yaml_write_flow(&out, value);
    return cmd_masked(run, buf_text(&out));
}

static const char *list_text(struct run *run, const struct data *list)
{
    return cmd_masked(run, data_join(&run->arena, list, NULL));
}

static const char *place_text(struct run *run, const struct data *map)
{
    const struct data *line = data_get(map, "line");
    return line->kind == DATA_INT
               ? arena_printf(&run->arena, "%s:%lld", cmd_shown(run, map, "file"),
                              (long long)line->integer)
               : NULL;
}

static void print_head(struct run *run, const struct data *type)
{
    const struct data *catalog = data_get(type, "catalog");
    cmd_print(run, "%s: %s\n", cmd_shown(run, type, "type"), cmd_shown(run, type, "description"));
    cmd_print(run, "of the catalog %s %s\n", cmd_shown(run, catalog, "name"),
              cmd_shown(run, catalog, "version"));
    if (strcmp(data_shown(type, "stack"), "none") == 0) {
        cmd_print(run, "\nno stack\n");
        return;
    }
    cmd_print(run, "\nStack\n");
    print_member(run, 2, "frameworks:", list_text(run, data_get(type, "frameworks")));
    print_member(run, 2, "no others, because", cmd_shown(run, type, "frameworks_because"));
    print_member(run, 2, "Python:", cmd_shown(run, type, "python"));
    print_member(run, 2, "distributions:", list_text(run, data_get(type, "distributions")));
}

static void print_layers(struct run *run, const struct data *layers)
{
    if (layers->list.count)
        cmd_print(run, "\nLayers, in their order; the type's own files come last\n");
    for (size_t i = 0; i < layers->list.count; i++) {
        const struct data *layer = layers->list.items[i];
        cmd_print(run, "  %s\n", cmd_shown(run, layer, "name"));
        print_member(run, 6, "when", cmd_shown(run, layer, "when"));
        print_member(run, 6, "replaces", list_text(run, data_get(layer, "overrides")));
    }
}

/* "list of int", "str, secret". */
static const char *kind_text(struct run *run, const struct data *question)
{
    const char *items = data_get_text(question, "items");
    return arena_printf(&run->arena, "%s%s%s%s%s", data_shown(question, "type"),
                        items ? " of " : "", items ? items : "",
                        data_get(question, "multiline")->boolean ? ", several lines" : "",
                        data_get(question, "secret")->boolean ? ", secret" : "");
}

/* Prints choices in one line; with labels, one a line. */
static void print_choices(struct run *run, const struct data *question)
{
    const struct data *choices = data_get(question, "choices");
    const struct data *labels = data_get(question, "labels");
    bool labelled = false;
    for (size_t i = 0; labels->kind == DATA_LIST && i < labels->list.count; i++)
        labelled |= labels->list.items[i]->kind == DATA_STR;
    if (!labelled) {
        print_member(run, 6, "choices:", value_text(run, choices));
        return;
    }
    cmd_print(run, "      choices:\n");
    for (size_t i = 0; i < choices->list.count; i++) {
        const char *label = data_text(labels->list.items[i]);
        const char *choice = cmd_masked(run, data_text(choices->list.items[i]));
        print_wrapped(run, 8,
                      label ? arena_printf(&run->arena, "%s: %s", choice, cmd_masked(run, label))
                            : choice);
    }
}

static void print_question(struct run *run, const struct data *question, const struct data *answers)
{
    const char *name = data_shown(question, "name");
    const struct data *answer = data_get(answers, name);
    cmd_print(run, "  %s  %s", cmd_masked(run, name), kind_text(run, question));
    if (place_text(run, question))
        cmd_print(run, "  %s", place_text(run, question));
    cmd_print(run, "\n");
    print_wrapped(run, 6, cmd_shown(run, question, "help"));
    print_member(run, 6, "default:", value_text(run, data_get(question, "default")));
    print_member(run, 6, "computed:", cmd_shown(run, question, "computed"));
    print_choices(run, question);
    print_member(run, 6, "pattern:", cmd_shown(run, question, "pattern"));
    print_member(run, 6, "at least", cmd_shown(run, question, "min"));
    print_member(run, 6, "at most", cmd_shown(run, question, "max"));
    print_member(run, 6, "when", cmd_shown(run, question, "when"));
    if (answer)
        print_member(run, 6, "answer:", value_text(run, answer));
}

static void print_rules(struct run *run, const struct data *type)
{
    const struct data *refuse = data_get(type, "refuse"), *next = data_get(type, "next");
    const struct data *migrations = data_get(type, "migrations");
    if (refuse->list.count)
        cmd_print(run, "\nRefused\n");
    for (size_t i = 0; i < refuse->list.count; i++) {
        print_member(run, 2, "when", cmd_shown(run, refuse->list.items[i], "when"));
        print_wrapped(run, 6, cmd_shown(run, refuse->list.items[i], "because"));
    }
    if (migrations->list.count)
        cmd_print(run, "\nMigrations\n");
    for (size_t i = 0; i < migrations->list.count; i++) {
        const struct data *migration = migrations->list.items[i];
        static const char *const maps[] = {"rename_answers", "rename_files"};
        print_member(run, 2, "from", cmd_shown(run, migration, "from"));
        for (size_t j = 0; j < 2; j++)
            for (size_t k = 0; k < data_get(migration, maps[j])->map.count; k++) {
                const struct data_member *member = &data_get(migration, maps[j])->map.members[k];
                print_wrapped(run, 6,
                              arena_printf(&run->arena, "%s is now %s",
                                           cmd_masked(run, member->name.ptr),
                                           cmd_masked(run, data_text(member->value))));
            }
        print_member(run, 6, "dropped:", list_text(run, data_get(migration, "drop_answers")));
        print_wrapped(run, 6, cmd_shown(run, migration, "note"));
    }
    if (next->list.count)
        cmd_print(run, "\nNext, as `new` says when it is done\n");
    for (size_t i = 0; i < next->list.count; i++)
        cmd_print(run, "  %s\n", cmd_masked(run, data_text(next->list.items[i])));
}

/* ---------------------------------------------------------------- paths */

static const char *marks_of(struct run *run, const struct data *file)
{
    bool executable = data_get(file, "executable")->boolean;
    const char *policy = data_shown(file, "policy"), *merge = data_shown(file, "merge");
    const char *kind = strcmp(merge, "lines") == 0    ? merge
                       : strcmp(policy, "merge") == 0 ? ""
                                                      : policy;
    return arena_printf(&run->arena, "%s %s", executable ? "*" : " ", kind);
}

/* The length of a source before its path: "templates/_layers/docker/files/". */
static int folder_length(const char *source)
{
    const char *files = strstr(source, "/files/");
    return files ? (int)(files - source) + (int)strlen("/files/") : 0;
}

/* Aligns sources so that the paths begin in one column. */
static void print_file(struct run *run, const struct data *file, int column, bool made)
{
    const char *path = cmd_shown(run, file, "path"), *source = cmd_shown(run, file, "source");
    const struct data *when = data_get(file, "when"), *by = data_get(file, "replaced_by");
    const char *below = source + folder_length(source);
    bool same =
        str_starts(below, path) && (!below[strlen(path)] || str_equal(below + strlen(path), ".j2"));
    cmd_print(run, "  %-8s %*s%s%s%s\n", marks_of(run, file), column - folder_length(source), "",
              source, same ? "" : "  is ", same ? "" : path);
    for (size_t i = 0; !made && i < when->list.count; i++)
        print_member(run, 20, i ? "and" : "when", cmd_masked(run, data_text(when->list.items[i])));
    for (size_t i = 0; i < by->list.count; i++)
        print_member(run, 20, "replaced by", cmd_masked(run, data_text(by->list.items[i])));
}

static void print_files(struct run *run, const struct data *files, bool with_answers)
{
    int column = 0;
    for (size_t i = 0; i < files->list.count; i++) {
        int len = folder_length(cmd_shown(run, files->list.items[i], "source"));
        column = len > column ? len : column;
    }
    cmd_print(run, "\n%zu paths%s, below files/; .j2 is rendered, * can be run\n",
              files->list.count, with_answers ? " with these answers" : "");
    for (size_t i = 0; i < files->list.count; i++)
        print_file(run, files->list.items[i], column, with_answers);
}

static void print_type(struct run *run, const struct data *type)
{
    const struct data *questions = data_get(type, "questions"), *files = data_get(type, "files");
    const struct data *answers = data_get(type, "answers");
    print_head(run, type);
    print_layers(run, data_get(type, "layers"));
    cmd_print(run, "\nQuestions\n");
    for (size_t i = 0; i < questions->list.count; i++)
        print_question(run, questions->list.items[i], answers);
    print_rules(run, type);
    print_files(run, files, answers->kind == DATA_MAP);
}

/* ---------------------------------------------------------------- the output */

/* Where the user gives a stack choice or an answer, the paths are those of that render. */
static bool wants_render(const struct run *run)
{
    bool wants = opt_given(&run->options, "defaults") || opt_given(&run->options, "answers");
    for (const struct option *option = project_options; option->name; option++)
        wants |= opt_given(&run->options, option->name);
    for (const struct option *option = stack_options; option->name; option++)
        wants |= opt_given(&run->options, option->name);
    return wants;
}

static int show_made(struct data **out, struct run *run, struct err *err)
{
    struct making made = {.arena = &run->arena, .catalog = run->catalog}, *m = &made;
    struct choices choices;
    if (making_type(m, run->options.arguments[0], err) < 0 ||
        choices_gather(&choices, run, false, err) < 0 || choices_stack(m, run, &choices, err) < 0 ||
        making_answers(m, &choices.answers, "example", err) < 0 || making_render(m, err) < 0)
        return -1;
    return show_render(out, m, err);
}

static int template_show_run(struct run *run, struct err *err)
{
    if (!run->options.argument_count) {
        (void)err_set(err, TG_USAGE, "usage", "TYPE is missing");
        return err_hint(err, "`tmplgen template list` names them");
    }
    struct manifest *manifest;
    const char *type = run->options.arguments[0];
    if (cmd_open_authored(NULL, run, err) < 0)
        return -1;
    /* a type is shown even where it cannot be rendered */
    if (wants_render(run)
            ? show_made(&run->document, run, err) < 0
            : manifest_load(&manifest, &run->arena, run->catalog, type, err) < 0 ||
                  show_type(&run->document, &run->arena, run->catalog, manifest, err) < 0)
        return -1;
    print_type(run, run->document);
    return TG_OK;
}

static const struct option how_options[] = {
    {"answers", "FILE", "YAML file of answers", false},
    {"defaults", NULL, "with the defaults of all questions", false},
    {NULL, NULL, NULL, false},
};

const struct command template_show_command = {
    .name = "template show",
    .usage = "TYPE [choices as for new]",
    .summary = "Show what a type asks, its layers, and which file makes which path.",
    .details =
        "Without choices every path that can be there is listed, with its condition. With a stack, "
        "answers or --defaults the paths are those of that render; your configuration counts for "
        "nothing here.",
    .options = OPTIONS({"Stack", stack_options}, {"Answers", project_options}, {"How", how_options},
                       {"Catalog", author_options}),
    .max_arguments = 1,
    .run = template_show_run};

/* ---------------------------------------------------------------- template list */

static void print_line(struct run *run, const struct data *type, int width)
{
    const char *frameworks = list_text(run, data_get(type, "frameworks"));
    cmd_print(run, "%-*s  %s\n", width, cmd_shown(run, type, "type"),
              cmd_shown(run, type, "description"));
    if (strcmp(data_shown(type, "stack"), "none") == 0)
        cmd_print(run, "%-*s  no stack\n", width, "");
    else
        cmd_print(run, "%-*s  with %s\n", width, "", *frameworks ? frameworks : "no framework");
    if (run->verbose)
        cmd_print(run, "%-*s  of %s\n", width, "",
                  cmd_masked(run, data_join(&run->arena, data_get(type, "layers"), "name")));
}

static int template_list_run(struct run *run, struct err *err)
{
    struct data *types;
    int width = 0;
    if (cmd_open_authored(NULL, run, err) < 0 ||
        show_types(&types, &run->arena, run->catalog, err) < 0)
        return -1;
    cmd_tell(run, FIELD("catalog", show_catalog(&run->arena, run->catalog)), FIELD("types", types));
    for (size_t i = 0; i < types->list.count; i++) {
        int len = (int)strlen(data_shown(types->list.items[i], "type"));
        width = len > width ? len : width;
    }
    for (size_t i = 0; i < types->list.count; i++)
        print_line(run, types->list.items[i], width);
    if (!types->list.count)
        cmd_say(run, "the catalog '%s' has no types", run->catalog->name);
    return TG_OK;
}

const struct command template_list_command = {
    .name = "template list",
    .usage = "[--verbose]",
    .summary = "Show the types of a catalog: what they make, and with which frameworks.",
    .details = "With --verbose their layers, too.",
    .options = OPTIONS({"Catalog", author_options}),
    .run = template_list_run};
