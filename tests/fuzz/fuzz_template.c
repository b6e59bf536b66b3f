/* Any template renders the same twice, or fails with a place; what is rendered is UTF-8. */
#include "fuzz.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "data/data.h"
#include "data/json.h"
#include "jinja/template.h"

#include <stdint.h>
#include <string.h>

static const char context_json[] =
    "{\"s\": \"It's a T\\u00e4st, \\u6f22\", \"i\": 7, \"f\": -2.5, \"b\": true, \"n\": null,"
    " \"l\": [3, 1, 2], \"m\": [\"b\", \"A\"], \"e\": [], \"d\": {\"a\": 1, \"b\": [1, {\"c\": "
    "2}]},"
    " \"u\": [{\"name\": \"Bob\", \"age\": 3}, {\"name\": \"al\", \"age\": 2}]}";

/* What a template may include, import or extend, besides itself: that is "x". */
static const char *const others[][2] = {
    {"y", "{{ s }}[[ s ]]"},
    {"lib", "{% macro wrap(a, b=s) %}{{ b }}{{ a }}{{ varargs }}{{ kwargs }}{% endmacro %}"
            "{% macro each(l) %}{% for x in l %}{{ caller(x) }}{% endfor %}{% endmacro %}"
            "{% set shared = [i] %}{% set ns = namespace(a=1) %}{% import 'x' as back %}"},
    {"base", "{% block one %}{{ i }}{% endblock %}{% for x in l %}{% block two scoped %}{{ x }}"
             "{% endblock %}{% endfor %}{{ self.one() }}{% block three required %}{% endblock %}"},
    {"mid", "{% extends 'base' %}{% set i = 1 %}{% block one %}{{ super() }}{% block four %}"
            "{% endblock %}{% endblock %}{% block three %}{{ self.four() }}{% endblock %}"},
    {"round", "{% extends 'x' %}{% block one %}{{ super() }}{% endblock %}"},
};

static int load_include(struct template_source *out, void *context, const char *name,
                        struct err *err)
{
    const struct template_source *self = context;
    (void)err;
    out->delimiters = self->delimiters;
    out->text = self->text;
    if (str_equal(name, "x"))
        return 0;
    out->delimiters = DELIMITERS_JINJA;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        out->text = span_from(others[i][1]);
        if (str_equal(name, others[i][0]))
            return 0;
    }
    return 1;
}

static int render(struct buf *out, const struct template_source *source, const struct data *context,
                  struct err *err)
{
    struct template_source self = *source;
    const struct template_loader loader = {.load = load_include, .context = &self};
    int rc = template_render(out, source, context, &loader, err);
    must(rc == 0 || (err->exit == TG_USAGE && err->code && err->message && err->where.file));
    must(rc == 0 || err->where.line > 0 || str_equal(err->code, "template-limit"));
    return rc;
}

static void check_same(const struct template_source *source, const struct data *context)
{
    BUF_SCRATCH(first, LIMIT_MIB);
    BUF_SCRATCH(second, LIMIT_MIB);
    ERR_SCRATCH(err);
    ERR_SCRATCH(again);
    int rc = render(&first, source, context, &err);
    must(render(&second, source, context, &again) == rc);
    must(str_equal(err.message, again.message) && err.where.column == again.where.column);
    must(rc || span_equal(span_of(first.ptr, first.len), span_of(second.ptr, second.len)));
    must(rc || utf8_valid(span_of(buf_text(&first), first.len)));
}

/* Looking for free names fails with a place, too. */
static void check_names(const struct template_source *source)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct data *names = data_map(&arena);
    struct template_source self = *source;
    const struct template_loader loader = {.load = load_include, .context = &self};
    if (template_names(names, &arena, source, false, &loader, &err))
        must(err.exit == TG_USAGE && err.message && err.where.file);
}

static void check_expression(const struct template_source *source, const struct data *context)
{
    ERR_SCRATCH(err);
    bool truth;
    if (template_test(&truth, source, context, &err))
        must(err.exit == TG_USAGE && err.message && err.where.file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct data *context;
    if (size == 0)
        return 0;
    must(json_parse(&context, &arena, "context", span_from(context_json), &err) == 0);
    struct data *before = data_copy(&arena, context);
    const struct template_source source = {.name = "in",
                                           .text = span_of((const char *)bytes + 1, size - 1),
                                           .delimiters =
                                               bytes[0] & 1 ? DELIMITERS_SQUARE : DELIMITERS_JINJA};
    check_same(&source, context);
    check_names(&source);
    check_expression(&source, context);
    must(data_equal(context, before));
    return 0;
}
