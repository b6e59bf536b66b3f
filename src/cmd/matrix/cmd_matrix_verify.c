/* `matrix verify`: compares the rows of a matrix with live indexes and registries. */
#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "cmd/matrix/matrix_session.h"
#include "data/document.h"
#include "matrix/matrix.h"
#include "package_index/package_index.h"
#include "package_index/verify.h"
#include "registry/registry.h"

#include <stdlib.h>

static const struct option what_options[] = {
    {"since", "DATE", "leave out releases that were uploaded before this day, as in 2023-11-21",
     false},
    {"record", "FILE", "write what was asked and answered, for --offline", false},
    {"registry", "HOST[/PATH]", "look for the image tags there as well, below this path", false},
    {NULL, NULL, NULL, false},
};

/* Repeats until nothing new is wanted: a release's requirements name the next packages. */
static int verify_all(struct data **rows, struct session *s, const struct matrix *matrix,
                      const char *name, struct package_index *index)
{
    size_t wanted, asked;
    do {
        ARENA_SCRATCH(scratch); /* an incomplete result only tells what to ask */
        (void)matrix_verify(&wanted, &scratch, matrix, name, index);
        if (index_ask(&asked, index, s->err) < 0)
            return -1;
    } while (asked);
    *rows = matrix_verify(&wanted, &s->run->arena, matrix, name, index);
    return 0;
}

/* `*images` stays NULL where the user names no registry: tmplgen does not guess one. */
static int verify_images(struct data **images, struct session *s, const struct matrix *matrix)
{
    struct registry *registry;
    const char *where = opt_value(&s->run->options, "registry");
    *images = NULL;
    if (!where)
        return 0;
    if (!s->run->http)
        return err_set(s->err, TG_USAGE, "usage", "--registry does not go with --offline");
    if (registry_open(&registry, &s->run->arena, s->run->http, s->err) < 0)
        return -1;
    return matrix_verify_images(images, &s->run->arena, matrix, registry, where, s->err);
}

static int64_t tell_rows(struct session *s, struct data *rows)
{
    struct run *run = s->run;
    struct data *counts = matrix_verify_counts(&run->arena, rows);
    const char *since = s->live.index ? index_since(s->live.index) : NULL;
    cmd_tell(run, FIELD("index", s->live.name), FIELD("since", since), FIELD("counts", counts),
             FIELD("rows", rows));
    if (s->live.index)
        matrix_print(run, matrix_verify_table, rows);
    return data_get(counts, "differs")->integer;
}

/* Returns the number of differing images; `*failed` gets the first failure, or NULL. */
static int64_t tell_images(struct session *s, struct data *images, const char **failed)
{
    struct run *run = s->run;
    struct data *counts = images ? matrix_images_counts(&run->arena, images) : NULL;
    *failed = NULL;
    cmd_tell(run, FIELD("image_counts", counts), FIELD("images", images));
    if (!images)
        return 0;
    matrix_print(run, matrix_images_table, images);
    for (size_t i = 0; !*failed && i < images->list.count; i++)
        *failed = data_text(data_get(images->list.items[i], "why"));
    return data_get(counts, "differs")->integer;
}

/* With failed questions there is no result: with --json the error takes its place. */
static int fail(struct session *s)
{
    s->run->document = data_map(&s->run->arena);
    return -1;
}

static int tell(struct session *s, struct data *rows, struct data *images)
{
    const char *why;
    int64_t differs = tell_rows(s, rows) + tell_images(s, images, &why);
    if (s->live.index && index_check(s->live.index, s->err) < 0)
        return fail(s);
    if (why) {
        (void)err_set(s->err, TG_RUNTIME, "network", "the registry could not be asked: %s", why);
        return fail(s);
    }
    return differs ? TG_DIFFERS : TG_OK;
}

/* `matrix verify images`: asks neither an index nor pip. */
static int verify_only_images(struct session *s)
{
    struct run *run = s->run;
    const struct pip_settings pip = {.cert = getenv("PIP_CERT")};
    struct matrix *matrix;
    struct data *images;
    if (!opt_value(&run->options, "registry"))
        return err_set(s->err, TG_USAGE, "usage", "images are looked for with --registry HOST");
    if (matrix_load(&matrix, &run->arena, s->run->catalog->files, s->overlay, NULL, s->err) < 0 ||
        live_http(run, &pip, 0, s->err) < 0 || verify_images(&images, s, matrix) < 0)
        return -1;
    return tell(s, data_list(&run->arena), images);
}

static int matrix_verify_run(struct run *run, struct err *err)
{
    struct session session, *s = &session;
    struct matrix *matrix;
    struct data *rows, *images;
    const char *what = cmd_argument(run, NULL);
    if (matrix_session_open(s, run, err) < 0)
        return -1;
    if (str_equal(what, "images"))
        return verify_only_images(s);
    if (matrix_load_around(&matrix, &run->arena, s->run->catalog->files, s->overlay, what, s->err) <
            0 ||
        live_open(&s->live, run, s->err) < 0 ||
        verify_all(&rows, s, matrix, what, s->live.index) < 0 ||
        live_record(&s->live, run, s->err) < 0 || verify_images(&images, s, matrix) < 0)
        return -1;
    return tell(s, rows, images);
}

const struct command matrix_verify_command = {
    .name = "matrix verify",
    .usage = "[FRAMEWORK|PACKAGE|images]",
    .summary = "Check the rows of the matrix against the package index that pip uses.",
    .details = "Wheels, their tags and what they require prove versions, Pythons, processors, "
               "glibc, CUDA, cuDNN, requirements and companions. Rows of other indexes are counted "
               "as not asked, "
               "never as verified. The exit code is 6 where something differs, and 1 where the "
               "index could not be asked.",
    .options =
        OPTIONS({"What", what_options}, {"Index", live_options}, {"How", matrix_source_options}),
    .max_arguments = 1,
    .run = matrix_verify_run};
