/* `template lint`: reports the mistakes in a catalog. */
#include "author/lint.h"
#include "base/limits.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "cmd/template/author_session.h"
#include "data/document.h"

#define TYPES_MAX 1000

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static struct data *list_data(struct arena *arena, const struct finding_list *findings)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; i < findings->count && i < FINDINGS_SHOWN; i++)
        data_push(arena, list, finding_data(arena, &findings->items[i]));
    return list;
}

static void print_findings(struct run *run, const struct finding_list *findings)
{
    size_t all = findings->count + findings->more;
    for (size_t i = 0; i < findings->count && i < FINDINGS_SHOWN; i++) {
        BUF_SCRATCH(text, LIMIT_MIB);
        (void)finding_print(&text, &findings->items[i]);
        cmd_print(run, "%s", buf_text(&text));
    }
    if (all > FINDINGS_SHOWN)
        cmd_print(run, "and %zu more\n", all - FINDINGS_SHOWN);
}

/* Adds the members that a document has with and without errors. */
static void fill(struct arena *arena, struct data *map, const struct finding_list *findings)
{
    size_t all = findings->count + findings->more;
    data_add(arena, map, FIELD("findings", list_data(arena, findings)),
             FIELD("more", all > FINDINGS_SHOWN ? (int64_t)(all - FINDINGS_SHOWN) : 0),
             FIELD("errors", findings_errors(findings)),
             FIELD("warnings", findings_warnings(findings)));
}

static int tell(struct run *run, const struct finding_list *findings, struct err *err)
{
    size_t errors = findings_errors(findings), warnings = findings_warnings(findings);
    bool strict = opt_given(&run->options, "strict");
    print_findings(run, findings);
    if (!errors && !(strict && warnings)) {
        fill(&run->arena, run->document, findings);
        if (warnings)
            cmd_print(run, "%zu warning%s\n", warnings, plural(warnings));
        else
            cmd_print(run, "nothing is wrong with the catalog '%s'\n",
                      cmd_masked(run, run->catalog->name));
        return TG_OK;
    }
    run->failure = data_map(&run->arena);
    fill(&run->arena, run->failure, findings);
    return err_set(err, TG_USAGE, "invalid-catalog", "%zu error%s and %zu warning%s in the catalog",
                   errors, plural(errors), warnings, plural(warnings));
}

static int print_rules(struct run *run)
{
    struct data *rules = data_list(&run->arena);
    for (enum lint_rule i = 0; i < RULE_COUNT; i++) {
        struct data *map =
            data_of(&run->arena, FIELD("rule", lint_rules[i].name),
                    FIELD("severity", lint_severity(i)), FIELD("what", lint_rules[i].what));
        data_push(&run->arena, rules, map);
        cmd_print(run, "%-21s %-8s %s\n", lint_rules[i].name, lint_severity(i), lint_rules[i].what);
    }
    cmd_tell(run, FIELD("rules", rules));
    return TG_OK;
}

/* A catalog that cannot be opened because of its catalog.yml is a finding, too. */
static int template_lint_run(struct run *run, struct err *err)
{
    struct finding_list findings;
    if (opt_given(&run->options, "rules"))
        return print_rules(run);
    if (cmd_open_checked(NULL, run, err) < 0)
        return -1;
    const struct words types = {run->options.arguments, run->options.argument_count};
    if (lint_catalog(&findings, &run->arena, run->catalog, types, err) < 0)
        return -1;
    return tell(run, &findings, err);
}

static const struct option lint_options[] = {
    {"strict", NULL, "warnings fail, too", false},
    {"rules", NULL, "list the rules, look at nothing", false},
    {NULL, NULL, NULL, false},
};

const struct command template_lint_command = {
    .name = "template lint",
    .usage = "[TYPE...] [--strict]",
    .summary = "Find what is wrong with a catalog, in every branch of every template.",
    .details =
        "Without TYPE everything is looked at, what no type takes included. Each finding has its "
        "place, its line, the reason and what to do; the exit code is 2 where one is an error. A "
        "comment 'tmplgen-lint: ignore RULE because REASON' in a file says that a rule does not "
        "hold there. docs/authors.md has the rules.",
    .options = OPTIONS({"What", lint_options}, {"Catalog", checked_options}),
    .max_arguments = TYPES_MAX,
    .run = template_lint_run};
