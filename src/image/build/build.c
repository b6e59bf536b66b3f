/* Builds rows: first the builder's own work, then the checks of the image. */
#include "image/build.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/parallel.h"
#include "base/shell.h"
#include "catalog/base_image.h"
#include "data/data.h"
#include "image/build/engine.h"
#include "image/build_context.h"
#include "image/image_rows.h"
#include "image/lock.h"
#include "io/http.h"
#include "io/interrupt.h"
#include "io/io.h"
#include "io/process.h"
#include "registry/reference.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LAST_LINES 20
#define CONTENTS_SECONDS 600
#define MB 1000000
#define LINE_BYTES ((size_t)128 * 1024)
#define PACKAGES_BYTES LIMIT_MIB

const char *const build_step_names[BUILD_STEPS] = {"build", "contents", "budget", "tag", "push"};
const char *const build_status_names[] = {"not-run", "interrupted", "failed", "built", "pushed"};

struct building;

/* One row being built. Its thread allocates, so it has memory of its own. */
struct row_work {
    struct building *all;
    size_t number;
    const struct image_row *row;
    const char *context, *id_file; /* in the scratch folder */
    const char *id;                /* the builder's id of the image */
    struct arena arena;
    struct process_watch watch; /* of what `job` runs; its `seconds` and `out` are set before */
    struct engine_job job;
    struct built *built;
    enum build_step step;
    char *lines[LAST_LINES]; /* a ring of the last lines */
    size_t line_count;
    char *instruction; /* the Dockerfile's instruction under way; or NULL */
    struct err err;
};

struct building {
    const struct build_job *job;
    pthread_mutex_t lock;
    struct row_work *works;
    struct arena *arena;
};

static const struct engine *engine_of(const struct row_work *w)
{
    return w->all->job->engine;
}

/* ------------------------------------------------------------------ telling */

static void begin(struct row_work *w, enum build_step step)
{
    w->step = step;
    w->watch.seconds = 0;
    const struct build_watch *watch = w->all->job->watch;
    (void)pthread_mutex_lock(&w->all->lock);
    if (watch)
        watch->began(watch->context, w->number, step);
    (void)pthread_mutex_unlock(&w->all->lock);
}

/* "STEP 4/12: RUN ..." of buildah and podman, "#7 [image 3/9] RUN ..." of docker. */
static bool is_instruction(const char *line)
{
    const char *bracket = strstr(line, " [");
    if (str_starts(line, "STEP ") || str_starts(line, "["))
        return strchr(line, '/') != NULL;
    return *line == '#' && bracket && bracket < line + 8 && strchr(bracket, '/') &&
           strchr(bracket, ']');
}

/* Output may be endless, and only the last is kept: so no arena. */
static void keep_text(char **place, const char *text)
{
    free(*place);
    *place = xstrdup(text);
}

/* Shown only at the end, after a failure. */
static void keep_line(void *context, const char *line)
{
    struct row_work *w = context;
    BUF_SCRATCH(text, LINE_BYTES);
    builder_output_line(&text, line);
    keep_text(&w->lines[w->line_count++ % LAST_LINES], buf_text(&text));
}

static void hear(void *context, const char *line)
{
    struct row_work *w = context;
    keep_line(w, line);
    const char *text = w->lines[(w->line_count - 1) % LAST_LINES];
    if (w->step == BUILD_IMAGE && is_instruction(text))
        keep_text(&w->instruction, text);
    const struct build_watch *watch = w->all->job->watch;
    (void)pthread_mutex_lock(&w->all->lock);
    if (watch)
        watch->line(watch->context, w->number, text);
    (void)pthread_mutex_unlock(&w->all->lock);
}

static void tick(void *context)
{
    struct row_work *w = context;
    const struct build_watch *watch = w->all->job->watch;
    (void)pthread_mutex_lock(&w->all->lock);
    if (watch)
        watch->ticked(watch->context);
    (void)pthread_mutex_unlock(&w->all->lock);
}

static void keep_last_lines(struct row_work *w)
{
    size_t count = w->line_count < LAST_LINES ? w->line_count : LAST_LINES;
    const char **lines = arena_array(&w->arena, count + 1, sizeof(*lines));
    for (size_t i = 0; i < count; i++) {
        const char *line = w->lines[(w->line_count - count + i) % LAST_LINES];
        lines[i] = arena_strdup(&w->arena, line ? line : "");
    }
    w->built->last = (struct words){lines, count};
    w->built->instruction = w->instruction ? arena_strdup(&w->arena, w->instruction) : NULL;
}

