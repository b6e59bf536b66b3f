/* `update`: takes the template's newest version. */
#include "base/limits.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/common/command_line.h"
#include "cmd/project/choices.h"
#include "cmd/project/update_words.h"
#include "data/data.h"
#include "io/interrupt.h"
#include "io/output.h"
#include "io/term.h"
#include "update/strategy.h"
#include "update/summary.h"
#include "update/update.h"

#include <string.h>

/* One run of `update`. */
struct updated_child {
    struct run *run;
    struct choices choices;
    struct typed *typed;
    struct asker asker;
    struct stack_request stack;
    struct update_options options;
    struct update_outcome outcome;
    struct output summary; /* --summary */
    struct err *err;
};

static int usage(struct err *err, const char *message)
{
    return err_set(err, TG_USAGE, "usage", "%s", message);
}

/* ---------------------------------------------------------------- options */

static int check_strategy(struct updated_child *u)
{
    const struct strategy *strategy = u->options.strategy;
    const struct parsed *options = &u->run->options;
    for (const char *const *name = strategy->refuses; name && *name; name++)
        if (opt_given(options, *name))
            return err_set(u->err, TG_USAGE, "usage", "--strategy %s goes not with --%s",
                           strategy->name, *name);
    if (opt_given(options, "rewrite-published") && !strategy->replay)
        return err_set(u->err, TG_USAGE, "usage",
                       "--rewrite-published is for a strategy that rewrites commits, not for '%s'",
                       strategy->name);
    return 0;
}

static int find_strategy(struct updated_child *u)
{
    const char *name = opt_value(&u->run->options, "strategy");
    u->options.strategy = name ? strategy_find(name) : &strategy_default;
    if (u->options.strategy)
        return check_strategy(u);
    (void)err_set(u->err, TG_USAGE, "usage", "there is no strategy '%s'", name);
    return err_hint(u->err, "this version of tmplgen has: %s", strategy_names(&u->run->arena));
}

/* Checks options that need another, or exclude it. */
static int check_pairs(const struct run *run, struct err *err)
{
    const struct parsed *options = &run->options;
    const char *on_conflict = opt_value(options, "on-conflict"),
               *to = opt_value(options, "summary");
    if (on_conflict && strcmp(on_conflict, "stop") != 0 && strcmp(on_conflict, "commit") != 0)
        return err_set(err, TG_USAGE, "usage", "--on-conflict takes 'stop' or 'commit', not '%s'",
                       on_conflict);
    if (str_equal(on_conflict, "commit") && opt_given(options, "no-commit"))
        return usage(err, "--on-conflict commit goes not with --no-commit");
    if (opt_given(options, "refresh") && !opt_given(options, "branch"))
        return usage(err, "--refresh renews the branch that --branch names");
    if (str_equal(opt_value(options, "message"), ""))
        return usage(err, "--message is empty");
    if (str_equal(to, "-") && run->json)
        return usage(err, "--summary - goes not with --json: name a file");
    return 0;
}

static int check_flags(const struct run *run, struct err *err)
{
    static const char *const alone[] = {"continue", "abort"};
    const struct parsed *options = &run->options;
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; opt_given(options, alone[i]) && j < options->count; j++) {
            const char *name = options->values[j].option->name;
            if (!command_line_is_common(options->values[j].option) && strcmp(name, alone[i]) != 0)
                return err_set(err, TG_USAGE, "usage", "--%s goes with no other option, not --%s",
                               alone[i], name);
        }
    static const char *const acts[] = {"dry-run", "restore", "branch",  "no-commit",
                                       "message", "signoff", "refresh", "on-conflict"};
    for (size_t i = 0; opt_given(options, "check") && i < sizeof(acts) / sizeof(*acts); i++)
        if (opt_given(options, acts[i]))
            return err_set(err, TG_USAGE, "usage",
                           "--check only says whether there is an update: it goes not with --%s",
                           acts[i]);
    if (opt_given(options, "trust-base") && !opt_given(options, "base"))
        return usage(err, "--trust-base goes with --base COMMIT: it is what is trusted");
    return 0;
}

