/* `image build`, `image push`: builds rows with the installed builder, and shows its output on
 * the terminal. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/base_image.h"
#include "catalog/catalog.h"
#include "catalog/catalog_source.h"
#include "cmd/cmd.h"
#include "cmd/image/image_session.h"
#include "cmd/matrix/matrix_session.h"
#include "data/document.h"
#include "image/build.h"
#include "image/image_rows.h"
#include "io/http.h"
#include "io/term.h"
#include "registry/reference.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* ---------------------------------------------------------------- on the terminal */

#define NARROW 80
#define VIEW_LINES 16
#define TEXT_BYTES LIMIT_MIB

/* The progress of a row. */
struct row_view {
    const char *label;
    bool runs;
    enum build_step step;
    time_t since;
};

/* The builders' output, above a line for each image that is being built. */
struct build_view {
    size_t count;
    struct row_view *views;
    bool draws;   /* stderr is a terminal */
    size_t drawn; /* lines of progress on the screen, and their widths */
    size_t widths[VIEW_LINES];
    time_t last; /* the time of the last drawing */
    struct build_watch watch;
};

static size_t columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : NARROW;
}

static time_t seconds_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* Writes all at once, so that nothing flickers and no other program's output comes in between. */
static void show(const struct buf *text)
{
    (void)fwrite(buf_text(text), 1, text->len, stderr);
    (void)fflush(stderr);
}

/* A window that became narrower has wrapped its lines. */
static void erase(struct buf *out, struct build_view *v)
{
    size_t width = columns(), rows = 0;
    for (size_t i = 0; i < v->drawn; i++)
        rows += v->widths[i] > width ? (v->widths[i] + width - 1) / width : 1;
    if (rows)
        (void)buf_printf(out, "\r\033[%zuA\033[J", rows);
    v->drawn = 0;
}

static void draw(struct buf *out, struct build_view *v)
{
    size_t width = columns();
    const char *colour = term_colour(stderr, "\033[36m", ""), *end = *colour ? "\033[0m" : "";
    v->last = seconds_now();
    for (size_t i = 0; i < v->count && v->drawn < VIEW_LINES; i++) {
        const struct row_view *row = &v->views[i];
        BUF_SCRATCH(line, TEXT_BYTES);
        if (!row->runs)
            continue;
        (void)buf_printf(&line, "[%s] %lld s, %s", build_step_names[row->step],
                         (long long)(v->last - row->since), row->label);
        buf_truncate(&line, width - 1);
        (void)buf_printf(out, "%s%s%s\n", colour, buf_text(&line), end);
        v->widths[v->drawn++] = line.len;
    }
}

/* Puts a text above the lines of progress, if there are any. */
static void put_above(struct build_view *v, const char *text)
{
    BUF_SCRATCH(out, TEXT_BYTES);
    if (v->draws)
        erase(&out, v);
    (void)buf_puts(&out, text);
    if (v->draws)
        draw(&out, v);
    show(&out);
}

static void on_begin(void *context, size_t row, enum build_step step)
{
    struct build_view *v = context;
    struct row_view *view = &v->views[row];
    BUF_SCRATCH(text, TEXT_BYTES);
    if (!view->runs)
        view->since = seconds_now();
    view->runs = true;
    view->step = step;
    if (!v->draws)
        (void)buf_printf(&text, "%s: %s\n", view->label, build_step_names[step]);
    put_above(v, buf_text(&text));
}

static void on_line(void *context, size_t row, const char *line)
{
    struct build_view *v = context;
    BUF_SCRATCH(text, TEXT_BYTES);
    if (v->count > 1)
        (void)buf_printf(&text, "%s | ", v->views[row].label);
    (void)buf_printf(&text, "%s\n", line);
    put_above(v, buf_text(&text));
}

/* Updates the seconds even without output. */
static void on_tick(void *context)
{
    struct build_view *v = context;
    if (v->draws && seconds_now() != v->last)
        put_above(v, "");
}

/* Only the table shows rows that never began. */
static void on_end(void *context, size_t row, const struct built *built)
{
    struct build_view *v = context;
    BUF_SCRATCH(text, TEXT_BYTES);
    if (!v->views[row].runs)
        return;
    v->views[row].runs = false;
    (void)buf_printf(&text, "%s: %s after %lld s\n", v->views[row].label,
                     build_status_names[built->status], (long long)built->seconds);
    put_above(v, buf_text(&text));
}