static void forget_lines(struct row_work *w)
{
    for (size_t i = 0; i < LAST_LINES; i++) {
        free(w->lines[i]);
        w->lines[i] = NULL;
    }
    w->line_count = 0;
    free(w->instruction);
    w->instruction = NULL;
}

/* ------------------------------------------------------------------ steps of a row */

/*
 * The base for the builder to fetch: by digest where it is locked, from the mirror, else from
 * Docker Hub by its full name, since buildah and podman may not know where to look for short ones.
 */
static const char *base_argument(struct row_work *w)
{
    const struct build_job *job = w->all->job;
    const char *digest = lock_digest(job->lock, w->row->base), *name = w->row->base;
    struct image_reference reference;
    ERR_SCRATCH(err);
    if (image_reference_parse(&reference, &w->arena, name, &err) < 0)
        return NULL;
    if (str_equal(reference.host, "docker.io") && reference.tag)
        name = arena_printf(&w->arena, "%s/%s:%s", job->mirror ? job->mirror : reference.host,
                            reference.path, reference.tag);
    return digest ? arena_printf(&w->arena, "%s@%s", name, digest) : name;
}

static bool is_on_this_machine(struct arena *arena, const char *image)
{
    size_t len = strcspn(image, "/");
    return image[len] && http_is_this_machine(arena_memdup(arena, image, len));
}

static struct words builder_arguments(struct row_work *w, bool *plain_http)
{
    const struct build_job *job = w->all->job;
    const char **items = arena_array(&w->arena, job->arguments.count + 2, sizeof(*items));
    struct words out = {items, 0};
    const char *said = NULL, *base = base_argument(w);
    for (size_t i = 0; i < job->arguments.count; i++) {
        items[out.count++] = job->arguments.items[i];
        if (str_starts(job->arguments.items[i], "BASE_IMAGE="))
            said = strchr(job->arguments.items[i], '=') + 1;
    }
    if (!said && base && !str_equal(base, w->row->base))
        items[out.count++] = arena_printf(&w->arena, "BASE_IMAGE=%s", base);
    base = said ? said : base;
    *plain_http = base && is_on_this_machine(&w->arena, base);
    return out;
}

static void take_digest(struct row_work *w, const char *digest)
{
    if (digest && image_digest_is_valid(digest))
        w->built->digest = digest;
}

static void take_description(struct row_work *w, const struct engine_image *image)
{
    take_digest(w, image->digest);
    w->built->bytes = image->bytes;
}

/* True for "sha256:..." or the digits alone: nothing else becomes a word of a command. */
static bool is_id(const char *text)
{
    const char *digits = strchr(text, ':') ? strchr(text, ':') + 1 : text;
    return (digits == text || str_starts(text, "sha256:")) && *digits &&
           !digits[strspn(digits, "0123456789abcdef")];
}

static int read_id(struct row_work *w)
{
    struct span text;
    ERR_SCRATCH(unread);
    if (io_read_file(&text, &w->arena, AT_FDCWD, w->id_file, 1024, &unread) == 0)
        w->id = arena_memdup(&w->arena, text.ptr, strcspn(text.ptr, " \r\n"));
    if (w->id && is_id(w->id))
        return 0;
    return err_set(&w->err, TG_RUNTIME, "engine", "%s did not say what it made",
                   engine_of(w)->name);
}

static int build_it(struct row_work *w)
{
    struct engine_image image;
    struct engine_build what = {
        .context = w->context, .id_file = w->id_file, .epoch = w->all->job->epoch};
    begin(w, BUILD_IMAGE);
    what.arguments = builder_arguments(w, &what.plain_http);
    if (engine_of(w)->build(&w->job, &what) < 0)
        return -1;
    forget_lines(w);
    if (read_id(w) < 0 || engine_of(w)->describe(&image, &w->job, w->id) < 0)
        return -1;
    take_description(w, &image);
    return 0;
}

static const char *shown(struct row_work *w, const struct words *command)
{
    return str_join(&w->arena, command->items, command->count, " ");
}

static int check_contents(struct row_work *w)
{
    const struct base_image *image = w->row->image;
    int status;
    begin(w, BUILD_CONTENTS);
    w->watch.seconds = CONTENTS_SECONDS;
    for (size_t i = 0; i < image->content_count; i++) {
        forget_lines(w);
        if (engine_of(w)->run(&status, &w->job, w->id, &image->contents[i]) < 0)
            return err_wrap(&w->err, "'%s'", shown(w, &image->contents[i]));
        if (status)
            return err_set(&w->err, TG_RUNTIME, "contents", "'%s' ended with status %d",
                           shown(w, &image->contents[i]), status);
    }
    return 0;
}

