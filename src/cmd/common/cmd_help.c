/* `help`, `version`, `completion`: made from the table of commands. */
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/common/opt.h"
#include "data/document.h"
#include "jinja/template.h"
#include "tmplgen.h"

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
    if (count == 1 && format_family(&run->out, run->commands, first))
        return put_text(run);
    return unknown_command(run, first, err);
}

static int version_run(struct run *run, struct err *err)
{
    (void)err;
    cmd_tell(run, FIELD("version", TMPLGEN_VERSION), FIELD("engine", TEMPLATE_ENGINE));
    cmd_print(run, "tmplgen %s (engine %d)\n", TMPLGEN_VERSION, TEMPLATE_ENGINE);
    return TG_OK;
}

const struct command help_command = {.name = "help",
                                     .usage = "[COMMAND]",
                                     .summary = "Show what commands and options there are.",
                                     .options = {{"Output", common_options}},
                                     .max_arguments = 2,
                                     .run = help_run};

const struct command version_command = {.name = "version",
                                        .usage = "",
                                        .summary = "Show the version of this program.",
                                        .options = {{"Output", common_options}},
                                        .max_arguments = 0,
                                        .run = version_run};

/* ---------------------------------------------------------------- completion */

typedef void format_script(struct buf *out, const struct command *const *commands);

static size_t first_len(const struct command *command)
{
    return strcspn(command->name, " ");
}

/* "image list" -> "list"; NULL for a command of one word. */
static const char *second_word(const struct command *command)
{
    const char *space = strchr(command->name, ' ');
    return space ? space + 1 : NULL;
}

static bool is_same_first(const struct command *a, const struct command *b)
{
    return first_len(a) == first_len(b) && strncmp(a->name, b->name, first_len(a)) == 0;
}

/* Commands with the same first word follow each other. */
static bool is_first_of_its_word(const struct command *const *commands, size_t i)
{
    return i == 0 || !is_same_first(commands[i - 1], commands[i]);
}

/* The second words after the first one of commands[i], each followed by a blank. */
static void put_second_words(struct buf *out, const struct command *const *commands, size_t i)
{
    for (size_t j = i; commands[j] && is_same_first(commands[i], commands[j]); j++)
        (void)buf_printf(out, "%s ", second_word(commands[j]));
}

static void format_bash(struct buf *out, const struct command *const *commands)
{
    (void)buf_puts(out, "# bash completion for tmplgen\n_tmplgen() {\n"
                        "    local words=\"${COMP_WORDS[*]:1:COMP_CWORD-1}\" options=\"\"\n"
                        "    case \"$words \" in\n");
    for (size_t i = 0; commands[i]; i++) {
        if (second_word(commands[i]) && is_first_of_its_word(commands, i)) {
            (void)buf_printf(out, "    \"%.*s \") options=\"", (int)first_len(commands[i]),
                             commands[i]->name);
            put_second_words(out, commands, i);
            (void)buf_puts(out, "\" ;;\n");
        }
        (void)buf_printf(out, "    \"%s \"*) options=\"", commands[i]->name);
        for (const struct option_group *group = commands[i]->options; group->options; group++)
            for (const struct option *option = group->options; option->name; option++)
                if (option->help)
                    (void)buf_printf(out, "--%s ", option->name);
        (void)buf_puts(out, "\" ;;\n");
    }
    (void)buf_puts(out, "    *) options=\"");
    for (size_t i = 0; commands[i]; i++)
        if (is_first_of_its_word(commands, i))
            (void)buf_printf(out, "%.*s ", (int)first_len(commands[i]), commands[i]->name);
    (void)buf_puts(out, "\" ;;\n    esac\n"
                        "    mapfile -t COMPREPLY < <(compgen -o default -W \"$options\" -- "
                        "\"${COMP_WORDS[COMP_CWORD]}\")\n"
                        "}\ncomplete -F _tmplgen tmplgen\n");
}

static void format_zsh(struct buf *out, const struct command *const *commands)
{
    (void)buf_puts(out, "#compdef tmplgen\n# zsh completion for tmplgen\n"
                        "autoload -U +X bashcompinit && bashcompinit\n");
    format_bash(out, commands);
}

/* Puts a text in fish's single quotes, with \ and ' escaped. */
static void put_fish_text(struct buf *out, const char *text)
{
    (void)buf_putc(out, '\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            (void)buf_putc(out, '\\');
        (void)buf_putc(out, *text);
    }
    (void)buf_putc(out, '\'');
}

/* The condition that the words of this command have been typed. */
static void put_seen(struct buf *out, const struct command *command)
{
    const char *second = second_word(command);
    (void)buf_printf(out, "complete -c tmplgen -n '__fish_seen_subcommand_from %.*s",
                     (int)first_len(command), command->name);
    if (second)
        (void)buf_printf(out, "; and __fish_seen_subcommand_from %s", second);
    (void)buf_puts(out, "' ");
}

/* Puts the next word: the first one, or the second after the first. */
static void put_words(struct buf *out, const struct command *const *commands, size_t i)
{
    const struct command *command = commands[i];
    const char *second = second_word(command);
    size_t first = i;
    if (is_first_of_its_word(commands, i))
        (void)buf_printf(out, "complete -c tmplgen -n __fish_use_subcommand -a '%.*s'%s",
                         (int)first_len(command), command->name, second ? "\n" : " -d ");
    if (second) {
        while (!is_first_of_its_word(commands, first))
            first--;
        (void)buf_printf(out,
                         "complete -c tmplgen -n '__fish_seen_subcommand_from %.*s; "
                         "and not __fish_seen_subcommand_from ",
                         (int)first_len(command), command->name);
        put_second_words(out, commands, first);
        (void)buf_printf(out, "' -a '%s' -d ", second);
    }
    put_fish_text(out, command->summary);
    (void)buf_putc(out, '\n');
}

static void put_fish_option(struct buf *out, const struct command *command,
                            const struct option *option)
{
    put_seen(out, command);
    (void)buf_printf(out, "-l %s %s-d ", option->name, option->argument ? "-r " : "");
    put_fish_text(out, option->help);
    (void)buf_putc(out, '\n');
}

static void format_fish(struct buf *out, const struct command *const *commands)
{
    (void)buf_puts(out, "# fish completion for tmplgen\ncomplete -c tmplgen -f\n");
    for (size_t i = 0; commands[i]; i++) {
        put_words(out, commands, i);
        for (const struct option_group *group = commands[i]->options; group->options; group++)
            for (const struct option *option = group->options; option->name; option++)
                if (option->help)
                    put_fish_option(out, commands[i], option);
    }
}

static int completion_run(struct run *run, struct err *err)
{
    static const struct {
        const char *shell;
        format_script *format;
    } scripts[] = {{"bash", format_bash}, {"zsh", format_zsh}, {"fish", format_fish}};
    const char *shell = run->options.argument_count ? run->options.arguments[0] : "";
    for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++)
        if (strcmp(shell, scripts[i].shell) == 0) {
            scripts[i].format(&run->out, run->commands);
            return put_text(run);
        }
    (void)(*shell ? err_set(err, TG_USAGE, "usage", "unknown shell '%s'", shell)
                  : err_set(err, TG_USAGE, "usage", "for which shell?"));
    return err_hint(err, "say bash, zsh or fish");
}

const struct command completion_command = {.name = "completion",
                                           .usage = "bash|zsh|fish",
                                           .summary = "Print a completion script for a shell.",
                                           .details = "For bash: source <(tmplgen completion bash)",
                                           .options = {{"Output", common_options}},
                                           .max_arguments = 1,
                                           .run = completion_run};
