/*
 * A line of JSON, which is the context, then an expression: hostile values, not only a hostile
 * text. Whatever it is, a condition says twice the same, a template agrees with it, and a variable
 * holds what is printed straight away.
 */
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

enum outcome { FAILS, HOLDS, SPENT };

/* SPENT: a limit, which is reached sooner where more is asked. */
static enum outcome outcome_of(int rc, const struct err *err)
{
    if (rc == 0)
        return HOLDS;
    must(err->exit == TG_USAGE && err->code && err->message && err->where.file);
    return str_equal(err->code, "template-limit") ? SPENT : FAILS;
}

static enum outcome test(bool *truth, struct span expression, const struct data *context)
{
    ERR_SCRATCH(err);
    const struct template_source source = {.name = "in", .text = expression};
    return outcome_of(template_test(truth, &source, context, &err), &err);
}

static enum outcome render(struct buf *out, const char *before, struct span expression,
                           const char *behind, const struct data *context)
{
    BUF_SCRATCH(text, 4 * LIMIT_MIB);
    ERR_SCRATCH(err);
    (void)buf_puts(&text, before);
    (void)buf_append(&text, expression.ptr, expression.len);
    (void)buf_puts(&text, behind);
    const struct template_source source = {.name = "in", .text = span_of(text.ptr, text.len)};
    return outcome_of(template_render(out, &source, context, NULL, &err), &err);
}

static void check_truth(struct span expression, const struct data *context)
{
    BUF_SCRATCH(out, LIMIT_KIB);
    bool first = false, second = false;
    enum outcome outcome = test(&first, expression, context);
    must(test(&second, expression, context) == outcome && first == second);
    if (outcome != HOLDS)
        return;
    enum outcome rendered = render(&out, "{{ 1 if (", expression, "\n) else 0 }}", context);
    must(rendered == SPENT || (rendered == HOLDS && strcmp(out.ptr, first ? "1" : "0") == 0));
}

static void check_print(struct span expression, const struct data *context)
{
    BUF_SCRATCH(straight, LIMIT_MIB);
    BUF_SCRATCH(kept, LIMIT_MIB);
    enum outcome a = render(&straight, "{{ (", expression, "\n) }}", context);
    enum outcome b = render(&kept, "{% set v = (", expression, "\n) %}{{ v }}", context);
    must(a == b || a == SPENT || b == SPENT);
    if (a != HOLDS || b != HOLDS)
        return;
    must(strcmp(buf_text(&straight), buf_text(&kept)) == 0);
    must(utf8_valid(span_of(buf_text(&straight), straight.len)));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    const char *text = (const char *)bytes, *end = memchr(bytes, '\n', size);
    struct data *context;
    if (!end ||
        json_parse(&context, &arena, "context", span_of(text, (size_t)(end - text)), &err) ||
        context->kind != DATA_MAP)
        return 0;
    struct data *before = data_copy(&arena, context);
    struct span expression = span_of(end + 1, size - (size_t)(end + 1 - text));
    bool truth;
    check_truth(expression, context);
    /* brackets around what is no expression may make one */
    if (test(&truth, expression, context) == HOLDS)
        check_print(expression, context);
    must(data_equal(context, before));
    return 0;
}
