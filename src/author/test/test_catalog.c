/* `template test`: renders every type of a catalog in many combinations, and compares. */
#include "author/test_catalog.h"

#include "author/test/cases.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/shell.h"
#include "catalog/catalog.h"
#include "child/write_child.h"
#include "data/fileset.h"
#include "io/io.h"
#include "io/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define OUTPUT_MAX LIMIT_MIB
#define OUTPUT_KEPT (16 * LIMIT_KIB)

const char *const golden_state_names[GOLDEN_STATES] = {"same", "differs", "missing", "accepted"};

struct tester {
    struct arena *arena;
    const struct test_run *testing;
    struct test_result *out;
    struct named_cases named;
    struct type_test settings; /* of the present type */
    struct pairwise_cases cases;
    bool same; /* the same as in the older revision: renders it only once */
    struct type_result *result;
    struct err *err;
};

static const char *source_of(const struct tester *t)
{
    return t->testing->folder ? t->testing->folder : t->testing->catalog->origin.source;
}

/* ---------------------------------------------------------------- pairwise cases */

static int compare_case(struct tester *t, const struct pairwise_cases *old, size_t number,
                        const struct render *new)
{
    ARENA_SCRATCH(scratch);
    ERR_SCRATCH(unknown);
    struct making before;
    /* a case that the older revision cannot render is no fault of this one */
    if (cases_render(&before, &scratch, old, number, &unknown) != 1)
        return 0;
    t->result->compared++;
    if (strcmp(before.render.tree, new->tree) == 0)
        return 0;
    return differences_add(&t->result->differences, t->arena, &before.render, new,
                           cases_label(&scratch, &t->cases, number), t->err);
}

/* No fault of a template: no project is made of such answers either. */
static bool is_unsafe(struct tester *t, const struct err *err)
{
    if (err->exit != TG_REFUSED || strcmp(err->code, "unsafe-path") != 0)
        return false;
    if (!t->result->unsafe++)
        t->result->unsafe_path = arena_strdup(t->arena, err->message);
    return true;
}

static int try_case(struct tester *t, const struct pairwise_cases *old, size_t number)
{
    ARENA_SCRATCH(scratch);
    ERR_SCRATCH(inner);
    struct making making;
    if (cases_render(&making, &scratch, &t->cases, number, &inner) < 0) {
        if (is_unsafe(t, &inner))
            return 0;
        t->out->repeat = cases_command(t->arena, &t->cases, number, source_of(t));
        return err_move(t->err, &inner);
    }
    t->result->compared += t->same;
    return old ? compare_case(t, old, number, &making.render) : 0;
}

static int open_old(struct pairwise_cases *out, bool *there, struct tester *t)
{
    const struct catalog *against = t->testing->against;
    ERR_SCRATCH(unreadable);
    *there = t->same = false;
    if (!against)
        return 0;
    if (fileset_equal(&t->same, against->files, t->testing->catalog->files, t->err) < 0)
        return -1;
    *there = !t->same && cases_of(out, &t->cases, against, &unreadable) == 1;
    return 0;
}

/* A test without a single render proves nothing. */
static int check_rendered(const struct tester *t)
{
    if (t->result->unsafe < t->result->cases)
        return 0;
    (void)err_set(t->err, TG_REFUSED, "unsafe-path", "every case of the type '%s' has one: %s",
                  t->result->type, t->result->unsafe_path);
    return err_hint(t->err, "a 'pattern' of the question keeps such answers away");
}

static int try_pairs(struct tester *t)
{
    struct type_result *result = t->result;
    struct pairwise_cases old;
    bool there;
    if (cases_find(&t->cases, t->arena, t->testing->catalog, result->type, t->settings.samples,
                   t->err) < 0 ||
        open_old(&old, &there, t) < 0)
        return -1;
    result->cases = t->cases.pairs.count;
    result->pairs = t->cases.pairs.met;
    result->ruled_out = t->cases.pairs.ruled_out;
    result->unreached.count = cases_unreached(&result->unreached.items, t->arena, &t->cases);
    for (size_t i = 0; i < result->cases; i++)
        if (try_case(t, there ? &old : NULL, i) < 0)
            return -1;
    return check_rendered(t);
}

