/* `update`: take the template's newest version. */
#include "update/update.h"
#include "base/data.h"
#include "base/str.h"
#include "base/term.h"
#include "cmd/ask.h"
#include "cmd/choices.h"
#include "cmd/cmd.h"
#include "cmd/config.h"
#include "cmd/source.h"
#include "update/outcome.h"
#include "update/recover.h"
#include "update/strategies.h"

#include <string.h>

/* One run of `update`. */
struct updated_child {
    struct run *run;
    struct config config;
    struct choices choices;
    struct stack_request stack;
    struct update_options options;
    struct update_outcome outcome;
    struct err *err;
};

static const char *child_path(const struct run *run)
{
    return run->options.argument_count ? run->options.arguments[0] : ".";
}

static int usage(struct err *err, const char *message)
{
    return err_set(err, TG_USAGE, "usage", "%s", message);
}

/* ---------------------------------------------------------------- what was asked for */

static int find_strategy(struct updated_child *u)
{
    const char *name = opt_value(&u->run->options, "strategy");
    u->options.strategy = name ? strategy_find(name) : &strategy_default;
    if (u->options.strategy)
        return 0;
    (void)err_set(u->err, TG_USAGE, "usage", "there is no strategy '%s'", name);
    return err_hint(u->err, "this version of tmplgen has: %s", strategy_names(&u->run->arena));
}

static int check_flags(const struct run *run, struct err *err)
{
    static const char *const alone[] = {"continue", "abort"};
    const struct parsed *options = &run->options;
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; opt_given(options, alone[i]) && j < options->count; j++) {
            const char *name = options->values[j].option->name;
            bool common = false;
            for (const struct option *option = common_options; option->name; option++)
                common |= strcmp(option->name, name) == 0;
            if (!common && strcmp(name, alone[i]) != 0)
                return err_set(err, TG_USAGE, "usage", "--%s goes with no other option, not --%s",
                               alone[i], name);
        }
    static const char *const acts[] = {"dry-run", "restore", "branch", "no-commit"};
    for (size_t i = 0; opt_given(options, "check") && i < sizeof(acts) / sizeof(*acts); i++)
        if (opt_given(options, acts[i]))
            return err_set(err, TG_USAGE, "usage",
                           "--check only says whether there is an update: it goes not with --%s",
                           acts[i]);
    return 0;
}

/* `--set cuda=` takes a recorded choice back; the matrix never sees it. */
static void take_unset(struct updated_child *u)
{
    struct given_list *stack = &u->choices.stack;
    const char **unset = arena_array(&u->run->arena, stack->count + 1, sizeof(*unset));
    size_t kept = 0;
    for (size_t i = 0; i < stack->count; i++) {
        if (stack->items[i].from == GIVEN_CONFIG)
            continue; /* what the record says comes before it */
        if (stack->items[i].text && !*stack->items[i].text)
            unset[u->options.target.unset_count++] = stack->items[i].name;
        else
            stack->items[kept++] = stack->items[i];
    }
    stack->count = kept;
    u->options.target.unset = unset;
}

static int gather(struct updated_child *u)
{
    if (config_load(&u->config, &u->run->arena, u->err) < 0 ||
        choices_gather(&u->choices, u->run, &u->config, u->err) < 0)
        return -1;
    if (u->choices.type)
        return usage(u->err, "a project's type cannot be changed");
    take_unset(u);
    return choices_request(&u->stack, u->run, &u->choices, u->err);
}

static int fill_options(struct updated_child *u)
{
    const struct parsed *given = &u->run->options;
    struct target_options *target = &u->options.target;
    bool looks = opt_given(given, "check");
    if (find_strategy(u) < 0 ||
        cmd_named_catalog(&target->source, &target->ref, u->run, &u->config, u->err) < 0)
        return -1;
    target->to = opt_value(given, "to");
    target->sets = &u->choices.answers;
    target->stack = &u->stack;
    target->upgrade = opt_given(given, "upgrade");
    target->allow_downgrade = opt_given(given, "allow-downgrade");
    target->prerelease = opt_given(given, "prerelease");
    target->asker = term_interactive() && !looks ? &terminal_asker : NULL;
    u->options.path = child_path(u->run);
    u->options.check = looks;
    u->options.dry_run = opt_given(given, "dry-run");
    u->options.no_commit = opt_given(given, "no-commit");
    u->options.accept_drift = opt_given(given, "accept-drift");
    u->options.branch = opt_value(given, "branch");
    u->options.base = opt_value(given, "base");
    u->options.restore = opt_values(&u->options.restore_count, &u->run->arena, given, "restore");
    return 0;
}

