/*
 * Renders templates for the comparison with Jinja2: one JSON request a line on standard input, one
 * JSON answer a line on standard output.
 *
 *     {"template": TEXT, "context": {...}, "includes": {NAME: TEXT},
 *      "delimiters": "jinja"|"square", "include_delimiters": the same,
 *      "as": "text"|"truth"|"names"}
 *
 *     {"out": ...}  or
 *     {"error": TEXT, "code": TEXT, "exit": N, "file": TEXT, "line": N, "column": N,
 *      "source": TEXT, "hint": TEXT, "trace": TEXT}
 */
#include "base/arena.h"
#include "base/budget.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "data/data.h"
#include "data/json.h"
#include "jinja/template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum template_delimiters read_delimiters(const struct data *request, const char *name)
{
    return str_equal(data_text(data_get(request, name)), "square") ? DELIMITERS_SQUARE
                                                                   : DELIMITERS_JINJA;
}

static int load_include(struct template_source *out, void *context, const char *name,
                        struct err *err)
{
    const struct data *request = context, *text = data_get(data_get(request, "includes"), name);
    (void)err;
    if (!text || text->kind != DATA_STR)
        return 1;
    out->text = text->str;
    out->delimiters = read_delimiters(request, "include_delimiters");
    return 0;
}

static int render_text(struct data **out, struct arena *arena, const struct template_source *source,
                       struct data *request, struct err *err)
{
    BUF_SCRATCH(text, LIMIT_RENDERED_BYTES);
    const struct template_loader loader = {.load = load_include, .context = request};
    if (template_render(&text, source, data_get(request, "context"), &loader, err))
        return -1;
    *out = data_span(arena, span_of(buf_text(&text), text.len));
    return 0;
}

static int answer(struct data **out, struct arena *arena, struct data *request, struct err *err)
{
    const struct data *text = data_get(request, "template"),
                      *context = data_get(request, "context");
    const char *as = data_text(data_get(request, "as"));
    struct template_source source = {.name = "case", .text = text->str};
    if (budget_start(NULL, err)) /* each is a run of its own */
        return -1;
    source.delimiters = read_delimiters(request, "delimiters");
    const struct template_loader loader = {.load = load_include, .context = request};
    bool truth;
    if (str_equal(as, "names")) {
        *out = data_map(arena);
        return template_names(*out, arena, &source, false, &loader, err);
    }
    if (!str_equal(as, "truth"))
        return render_text(out, arena, &source, request, err);
    if (template_test(&truth, &source, context, err))
        return -1;
    *out = data_bool(arena, truth);
    return 0;
}

static struct data *describe(struct arena *arena, const struct err *err)
{
    struct data *map = data_map(arena);
    data_put(arena, map, "error", data_str(arena, err->message));
    data_put(arena, map, "code", data_str(arena, err->code));
    data_put(arena, map, "exit", data_int(arena, err->exit));
    data_put(arena, map, "file", data_str(arena, err->where.file));
    data_put(arena, map, "line", data_int(arena, (int64_t)err->where.line));
    data_put(arena, map, "column", data_int(arena, (int64_t)err->where.column));
    data_put(arena, map, "source", data_str(arena, err->where.source));
    data_put(arena, map, "hint", data_str(arena, err->hint));
    data_put(arena, map, "trace", data_str(arena, err->trace));
    return map;
}

static int serve(const char *line, size_t len)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    BUF_SCRATCH(reply, 8 * LIMIT_RENDERED_BYTES);
    struct data *request, *result, *map = data_map(&arena);
    if (json_parse(&request, &arena, "request", span_of(line, len), &err)) {
        (void)fprintf(stderr, "render: %s\n", err.message);
        return -1;
    }
    if (answer(&result, &arena, request, &err))
        map = describe(&arena, &err);
    else
        data_put(&arena, map, "out", result);
    if (json_write(&reply, map, false))
        return -1;
    (void)fwrite(reply.ptr, 1, reply.len, stdout);
    return fflush(stdout);
}

int main(void)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t len;
    int rc = 0;
    while (!rc && (len = getline(&line, &capacity, stdin)) > 0)
        rc = serve(line, (size_t)len);
    free(line);
    return rc ? 1 : 0;
}
