/* `template test`: renders every type of a catalog in many combinations, and compares. */
#include "author/test_catalog.h"
#include "base/intern.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "cmd/template/author_session.h"
#include "data/document.h"

#include <string.h>

enum { LINES_SHOWN = 300 };

struct test_view {
    struct run *run;
    struct arena *arena;
    struct catalog *against;
    struct test_run testing;
    struct test_result result;
    struct err *err;
};

/* ---------------------------------------------------------------- the older revision */

/* HEAD, where the catalog is a repository with a commit; else nothing, unless a revision is named.
 */
static int open_against(struct test_view *t)
{
    const char *ref = opt_value(&t->run->options, "against");
    const struct catalog_origin *origin = &t->run->catalog->origin;
    ERR_SCRATCH(inner);
    if (ref)
        return catalog_open(&t->against, t->arena, origin->source, ref, t->err);
    if (!t->testing.folder)
        return 0;
    if (catalog_open(&t->against, t->arena, origin->source, "HEAD", &inner) == 0)
        return 0;
    if (strcmp(inner.code, "unknown-ref") == 0) /* nothing is committed, or nothing can be */
        return 0;
    cmd_warn(t->run, "HEAD cannot be compared with: %s", inner.message);
    return 0;
}

static int check_flags(const struct test_view *t)
{
    const struct parsed *options = &t->run->options;
    if (opt_given(options, "accept") && !t->testing.folder) {
        (void)err_set(t->err, TG_USAGE, "usage",
                      "--accept writes into the catalog, which must be a folder");
        return err_hint(t->err, "give the folder to --catalog, without @REF");
    }
    if (!opt_given(options, "check") || t->testing.folder)
        return 0;
    (void)err_set(t->err, TG_REFUSED, "untrusted-source",
                  "--check runs commands that the catalog names: only those of a folder");
    return err_hint(t->err, "look at them, then give the folder to --catalog");
}

/* ---------------------------------------------------------------- the document */

static struct data *differences_data(struct arena *arena, const struct differences *differences)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; i < differences->count; i++) {
        const struct difference *item = &differences->items[i];
        struct data *one = data_of(arena, FIELD("path", item->path), FIELD("case", item->where),
                                   FIELD("cases", item->cases), FIELD("patch", item->patch));
        data_push(arena, list, one);
    }
    return list;
}

static struct data *named_data(struct arena *arena, const struct named_result *named)
{
    return data_of(arena, FIELD("name", named->name),
                   FIELD("golden", golden_state_names[named->state]),
                   FIELD("differences", differences_data(arena, &named->differences)));
}

static struct data *check_data(struct arena *arena, const struct child_check *check)
{
    return data_of(arena, FIELD("case", check->where),
                   FIELD("command", data_texts(arena, check->command.items, check->command.count)),
                   FIELD("status", check->status), FIELD("output", check->output));
}

static struct data *type_data(struct arena *arena, const struct type_result *type)
{
    struct data *one = data_map(arena), *named = data_list(arena), *checks = data_list(arena);
    for (size_t i = 0; i < type->named_count; i++)
        data_push(arena, named, named_data(arena, &type->named[i]));
    for (size_t i = 0; i < type->check_count; i++)
        data_push(arena, checks, check_data(arena, &type->checks[i]));
    return data_add(
        arena, one, FIELD("type", type->type), FIELD("cases", type->cases),
        FIELD("pairs", type->pairs), FIELD("ruled_out", type->ruled_out),
        FIELD("unsafe", type->unsafe),
        FIELD("unreached", data_texts(arena, type->unreached.items, type->unreached.count)),
        FIELD("compared", type->compared),
        FIELD("differences", differences_data(arena, &type->differences)), FIELD("named", named),
        FIELD("checks", checks));
}

static void fill_document(const struct test_view *t)
{
    struct arena *arena = t->arena;
    struct data *document = t->run->document, *types = data_list(arena);
    for (size_t i = 0; i < t->result.count; i++)
        data_push(arena, types, type_data(arena, &t->result.types[i]));
    data_add(arena, document, FIELD("catalog", t->run->catalog->origin.source),
             FIELD("against", t->against ? t->against->origin.ref : NULL),
             FIELD("repeat", t->result.repeat), FIELD("types", types));
}

/* ---------------------------------------------------------------- words */

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void print_unsafe(struct run *run, const struct type_result *type)
{
    if (type->unsafe)
        cmd_print(run,
                  "  %zu case%s left out, whose answers make an unsafe path: a 'pattern' of the "
                  "question keeps them away: %s\n",
                  type->unsafe, plural(type->unsafe), cmd_masked(run, type->unsafe_path));
}

static void print_type(const struct test_view *t, const struct type_result *type)
{
    struct run *run = t->run;
    cmd_print(run, "%s: %zu case%s of %zu pairs of answers", cmd_masked(run, type->type),
              type->cases, plural(type->cases), type->pairs);
    if (type->ruled_out)
        cmd_print(run, ", %zu pairs that no child has", type->ruled_out);
    if (t->against && !t->testing.accept)
        cmd_print(run, ", %zu compared with %s", type->compared,
                  cmd_masked(run, t->against->origin.ref));
    cmd_print(run, "\n");
    print_unsafe(run, type);
    for (size_t i = 0; i < type->unreached.count; i++)
        cmd_print(run, "  no case takes %s\n", cmd_masked(run, type->unreached.items[i]));
    for (size_t i = 0; i < type->named_count; i++)
        cmd_print(run, "  %s: %s\n", cmd_masked(run, type->named[i].name),
                  golden_state_names[type->named[i].state]);
    for (size_t i = 0; i < type->check_count; i++)
        cmd_print(run, "  %s: %s: %s\n", cmd_masked(run, type->checks[i].where),
                  cmd_masked(run, str_join(t->arena, type->checks[i].command.items,
                                           type->checks[i].command.count, " ")),
                  type->checks[i].status ? "failed" : "passed");
}