/* `--set cuda=` clears a recorded choice; the matrix never sees it. */
static void take_unset(struct updated_child *u)
{
    struct given_list *stack = &u->choices.stack;
    size_t kept = 0;
    for (size_t i = 0; i < stack->count; i++) {
        if (stack->items[i].from == GIVEN_CONFIG)
            continue; /* the record's choices come before it */
        if (stack->items[i].text && !*stack->items[i].text)
            words_add(&u->options.target.unset, &u->run->arena, stack->items[i].name);
        else
            stack->items[kept++] = stack->items[i];
    }
    stack->count = kept;
}

static int gather(struct updated_child *u)
{
    if (choices_gather(&u->choices, u->run, true, u->err) < 0)
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
        cmd_named_catalog(&target->source, &target->ref, u->run, u->err) < 0)
        return -1;
    target->to = opt_value(given, "to");
    target->sets = &u->choices.answers;
    target->stack = &u->stack;
    target->upgrade = opt_given(given, "upgrade");
    target->allow_downgrade = opt_given(given, "allow-downgrade");
    target->prerelease = opt_given(given, "prerelease");
    u->asker = terminal_asker(u->typed);
    target->asker = term_interactive() && !looks ? &u->asker : NULL;
    target->looks = looks;
    u->options.path = cmd_argument(u->run, ".");
    u->options.check = looks;
    u->options.dry_run = opt_given(given, "dry-run");
    u->options.no_commit = opt_given(given, "no-commit");
    u->options.trust_base = opt_given(given, "trust-base");
    u->options.accept_drift = opt_given(given, "accept-drift");
    u->options.branch = opt_value(given, "branch");
    u->options.refresh = opt_given(given, "refresh");
    u->options.rewrite_published = opt_given(given, "rewrite-published");
    u->options.message = opt_value(given, "message");
    u->options.signoff = opt_given(given, "signoff");
    u->options.commit_conflicts = str_equal(opt_value(given, "on-conflict"), "commit");
    u->options.base = opt_value(given, "base");
    u->options.restore = opt_values(&u->run->arena, given, "restore");
    return 0;
}

/* ---------------------------------------------------------------- --summary FILE */

/* True where the summary replaces the report. */
static bool prints_summary(const struct run *run)
{
    return str_equal(opt_value(&run->options, "summary"), "-");
}

/* Opens the file before anything is changed: an update must not fail only at its summary. */
static int open_summary(struct updated_child *u)
{
    const char *path = opt_value(&u->run->options, "summary");
    u->summary.fd = -1;
    if (path && !prints_summary(u->run) &&
        output_open(&u->summary, &u->run->arena, path, u->err) < 0)
        return -1;
    u->options.output = u->summary.path;
    return 0;
}

/* Writes the summary last: if it lies in the work tree, the update has not seen it. */
static int write_summary(struct updated_child *u)
{
    BUF_SCRATCH(text, LIMIT_MIB);
    struct data *document = u->outcome.document;
    const char *path = opt_value(&u->run->options, "summary");
    if (!path)
        return 0;
    if (u->summary.path)
        data_put_text(&u->run->arena, document, "summary", path);
    summary_format(&text, document);
    if (u->summary.path)
        return output_write(&u->summary, span_of(buf_text(&text), text.len), u->err);
    cmd_print(u->run, "%s", buf_text(&text));
    return 0;
}

/* ---------------------------------------------------------------- the run */

static int update(struct updated_child *u)
{
    if (gather(u) < 0 || fill_options(u) < 0 || open_summary(u) < 0)
        return -1;
    int code = update_run(&u->outcome, &u->run->arena, &u->options, u->err);
    if (code >= 0)
        update_command_repeat(u->run, u->outcome.document);
    if (code >= 0 && write_summary(u) < 0) {
        u->run->document = u->outcome.document; /* the document of the update is still printed */
        code = -1;
    }
    output_close(&u->summary);
    return code;
}

