/* `template new`: a new type for a catalog. */
#include "author/write.h"
#include "base/shell.h"
#include "cmd/cmd.h"
#include "data/document.h"
#include "io/interrupt.h"

#include <string.h>

static int read_stack(bool *out, struct run *run, struct err *err)
{
    const char *word = opt_value(&run->options, "stack");
    *out = word && strcmp(word, "framework") == 0;
    if (!word || *out || strcmp(word, "none") == 0)
        return 0;
    return err_set(err, TG_USAGE, "usage", "--stack is 'framework' or 'none', not '%s'", word);
}

static void print_result(struct run *run, const struct skeleton *skeleton, const struct words *made)
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
    data_add(&run->arena, run->document, FIELD("catalog", skeleton.folder),
             FIELD("type", skeleton.type),
             FIELD("made", data_texts(&run->arena, made.items, made.count)));
    print_result(run, &skeleton, &made);
    return TG_OK;
}

static const struct option new_options[] = {
    {"catalog", "DIR", "the catalog's folder, or one that is to become one (default: .)", false},
    {"stack", "WORD", "framework: each project has a GPU stack; none (default)", false},
    {"from", "TYPE", "extend this type of the catalog: all that it has, and what you add", false},
    {NULL, NULL, NULL, false},
};

const struct command template_new_command = {
    .name = "template new",
    .usage = "TYPE [--catalog DIR] [--stack framework|none | --from TYPE]",
    .summary = "Make a new type in a catalog's folder, with a test that passes.",
    .details =
        "In an empty folder it makes a catalog of one type. The type asks a question for each "
        "kind of answer (str, int, float, bool, choice, list), with a word on each: change what "
        "you need, and remove the rest. With --from it has "
        "`extends: TYPE` instead, and no files yet.",
    .options = {{"How", new_options}, {"Output", common_options}},
    .max_arguments = 1,
    .run = new_type_run};
