/* `new`: renders a template into a new child. */
#include "base/limits.h"
#include "base/shell.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "catalog/origin.h"
#include "catalog/render.h"
#include "catalog/trust.h"
#include "child/base_ref.h"
#include "child/making.h"
#include "child/record.h"
#include "child/team_image.h"
#include "child/write_child.h"
#include "cmd/cmd.h"
#include "cmd/common/command_line.h"
#include "cmd/project/choices.h"
#include "cmd/project/interview.h"
#include "cmd/project/new_words.h"
#include "data/document.h"
#include "io/interrupt.h"
#include "io/term.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One run of `new`, filled step by step. */
struct new_child {
    struct run *run;
    struct arena *arena;
    struct choices choices;
    struct typed *typed;
    struct interview *interview; /* NULL: nobody is asked */
    struct making making;
    struct create_target target;
    const char *path; /* as shown: what the user gave, or ./NAME */
    struct span record_text;
    struct created created;
    struct words next; /* the type's own next commands */
    struct err *err;
};

static int open_catalog(struct new_child *n)
{
    bool ask = term_interactive() && !opt_given(&n->run->options, "defaults");
    if (cmd_open_catalog(n->run, n->err) < 0)
        return -1;
    if (ask)
        n->interview = interview_new(n->run, &n->choices, n->typed);
    n->making = (struct making){.arena = n->arena,
                                .catalog = n->run->catalog,
                                .asker = ask ? interview_asker(n->interview) : NULL,
                                .overlay = span_of("", 0)};
    return 0;
}

static int make_stack(struct new_child *n)
{
    int rc = n->interview ? interview_stack(n->interview, &n->making, n->err)
                          : choices_stack(&n->making, n->run, &n->choices, n->err);
    if (n->making.request_data)
        data_put(n->arena, n->run->document, "request", n->making.request_data);
    return rc;
}

/* PATH's last part; of `.` and `..` that of the real folder. NULL: there is none. */
static const char *last_part(const struct new_child *n)
{
    const struct parsed *options = &n->run->options;
    if (options->argument_count == 0)
        return NULL;
    char *path = arena_strdup(n->arena, options->arguments[0]), real[PATH_MAX];
    for (size_t len = strlen(path); len > 1 && path[len - 1] == '/'; len--)
        path[len - 1] = '\0';
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    if (strcmp(last, ".") == 0 || strcmp(last, "..") == 0)
        last = realpath(path, real) ? strrchr(real, '/') + 1 : "";
    return *last ? arena_strdup(n->arena, last) : NULL;
}

/* A name like it that more types take, since packages are called by it: "my-app" of "My App". */
static const char *like_a_package(struct arena *arena, const char *name)
{
    char *out = arena_strdup(arena, name);
    for (char *at = out; *at; at++)
        *at = *at >= 'A' && *at <= 'Z' ? *at + ('a' - 'A') : *at == ' ' ? '-' : *at;
    return out;
}

/* What the project may be called, the likeliest first; the last, FRAMEWORK-TYPE, always will do. */
static struct words names(const struct new_child *n)
{
    struct words out = {0};
    const char *last = last_part(n), *like = last ? like_a_package(n->arena, last) : NULL;
    const char *const all[] = {last, like, making_name(&n->making)};
    for (size_t i = 0; i < 3; i++)
        if (all[i] && !words_have(&out, all[i]) &&
            (i == 2 || answers_can_be(n->arena, n->making.manifest, "name", all[i])))
            words_add(&out, n->arena, all[i]);
    return out;
}

static int try_name(struct new_child *n, const char *name, struct err *err)
{
    const char *last = last_part(n);
    if (making_answers(&n->making, &n->choices.answers, name, err) < 0)
        return -1;
    if (last && !given_find(&n->choices.answers, "name") && !str_equal(last, name))
        cmd_say(n->run,
                "'%s' cannot be the name of this project: it is called '%s'; --name says another",
                last, name);
    return 0;
}

/*
 * Where nobody is asked, the first name that agrees with all other answers is taken. If none does,
 * the first one's failure is told.
 */
static int answer_by_default(struct new_child *n)
{
    const struct words all = names(n);
    ERR_SCRATCH(first);
    int rc = -1;
    for (size_t i = 0; rc < 0 && i < all.count; i++) {
        ERR_SCRATCH(later);
        rc = try_name(n, all.items[i], i ? &later : &first);
        if (!str_equal(first.code, "invalid-answer"))
            break;
    }
    return rc < 0 ? err_move(n->err, &first) : 0;
}

