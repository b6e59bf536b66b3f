/* `new`: render a template into a new child. */
#include "base/data.h"
#include "base/fileset.h"
#include "base/interrupt.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/term.h"
#include "base/unicode.h"
#include "base/yaml.h"
#include "catalog/catalog.h"
#include "catalog/render.h"
#include "catalog/use.h"
#include "child/create.h"
#include "child/record.h"
#include "cmd/ask.h"
#include "cmd/choices.h"
#include "cmd/cmd.h"
#include "cmd/config.h"
#include "cmd/source.h"
#include "matrix/matrix.h"
#include "matrix/version.h"
#include "resolver/resolver.h"

#include <stdio.h>
#include <string.h>

/* One run of `new`, filled step by step. */
struct new_child {
    struct run *run;
    struct arena *arena;
    struct config config;
    struct choices choices;
    struct catalog *catalog;
    struct manifest *manifest;
    struct stack_request request;
    struct data *request_data, *resolution; /* NULL with `stack: none` */
    struct create_target target;
    const char *path; /* as shown: what the user gave, or ./NAME */
    struct answers answers;
    struct render render;
    struct record record;
    struct buf record_text;
    struct created created;
    bool ask;
    struct err *err;
};

static int open_catalog(struct new_child *n)
{
    return cmd_open_catalog(&n->catalog, n->run, &n->config, n->err);
}

static const char *list_names(struct arena *arena, const char *const *names, size_t count)
{
    const char *list = "";
    for (size_t i = 0; i < count; i++)
        list = arena_printf(arena, "%s%s%s", list, i ? ", " : "", names[i]);
    return list;
}

static int choose_type(struct new_child *n)
{
    const char **types, *type = n->choices.type;
    size_t count = catalog_types(&types, n->arena, n->catalog->files);
    if (!type && n->ask && count &&
        ask_choice(&type, n->arena, "type", "kind of project", types, count, n->err) < 0)
        return -1;
    if (!type) {
        (void)err_set(n->err, TG_USAGE, "missing-answer", "--type is missing");
        return err_hint(n->err, "the catalog '%s' has: %s", n->catalog->name,
                        list_names(n->arena, types, count));
    }
    if (manifest_load(&n->manifest, n->arena, n->catalog, type, n->err) < 0)
        return -1;
    return manifest_check_use(n->arena, n->catalog, n->manifest, n->err);
}

/* The type may have files for some of the catalog's frameworks only. */
static int check_framework(const struct new_child *n, const char *const *names, size_t count)
{
    const char *name = request_framework(&n->request, n->arena);
    const char **known;
    size_t known_count = matrix_frameworks(&known, n->arena, n->catalog->files);
    const char *because = n->manifest->frameworks_because;
    bool in_matrix = false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return 0;
    for (size_t i = 0; i < known_count; i++)
        in_matrix |= strcmp(known[i], name) == 0;
    if (!in_matrix)
        return 0; /* unknown altogether: the matrix names the nearest */
    (void)err_set(n->err, TG_USAGE, "unknown-framework",
                  "the type '%s' has no files for the framework '%s'%s%s", n->manifest->type, name,
                  because ? ": " : "", because ? because : "");
    return err_hint(n->err, "it has files for: %s", list_names(n->arena, names, count));
}

static int choose_framework(struct new_child *n)
{
    const char **names = n->manifest->frameworks;
    size_t count = n->manifest->framework_count;
    if (count == 0)
        count = matrix_frameworks(&names, n->arena, n->catalog->files);
    if (request_text(&n->request, CHOICE_FRAMEWORK))
        return check_framework(n, names, count);
    if (n->ask && count) {
        const char *name;
        if (ask_choice(&name, n->arena, "framework", "what the project uses", names, count, n->err))
            return -1;
        request_say(&n->request, n->arena, CHOICE_FRAMEWORK, name);
        return 0;
    }
    (void)err_set(n->err, TG_USAGE, "missing-answer", "--framework is missing");
    return err_hint(n->err, "the type '%s' takes: %s", n->manifest->type,
                    list_names(n->arena, names, count));
}

