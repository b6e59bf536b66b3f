/* `help`, `completion`: what the program says of itself. */
#include "base/embed.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/common/opt.h"
#include "data/document.h"

#include <string.h>

#define WIDTH 96
#define COLUMN 28

static void wrap(struct buf *out, const char *text, size_t column, size_t indent)
{
    wrap_text(out, text, column, indent, WIDTH);
}

static void format_option(struct buf *out, const struct option *option)
{
    size_t start = out->len;
    const char *letter = opt_short(option->name);
    (void)buf_printf(out, "  %s%s--%s%s%s", letter ? letter : "", letter ? ", " : "", option->name,
                     option->argument ? " " : "", option->argument ? option->argument : "");
    size_t used = out->len - start;
    if (used + 2 > COLUMN) {
        (void)buf_putc(out, '\n');
        used = 0;
    }
    (void)buf_printf(out, "%*s", (int)(COLUMN - used), "");
    wrap(out, option->help, COLUMN, COLUMN);
}

static void help_format(struct buf *out, const struct command *command)
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

/* The number of words in a command's name, if `argv` begins with it; else 0. */
static size_t match_words(const char *name, const char *const *argv, size_t argc)
{
    size_t words = 0;
    while (words < argc) {
        size_t len = strcspn(name, " ");
        if (strncmp(name, argv[words], len) != 0 || argv[words][len] != '\0')
            return 0;
        words++;
        if (name[len] == '\0')
            return words;
        name += len + 1;
    }
    return 0;
}

const struct command *command_find(size_t *words, const struct command *const *commands,
                                   const char *const *argv, size_t argc)
{
    for (size_t i = 0; commands[i]; i++) {
        *words = match_words(commands[i]->name, argv, argc);
        if (*words)
            return commands[i];
    }
    return NULL;
}

size_t command_count_leading(const char *const *argv, size_t argc)
{
    static const char *const leading[] = {"json", "quiet", "verbose"};
    size_t count = 0;
    while (count < argc && opt_long(argv[count]) &&
           str_is_among(opt_long(argv[count]), leading, sizeof leading / sizeof *leading))
        count++;
    return count;
}

bool command_is_of(const char *name, const char *word)
{
    return str_starts(name, word) && name[strlen(word)] == ' ';
}

/* "matrix" alone: every command with that first word. */
static bool format_family(struct buf *out, const struct command *const *commands, const char *first)
{
    bool found = false;
    for (size_t i = 0; commands[i]; i++)
        if (command_is_of(commands[i]->name, first)) {
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

/* The text is the result: with --json too. */
static int put_text(struct run *run)
{
    cmd_tell(run, FIELD("text", arena_strdup(&run->arena, buf_text(&run->out))));
    return TG_OK;
}

int help_tell(struct run *run, const struct command *command)
{
    help_format(&run->out, command);
    run->command = &help_command;
    return put_text(run);
}

static int help_run(struct run *run, struct err *err)
{
    if (run->options.argument_count == 0) {
        format_overview(&run->out, run->commands);
        return put_text(run);
    }
    size_t words, count = run->options.argument_count;
    const struct command *command =
        command_find(&words, run->commands, run->options.arguments, count);
    if (command && words == count)
        return help_tell(run, command);
    const char *first = run->options.arguments[0];
    if (command) {
        (void)err_set(err, TG_USAGE, "usage", "there is no command '%s %s'", command->name,
                      run->options.arguments[words]);
        return err_hint(err, "'%s' is one: name one command", command->name);
    }
    if (count == 1 && format_family(&run->out, run->commands, first))
        return put_text(run);
    return unknown_command(run, first, err);
}

const struct command help_command = {.name = "help",
                                     .usage = "[COMMAND]",
                                     .summary = "Show what commands and options there are.",
                                     .options = {{"Output", common_options}},
                                     .max_arguments = 2,
                                     .run = help_run};

/* ---------------------------------------------------------------- completion */

#define FILES "src/cmd/common/files/"

/* They ask `__complete` (complete.c), and know no word of their own. */
EMBED(completion_bash, FILES "tmplgen.bash");
EMBED(completion_zsh, FILES "_tmplgen");
EMBED(completion_fish, FILES "tmplgen.fish");

static int completion_run(struct run *run, struct err *err)
{
    static const struct {
        const char *shell, *text;
    } scripts[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};
    const char *shell = run->options.argument_count ? run->options.arguments[0] : "";
    for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++)
        if (strcmp(shell, scripts[i].shell) == 0) {
            (void)buf_puts(&run->out, scripts[i].text);
            return put_text(run);
        }
    (void)(*shell ? err_set(err, TG_USAGE, "usage", "unknown shell '%s'", shell)
                  : err_set(err, TG_USAGE, "usage", "for which shell?"));
    return err_hint(err, "say bash, zsh or fish");
}

const struct command completion_command = {
    .name = "completion",
    .usage = "bash|zsh|fish",
    .summary = "Print a completion script for a shell.",
    .details = "For bash, 3.2 and newer, in ~/.bashrc: eval \"$(tmplgen completion bash)\"\n"
               "For zsh, in ~/.zshrc after compinit: source <(tmplgen completion zsh)\n"
               "For fish: tmplgen completion fish > ~/.config/fish/completions/tmplgen.fish",
    .options = {{"Output", common_options}},
    .max_arguments = 1,
    .run = completion_run};