static int update_command_run(struct run *run, struct err *err)
{
    struct updated_child u = {.run = run, .err = err, .typed = typed_answers_new(run)};
    bool aborts = opt_given(&run->options, "abort");
    bool ends = aborts || opt_given(&run->options, "continue");
    if (check_flags(run, err) < 0 || check_pairs(run, err) < 0)
        return -1;
    int code =
        ends ? update_end(&u.outcome.document, &run->arena, cmd_argument(run, "."), aborts, err)
             : update(&u);
    if (code < 0)
        typed_answers_tell(u.typed, NULL);
    else if (ends)
        interrupt_settle();
    if (u.outcome.refusal)
        cmd_refuse(run, u.outcome.refusal);
    if (code < 0)
        return -1;
    run->document = u.outcome.document;
    if (!prints_summary(run))
        update_print(run, u.outcome.document);
    return code;
}

static const struct option what_options[] = {
    {"to", "REF", "go to this tag, branch or commit of the catalog", false},
    {"catalog", "SRC[@REF]", "the catalog has moved here: for this run and the record", false},
    {"set", "KEY=VALUE", "change an answer or a stack choice; `--set KEY=` takes a choice back",
     true},
    {"unchecked", NULL, "with `--set with=`: take a package whatever its name is like", false},
    {"upgrade", NULL, "let the framework version and CUDA variant move", false},
    {"prerelease", NULL, "take a pre-release, too", false},
    {"allow-downgrade", NULL, "go to an older version", false},
    {"restore", "PATH", "bring a file back that you deleted", true},
    {NULL, NULL, NULL, false},
};

static const struct option how_options[] = {
    {"strategy", "NAME", "pick: one commit (the default); merge; rebase: your commits anew", false},
    {"rewrite-published", NULL, "let rebase replace commits that a remote or a tag has", false},
    {"check", NULL, "only say whether there is an update (exit 6)", false},
    {"dry-run", NULL, "show what would change, write nothing", false},
    {"branch", "NAME", "make this branch at HEAD and update there", false},
    {"refresh", NULL, "make that branch anew, if only tmplgen committed to it", false},
    {"on-conflict", "stop|commit",
     "stop and wait for you (the default), or commit with theirs beside yours", false},
    {"message", "TEXT", "the subject of the commit; what changed follows", false},
    {"signoff", NULL, "add a Signed-off-by trailer to the commit", false},
    {"summary", "FILE", "write the text of a pull request there, in Markdown ('-': print it)",
     false},
    {"no-commit", NULL, "stage the result, leave the commit to you", false},
    {"base", "COMMIT", "this commit is what the project was made from; it is checked", false},
    {"trust-base", NULL, "take --base though it is not what the record says", false},
    {"accept-drift", NULL, "accept a base although this version renders it differently", false},
    {"trust", NULL, "trust this catalog (needed the first time)", false},
    {"continue", NULL, "commit what was in conflict and is resolved", false},
    {"abort", NULL, "go back to before the update", false},
    {NULL, NULL, NULL, false},
};

const struct command update_command = {
    .name = "update",
    .usage = "[PATH] [--to REF] [--set KEY=VALUE] [choices]",
    .summary = "Take the newest version of the template, keeping what is yours.",
    .details = "What only the template changed is taken, what only you changed is kept, what both "
               "changed is merged line by line. Where the same lines changed, the conflict is left "
               "in git's own state, and the exit code is 5. Nothing is written before all is known "
               "to be safe; a run that was killed is finished by the next one, or undone by "
               "--abort.",
    .options = OPTIONS({"What", what_options}, {"How", how_options}),
    .max_arguments = 1,
    .run = update_command_run};
