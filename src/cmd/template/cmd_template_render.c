/* `template render`: renders a type into a scratch folder, again at each save. */
#include "author/differences.h"
#include "author/scratch.h"
#include "base/arena.h"
#include "base/budget.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "child/making.h"
#include "cmd/cmd.h"
#include "cmd/project/choices.h"
#include "cmd/template/author_session.h"
#include "data/document.h"
#include "io/interrupt.h"

#include <stdlib.h>

/* One render; with --watch there are many, each with an arena of its own. */
struct rendering {
    struct run *run;
    const char *folder; /* of the catalog; NULL: it has none */
    const char *output;
    struct making making;
    struct differences differences;
    bool first;
    struct err *err;
};

/* ---------------------------------------------------------------- one render */

static int check_type(const struct rendering *r)
{
    const char **types;
    if (r->run->options.argument_count)
        return 0;
    size_t count = catalog_types(&types, &r->run->arena, r->run->catalog->files);
    (void)err_set(r->err, TG_USAGE, "usage", "TYPE is missing");
    return err_hint(r->err, "the catalog '%s' has: %s", r->run->catalog->name,
                    str_join(&r->run->arena, types, count, ", "));
}

static int check_output(struct run *run, const char *folder, const char *type, struct err *err)
{
    const char *output = opt_value(&run->options, "output");
    if (!output)
        output = arena_printf(&run->arena, SCRATCH_MARK "/%s", type);
    return folder ? scratch_check(&run->arena, folder, output, err) : 0;
}

static int make(struct rendering *r)
{
    const struct parsed *options = &r->run->options;
    struct making *m = &r->making;
    struct choices choices;
    if (choices_gather(&choices, r->run, true, r->err) < 0 ||
        cmd_open_authored(&r->folder, r->run, r->err) < 0 || check_type(r) < 0)
        return -1;
    const char *type = options->arguments[0];
    *m = (struct making){.arena = &r->run->arena, .catalog = r->run->catalog};
    if (making_type(m, type, r->err) < 0 || check_output(r->run, r->folder, type, r->err) < 0 ||
        choices_stack(m, r->run, &choices, r->err) < 0 ||
        making_answers(m, &choices.answers, making_name(m), r->err) < 0 ||
        making_render(m, r->err) < 0)
        return -1;
    r->output = opt_value(options, "output");
    if (!r->output && scratch_default(&r->output, &r->run->arena, type, r->err) < 0)
        return -1;
    return scratch_put(&r->differences, &r->first, &r->run->arena, r->output, &m->render, r->err);
}

static void print_render(struct rendering *r)
{
    struct run *run = r->run;
    struct patch_view view = {.out = &run->out, .room = run->json ? 0 : (size_t)-1};
    for (size_t i = 0; !r->first && !run->json && i < r->differences.count; i++) {
        r->differences.items[i].where = NULL;
        patch_view_put(&view, &r->differences.items[i]);
    }
    cmd_print(run, "%s: %zu files of %s, %zu changed\n", cmd_masked(run, r->output),
              r->making.render.count, cmd_masked(run, r->making.manifest->type),
              r->differences.count);
}

static void fill_document(const struct rendering *r)
{
    struct arena *arena = &r->run->arena;
    struct data *document = data_map(arena), *changes = data_list(arena);
    for (size_t i = 0; i < r->differences.count; i++)
        data_push(arena, changes,
                  data_of(arena, FIELD("path", r->differences.items[i].path),
                          FIELD("patch", r->differences.items[i].patch)));
    data_add(arena, document, FIELD("path", r->output), FIELD("type", r->making.manifest->type),
             FIELD("tree", r->making.render.tree), FIELD("files", r->making.render.count),
             FIELD("first", r->first), FIELD("changes", changes));
    r->run->document = document;
}

static int render_once(struct run *run, struct err *err)
{
    struct rendering r = {.run = run, .err = err};
    int rc = make(&r);
    if (rc == 0) {
        print_render(&r);
        fill_document(&r);
    }
    return rc;
}

/* ---------------------------------------------------------------- again and again */

/* Each round is like a separate run with the same command line: it leaves nothing behind. */
static int render_round(struct run *run, struct err *err)
{
    ERR_SCRATCH(failure);
    struct arena whole = run->arena;
    run->arena = (struct arena)ARENA_INIT;
    int rc = budget_start(getenv("TMPLGEN_MEMORY"), &failure);
    if (rc == 0 && render_once(run, &failure) < 0 && interrupt_check(err) == 0)
        print_failure(run, &failure); /* the next save may correct it */
    run_close(run);
    arena_release(&run->arena);
    run->arena = whole;
    run->document = data_map(&run->arena);
    run->failure = NULL;
    run->failure_text = NULL;
    if (interrupt_check(err) < 0)
        return -1;
    if (run_write(run, err) < 0)
        return err->exit == TG_RUNTIME ? err_wrap(err, "cannot write to standard output") : -1;
    buf_truncate(&run->out, 0);
    return 0;
}

static int watched_folder(const char **out, struct run *run, struct err *err)
{
    if (cmd_open_authored(out, run, err) < 0)
        return -1;
    run_close(run);
    if (*out)
        return 0;
    (void)err_set(err, TG_USAGE, "usage", "--watch needs a catalog that lies in a folder");
    return err_hint(err, "give the folder to --catalog, without @REF");
}

/* A save during a render begins the next one. */
static int render_watching(struct run *run, struct err *err)
{
    const char *folder, *answers = opt_value(&run->options, "answers");
    struct watch watch, next;
    if (watched_folder(&folder, run, err) < 0 || check_output(run, folder, "TYPE", err) < 0 ||
        watch_open(&watch, folder, answers, err) < 0)
        return -1;
    int rc = 0;
    while (rc == 0) {
        rc = render_round(run, err);
        if (rc == 0)
            rc = watch_wait(&watch, err);
        if (rc == 0)
            rc = watch_open(&next, folder, answers, err);
        if (rc == 0) {
            watch_close(&watch);
            watch = next;
        }
    }
    watch_close(&watch);
    return rc;
}

static int render_run(struct run *run, struct err *err)
{
    bool watch = opt_given(&run->options, "watch");
    if (watch && run->json)
        return err_set(err, TG_USAGE, "usage", "--watch has no end, and --json is one document");
    return watch ? render_watching(run, err) : render_once(run, err);
}

static const struct option render_options[] = {
    {"output", "DIR", "render into this folder (default: ./.tmplgen-render/TYPE)", false},
    {"watch", NULL, "render again whenever a file of the catalog is saved, until Ctrl-C", false},
    {"answers", "FILE", "YAML file of answers", false},
    {NULL, NULL, NULL, false},
};

const struct command template_render_command = {
    .name = "template render",
    .usage = "TYPE [--output DIR] [--watch] [choices as for new]",
    .summary = "Render a type into a scratch folder, and show what changed since the last time.",
    .details =
        "Nothing is asked: what is not said is the default. The folder holds a list of what was "
        "rendered into it, and only that is replaced; a folder with other files, or a file that "
        "was changed by hand, is refused with 3, and so is one below the catalog's own templates/, "
        "base-images/ or matrices/. There is no repository in it, and no record.",
    .options = OPTIONS({"Catalog", author_options}, {"How", render_options},
                       {"Stack", stack_options}, {"Project", project_options}),
    .max_arguments = 1,
    .run = render_run};
