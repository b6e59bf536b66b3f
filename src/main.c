/* The table of commands, and the one way from a command's outcome to words and an exit code. */
#include "base/budget.h"
#include "base/limits.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "data/data.h"
#include "data/json.h"
#include "git/odb_failure.h"
#include "io/interrupt.h"
#include "io/process.h"
#include "io/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROW(name) &name##_command,
static const struct command *const commands[] = {EACH_COMMAND(ROW) NULL};

#define OUTPUT_MAX (256 * LIMIT_MIB)

/* Joins the names of commands: of all, or of those that begin with a word. */
static const char *name_list(struct arena *arena, const char *family)
{
    const char *all = "";
    for (size_t i = 0; commands[i]; i++)
        if (!family || command_is_of(commands[i]->name, family))
            all = arena_printf(arena, "%s%s%s", all, *all ? ", " : "", commands[i]->name);
    return all;
}

static bool is_family(const char *word)
{
    for (size_t i = 0; commands[i]; i++)
        if (command_is_of(commands[i]->name, word))
            return true;
    return false;
}

/* The command that other tools of this kind call so; NULL: none. */
static const char *elsewhere(const char *word)
{
    static const struct {
        const char *word, *command;
    } rows[] = {{"copy", "new"},   {"create", "new"},      {"generate", "new"},
                {"init", "new"},   {"sync", "update"},     {"upgrade", "update"},
                {"link", "adopt"}, {"list", "matrix list"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (str_equal(word, rows[i].word))
            return rows[i].command;
    return NULL;
}

/* Suggests names for an unknown command: first words, or second words after a known first one. */
static int unknown_command(struct err *err, struct arena *arena, const char *const *argv,
                           size_t argc)
{
    const char *names[sizeof(commands) / sizeof(*commands)];
    const char *typed = argv[0], *family = is_family(argv[0]) ? argv[0] : NULL;
    size_t count = 0;
    if (family && (argc == 1 || argv[1][0] == '-')) {
        (void)err_set(err, TG_USAGE, "usage", "'%s' needs one word more", family);
        return err_hint(err, "the commands are: %s", name_list(arena, family));
    }
    if (family)
        typed = arena_printf(arena, "%s %s", argv[0], argv[1]);
    for (size_t i = 0; commands[i]; i++)
        if (!family || command_is_of(commands[i]->name, family))
            names[count++] = commands[i]->name;
    const char *nearest = elsewhere(typed) ? elsewhere(typed) : str_nearest(typed, names, count);
    (void)(typed && *typed == '-'
               ? err_set(err, TG_USAGE, "usage", "'%s' must come after a command", typed)
               : err_set(err, TG_USAGE, "usage", "unknown command '%s'", typed));
    if (str_equal(typed, "template import"))
        return err_hint(err, "this program no longer imports templates of cookiecutter and copier");
    return nearest ? err_hint(err, "did you mean '%s'?", nearest)
                   : err_hint(err, "the commands are: %s", name_list(arena, family));
}

/* Not a command of users: the words that follow are those of a command line being typed. */
static bool completes(const char *const *argv, size_t argc)
{
    return argc && strcmp(argv[0], "__complete") == 0;
}

/* True where a failure must be a JSON document even where the options could not be parsed. */
static bool wants_json(const char *const *argv, size_t argc)
{
    for (size_t i = 0; i < argc && strcmp(argv[i], "--") != 0 && !completes(argv, argc); i++)
        if (strcmp(argv[i], "--json") == 0)
            return true;
    return false;
}

static int check_arguments(const struct run *run, struct err *err)
{
    if (run->options.argument_count <= run->command->max_arguments)
        return 0;
    (void)err_set(err, TG_USAGE, "usage", "'%s' is one argument too many",
                  run->options.arguments[run->command->max_arguments]);
    return err_hint(err, "usage: tmplgen %s%s%s", run->command->name,
                    *run->command->usage ? " " : "", run->command->usage);
}

static bool is_option(const char *word, const char *name)
{
    return str_equal(opt_long(word), name);
}

static int parse(struct run *run, const char *const *leading, size_t count, const char *const *rest,
                 size_t rest_count, struct err *err)
{
    const char **all = arena_array(&run->arena, count + rest_count + 1, sizeof(*all));
    memcpy(all, leading, count * sizeof(*all));
    memcpy(all + count, rest, rest_count * sizeof(*all));
    return opt_parse(&run->options, &run->arena, run->command->options, all, count + rest_count,
                     err);
}

static int run_command(struct run *run, const char *const *argv, size_t argc, struct err *err)
{
    size_t words = 0, before = command_count_leading(argv, argc);
    const char *const *leading = argv;
    const char *help[] = {"help", NULL};
    if (completes(argv, argc))
        return complete_words(run, argv + 1, argc - 1);
    argv += before;
    argc -= before;
    bool half = argc == 2 && is_family(argv[0]); /* "matrix --help" */
    if (argc == 0 || is_option(argv[0], "help")) {
        argv = help;
        argc = 1;
    } else if (half && is_option(argv[1], "help")) {
        help[1] = argv[0];
        argv = help;
    }
    run->command = is_option(argv[half], "version") ? &version_command
                                                    : command_find(&words, commands, argv, argc);
    words += words == 0;
    if (!run->command)
        return unknown_command(err, &run->arena, argv, argc);
    if (parse(run, leading, before, argv + words, argc - words, err) < 0)
        return -1;
    run->quiet = opt_given(&run->options, "quiet");
    run->verbose = opt_given(&run->options, "verbose");
    if (opt_given(&run->options, "help"))
        return help_tell(run, run->command);
    if (opt_given(&run->options, "version"))
        run->command = &version_command;
    else if (check_arguments(run, err) < 0)
        return -1;
    return run->command->run(run, err);
}

static int flush_output(const struct run *run, int code)
{
    ERR_SCRATCH(err);
    if (run_write(run, &err) == 0)
        return code;
    (void)fprintf(stderr, "tmplgen: cannot write to standard output: %s\n", err.message);
    return (int)err.exit;
}

/* Nothing was done, and the results so far may be wrong: prints none of them. */
static int take_back(struct run *run)
{
    buf_truncate(&run->out, 0);
    run->document = data_map(&run->arena);
    return -1;
}

/* Prints the outcome; returns the exit code. */
static int tell(struct run *run, int code, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_OWN);
    if (code < 0) {
        odb_failure_explain(err);
        code = (int)err->exit;
        if (!run->json)
            print_failure(run, err);
    }
    if (run->json) {
        buf_truncate(&run->out, 0);
        print_document(run, code, err->message ? err : NULL);
    }
    return flush_output(run, code);
}

static struct run *running;

/* Memory ran out inside some function: it cannot return to main. */
static void end_run(void)
{
    ERR_SCRATCH(err);
    (void)budget_fail(&err);
    process_end_all();
    term_keys_end();
    int code = tell(running, take_back(running), &err);
    (void)fflush(stderr);
    _exit(code);
}

int main(int argc, char **argv)
{
    struct run run = {.arena = ARENA_INIT, .commands = commands, .out = BUF_INIT(OUTPUT_MAX)};
    ERR_SCRATCH(err);
    const char *const *words = (const char *const *)argv + (argc > 0);
    size_t count = argc > 0 ? (size_t)argc - 1 : 0;
    run.json = wants_json(words, count);
    run.document = data_map(&run.arena);
    running = &run;
    account_at_end(end_run);
    interrupt_install();
    int code = budget_start(getenv("TMPLGEN_MEMORY"), &err);
    if (code == 0)
        code = run_command(&run, words, count, &err);
    if (code >= 0 && !interrupt_settled() &&
        (interrupt_check(&err) < 0 || odb_failure_check(&err) < 0 || budget_steps(0, &err) < 0))
        code = take_back(&run);
    code = tell(&run, code, &err);
    run_close(&run);
    buf_release(&run.out);
    arena_release(&run.arena);
    return code;
}