static int answer(struct new_child *n)
{
    const struct words all = names(n);
    if (n->interview && all.count)
        return interview_answers(n->interview, &n->making, all.items[0], n->err);
    return answer_by_default(n);
}

/* Inspects a given PATH before anything is asked. */
static int inspect_target(struct new_child *n)
{
    const struct parsed *options = &n->run->options;
    if (n->path)
        return 0;
    if (options->argument_count)
        n->path = options->arguments[0];
    else if (n->making.answers.values)
        n->path =
            arena_printf(n->arena, "./%s", data_text(data_get(n->making.answers.values, "name")));
    if (!n->path)
        return 0;
    if (!*n->path)
        return err_set(n->err, TG_USAGE, "usage", "PATH is empty");
    return create_inspect(&n->target, n->arena, n->path, n->err);
}

static int write_child(struct new_child *n)
{
    const struct parsed *options = &n->run->options;
    struct create_options create = {
        .no_git = opt_given(options, "no-git"),
        .commit = opt_given(options, "commit"),
        .proof = proof_text(n->arena, &n->making.record, &n->making.render),
        .message =
            arena_printf(n->arena, "Create %s from template %s of %s %s\n",
                         cmd_masked(n->run, data_text(data_get(n->making.answers.values, "name"))),
                         cmd_masked(n->run, n->making.manifest->type), n->run->catalog->name,
                         origin_words(n->arena, &n->run->catalog->origin))};
    return create_child(&n->created, n->arena, &n->target, &n->making.render, n->record_text,
                        &create, n->err);
}

static struct data *file_data(const struct new_child *n, const struct render_entry *entry)
{
    return data_of(n->arena, FIELD("path", entry->path), FIELD("size", entry->bytes.len),
                   FIELD("executable", entry->executable),
                   FIELD("policy", file_policy_names[entry->policy]),
                   FIELD("merge", file_merge_names[entry->merge]),
                   FIELD("source", *entry->source ? entry->source : NULL));
}

static void fill_document(const struct new_child *n)
{
    struct arena *arena = n->arena;
    struct data *document = data_map(arena), *files = data_list(arena);
    for (size_t i = 0; i < n->making.render.count; i++)
        data_push(arena, files, file_data(n, &n->making.render.entries[i]));
    data_add(arena, document, FIELD("path", n->target.path),
             FIELD("signature", signature_data(arena, &n->run->catalog->origin)),
             FIELD("type", n->making.manifest->type),
             FIELD("answers", data_copy(arena, n->making.answers.kept)),
             FIELD("request", n->making.request_data),
             FIELD("resolution", team_image_shown(arena, n->making.resolution)),
             FIELD("files", files), FIELD("commit", *n->created.commit ? n->created.commit : NULL),
             FIELD("tree", n->making.render.tree),
             FIELD("dry_run", opt_given(&n->run->options, "dry-run")));
    n->run->document = document;
}

static void print_stack(const struct new_child *n)
{
    if (!n->making.resolution)
        return;
    cmd_print(n->run, "\n");
    cmd_print_stack(n->run, n->making.resolution);
}

static void print_catalogs(const struct new_child *n)
{
    const struct catalog *catalog = n->run->catalog;
    if (!catalog->extends)
        return;
    cmd_print(n->run, "Catalog %s %s", catalog->name, catalog->origin.version);
    while ((catalog = catalog->extends))
        cmd_print(n->run, ", built on %s %s", catalog->name, catalog->origin.version);
    cmd_print(n->run, "\n");
}

static void print_dry_run(const struct new_child *n)
{
    size_t total = 0;
    cmd_print(n->run, "Would create %s (%s):\n\n", cmd_masked(n->run, n->path),
              cmd_masked(n->run, n->making.manifest->type));
    for (size_t i = 0; i < n->making.render.count; i++) {
        const struct render_entry *entry = &n->making.render.entries[i];
        total += entry->bytes.len;
        cmd_print(n->run, "  %8zu  %-7s  %s%s\n", entry->bytes.len,
                  file_policy_names[entry->policy], cmd_masked(n->run, entry->path),
                  entry->executable ? " *" : "");
    }
    cmd_print(n->run, "\n%zu files, %zu bytes, tree %s; nothing was written\n",
              n->making.render.count, total, n->making.render.tree);
    print_catalogs(n);
    print_stack(n);
}

