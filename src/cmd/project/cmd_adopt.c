/* `adopt`: puts an existing repository under a template. */
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/common/command_line.h"
#include "cmd/project/choices.h"
#include "cmd/project/update_words.h"
#include "io/term.h"
#include "update/adopt.h"
#include "update/update.h"

/* One run of `adopt`. */
struct adopted_child {
    struct run *run;
    struct choices choices;
    struct typed *typed;
    struct asker asker;
    struct stack_request stack;
    struct adopt_options options;
    struct update_outcome outcome;
    struct err *err;
};

static int gather(struct adopted_child *a)
{
    const struct parsed *given = &a->run->options;
    if (str_equal(opt_value(given, "message"), ""))
        return err_set(a->err, TG_USAGE, "usage", "--message is empty");
    if (choices_gather(&a->choices, a->run, true, a->err) < 0)
        return -1;
    return choices_request(&a->stack, a->run, &a->choices, a->err);
}

static void fill_options(struct adopted_child *a)
{
    const struct parsed *given = &a->run->options;
    bool ask = term_interactive() && !opt_given(given, "defaults");
    a->asker = terminal_asker(a->typed);
    a->options = (struct adopt_options){.path = cmd_argument(a->run, "."),
                                        .catalog = a->run->catalog,
                                        .type = a->choices.type,
                                        .answers = &a->choices.answers,
                                        .stack = &a->choices.stack,
                                        .request = &a->stack,
                                        .asker = ask ? &a->asker : NULL,
                                        .dry_run = opt_given(given, "dry-run"),
                                        .no_commit = opt_given(given, "no-commit"),
                                        .signoff = opt_given(given, "signoff"),
                                        .branch = opt_value(given, "branch"),
                                        .message = opt_value(given, "message"),
                                        .merge = opt_values(&a->run->arena, given, "merge")};
}

static int adopt(struct adopted_child *a)
{
    if (gather(a) < 0 || cmd_open_untold(a->run, a->err) < 0)
        return -1;
    fill_options(a);
    int code = adopt_run(&a->outcome, &a->run->arena, &a->options, a->err);
    if (a->outcome.refusal)
        cmd_refuse(a->run, a->outcome.refusal);
    if (code < 0)
        return -1;
    update_command_repeat(a->run, a->outcome.document);
    a->run->document = a->outcome.document;
    update_print(a->run, a->outcome.document);
    return code;
}

static int adopt_command_run(struct run *run, struct err *err)
{
    struct adopted_child a = {.run = run, .err = err, .typed = typed_answers_new(run)};
    int code = adopt(&a);
    if (code < 0)
        typed_answers_tell(a.typed, NULL);
    return code;
}

static const struct option what_options[] = {
    {"type", "TYPE", "kind of project, such as service", false},
    {"merge", "GLOB",
     "merge files of such paths where they differ, against the version most like them", true},
    {NULL, NULL, NULL, false},
};

static const struct option how_options[] = {
    {"catalog", "SRC[@REF]", "take the template from this catalog (default: the one built in)",
     false},
    {"answers", "FILE", "YAML file of answers", false},
    {"defaults", NULL, "ask nothing, take what was guessed and the defaults", false},
    {"dry-run", NULL, "show what would change, write nothing", false},
    {"no-commit", NULL, "stage the result, leave the commit to you", false},
    {"branch", "NAME", "make this branch at HEAD and adopt there", false},
    {"message", "TEXT", "the subject of the commit", false},
    {"signoff", NULL, "add a Signed-off-by trailer to the commit", false},
    {"trust", NULL, "trust this catalog (needed the first time)", false},
    {NULL, NULL, NULL, false},
};

const struct command adopt_command = {
    .name = "adopt",
    .usage = "[PATH] --type TYPE [choices]",
    .summary = "Put an existing repository under a template, keeping its files.",
    .details = "Files that the template has and the repository has not are added; those that are "
               "the same are the template's from now on; those that differ stay as they are and "
               "are listed under `yours` in .tmplgen.yml, so that updates leave them alone. "
               "--merge brings the template's changes into such files. What the repository says "
               "of itself (name, package, Python, framework) is taken, and asked on a terminal. "
               "It is one commit; 'tmplgen update' takes it from there.",
    .options = OPTIONS({"What", what_options}, {"Stack", stack_options},
                       {"Project", project_options}, {"How", how_options}),
    .max_arguments = 1,
    .run = adopt_command_run};