/* ---------------------------------------------------------------- words */

static void print_stack(struct run *run, const struct data *document)
{
    const struct data *stack = data_get(document, "stack");
    for (size_t i = 0; i < stack->list.count; i++) {
        const struct data *change = stack->list.items[i];
        const char *from = data_get_text(change, "from"), *to = data_get_text(change, "to");
        cmd_print(run, "%s  %-12s %s -> %s\n", i ? "" : "Stack:\n", data_get_text(change, "what"),
                  cmd_masked(run, from ? from : "none"), cmd_masked(run, to ? to : "none"));
    }
}

static void print_names(struct run *run, const struct data *list, const char *title)
{
    for (size_t i = 0; list && i < list->list.count; i++)
        cmd_print(run, "%s%s", i ? ", " : title, cmd_masked(run, data_text(list->list.items[i])));
    if (list && list->list.count)
        cmd_print(run, "\n");
}

static void print_answers(struct run *run, const struct data *document)
{
    const struct data *answers = data_get(document, "answers");
    const struct data *renamed = data_get(answers, "renamed");
    print_names(run, data_get(answers, "added"), "New answers: ");
    print_names(run, data_get(answers, "dropped"), "Dropped answers: ");
    for (size_t i = 0; i < renamed->list.count; i++)
        cmd_print(run, "Renamed answer: %s is now %s\n",
                  cmd_masked(run, data_get_text(renamed->list.items[i], "from")),
                  cmd_masked(run, data_get_text(renamed->list.items[i], "to")));
}

static void print_paths(struct run *run, const struct data *document)
{
    const struct data *paths = data_get(document, "paths");
    for (size_t i = 0; i < paths->list.count; i++) {
        const struct data *path = paths->list.items[i];
        const char *from = data_get_text(path, "from_path"), *note = data_get_text(path, "note");
        cmd_print(run, "  %-12s  %s", data_get_text(path, "state"),
                  cmd_masked(run, data_get_text(path, "path")));
        if (from)
            cmd_print(run, " (was %s)", cmd_masked(run, from));
        if (note)
            cmd_print(run, ": %s", cmd_masked(run, note));
        cmd_print(run, "\n");
    }
}

static void print_warnings(struct run *run, const struct data *document)
{
    const struct data *warnings = data_get(document, "warnings");
    for (size_t i = 0; i < warnings->list.count; i++)
        cmd_warn(run, "%s", data_text(warnings->list.items[i]));
}

static const char *version_of(const struct data *document, const char *which)
{
    const struct data *origin = data_get(document, which);
    const char *version = origin ? data_get_text(origin, "version") : NULL;
    return version ? version : "?";
}

static void print_head(struct run *run, const struct data *document, const char *result)
{
    const char *from = cmd_masked(run, version_of(document, "from"));
    const char *to = cmd_masked(run, version_of(document, "to"));
    const char *commit = data_get_text(document, "commit");
    bool dry = opt_given(&run->options, "dry-run");
    if (strcmp(result, "up-to-date") == 0)
        cmd_print(run, "Up to date with version %s\n", to);
    else if (strcmp(result, "available") == 0)
        cmd_print(run, "An update is available: %s -> %s\n", from, to);
    else if (strcmp(result, "aborted") == 0)
        cmd_print(run, "Everything is as it was before the update\n");
    else if (dry)
        cmd_print(run, "Would update %s -> %s; nothing was written\n", from, to);
    else if (strcmp(result, "updated") == 0)
        cmd_print(run, "Updated %s -> %s, commit %.7s\n", from, to, commit ? commit : "");
    else if (strcmp(result, "staged") == 0)
        cmd_print(run, "Updated %s -> %s; it is staged, not committed\n", from, to);
    else
        cmd_print(run, "Updated %s -> %s, with conflicts\n", from, to);
}

static void print_next_of_conflict(struct run *run, const struct data *document)
{
    const char *name = data_get_text(document, "strategy");
    const struct strategy *strategy = name ? strategy_find(name) : NULL;
    const char *git = (strategy ? strategy : &strategy_default)->git_command;
    cmd_print(run,
              "\nNext:\n  git status                   shows the conflicts\n"
              "  git add PATH                 once a file is well\n"
              "  tmplgen update --continue    commits (or: git %s --continue)\n"
              "  tmplgen update --abort       goes back (or: git %s --abort)\n",
              git, git);
}

