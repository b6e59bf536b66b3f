/* Builds on the terminal: what the builders say, above a line for each image that is being built.
 */
#include "cmd/image/build_view.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "catalog/base_image.h"
#include "cmd/cmd.h"
#include "image/image_rows.h"
#include "io/term.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NARROW 80
#define TEXT_BYTES LIMIT_MIB

/* Where a row is. */
struct row_view {
    const char *label;
    bool runs;
    enum build_step step;
    time_t since;
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

/* All at once, so that nothing flickers and no other program's words come between. */
static void show(const struct buf *text)
{
    (void)fwrite(buf_text(text), 1, text->len, stderr);
    (void)fflush(stderr);
}

/* A window that was made narrower has broken its lines. */
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
    for (size_t i = 0; i < v->count && v->drawn < BUILD_VIEW_LINES; i++) {
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

/* Above the lines of progress, where there are any. */
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

/* Seconds go by although nothing is said. */
static void on_tick(void *context)
{
    struct build_view *v = context;
    if (v->draws && seconds_now() != v->last)
        put_above(v, "");
}

/* What never began is told by the table alone. */
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

const struct build_watch *build_view_open(struct build_view *view, struct run *run,
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

void build_view_close(struct build_view *view)
{
    BUF_SCRATCH(text, TEXT_BYTES);
    erase(&text, view);
    show(&text);
}