static int refuse_stack(const struct new_child *n)
{
    for (size_t i = 0; i < n->choices.stack.count; i++) {
        const struct given *given = &n->choices.stack.items[i];
        if (given->from == GIVEN_CONFIG)
            continue;
        (void)err_set(n->err, TG_USAGE, "usage", "the type '%s' has no stack: '%s' means nothing",
                      n->manifest->type, given->name);
        return err_hint(n->err, "leave --%s out", given->name);
    }
    return 0;
}

/* The files of a type may need a newer Python than the framework does. */
static int check_python(const struct new_child *n)
{
    const char *python = data_text(data_get(n->resolution, "python"));
    struct spec spec;
    struct version version;
    if (!n->manifest->python || !python)
        return 0;
    if (spec_parse(&spec, n->arena, n->manifest->python, "python", n->err) < 0)
        return -1;
    const char *plain = arena_memdup(n->arena, python, strspn(python, "0123456789."));
    if (version_parse(&version, plain) < 0 || spec_matches(&spec, &version))
        return 0;
    (void)err_set(n->err, TG_USAGE, "usage", "the type '%s' needs Python %s; this stack has %s",
                  n->manifest->type, n->manifest->python, python);
    return err_hint(n->err, "ask for a newer one with --python, or for a newer framework");
}

static int resolve_stack(struct new_child *n)
{
    struct data *refusal = NULL;
    struct matrix *matrix;
    if (!n->manifest->has_stack)
        return refuse_stack(n);
    if (choices_request(&n->request, n->run, &n->choices, n->err) < 0 || choose_framework(n) < 0)
        return -1;
    n->request_data = stack_request_data(n->arena, &n->request);
    data_put(n->arena, n->run->document, "request", n->request_data);
    const char *name = request_framework(&n->request, n->arena);
    if (matrix_load(&matrix, n->arena, n->catalog->files, span_of("", 0), name, n->err) < 0)
        return -1;
    if (matrix_resolve(&n->resolution, &refusal, n->arena, matrix, &n->request, n->err) == 0)
        return check_python(n);
    if (refusal)
        cmd_refuse(n->run, refusal);
    return -1;
}

/* FRAMEWORK-TYPE; with `stack: none` PATH's last part, else TYPE. */
static const char *default_name(const struct new_child *n)
{
    const struct parsed *options = &n->run->options;
    if (n->manifest->has_stack)
        return arena_printf(n->arena, "%s-%s", request_framework(&n->request, n->arena),
                            n->manifest->type);
    if (options->argument_count == 0)
        return n->manifest->type;
    char *path = arena_strdup(n->arena, options->arguments[0]);
    for (size_t len = strlen(path); len > 1 && path[len - 1] == '/'; len--)
        path[len - 1] = '\0';
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    bool usable = *last && strcmp(last, ".") != 0 && strcmp(last, "..") != 0;
    return usable ? last : n->manifest->type;
}

static int answer(struct new_child *n)
{
    struct render_input input = {.catalog = n->catalog,
                                 .manifest = n->manifest,
                                 .request = n->request_data,
                                 .resolution = n->resolution};
    return answers_collect(&n->answers, n->arena, n->manifest, &n->choices.answers,
                           render_context(n->arena, &input), default_name(n),
                           n->ask ? &terminal_asker : NULL, n->err);
}

/* A PATH that was given is looked at before anything is asked. */
static int inspect_target(struct new_child *n)
{
    const struct parsed *options = &n->run->options;
    if (n->path)
        return 0;
    if (options->argument_count)
        n->path = options->arguments[0];
    else if (n->answers.values)
        n->path = arena_printf(n->arena, "./%s", data_text(data_get(n->answers.values, "name")));
    if (!n->path)
        return 0;
    if (!*n->path)
        return err_set(n->err, TG_USAGE, "usage", "PATH is empty");
    return create_inspect(&n->target, n->arena, n->path, n->err);
}