/* ---------------------------------------------------------------- commands in a child */

/* The end of the output has the cause: of much output, the first half is dropped. */
static void hear(void *context, const char *line)
{
    struct buf *out = context;
    if (out->len + strlen(line) + 1 > OUTPUT_MAX) {
        size_t half = out->len / 2;
        memmove(out->ptr, out->ptr + half, out->len - half);
        buf_truncate(out, out->len - half);
    }
    (void)buf_puts(out, line);
    (void)buf_putc(out, '\n');
}

/* The end of the output, from the beginning of a line. */
static const char *last_part(struct arena *arena, const struct buf *out)
{
    const char *text = buf_text(out);
    if (out->len <= OUTPUT_KEPT)
        return arena_strdup(arena, text);
    const char *end = strchr(text + out->len - OUTPUT_KEPT, '\n');
    return arena_strdup(arena, end ? end + 1 : "");
}

static int run_one(struct child_check *out, struct arena *arena, const char *folder,
                   struct err *err)
{
    static const char *const start[] = {"sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh"};
    enum { START = sizeof(start) / sizeof(*start) };
    BUF_SCRATCH(output, OUTPUT_MAX);
    const char **argv = arena_array(arena, START + out->command.count + 2, sizeof(*argv));
    memcpy((void *)argv, start, sizeof(start));
    argv[START] = folder;
    memcpy((void *)(argv + START + 1), (const void *)out->command.items,
           out->command.count * sizeof(*argv));
    struct process_watch watch = {.line = hear, .context = &output};
    if (process_stream(&out->status, argv, &watch, err) < 0)
        return -1;
    out->output = last_part(arena, &output);
    return 0;
}

static int make_child(const char **path, struct arena *arena, const struct making *making,
                      const char *folder, struct err *err)
{
    struct create_target target;
    struct created created;
    struct span record;
    *path = arena_printf(arena, "%s/%s", folder, making->manifest->type);
    if (record_text(&record, arena, &making->record, err) < 0 ||
        create_inspect(&target, arena, *path, err) < 0)
        return -1;
    target.repository = NULL; /* a repository of its own, wherever scratch folders lie */
    const struct create_options options = {.message = "Create a child to be checked\n"};
    return create_child(&created, arena, &target, &making->render, record, &options, err);
}

/*
 * Makes the child with a repository, as `new` does, in a temporary folder, and runs the commands
 * there one after the other, until one fails. They run code of the catalog's.
 */
