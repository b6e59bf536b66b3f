/* Reading a template: its text checked and line ends made equal, then parsed and resolved. */
#define TMPLGEN_TEMPLATE_UNIT_C
#include "template/unit.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/unicode.h"
#include "template/parse.h"
#include "template/scope.h"
#include "template/vm.h"

#include <string.h>

int unit_error_at(const struct unit *unit, size_t offset, struct err *err)
{
    return err_at(err, unit->name, unit->source.ptr, unit->source.len, offset);
}

/* \r\n and \r become \n, as in Jinja2. */
static struct span normalize_lines(struct arena *arena, struct span text)
{
    if (text.len == 0 || !memchr(text.ptr, '\r', text.len))
        return text;
    char *copy = arena_alloc(arena, text.len);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        bool is_return = text.ptr[i] == '\r';
        copy[len++] = is_return ? '\n' : text.ptr[i];
        if (is_return && i + 1 < text.len && text.ptr[i + 1] == '\n')
            i++;
    }
    return span_of(copy, len);
}

static int fail_source(const struct unit *unit, size_t offset, const char *message, struct err *err)
{
    (void)err_set(err, TG_USAGE, CODE_SYNTAX, "%s", message);
    return unit_error_at(unit, offset, err);
}

static int check_source(const struct unit *unit, struct err *err)
{
    struct span text = unit->source;
    const char *nul = text.len ? memchr(text.ptr, '\0', text.len) : NULL;
    if (nul)
        return fail_source(unit, (size_t)(nul - text.ptr), "the template holds a NUL byte", err);
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        if ((unsigned char)text.ptr[pos] < 0x80)
            pos++;
        else if (utf8_next(text, &pos) == UNICODE_INVALID)
            return fail_source(unit, start, "the template is not UTF-8", err);
    }
    return 0;
}

static int parse_bare(struct unit *unit, struct parser *parser)
{
    if (parser_advance(parser) || parse_expression(&unit->expression, parser))
        return -1;
    if (parser->current.kind != T_END)
        return parser_fail_expected(parser, "the end of the expression");
    return 0;
}

int unit_parse(struct unit **out, struct arena *arena, const struct template_source *source,
               bool expression, struct err *err)
{
    struct unit *unit = arena_alloc(arena, sizeof(*unit));
    struct parser parser = {.arena = arena, .err = err};
    unit->name = source->name;
    unit->delimiters = source->delimiters;
    if (source->text.len > LIMIT_TEMPLATE_BYTES)
        return err_set(err, TG_USAGE, CODE_LIMIT, "'%s' is larger than %zu bytes", unit->name,
                       LIMIT_TEMPLATE_BYTES);
    unit->source = normalize_lines(arena, source->text);
    if (check_source(unit, err))
        return -1;
    lexer_init(&parser.lexer, arena, unit, expression, err);
    if (expression ? parse_bare(unit, &parser) : parse_body(&unit->body, &parser))
        return -1;
    *out = unit;
    return scope_resolve(unit, arena, err);
}