static void print_next(struct run *run, const struct data *document, const char *result)
{
    if (opt_given(&run->options, "dry-run"))
        return;
    if (strcmp(result, "conflicts") == 0)
        print_next_of_conflict(run, document);
    if (strcmp(result, "staged") == 0)
        cmd_print(run, "\nNext:\n  git diff --staged            shows it\n"
                       "  git commit                   takes it\n"
                       "  tmplgen update --abort       goes back\n");
}

static void print_outcome(struct run *run, const struct data *document)
{
    const char *result = data_get_text(document, "result"), *diff = data_get_text(document, "diff");
    bool ends = strcmp(result, "up-to-date") == 0 || strcmp(result, "aborted") == 0;
    if (!ends)
        print_stack(run, document);
    print_head(run, document, result);
    if (!ends) {
        print_answers(run, document);
        print_paths(run, document);
    }
    if (diff && *diff)
        cmd_print(run, "\n%s", cmd_masked(run, diff));
    print_next(run, document, result);
    print_warnings(run, document);
}

/* ---------------------------------------------------------------- the run */

static int update(struct updated_child *u)
{
    if (gather(u) < 0 || fill_options(u) < 0)
        return -1;
    return update_run(&u->outcome, &u->run->arena, &u->options, u->err);
}

static int update_command_run(struct run *run, struct err *err)
{
    struct updated_child u = {.run = run, .err = err};
    int code;
    if (check_flags(run, err) < 0)
        return -1;
    if (opt_given(&run->options, "continue"))
        code = update_continue(&u.outcome, &run->arena, child_path(run), err);
    else if (opt_given(&run->options, "abort"))
        code = update_abort(&u.outcome, &run->arena, child_path(run), err);
    else
        code = update(&u);
    if (u.outcome.refusal)
        cmd_refuse(run, u.outcome.refusal);
    if (code < 0)
        return -1;
    run->document = u.outcome.document;
    print_outcome(run, u.outcome.document);
    return code;
}

static const struct option what_options[] = {
    {"to", "REF", "go to this tag, branch or commit of the catalog", false},
    {"catalog", "SRC[@REF]", "the catalog has moved here: for this run and the record", false},
    {"set", "KEY=VALUE", "change an answer or a stack choice; `--set KEY=` takes a choice back",
     true},
    {"upgrade", NULL, "let the framework version and CUDA variant move", false},
    {"prerelease", NULL, "take a pre-release, too", false},
    {"allow-downgrade", NULL, "go to an older version", false},
    {"restore", "PATH", "bring a file back that you deleted", true},
    {NULL, NULL, NULL, false},
};

static const struct option how_options[] = {
    {"strategy", "NAME", "how it gets onto the branch (the default makes one commit)", false},
    {"check", NULL, "only say whether there is an update (exit 6)", false},
    {"dry-run", NULL, "show what would change, write nothing", false},
    {"branch", "NAME", "make this branch at HEAD and update there", false},
    {"no-commit", NULL, "stage the result, leave the commit to you", false},
    {"base", "COMMIT", "take this commit as what the project was made from", false},
    {"accept-drift", NULL, "take a base that this engine renders differently", false},
    {"trust", NULL, "take a remote catalog that is new to you", false},
    {"continue", NULL, "commit what was in conflict and is resolved", false},
    {"abort", NULL, "go back to before the update", false},
    {NULL, NULL, NULL, false},
};

static const struct option_group groups[] = {
    {"What", what_options}, {"How", how_options}, {"Output", common_options}, {NULL, NULL}};

const struct command update_command = {
    .name = "update",
    .schema = "update",
    .usage = "[PATH] [--to REF] [--set KEY=VALUE] [choices]",
    .summary = "Take the newest version of the template, keeping what is yours.",
    .details = "What only the template changed is taken, what only you changed is kept, what both "
               "changed is merged line by line. Where the same lines changed, the conflict is left "
               "in git's own state, and the exit code is 5. Nothing is written before all is known "
               "to be safe; a run that was killed is finished by the next one, or undone by "
               "--abort.",
    .options = groups,
    .max_arguments = 1,
    .run = update_command_run};