static int child_checks_run(struct child_check **out, size_t *count, struct arena *arena,
                            const struct making *making, const struct words *commands,
                            size_t command_count, const char *where, struct err *err)
{
    const char *base = getenv("TMPDIR"), *child;
    char *folder = arena_printf(arena, "%s/tmplgen-check-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder))
        return err_errno(err, errno, "io", "cannot make a folder '%s'", folder);
    int rc = make_child(&child, arena, making, folder, err);
    for (size_t i = 0; rc == 0 && i < command_count; i++) {
        struct child_check *check = &arena_push(arena, *out, *count);
        *check = (struct child_check){.command = commands[i], .where = where, .output = ""};
        rc = run_one(check, arena, child, err);
        if (check->status)
            break;
    }
    io_remove(AT_FDCWD, folder);
    return rc;
}

/* ---------------------------------------------------------------- named cases */

static int accept(struct tester *t, struct named_result *result, const struct named_case *one,
                  const struct render *kept)
{
    if (result->state == GOLDEN_SAME)
        return 0;
    result->state = GOLDEN_ACCEPTED;
    return named_case_accept(&t->named, one, kept, t->err);
}

static int compare_golden(struct tester *t, struct named_result *result,
                          const struct named_case *one, const struct render *render)
{
    ARENA_SCRATCH(scratch);
    struct render golden, kept = named_case_kept(&scratch, render, &t->settings);
    bool found;
    if (named_case_golden(&golden, &found, &scratch, &t->named, one, t->err) < 0)
        return -1;
    if (found &&
        differences_add(&result->differences, t->arena, &golden, &kept, one->folder, t->err) < 0)
        return -1;
    result->state = !found                      ? GOLDEN_MISSING
                    : result->differences.count ? GOLDEN_DIFFERS
                                                : GOLDEN_SAME;
    return t->testing->accept ? accept(t, result, one, &kept) : 0;
}

static int try_named(struct tester *t, const struct named_case *one)
{
    ARENA_SCRATCH(scratch);
    struct type_result *type = t->result;
    struct making making;
    struct named_result *result = &arena_push(t->arena, type->named, type->named_count);
    *result = (struct named_result){.name = one->name};
    if (named_case_render(&making, &scratch, &t->named, one, &t->cases.making, t->err) < 0) {
        const char *answers =
            arena_printf(&scratch, "%s/%s/answers.yml", t->named.catalog, one->folder);
        t->out->repeat =
            shell_command(t->arena, "tmplgen template render %s --catalog %s --answers %s",
                          one->type, source_of(t), answers);
        return err_wrap(t->err, "%s", one->folder);
    }
    if (compare_golden(t, result, one, &making.render) < 0)
        return -1;
    if (!t->testing->check || !t->settings.check_count)
        return 0;
    return child_checks_run(&type->checks, &type->check_count, t->arena, &making,
                            t->settings.checks, t->settings.check_count, one->folder, t->err);
}

static int test_type(struct tester *t, const char *type)
{
    struct test_result *out = t->out;
    t->result = &arena_push(t->arena, out->types, out->count);
    *t->result = (struct type_result){.type = type};
    if (named_cases_type(&t->settings, t->arena, &t->named, type, t->err) < 0 || try_pairs(t) < 0)
        return -1;
    for (size_t i = 0; i < t->named.count; i++)
        if (strcmp(t->named.items[i].type, type) == 0 && try_named(t, &t->named.items[i]) < 0)
            return -1;
    return 0;
}

static int check_types(struct tester *t, const char *const *types, size_t count)
{
    const struct words *asked = &t->testing->types;
    for (size_t i = 0; i < asked->count; i++) {
        if (str_is_among(asked->items[i], types, count))
            continue;
        const char *nearest = str_nearest(asked->items[i], types, count);
        (void)err_set(t->err, TG_USAGE, "unknown-type", "the catalog '%s' has no type '%s'",
                      t->testing->catalog->name, asked->items[i]);
        return nearest ? err_hint(t->err, "did you mean '%s'?", nearest)
                       : err_hint(t->err, "it has: %s", str_join(t->arena, types, count, ", "));
    }
    return 0;
}

int catalog_test(struct test_result *out, struct arena *arena, const struct test_run *testing,
                 struct err *err)
{
    struct tester t = {.arena = arena, .testing = testing, .out = out, .err = err};
    const char **types;
    size_t count = catalog_types(&types, arena, testing->catalog->files);
    *out = (struct test_result){0};
    if (check_types(&t, types, count) < 0)
        return -1;
    int rc = named_cases_open(&t.named, arena, testing->folder, types, count, err);
    for (size_t i = 0; rc == 0 && i < count; i++)
        if (!testing->types.count ||
            str_is_among(types[i], testing->types.items, testing->types.count))
            rc = test_type(&t, types[i]);
    catalog_folder_files_free(t.named.files);
    return rc;
}

bool test_passed(const struct test_result *result)
{
    for (size_t i = 0; i < result->count; i++) {
        const struct type_result *type = &result->types[i];
        if (type->differences.count)
            return false;
        for (size_t j = 0; j < type->named_count; j++)
            if (type->named[j].state == GOLDEN_DIFFERS || type->named[j].state == GOLDEN_MISSING)
                return false;
        for (size_t j = 0; j < type->check_count; j++)
            if (type->checks[j].status)
                return false;
    }
    return true;
}