/* The STEP of "== /opt/app/packages/STEP.txt"; NULL: the line has another form. */
static const char *step_of(struct arena *arena, const char *line)
{
    const char *slash = str_starts(line, "== ") ? strrchr(line, '/') : NULL;
    size_t len = slash ? strspn(slash + 1, "abcdefghijklmnopqrstuvwxyz0123456789-_") : 0;
    return len && str_equal(slash + 1 + len, ".txt") ? arena_memdup(arena, slash + 1, len) : NULL;
}

static struct data *sort_packages(struct arena *arena, char *text)
{
    struct data *step = NULL, *packages = data_map(arena);
    char *rest;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const char *name = step_of(arena, line);
        if (name) {
            step = data_list(arena);
            data_put(arena, packages, name, step);
        } else if (step && lock_takes_package(line)) {
            data_push(arena, step, data_str(arena, line));
        }
    }
    return packages->map.count ? packages : NULL;
}

/* Reads what pip found, a list for each step: the Dockerfile wrote it into the image. */
static int read_packages(struct row_work *w)
{
    static const char *const words[] = {
        "sh", "-c",
        ("for f in /opt/app/packages/*.txt; do [ ! -f \"$f\" ] || { echo \"== $f\"; cat \"$f\"; }; "
         "done")};
    const struct words command = {(const char **)words, 3};
    BUF_SCRATCH(text, PACKAGES_BYTES);
    int status;
    if (!w->all->job->want_packages)
        return 0;
    forget_lines(w);
    w->watch.out = &text;
    int rc = engine_of(w)->run(&status, &w->job, w->id, &command);
    w->watch.out = NULL;
    if (rc < 0)
        return err_wrap(&w->err, "its packages");
    if (status == 0)
        w->built->packages = sort_packages(&w->arena, arena_strdup(&w->arena, buf_text(&text)));
    return 0;
}

static int check_budget(struct row_work *w)
{
    int64_t budget = w->row->image->budget;
    begin(w, BUILD_BUDGET);
    if (budget && !w->built->bytes)
        return err_set(&w->err, TG_RUNTIME, "budget",
                       "the engine does not tell its size, and it has a budget of %lld MB",
                       (long long)budget);
    if (!budget || w->built->bytes <= budget * MB)
        return 0;
    return err_set(&w->err, TG_RUNTIME, "budget", "it has %lld MB, more than its budget of %lld MB",
                   (long long)(w->built->bytes / MB), (long long)budget);
}

static int name_it(struct row_work *w)
{
    begin(w, BUILD_TAG);
    forget_lines(w);
    for (size_t i = 0; i < w->row->aliases.count; i++)
        if (engine_of(w)->tag(&w->job, w->id, w->row->aliases.items[i]) < 0)
            return err_wrap(&w->err, "'%s'", w->row->aliases.items[i]);
    return engine_of(w)->tag(&w->job, w->id, w->row->name);
}

static int push_it(struct row_work *w)
{
    const struct engine *engine = engine_of(w);
    bool plain = is_on_this_machine(&w->arena, w->row->name);
    const char *digest = NULL;
    begin(w, BUILD_PUSH);
    forget_lines(w);
    if (engine->push(&digest, &w->job, w->row->name, w->id_file, plain) < 0)
        return -1;
    take_digest(w, digest);
    for (size_t i = 0; i < w->row->aliases.count; i++)
        if (engine->push(&digest, &w->job, w->row->aliases.items[i], w->id_file, plain) < 0)
            return err_wrap(&w->err, "'%s'", w->row->aliases.items[i]);
    w->built->status = BUILD_PUSHED;
    return 0;
}

static int make_row(struct row_work *w)
{
    if (build_it(w) < 0 || check_contents(w) < 0 || read_packages(w) < 0 || check_budget(w) < 0 ||
        name_it(w) < 0)
        return -1;
    w->built->status = BUILD_DONE;
    return w->all->job->push ? push_it(w) : 0;
}

static bool is_unknown(const struct row_work *w)
{
    for (size_t i = 0; i < LAST_LINES && w->lines[i]; i++)
        if (builder_output_is_unknown(w->lines[i]))
            return true;
    return false;
}

static int push_row(struct row_work *w)
{
    struct engine_image image;
    w->step = BUILD_PUSH;
    w->watch.line = keep_line;
    if (engine_of(w)->describe(&image, &w->job, w->row->name) < 0) {
        if (str_equal(w->err.code, "interrupted") || !is_unknown(w))
            return -1;
        forget_lines(w);
        return err_set(&w->err, TG_RUNTIME, "not-built", "%s does not have it yet: %s",
                       engine_of(w)->name,
                       shell_command(&w->arena, "tmplgen image build --only %s:%s",
                                     w->row->image->name, w->row->tag));
    }
    take_description(w, &image);
    w->watch.line = hear;
    return push_it(w);
}

