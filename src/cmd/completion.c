/* `completion`: scripts for shells, written from the table of commands. */
#include "base/str.h"
#include "cmd/cmd.h"

#include <string.h>

typedef void format_script(struct buf *out, const struct command *const *commands);

static void format_bash(struct buf *out, const struct command *const *commands)
{
    (void)buf_puts(out, "# bash completion for tmplgen\n_tmplgen() {\n"
                        "    local words=\"${COMP_WORDS[*]:1:COMP_CWORD-1}\" options=\"\"\n"
                        "    case \"$words \" in\n");
    for (size_t i = 0; commands[i]; i++) {
        (void)buf_printf(out, "    \"%s \"*) options=\"", commands[i]->name);
        for (const struct option_group *group = commands[i]->options; group->options; group++)
            for (const struct option *option = group->options; option->name; option++)
                (void)buf_printf(out, "--%s ", option->name);
        (void)buf_puts(out, "\" ;;\n");
    }
    (void)buf_puts(out, "    *) options=\"");
    for (size_t i = 0; commands[i]; i++)
        (void)buf_printf(out, "%s ", commands[i]->name);
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

/* fish takes a text in single quotes, with \ and ' escaped. */
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

static void format_fish(struct buf *out, const struct command *const *commands)
{
    (void)buf_puts(out, "# fish completion for tmplgen\ncomplete -c tmplgen -f\n");
    for (size_t i = 0; commands[i]; i++) {
        const char *name = commands[i]->name;
        (void)buf_printf(out, "complete -c tmplgen -n __fish_use_subcommand -a '%.*s' -d ",
                         (int)strcspn(name, " "), name);
        put_fish_text(out, commands[i]->summary);
        (void)buf_putc(out, '\n');
        for (const struct option_group *group = commands[i]->options; group->options; group++)
            for (const struct option *option = group->options; option->name; option++) {
                (void)buf_printf(out,
                                 "complete -c tmplgen -n '__fish_seen_subcommand_from %.*s' -l %s "
                                 "%s-d ",
                                 (int)strcspn(name, " "), name, option->name,
                                 option->argument ? "-r " : "");
                put_fish_text(out, option->help);
                (void)buf_putc(out, '\n');
            }
    }
}

static int completion_run(struct run *run, struct err *err)
{
    static const struct {
        const char *shell;
        format_script *format;
    } scripts[] = {{"bash", format_bash}, {"zsh", format_zsh}, {"fish", format_fish}};
    const char *shell = run->options.argument_count ? run->options.arguments[0] : "";
    run->json = false; /* a script is for a shell */
    for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++)
        if (strcmp(shell, scripts[i].shell) == 0) {
            scripts[i].format(&run->out, run->commands);
            return TG_OK;
        }
    (void)err_set(err, TG_USAGE, "usage", "unknown shell '%s'", shell);
    return err_hint(err, "say bash, zsh or fish");
}

static const struct option_group groups[] = {{"Output", common_options}, {NULL, NULL}};

const struct command completion_command = {.name = "completion",
                                           .schema = "completion",
                                           .usage = "bash|zsh|fish",
                                           .summary = "Print a completion script for a shell.",
                                           .details = "For bash: source <(tmplgen completion bash)",
                                           .options = groups,
                                           .max_arguments = 1,
                                           .run = completion_run};