/*
 * Each line has the image's name where several are built. Nothing is redrawn unless stderr is a
 * terminal, and nothing is shown with --quiet. The watch lives as long as the view.
 */
static const struct build_watch *build_view_open(struct build_view *view, struct run *run,
                                                 const struct image_row *rows, size_t count)
{
    *view = (struct build_view){.count = count};
    if (run->quiet)
        return NULL;
    view->views = arena_array(&run->arena, count + 1, sizeof(*view->views));
    for (size_t i = 0; i < count; i++)
        view->views[i].label = arena_printf(&run->arena, "%s:%s", rows[i].image->name, rows[i].tag);
    view->draws = term_moves(stderr);
    view->watch = (struct build_watch){on_begin, on_line, on_tick, on_end, view};
    return &view->watch;
}

/* Erases the lines of progress. */
static void build_view_close(struct build_view *view)
{
    BUF_SCRATCH(text, TEXT_BYTES);
    erase(&text, view);
    show(&text);
}

#define JOBS_MAX 64
#define FAILURES_BYTES (16 * LIMIT_MIB)

/* ------------------------------------------------------------------ options */

static int read_arguments(struct words *out, struct run *run, struct err *err)
{
    *out = opt_values(&run->arena, &run->options, "build-arg");
    for (size_t i = 0; i < out->count; i++) {
        const char *equals = strchr(out->items[i], '=');
        if (!equals || equals == out->items[i])
            return err_set(err, TG_USAGE, "usage", "--build-arg: '%s' is not K=V",
                           http_shown(&run->arena, out->items[i]));
    }
    return 0;
}

static int read_epoch(const char **out, struct err *err)
{
    const char *text = getenv("SOURCE_DATE_EPOCH");
    *out = text && *text ? text : NULL;
    if (!*out || (strspn(text, "0123456789") == strlen(text) && strlen(text) <= 12))
        return 0;
    return err_set(err, TG_USAGE, "usage", "SOURCE_DATE_EPOCH: '%s' is no number of seconds", text);
}

/* ------------------------------------------------------------------ results */

static struct data *row_result(struct image_session *s, const struct image_row *row,
                               const struct built *built)
{
    struct arena *arena = &s->run->arena;
    bool failed = built->status == BUILD_FAILED;
    return data_of(arena, FIELD("image", row->image->name), FIELD("tag", row->tag),
                   FIELD("digest", built->digest),
                   FIELD("bytes", built->bytes ? data_int(arena, built->bytes) : data_null(arena)),
                   FIELD("seconds", built->seconds),
                   FIELD("status", build_status_names[built->status]),
                   FIELD("failed_step", failed ? build_step_names[built->failed_step] : NULL),
                   FIELD("why", built->why), FIELD("instruction", built->instruction),
                   FIELD("name", row->name));
}

static void print_table(struct image_session *s, const struct built *built)
{
    int width = 4;
    for (size_t i = 0; i < s->count; i++)
        width = (int)strlen(s->rows[i].name) > width ? (int)strlen(s->rows[i].name) : width;
    cmd_print(s->run, "%-*s  %-11s  %9s  %7s  %s\n", width, "image", "status", "size", "seconds",
              "digest");
    for (size_t i = 0; i < s->count; i++) {
        char size[32] = "-";
        if (built[i].bytes)
            (void)snprintf(size, sizeof(size), "%.1f MB", (double)built[i].bytes / 1e6);
        cmd_print(s->run, "%-*s  %-11s  %9s  %7lld  %s\n", width, s->rows[i].name,
                  build_status_names[built[i].status], size, (long long)built[i].seconds,
                  built[i].digest ? built[i].digest : "-");
    }
}

/* Puts the image, the step and the last lines. */
static void tell_failure(struct buf *out, const struct image_row *row, const struct built *built)
{
    (void)buf_printf(out, "%s: failed at '%s': %s\n", row->name,
                     build_step_names[built->failed_step], built->why);
    if (built->instruction)
        (void)buf_printf(out, "  at %s\n", built->instruction);
    for (size_t i = 0; i < built->last.count; i++)
        (void)buf_printf(out, "  | %s\n", built->last.items[i]);
}

struct found_packages {
    struct image_session *s;
    const struct built *built;
};