static int render_child(struct new_child *n)
{
    struct render_input input = {.catalog = n->catalog,
                                 .manifest = n->manifest,
                                 .answers = n->answers.values,
                                 .request = n->request_data,
                                 .resolution = n->resolution};
    if (render(&n->render, n->arena, &input, n->err) < 0)
        return -1;
    n->record = (struct record){.catalog = n->catalog->origin,
                                .type = n->manifest->type,
                                .answers = n->answers.kept,
                                .request = n->request_data,
                                .resolution = n->resolution,
                                .engine = TEMPLATE_ENGINE};
    memcpy(n->record.tree, n->render.tree, sizeof(n->record.tree));
    record_hash_inputs(n->record.inputs, &n->record, span_of("", 0));
    if (record_format(&n->record_text, &n->record) < 0)
        return err_set(n->err, TG_USAGE, "limit", "the record is larger than %zu bytes",
                       LIMIT_DOCUMENT_BYTES);
    return 0;
}

static int write_child(struct new_child *n)
{
    const struct parsed *options = &n->run->options;
    struct create_options create = {
        .no_git = opt_given(options, "no-git"),
        .commit = opt_given(options, "commit"),
        .message = arena_printf(n->arena, "Create %s from template %s of %s %s\n",
                                data_text(data_get(n->answers.values, "name")), n->manifest->type,
                                n->catalog->name, n->catalog->origin.version)};
    return create_child(&n->created, n->arena, &n->target, &n->render,
                        span_of(buf_text(&n->record_text), n->record_text.len), &create, n->err);
}

static struct data *file_data(const struct new_child *n, const struct render_entry *entry)
{
    struct data *file = data_map(n->arena);
    data_put(n->arena, file, "path", data_str(n->arena, entry->path));
    data_put(n->arena, file, "size", data_int(n->arena, (int64_t)entry->bytes.len));
    data_put(n->arena, file, "executable", data_bool(n->arena, entry->executable));
    data_put(n->arena, file, "policy", data_str(n->arena, file_policy_names[entry->policy]));
    data_put(n->arena, file, "merge", data_str(n->arena, file_merge_names[entry->merge]));
    data_put(n->arena, file, "source", data_str(n->arena, *entry->source ? entry->source : NULL));
    return file;
}

static void fill_document(const struct new_child *n)
{
    struct arena *arena = n->arena;
    struct data *document = data_map(arena), *files = data_list(arena);
    for (size_t i = 0; i < n->render.count; i++)
        data_push(arena, files, file_data(n, &n->render.entries[i]));
    data_put(arena, document, "path", data_str(arena, n->target.path));
    data_put(arena, document, "type", data_str(arena, n->manifest->type));
    data_put(arena, document, "answers", data_copy(arena, n->answers.kept));
    data_put(arena, document, "request", n->request_data ? n->request_data : data_null(arena));
    data_put(arena, document, "resolution", n->resolution ? n->resolution : data_null(arena));
    data_put(arena, document, "files", files);
    data_put(arena, document, "commit",
             data_str(arena, *n->created.commit ? n->created.commit : NULL));
    data_put(arena, document, "tree", data_str(arena, n->render.tree));
    data_put(arena, document, "dry_run", data_bool(arena, opt_given(&n->run->options, "dry-run")));
    n->run->document = document;
}

static void print_stack(const struct new_child *n)
{
    BUF_SCRATCH(text, LIMIT_MIB);
    if (!n->resolution)
        return;
    (void)matrix_explain(&text, n->resolution);
    cmd_print(n->run, "\n%s", buf_text(&text));
}

static const char *masked(const struct new_child *n, const char *text)
{
    BUF_SCRATCH(out, LIMIT_MIB);
    (void)unicode_mask(&out, span_from(text), false);
    return arena_strdup(n->arena, buf_text(&out));
}

static void print_dry_run(const struct new_child *n)
{
    size_t total = 0;
    cmd_print(n->run, "Would create %s (%s):\n\n", masked(n, n->path), n->manifest->type);
    for (size_t i = 0; i < n->render.count; i++) {
        const struct render_entry *entry = &n->render.entries[i];
        total += entry->bytes.len;
        cmd_print(n->run, "  %8zu  %-7s  %s%s\n", entry->bytes.len,
                  file_policy_names[entry->policy], masked(n, entry->path),
                  entry->executable ? " *" : "");
    }
    cmd_print(n->run, "\n%zu files, %zu bytes, tree %s; nothing was written\n", n->render.count,
              total, n->render.tree);
    print_stack(n);
}

