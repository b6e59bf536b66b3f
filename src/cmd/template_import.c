/* `template import`: a catalog out of a cookiecutter or copier template. */
#include "base/data.h"
#include "base/shell.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "cmd/config.h"
#include "cmd/source.h"
#include "import/import.h"

static const char *plural(long long count)
{
    return count == 1 ? "" : "s";
}

static void print_type(struct run *run, const struct data *type)
{
    const struct data *files = data_get(type, "files"), *list = data_get(type, "decisions");
    long long questions = (long long)data_get(type, "questions")->list.count;
    long long templates = data_get(files, "templates")->integer;
    long long copied = data_get(files, "copied")->integer;
    cmd_print(run, "%s: %lld question%s, %lld template%s, %lld copied file%s\n",
              data_shown(type, "name"), questions, plural(questions), templates, plural(templates),
              copied, plural(copied));
    for (size_t i = 0; i < data_get(type, "renames")->list.count; i++) {
        const struct data *rename = data_get(type, "renames")->list.items[i];
        cmd_print(run, "  %s is %s\n", cmd_masked(run, data_shown(rename, "from")),
                  data_shown(rename, "to"));
    }
    for (size_t i = 0; i < list->list.count; i++) {
        const struct data *one = list->list.items[i], *line = data_get(one, "line");
        const char *file = data_get_text(one, "file");
        cmd_print(run, "  %s: ", data_shown(one, "kind"));
        if (file)
            cmd_print(run, "%s", cmd_masked(run, file));
        if (file && line->kind == DATA_INT)
            cmd_print(run, ":%lld", (long long)line->integer);
        cmd_print(run, "%s%s\n", file ? ": " : "", cmd_masked(run, data_shown(one, "what")));
    }
}

static void print_report(struct run *run)
{
    const struct data *types = data_get(run->document, "types");
    long long decisions = data_get(run->document, "decisions")->integer;
    for (size_t i = 0; i < types->list.count; i++)
        print_type(run, types->list.items[i]);
    if (decisions)
        cmd_print(run, "%lld thing%s for a person to decide, listed in %s/IMPORT.md\n", decisions,
                  plural(decisions), cmd_masked(run, data_shown(run->document, "output")));
    cmd_say(run, "next: %s",
            shell_command(&run->arena, "tmplgen new --catalog %s --type %s",
                          data_shown(run->document, "output"),
                          data_shown(types->list.items[0], "name")));
}

static int import_command_run(struct run *run, struct err *err)
{
    const char *source = run->options.argument_count ? run->options.arguments[0] : NULL;
    const char *output = opt_value(&run->options, "output");
    struct import_links links = {.arena = &run->arena, .paths = data_map(&run->arena)};
    struct source_scope scope = import_scope(&links);
    struct catalog *catalog = NULL;
    struct config config;
    struct data *document;
    if (!source || !*source)
        return err_set(err, TG_USAGE, "usage", "SRC is missing: a folder or a git repository");
    if (!output || !*output)
        return err_set(err, TG_USAGE, "usage", "--output is missing: the folder to make");
    if (config_load(&config, &run->arena, err) < 0 ||
        cmd_open_source(&catalog, run, &config, source, opt_value(&run->options, "ref"), &scope,
                        err) < 0)
        return -1;
    int rc = import_run(&document, &run->arena, catalog, source, &links, output, err);
    catalog_close(catalog);
    if (rc < 0)
        return -1;
    run->document = document;
    print_report(run);
    return TG_OK;
}

static const struct option import_options[] = {
    {"output", "DIR", "the folder to make: a catalog of its own", false},
    {"ref", "REF", "tag, branch or commit of SRC (default: its newest release)", false},
    {"trust", NULL, "take a source that is new to you", false},
    {NULL, NULL, NULL, false},
};

static const struct option_group groups[] = {
    {"Import", import_options}, {"Output", common_options}, {NULL, NULL}};

const struct command template_import_command = {
    .name = "template import",
    .schema = "template-import",
    .usage = "SRC --output DIR [--ref REF]",
    .summary = "Make a catalog of a cookiecutter or copier template.",
    .details = "SRC is a folder or a git repository. Questions, defaults, choices, conditions, "
               "rules of files and templates become those of a type that is named after SRC. "
               "Nothing of SRC is run: hooks, tasks and what the template language has not are "
               "listed, here and in DIR/IMPORT.md, for a person to decide; files that cannot be "
               "rendered lie under unconverted/ of the type. Projects of the template follow by "
               "'tmplgen adopt'.",
    .options = groups,
    .max_arguments = 1,
    .run = import_command_run};