/* True where every check of the image passed, even if the push failed. */
static bool has_its_name(const struct built *built)
{
    return built->status >= BUILD_DONE ||
           (built->status == BUILD_FAILED && built->failed_step == BUILD_PUSH);
}

static const char *packages_name(struct image_session *s, size_t row)
{
    return arena_printf(&s->run->arena, "%s:%s", s->rows[row].image->name, s->rows[row].tag);
}

static bool is_news(struct image_session *s, size_t row, const struct built *built,
                    const struct lock *lock)
{
    return built->packages && has_its_name(built) &&
           (opt_given(&s->run->options, "refresh-packages") ||
            !data_get(lock->packages, packages_name(s, row)));
}

static void add_packages(struct lock *now, void *context)
{
    const struct found_packages *found = context;
    struct image_session *s = found->s;
    for (size_t i = 0; i < s->count; i++)
        if (is_news(s, i, &found->built[i], now))
            data_put(&s->run->arena, now->packages, packages_name(s, i), found->built[i].packages);
}

/*
 * Later builds install the packages that a first build found. The file may have changed since this
 * build began: only adds packages to it.
 */
static int keep_packages(struct image_session *s, const struct built *built, struct err *err)
{
    struct found_packages found = {s, built};
    bool any = false, written = false;
    for (size_t i = 0; i < s->count; i++)
        any |= is_news(s, i, &built[i], &s->lock);
    if (any && lock_edit(&written, &s->run->arena, s->lock.path, add_packages, &found, err) < 0)
        return -1;
    if (written)
        cmd_say(s->run, "wrote the packages that were found to %s", s->lock.path);
    return 0;
}

/* Makes the table, the document and the text of failures; returns the number of failures. */
static size_t list_built(struct image_session *s, const struct built *built)
{
    struct arena *arena = &s->run->arena;
    struct data *list = data_list(arena);
    size_t failed = 0;
    BUF_SCRATCH(failures, FAILURES_BYTES);
    for (size_t i = 0; i < s->count; i++) {
        data_push(arena, list, row_result(s, &s->rows[i], &built[i]));
        failed += built[i].status == BUILD_FAILED;
        if (built[i].status == BUILD_FAILED)
            tell_failure(&failures, &s->rows[i], &built[i]);
    }
    print_table(s, built);
    cmd_tell(s->run, FIELD("built", list));
    s->run->failure_text = failures.len ? arena_strdup(arena, buf_text(&failures)) : NULL;
    return failed;
}

static int tell(struct image_session *s, const struct built *built)
{
    ERR_SCRATCH(unkept);
    int kept = keep_packages(s, built, &unkept);
    size_t failed = list_built(s, built);
    if (kept < 0 && failed)
        cmd_warn(s->run, "%s", unkept.message);
    else if (kept < 0)
        return err_set(s->err, unkept.exit, unkept.code, "%s", unkept.message);
    if (!failed)
        return TG_OK;
    return err_set(s->err, TG_RUNTIME, "build-failed", "%zu of %zu images failed", failed,
                   s->count);
}

/* ------------------------------------------------------------------ image build */

static int check_mirror(struct build_job *job, struct image_session *s)
{
    struct image_reference reference;
    if (job->mirror && !*job->mirror)
        job->mirror = NULL;
    return job->mirror ? image_mirror_parse(&reference, &s->run->arena, job->mirror, s->err) : 0;
}

static int prepare(struct build_job *job, struct image_session *s)
{
    struct run *run = s->run;
    *job = (struct build_job){.catalog = s->run->catalog,
                              .rows = s->rows,
                              .count = s->count,
                              .at_once = 1,
                              .lock = &s->lock,
                              .mirror = image_mirror(s->run),
                              .push = opt_given(&run->options, "push"),
                              .fresh = opt_given(&run->options, "refresh-packages")};
    job->want_packages = access(s->lock.path, F_OK) == 0;
    if (check_mirror(job, s) < 0 ||
        opt_number(&job->at_once, &run->options, "jobs", "number", JOBS_MAX, s->err) < 0 ||
        read_arguments(&job->arguments, run, s->err) < 0 || read_epoch(&job->epoch, s->err) < 0)
        return -1;
    return engine_choose(&job->engine, opt_value(&run->options, "engine"), s->err);
}