static void print_result(const struct new_child *n)
{
    const struct created *created = &n->created;
    cmd_print(n->run, "Created %s (%s, %zu files)", masked(n, n->path), n->manifest->type,
              n->render.count + 1);
    if (*created->commit)
        cmd_print(n->run, ", commit %.7s on %s", created->commit,
                  created->branch ? masked(n, created->branch) : "a detached HEAD");
    cmd_print(n->run, "\n");
    print_stack(n);
    if (created->author_is_fallback)
        cmd_say(n->run, "git knows no user here: committed as %s (set user.name and user.email)",
                created->author);
    if (created->signing_skipped)
        cmd_say(n->run, "commit.gpgSign is set, but tmplgen signs nothing: "
                        "'git commit --amend --no-edit -S' signs this commit");
    if (!*created->commit && n->target.repository && !opt_given(&n->run->options, "no-git"))
        cmd_say(n->run, "inside the repository '%s': nothing is committed (--commit does)",
                n->target.repository);
    cmd_print(n->run, "\nNext:\n  cd %s\n", masked(n, n->path));
    for (size_t i = 0; i < n->manifest->next_count; i++)
        cmd_print(n->run, "  %s\n", masked(n, n->manifest->next[i]));
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
    if (check_flags(n) < 0 || config_load(&n->config, n->arena, n->err) < 0 ||
        choices_gather(&n->choices, n->run, &n->config, n->err) < 0 || inspect_target(n) < 0 ||
        open_catalog(n) < 0 || choose_type(n) < 0 || resolve_stack(n) < 0 || answer(n) < 0 ||
        inspect_target(n) < 0 || render_child(n) < 0)
        return -1;
    bool dry_run = opt_given(&n->run->options, "dry-run");
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
    struct new_child n = {.run = run,
                          .arena = &run->arena,
                          .record_text = BUF_INIT(LIMIT_DOCUMENT_BYTES),
                          .ask = term_interactive() && !opt_given(&run->options, "defaults"),
                          .err = err};
    int rc = make_child(&n);
    catalog_close(n.catalog);
    buf_release(&n.record_text);
    return rc;
}

static const struct option what_options[] = {
    {"type", "TYPE", "kind of project, such as service", false},
    {NULL, NULL, NULL, false},
};

static const struct option project_options[] = {
    {"name", "NAME", "name of the project (default FRAMEWORK-TYPE)", false},
    {"ci", "LIST", "CI systems, separated by commas, or none", false},
    {"deploy", "WORD", "what it is deployed on, or none", false},
    {"gpu-sharing", "WORD", "how GPUs are shared, or none", false},
    {"orchestrator", "WORD", "what runs the jobs, or none", false},
    {"registry", "HOST/PATH", "registry of the team's images", false},
    {"set", "KEY=VALUE", "answer any question of the template", true},
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
    {"trust", NULL, "take a remote catalog that is new to you (none can be read yet)", false},
    {NULL, NULL, NULL, false},
};

static const struct option_group groups[] = {
    {"What", what_options}, {"Stack", stack_options},   {"Project", project_options},
    {"How", how_options},   {"Output", common_options}, {NULL, NULL},
};

const struct command new_command = {
    .name = "new",
    .schema = "new",
    .usage = "[PATH] --type TYPE --framework NAME[SPEC] [choices]",
    .summary = "Make a new repository from a template, with a GPU stack that matches.",
    .details = "PATH defaults to ./NAME. On a terminal tmplgen asks for what is missing; elsewhere "
               "it takes the defaults. A choice is looked for in this order: option, --set, "
               "--answers, your configuration ($XDG_CONFIG_HOME/tmplgen/config.yml), the "
               "template's default. Outside of a repository it makes one with a first commit; "
               "inside one it writes the files and leaves committing to you.",
    .options = groups,
    .max_arguments = 1,
    .run = new_run};