/*
 * A file with a name or a version changes in as many ways as there are of those: shows only the
 * first.
 */
static void put_differences(const struct test_view *t, struct patch_view *view,
                            const struct differences *differences)
{
    struct intern paths = {0};
    size_t *more = arena_array(t->arena, differences->count + 1, sizeof(*more));
    for (size_t i = 0; i < differences->count; i++) {
        size_t known = paths.count;
        size_t path = intern_add(&paths, t->arena, span_from(differences->items[i].path));
        if (path < known && !t->run->verbose)
            more[path]++;
        else
            patch_view_put(view, &differences->items[i]);
    }
    for (size_t i = 0; i < paths.count; i++)
        if (more[i])
            cmd_print(t->run, "# %s changes in %zu more way%s: --verbose shows all\n",
                      cmd_masked(t->run, paths.texts[i].ptr), more[i], more[i] == 1 ? "" : "s");
}

static void print_checks(const struct test_view *t, const struct type_result *type)
{
    for (size_t i = 0; i < type->check_count; i++)
        if (type->checks[i].status)
            cmd_print(t->run, "\n%s ended with %d:\n%s", cmd_masked(t->run, type->checks[i].where),
                      type->checks[i].status, type->checks[i].output);
}

static void print_result(const struct test_view *t)
{
    struct run *run = t->run;
    struct patch_view view = {.out = &run->out, .room = run->verbose ? (size_t)-1 : LINES_SHOWN};
    for (size_t i = 0; i < t->result.count; i++)
        print_type(t, &t->result.types[i]);
    for (size_t i = 0; i < t->result.count; i++) {
        const struct type_result *type = &t->result.types[i];
        print_checks(t, type);
        if (!t->testing.accept)
            put_differences(t, &view, &type->differences);
        for (size_t j = 0; !t->testing.accept && j < type->named_count; j++)
            put_differences(t, &view, &type->named[j].differences);
    }
    if (view.hidden)
        cmd_print(run, "%zu more lines are not shown: --verbose shows them\n", view.hidden);
}

/* Tells the user what to do. */
static void advise(const struct test_view *t)
{
    bool differs = false, golden = false;
    for (size_t i = 0; i < t->result.count; i++) {
        differs |= t->result.types[i].differences.count > 0;
        for (size_t j = 0; j < t->result.types[i].named_count; j++)
            golden |= t->result.types[i].named[j].state != GOLDEN_SAME;
    }
    if (golden)
        cmd_say(t->run, "if that is meant: --accept writes the goldens anew");
    if (differs)
        cmd_say(t->run, "pairwise cases are compared with %s: what is committed is accepted",
                cmd_masked(t->run, t->against->origin.ref));
}

static int test_catalog(struct test_view *t)
{
    struct run *run = t->run;
    if (cmd_open_checked(&t->testing.folder, run, t->err) < 0 || check_flags(t) < 0 ||
        open_against(t) < 0)
        return -1;
    t->testing.catalog = t->run->catalog;
    t->testing.against = t->against;
    t->testing.types = (struct words){run->options.arguments, run->options.argument_count};
    t->testing.accept = opt_given(&run->options, "accept");
    t->testing.check = opt_given(&run->options, "check");
    int rc = catalog_test(&t->result, t->arena, &t->testing, t->err);
    if (rc < 0 && t->result.repeat)
        run->failure_text =
            arena_printf(t->arena, "to see it again: %s\n", cmd_masked(run, t->result.repeat));
    fill_document(t);
    if (rc < 0)
        return -1;
    bool passed = t->testing.accept || test_passed(&t->result);
    if (!run->json)
        print_result(t);
    if (!passed)
        advise(t);
    return passed ? TG_OK : TG_DIFFERS;
}

static int test_run(struct run *run, struct err *err)
{
    struct test_view t = {.run = run, .arena = &run->arena, .err = err};
    int rc = test_catalog(&t);
    catalog_close(t.against);
    return rc;
}

static const struct option test_options[] = {
    {"against", "REF",
     "compare pairwise cases with this revision of the catalog (default: HEAD, where it is the "
     "work tree of a repository)",
     false},
    {"accept", NULL, "make the goldens of the named cases what they render to now", false},
    {"check", NULL, "run the commands that tests/TYPE/test.yml names, in each named case", false},
    {NULL, NULL, NULL, false},
};

enum { TYPES_MAX = 1000 };

const struct command template_test_command = {
    .name = "template test",
    .usage = "[TYPE...]",
    .summary = "Render the types of a catalog in many combinations of answers, and compare.",
    .details =
        "Every two values of two questions meet in one case at least. What such a case renders to "
        "is compared with what another revision of the catalog renders to, by default the one that "
        "is committed. The cases in tests/TYPE/NAME/ (answers.yml) have their whole render beside "
        "them, in golden/. Ends with 6 and shows a patch where something differs, with 2 where "
        "something cannot be rendered. --check runs code that the catalog names, so it takes "
        "only a folder.",
    .options = OPTIONS({"Catalog", checked_options}, {"How", test_options}),
    .max_arguments = TYPES_MAX,
    .run = test_run};
