/* `help` and `version`: read from the table of commands. */
#include "base/str.h"
#include "cmd/cmd.h"
#include "data/data.h"
#include "jinja/template.h"
#include "tmplgen.h"

#include <string.h>

const struct option common_options[] = {
    {"json", NULL, "print one JSON document on standard output", false},
    {"quiet", NULL, "say less on standard error", false},
    {"verbose", NULL, "say more on standard error", false},
    {"help", NULL, "show this help", false},
    {NULL, NULL, NULL, false},
};

#define WIDTH 96
#define COLUMN 28

static void wrap(struct buf *out, const char *text, size_t column, size_t indent)
{
    wrap_text(out, text, column, indent, WIDTH);
}

static void format_option(struct buf *out, const struct option *option)
{
    size_t start = out->len;
    (void)buf_printf(out, "  --%s%s%s", option->name, option->argument ? " " : "",
                     option->argument ? option->argument : "");
    size_t used = out->len - start;
    if (used + 2 > COLUMN) {
        (void)buf_putc(out, '\n');
        used = 0;
    }
    (void)buf_printf(out, "%*s", (int)(COLUMN - used), "");
    wrap(out, option->help, COLUMN, COLUMN);
}

void help_format(struct buf *out, const struct command *command)
{
    (void)buf_printf(out, "usage: tmplgen %s%s%s\n\n", command->name, *command->usage ? " " : "",
                     command->usage);
    wrap(out, command->summary, 0, 0);
    if (command->details) {
        (void)buf_putc(out, '\n');
        wrap(out, command->details, 0, 0);
    }
    for (const struct option_group *group = command->options; group->options; group++) {
        (void)buf_printf(out, "\n%s:\n", group->title);
        for (const struct option *option = group->options; option->name; option++)
            if (option->help)
                format_option(out, option);
    }
}

static void format_overview(struct buf *out, const struct command *const *commands)
{
    (void)buf_puts(out, "tmplgen makes machine-learning repositories whose GPU stack matches,\n"
                        "and keeps them on their templates.\n\n"
                        "  tmplgen new --type service --framework pytorch\n\ncommands:\n");
    for (size_t i = 0; commands[i]; i++) {
        (void)buf_printf(out, "  %-18s", commands[i]->name);
        wrap(out, commands[i]->summary, 20, 20);
    }
    (void)buf_puts(out, "\n'tmplgen help COMMAND' shows the options of one.\n");
}

static const struct command *named(const struct run *run)
{
    const char *first = run->options.arguments[0];
    const char *second = run->options.argument_count > 1 ? run->options.arguments[1] : NULL;
    for (size_t i = 0; run->commands[i]; i++) {
        const char *name = run->commands[i]->name, *space = strchr(name, ' ');
        if (!space ? !second && strcmp(name, first) == 0
                   : second && strncmp(name, first, (size_t)(space - name)) == 0 &&
                         first[space - name] == '\0' && strcmp(space + 1, second) == 0)
            return run->commands[i];
    }
    return NULL;
}

/* "matrix" alone: every command that begins with it. */
static bool format_family(struct buf *out, const struct command *const *commands, const char *first)
{
    bool found = false;
    for (size_t i = 0; commands[i]; i++)
        if (str_starts(commands[i]->name, first) && commands[i]->name[strlen(first)] == ' ') {
            if (found)
                (void)buf_putc(out, '\n');
            help_format(out, commands[i]);
            found = true;
        }
    return found;
}

static int unknown_command(struct run *run, const char *first, struct err *err)
{
    size_t count = 0;
    while (run->commands[count])
        count++;
    const char **names = arena_array(&run->arena, count, sizeof(*names));
    for (size_t i = 0; i < count; i++)
        names[i] = run->commands[i]->name;
    const char *nearest = str_nearest(first, names, count);
    (void)err_set(err, TG_USAGE, "usage", "there is no command '%s'", first);
    return nearest ? err_hint(err, "did you mean '%s'?", nearest)
                   : err_hint(err, "'tmplgen help' lists the commands");
}

static int help_run(struct run *run, struct err *err)
{
    run->json = false; /* help is for people */
    if (run->options.argument_count == 0) {
        format_overview(&run->out, run->commands);
        return TG_OK;
    }
    const struct command *command = named(run);
    if (command) {
        help_format(&run->out, command);
        return TG_OK;
    }
    const char *first = run->options.arguments[0];
    if (run->options.argument_count == 1 && format_family(&run->out, run->commands, first))
        return TG_OK;
    return unknown_command(run, first, err);
}

static int version_run(struct run *run, struct err *err)
{
    (void)err;
    data_put(&run->arena, run->document, "version", data_str(&run->arena, TMPLGEN_VERSION));
    data_put(&run->arena, run->document, "engine", data_int(&run->arena, TEMPLATE_ENGINE));
    cmd_print(run, "tmplgen %s (engine %d)\n", TMPLGEN_VERSION, TEMPLATE_ENGINE);
    return TG_OK;
}

static const struct option_group common_groups[] = {{"Output", common_options}, {NULL, NULL}};

const struct command help_command = {.name = "help",
                                     .schema = "help",
                                     .usage = "[COMMAND]",
                                     .summary = "Show what commands and options there are.",
                                     .options = common_groups,
                                     .max_arguments = 2,
                                     .run = help_run};

const struct command version_command = {.name = "version",
                                        .schema = "version",
                                        .usage = "",
                                        .summary = "Show the version of this program.",
                                        .options = common_groups,
                                        .max_arguments = 0,
                                        .run = version_run};
