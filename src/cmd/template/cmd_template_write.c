/* `template export`, `template new`: a copy of the built-in catalog for a team to edit; a new
 * type. */
#include "author/write.h"
#include "base/shell.h"
#include "base/str.h"
#include "catalog/catalog_source.h"
#include "child/write_child.h"
#include "cmd/cmd.h"
#include "data/document.h"
#include "io/interrupt.h"

#include <string.h>

static void fill_document(struct run *run, const struct exported *exported)
{
    struct arena *arena = &run->arena;
    struct data *document = data_map(arena), *commits = data_list(arena);
    for (size_t i = 0; i < exported->count; i++) {
        struct data *one = data_of(arena, FIELD("version", exported->history[i].version),
                                   FIELD("commit", exported->history[i].commit),
                                   FIELD("tag", exported->history[i].tag));
        data_push(arena, commits, one);
    }
    data_add(arena, document, FIELD("path", exported->path), FIELD("name", exported->name),
             FIELD("branch", EXPORT_BRANCH), FIELD("commit", exported->commit),
             FIELD("history", commits));
    run->document = document;
}

static void print_result(struct run *run, const char *path, const struct exported *exported)
{
    cmd_print(run, "Exported to %s, branch %s:\n\n", cmd_masked(run, path), EXPORT_BRANCH);
    for (size_t i = 0; i < exported->count; i++)
        cmd_print(run, "  %.7s  %s%s\n", exported->history[i].commit, exported->history[i].version,
                  exported->history[i].tag ? "" : " (not released)");
    cmd_print(run, "  %.7s  yours: %s\n", exported->commit, cmd_masked(run, exported->name));
    cmd_print(run, "\nNext:\n  %s\n  tmplgen template render service --framework pytorch\n",
              shell_command(&run->arena, "cd %s", shell_path(&run->arena, path)));
}

static int export_run(struct run *run, struct err *err)
{
    struct create_target target;
    struct exported exported;
    if (run->options.argument_count == 0 || !*run->options.arguments[0])
        return err_set(err, TG_USAGE, "usage", "DIR is missing");
    const char *path = run->options.arguments[0];
    if (create_inspect(&target, &run->arena, path, err) < 0 ||
        export_builtin(&exported, &run->arena, &target, opt_value(&run->options, "name"), err) < 0)
        return -1;
    interrupt_settle();
    fill_document(run, &exported);
    print_result(run, path, &exported);
    return TG_OK;
}

static const struct option export_options[] = {
    {"name", "NAME", "the catalog's name (default: it stays what it is)", false},
    {NULL, NULL, NULL, false},
};

const struct command template_export_command = {
    .name = "template export",
    .usage = "DIR [--name NAME]",
    .summary = "Make a copy of the built-in catalog for a team to change, with its history.",
    .details =
        "DIR becomes a repository with a commit and a tag of each release, under the ids that "
        "projects made from them have recorded, so that `git merge` takes over later releases and "
        "`tmplgen update --catalog DIR` brings projects over. On top is a commit of your own with "
        "CI (GitHub, GitLab, Jenkins), a README.md and the name.",
    .options = OPTIONS({"How", export_options}),
    .max_arguments = 1,
    .run = export_run};

/* ---------------------------------------------------------------- template new */

static int read_stack(bool *out, struct run *run, struct err *err)
{
    const char *word = opt_value(&run->options, "stack");
    *out = word && strcmp(word, "framework") == 0;
    if (!word || *out || strcmp(word, "none") == 0)
        return 0;
    return err_set(err, TG_USAGE, "usage", "--stack is 'framework' or 'none', not '%s'", word);
}

static void print_type(struct run *run, const struct skeleton *skeleton, const struct words *made)
{
    for (size_t i = 0; i < made->count; i++)
        cmd_print(run, "Made %s\n", cmd_masked(run, made->items[i]));
    cmd_print(run, "\nNext:\n");
    if (strcmp(skeleton->folder, ".") != 0)
        cmd_print(run, "  %s\n",
                  shell_command(&run->arena, "cd %s", shell_path(&run->arena, skeleton->folder)));
    cmd_print(run, "  %s\n",
              shell_command(&run->arena, "tmplgen template render %s --watch", skeleton->type));
}

static int new_type_run(struct run *run, struct err *err)
{
    const char *folder = opt_value(&run->options, "catalog");
    struct skeleton skeleton = {.folder = folder ? folder : ".",
                                .from = opt_value(&run->options, "from")};
    struct words made;
    if (run->options.argument_count == 0 || !*run->options.arguments[0])
        return err_set(err, TG_USAGE, "usage", "TYPE is missing");
    skeleton.type = run->options.arguments[0];
    if (skeleton.from && opt_value(&run->options, "stack"))
        return err_set(err, TG_USAGE, "usage", "--from takes the stack of the type with the rest");
    if (read_stack(&skeleton.stack, run, err) < 0 ||
        skeleton_make(&made, &run->arena, &skeleton, err) < 0)
        return -1;
    interrupt_settle();
    cmd_tell(run, FIELD("catalog", skeleton.folder), FIELD("type", skeleton.type),
             FIELD("made", data_texts(&run->arena, made.items, made.count)));
    print_type(run, &skeleton, &made);
    return TG_OK;
}

static const struct option type_options[] = {
    {"catalog", "DIR", "the catalog's folder, or one that is to become one (default: .)", false},
    {"stack", "framework|none", "framework: each project has a GPU stack (default: none)", false},
    {"from", "TYPE", "extend this type of the catalog: all that it has, and what you add", false},
    {NULL, NULL, NULL, false},
};

const struct command template_new_command = {
    .name = "template new",
    .usage = "TYPE [--catalog DIR] [--stack framework|none | --from TYPE]",
    .summary = "Make a new type in a catalog's folder, with a test that passes.",
    .details =
        "In an empty folder it makes a catalog of one type. The type asks questions of most kinds, "
        "with a word on each: change what you need, and remove the rest. With --from it has "
        "`extends: TYPE` instead, and no files yet.",
    .options = OPTIONS({"How", type_options}),
    .max_arguments = 1,
    .run = new_type_run};