/* ------------------------------------------------------------------ all rows */

static int64_t now_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static void do_row(void *context, size_t number)
{
    struct row_work *w = &((struct building *)context)->works[number];
    int64_t start = now_seconds();
    if (interrupt_check(&w->err) < 0)
        return;
    int rc = w->all->job->build ? make_row(w) : push_row(w);
    w->built->seconds = now_seconds() - start;
    if (rc < 0 && str_equal(w->err.code, "interrupted")) {
        if (w->built->status == BUILD_NOT_RUN)
            w->built->status = BUILD_INTERRUPTED;
        return;
    }
    if (rc < 0) {
        w->built->status = BUILD_FAILED;
        w->built->failed_step = w->step;
        w->built->why = arena_strdup(&w->arena, w->err.message);
        keep_last_lines(w);
    }
    const struct build_watch *watch = w->all->job->watch;
    (void)pthread_mutex_lock(&w->all->lock);
    if (watch)
        watch->ended(watch->context, w->number, w->built);
    (void)pthread_mutex_unlock(&w->all->lock);
}

/* Copies a result from the thread's memory into the caller's. */
static void take_over(struct building *b, struct row_work *w)
{
    struct built *built = w->built;
    const char **texts[] = {&built->why, &built->instruction, &built->digest};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        *texts[i] = *texts[i] ? arena_strdup(b->arena, *texts[i]) : NULL;
    const char **lines = arena_array(b->arena, built->last.count + 1, sizeof(*lines));
    for (size_t i = 0; i < built->last.count; i++)
        lines[i] = arena_strdup(b->arena, built->last.items[i]);
    built->last.items = lines;
    built->packages = built->packages ? data_copy(b->arena, built->packages) : NULL;
    forget_lines(w);
    err_release(&w->err);
    arena_release(&w->arena);
}

static int prepare_row(struct row_work *w, const char *scratch, struct err *err)
{
    struct render files;
    struct arena *arena = w->all->arena;
    struct lock lock = *w->all->job->lock;
    w->id_file = arena_printf(arena, "%s/%zu.id", scratch, w->number);
    if (!w->all->job->build)
        return 0;
    if (w->all->job->fresh) /* the pins of an earlier build do not count */
        lock.packages = data_map(arena);
    if (image_context(&files, arena, w->all->job->catalog, w->row, &lock, err) < 0 ||
        image_context_write(&w->context, arena, scratch, NULL, w->row, &files, err) < 0)
        return err_wrap(err, "%s", w->row->name);
    return 0;
}

static int make_scratch(char **out, struct arena *arena, struct err *err)
{
    const char *tmp = getenv("TMPDIR");
    *out = arena_printf(arena, "%s/tmplgen-image-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (mkdtemp(*out))
        return 0;
    return err_errno(err, errno, "io", "cannot make a folder like '%s'", *out);
}

static int run_all(struct building *b, struct err *err)
{
    char *scratch;
    int rc = 0;
    if (make_scratch(&scratch, b->arena, err) < 0)
        return -1;
    for (size_t i = 0; rc == 0 && i < b->job->count; i++)
        rc = prepare_row(&b->works[i], scratch, err);
    if (rc == 0) {
        parallel_run(b->job->count, b->job->at_once, do_row, b);
        rc = interrupt_check(err);
    }
    io_remove(AT_FDCWD, scratch);
    return rc;
}

int image_build(struct built **out, struct arena *arena, const struct build_job *job,
                struct err *err)
{
    struct building b = {.job = job, .lock = PTHREAD_MUTEX_INITIALIZER, .arena = arena};
    *out = arena_array(arena, job->count + 1, sizeof(**out));
    b.works = arena_array(arena, job->count + 1, sizeof(*b.works));
    for (size_t i = 0; i < job->count; i++) {
        struct row_work *w = &b.works[i];
        *w = (struct row_work){.all = &b,
                               .number = i,
                               .row = &job->rows[i],
                               .arena = ARENA_INIT,
                               .watch = {.line = hear, .idle = tick, .context = w},
                               .job = {job->engine, &w->arena, &w->watch, &w->err},
                               .built = &(*out)[i]};
    }
    int rc = run_all(&b, err);
    for (size_t i = 0; i < job->count; i++)
        take_over(&b, &b.works[i]);
    (void)pthread_mutex_destroy(&b.lock);
    return rc;
}
