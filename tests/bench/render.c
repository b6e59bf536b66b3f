/*
 * Renders templates again and again, for `make bench PARTS=render`:
 *
 *     render CASES.json parse|render SECONDS
 *
 * CASES is {"includes": {NAME: TEXT}, "cases": [{"template": TEXT, "context": {...}}]}. With
 * `render` each is parsed once, before the clock starts. Prints rounds, bytes of one, and the
 * processor seconds of the fastest round.
 */
#include "base/arena.h"
#include "base/budget.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "data/data.h"
#include "data/json.h"
#include "io/io.h"
#include "jinja/syntax/parse.h"
#include "jinja/template.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FILE_BYTES (64 * LIMIT_MIB)

struct bench_case {
    struct template_source source;
    struct template_loader loader;
    struct data *context;
    struct program *program; /* NULL: parse it each time */
};

static int load_include(struct template_source *out, void *context, const char *name,
                        struct err *err)
{
    const struct data *text = data_get(context, name);
    (void)err;
    if (!text)
        return 1;
    out->text = text->str;
    return 0;
}

static double processor_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int read_case(struct bench_case *out, struct arena *arena, const struct data *data,
                     struct data *includes, struct template_cache *parsed, struct err *err)
{
    *out = (struct bench_case){
        .source = {.name = "case", .text = data_get(data, "template")->str},
        .loader = {.load = load_include, .context = includes, .cache = parsed},
        .context = data_get(data, "context"),
    };
    return parsed ? program_parse(&out->program, arena, &out->source, false, err) : 0;
}

static int render_once(size_t *bytes, const struct bench_case *one, struct err *err)
{
    BUF_SCRATCH(text, LIMIT_RENDERED_BYTES);
    int rc = one->program ? template_run(&text, one->program, one->context, &one->loader, err)
                          : template_render(&text, &one->source, one->context, &one->loader, err);
    *bytes += text.len;
    return rc;
}

static int repeat(const struct bench_case *cases, size_t count, double seconds, struct err *err)
{
    double began = processor_seconds(), fastest = seconds;
    size_t rounds = 0, bytes = 0;
    for (double now = began; now < began + seconds; rounds++) {
        bytes = 0;
        if (budget_start(NULL, err))
            return -1;
        for (size_t i = 0; i < count; i++)
            if (render_once(&bytes, &cases[i], err))
                return -1;
        double then = now;
        now = processor_seconds();
        fastest = now - then < fastest ? now - then : fastest;
    }
    return printf("%zu %zu %.9f\n", rounds, bytes, fastest) < 0 ? -1 : 0;
}

static int run(const char *path, bool parsed, double seconds, struct err *err)
{
    ARENA_SCRATCH(arena);
    struct span text;
    struct data *all;
    if (io_read(&text, &arena, AT_FDCWD, path, FILE_BYTES, err) ||
        json_parse_large(&all, &arena, path, text, FILE_BYTES, err))
        return -1;
    const struct data *list = data_get(all, "cases");
    struct template_cache cache = {.arena = &arena};
    struct bench_case *cases = arena_array(&arena, list->list.count, sizeof(*cases));
    for (size_t i = 0; i < list->list.count; i++)
        if (read_case(&cases[i], &arena, list->list.items[i], data_get(all, "includes"),
                      parsed ? &cache : NULL, err))
            return -1;
    return repeat(cases, list->list.count, seconds, err);
}

int main(int argc, char **argv)
{
    ERR_SCRATCH(err);
    if (argc != 4)
        return 2;
    if (run(argv[1], argv[2][0] == 'r', strtod(argv[3], NULL), &err) == 0)
        return 0;
    (void)fprintf(stderr, "render: %s: %s\n", err.where.file ? err.where.file : "", err.message);
    return 1;
}