static void print_result(const struct new_child *n)
{
    const struct created *created = &n->created;
    cmd_print(n->run, "Created %s (%s, %zu files)", cmd_masked(n->run, n->path),
              cmd_masked(n->run, n->making.manifest->type), n->making.render.count + 1);
    if (*created->commit)
        cmd_print(n->run, ", commit %.7s on %s", created->commit,
                  created->branch ? cmd_masked(n->run, created->branch) : "a detached HEAD");
    cmd_print(n->run, "\n");
    print_catalogs(n);
    print_stack(n);
    new_say(n->run, &n->making, created,
            opt_given(&n->run->options, "no-git") ? NULL : n->target.repository);
    cmd_print(n->run, "\nNext:\n  %s\n",
              shell_command(n->arena, "cd %s", shell_path(n->arena, n->path)));
    for (size_t i = 0; i < n->next.count; i++)
        cmd_print(n->run, "  %s\n", cmd_masked(n->run, n->next.items[i]));
}

static int check_flags(const struct new_child *n)
{
    const struct parsed *options = &n->run->options;
    if (opt_given(options, "no-git") && opt_given(options, "commit"))
        return err_set(n->err, TG_USAGE, "usage", "--no-git and --commit contradict each other");
    return 0;
}

static int make_child(struct new_child *n)
{
    struct making *m = &n->making;
    if (check_flags(n) < 0 || choices_gather(&n->choices, n->run, true, n->err) < 0 ||
        inspect_target(n) < 0 || open_catalog(n) < 0 ||
        making_type(m, n->choices.type, n->err) < 0 || make_stack(n) < 0 || answer(n) < 0 ||
        inspect_target(n) < 0 || making_render(m, n->err) < 0 ||
        making_next(&n->next, m, n->err) < 0 ||
        record_text(&n->record_text, n->arena, &m->record, n->err) < 0)
        return -1;
    bool dry_run = opt_given(&n->run->options, "dry-run");
    if (!dry_run && n->interview && interview_confirm(n->interview, m, n->path, n->err) < 0)
        return -1;
    if (!dry_run && write_child(n) < 0)
        return -1;
    if (!dry_run)
        interrupt_settle();
    fill_document(n);
    if (dry_run)
        print_dry_run(n);
    else
        print_result(n);
    return TG_OK;
}

static int new_run(struct run *run, struct err *err)
{
    struct new_child n = {
        .run = run, .arena = &run->arena, .err = err, .typed = typed_answers_new(run)};
    int rc = make_child(&n);
    if (rc < 0)
        typed_answers_tell(n.typed, n.making.manifest);
    return rc;
}

static const struct option what_options[] = {
    {"type", "TYPE", "kind of project, such as service", false},
    {NULL, NULL, NULL, false},
};

static const struct option how_options[] = {
    {"catalog", "SRC[@REF]", "take the templates from this catalog (default: the one built in)",
     false},
    {"answers", "FILE", "YAML file of answers", false},
    {"defaults", NULL, "ask nothing, take the defaults", false},
    {"dry-run", NULL, "show what would be made, write nothing", false},
    {"no-git", NULL, "write files only, make no repository", false},
    {"commit", NULL, "inside an existing repository: commit the files there", false},
    {"trust", NULL, "trust this catalog (needed the first time)", false},
    {NULL, NULL, NULL, false},
};

const struct command new_command = {
    .name = "new",
    .usage = "[PATH] --type TYPE --framework NAME[SPEC] [choices]",
    .summary = "Make a new repository from a template, with a GPU stack that matches.",
    .details =
        "PATH defaults to ./NAME, and NAME to PATH's last part, else to FRAMEWORK-TYPE. On a "
        "terminal tmplgen asks for what is missing: GPU and driver, the name, a few more, the "
        "rest on demand; elsewhere it takes the defaults. A choice is looked for in this "
        "order: option, --set, --answers, your configuration "
        "($XDG_CONFIG_HOME/tmplgen/config.yml), the template's default. A catalog SRC is a "
        "folder, a git repository here or on a server (https://HOST/PATH, USER@HOST:PATH), "
        "or SRC//FOLDER of one; REF is a tag, a branch, a commit or a policy such as ^1.2. "
        "Outside of a repository it makes one with a first commit; inside one it writes the "
        "files and leaves committing to you.",
    .options = OPTIONS({"What", what_options}, {"Stack", stack_options},
                       {"Project", project_options}, {"How", how_options}),
    .max_arguments = 1,
    .run = new_run};