static int want_registry(const struct image_session *s)
{
    if (s->selection.registry)
        return 0;
    (void)err_set(s->err, TG_USAGE, "missing-registry", "nobody said where the images go");
    return err_hint(s->err, "--registry HOST/PATH, or 'registry' in the plan");
}

static int run_rows(struct image_session *s, bool build)
{
    struct build_job job;
    struct built *built;
    struct build_view view;
    if (prepare(&job, s) < 0)
        return -1;
    (void)signal(SIGPIPE, SIG_IGN); /* stdout may be closed: the builds go on, and are tidied up */
    job.watch = build_view_open(&view, s->run, s->rows, s->count);
    job.build = build;
    int rc = image_build(&built, &s->run->arena, &job, s->err);
    build_view_close(&view);
    if (rc < 0 && str_equal(s->err->code, "interrupted")) {
        ERR_SCRATCH(unkept);
        if (keep_packages(s, built, &unkept) < 0)
            cmd_warn(s->run, "%s", unkept.message);
        (void)list_built(s, built);
    }
    if (rc < 0)
        return -1;
    return tell(s, built);
}

/* All built-in images are tens of gigabytes, which nobody wants unasked. */
static int want_choice(const struct image_session *s)
{
    const struct run *run = s->run;
    if (s->plan || run->options.argument_count || opt_given(&run->options, "only") ||
        strcmp(run->catalog->origin.source, CATALOG_BUILTIN) != 0)
        return 0;
    (void)err_set(s->err, TG_USAGE, "missing-name", "nobody said which of the %zu built-in images",
                  s->count);
    return err_hint(s->err, "name some ('tmplgen image list' shows them), or go where a plan is");
}

static int image_build_run(struct run *run, struct err *err)
{
    struct image_session session, *s = &session;
    if (image_open(s, run, IMAGE_USES_BASES | IMAGE_BUILDS_HERE, err) < 0 || want_choice(s) < 0 ||
        (opt_given(&run->options, "push") && want_registry(s) < 0))
        return -1;
    return run_rows(s, true);
}

static const struct option build_options[] = {
    {"engine", "docker|buildah|podman",
     "the builder (default: TMPLGEN_ENGINE, else the first that is there)", false},
    {"build-arg", "K=V", "an argument for the Dockerfiles, such as INDEX_URL=https://...", true},
    {"push", NULL, "push what passed", false},
    {"jobs", "N", "build N rows at a time (default 1)", false},
    {"mirror", "HOST[/PATH]", "where Docker Hub's images are fetched instead", false},
    {"refresh-packages", NULL, "find packages anew, whatever the lock file has of them", false},
    {NULL, NULL, NULL, false},
};

const struct command image_build_command = {
    .name = "image build",
    .usage = "[NAME...] [--engine E] [--push] [--jobs N]",
    .summary = "Build rows, run what must succeed in them, and check their sizes.",
    .details = "One that fails stops only itself, and no name is given to what failed. Where there "
               "is a lock file, base images are fetched by its digests, and the packages that a "
               "first build found are written to it for the next ones. SOURCE_DATE_EPOCH is passed "
               "on: two builds with one lock and one epoch give one digest.",
    .options = OPTIONS({"Build", build_options}, IMAGE_ROWS, {"Catalog", matrix_source_options}),
    .max_arguments = IMAGE_NAMES_MAX,
    .run = image_build_run};

/* ------------------------------------------------------------------ image push */

static int image_push_run(struct run *run, struct err *err)
{
    struct image_session session, *s = &session;
    if (image_open(s, run, 0, err) < 0 || want_choice(s) < 0 || want_registry(s) < 0)
        return -1;
    return run_rows(s, false);
}

static const struct option push_options[] = {
    {"engine", "docker|buildah|podman",
     "who built them (default: TMPLGEN_ENGINE, else the first that is there)", false},
    {"jobs", "N", "push N rows at a time (default 1)", false},
    {NULL, NULL, NULL, false},
};

const struct command image_push_command = {
    .name = "image push",
    .usage = "[NAME...] [--engine E] [--jobs N]",
    .summary = "Push rows that are built, by all their names.",
    .details = "The registry is the plan's, or --registry. The engine knows who may "
               "push: docker login, podman login.",
    .options = OPTIONS({"Push", push_options}, IMAGE_ROWS, {"Catalog", matrix_source_options}),
    .max_arguments = IMAGE_NAMES_MAX,
    .run = image_push_run};
