/* The parser's tokens and error messages. */
#define TMPLGEN_TEMPLATE_PARSER_C
#include "jinja/syntax/parser.h"

#include "base/arena.h"
#include "base/budget.h"
#include "jinja/run/vm.h"
#include "jinja/syntax/program.h"

#include <stdarg.h>

/* All parsing advances here, so this is the place to stop it. */
int parser_advance(struct parser *parser)
{
    if (budget_check(parser->err) < 0) {
        parser->err->code = CODE_LIMIT;
        return program_error_at(parser->lexer.program, parser->current.offset, parser->err);
    }
    return lexer_next(&parser->current, &parser->lexer);
}

int parser_peek(struct token *out, const struct parser *parser)
{
    struct lexer ahead = parser->lexer;
    return lexer_next(out, &ahead);
}

int parser_fail(struct parser *parser, size_t offset, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(parser->arena, format, args);
    va_end(args);
    (void)err_set(parser->err, TG_USAGE, CODE_SYNTAX, "%s", message);
    return program_error_at(parser->lexer.program, offset, parser->err);
}

/* Describes the current token; names and texts as written. */
static const char *current_name(struct parser *parser)
{
    const struct token *token = &parser->current;
    if (token->kind == T_NAME)
        return arena_printf(parser->arena, "'%.*s'", (int)(token->text.len % 100), token->text.ptr);
    if (token->kind == T_END && parser->lexer.expression)
        return "the end of the expression";
    return token_kind_name(token->kind);
}

int parser_fail_expected(struct parser *parser, const char *expected)
{
    return parser_fail(parser, parser->current.offset, "%s was expected here, not %s", expected,
                       current_name(parser));
}

int parser_expect(struct parser *parser, enum token_kind kind)
{
    if (parser->current.kind != kind)
        return parser_fail_expected(parser, token_kind_name(kind));
    return parser_advance(parser);
}

bool parser_sees(const struct parser *parser, const char *name)
{
    return parser->current.kind == T_NAME && span_equal(parser->current.text, span_from(name));
}

int parser_skip(bool *skipped, struct parser *parser, const char *name)
{
    *skipped = parser_sees(parser, name);
    return *skipped ? parser_advance(parser) : 0;
}

int parser_skip_pair(bool *skipped, struct parser *parser, const char *first, const char *second)
{
    struct token next;
    *skipped = false;
    if (!parser_sees(parser, first))
        return 0;
    if (parser_peek(&next, parser))
        return -1;
    if (next.kind != T_NAME || !span_equal(next.text, span_from(second)))
        return 0;
    *skipped = true;
    return parser_advance(parser) || parser_advance(parser) ? -1 : 0;
}

/* ---------------------------------------------------------------- names */

static const struct {
    const char *name;
    struct value value;
} constants[] = {
    {"true", {.kind = V_BOOL, .boolean = true}},
    {"True", {.kind = V_BOOL, .boolean = true}},
    {"false", {.kind = V_BOOL, .boolean = false}},
    {"False", {.kind = V_BOOL, .boolean = false}},
    {"none", {.kind = V_NONE}},
    {"None", {.kind = V_NONE}},
};

const struct value *parser_constant(struct span name)
{
    for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++)
        if (span_equal(name, span_from(constants[i].name)))
            return &constants[i].value;
    return NULL;
}

int parser_name(struct span *out, struct parser *parser)
{
    *out = parser->current.text;
    if (parser->current.kind != T_NAME)
        return parser_fail_expected(parser, "a name");
    if (parser_constant(*out))
        return parser_fail(parser, parser->current.offset, "only a name can be assigned to");
    return parser_advance(parser);
}

void parser_mention(struct parser *parser, struct span name, bool load)
{
#define SPECIAL_NAME(special, name) name,
    static const char *const names[] = {EACH_SPECIAL(SPECIAL_NAME)};
    for (size_t i = 0; i < SPECIAL_COUNT; i++) {
        struct mentions *mentions = &parser->mentions[i];
        if (!span_equal(name, span_from(names[i])))
            continue;
        arena_push(parser->arena, mentions->items, mentions->count) = load;
        return;
    }
}

struct body_start parser_body_start(const struct parser *parser)
{
    struct body_start start;
    for (size_t i = 0; i < SPECIAL_COUNT; i++)
        start.counts[i] = parser->mentions[i].count;
    return start;
}

bool parser_mentioned(const struct parser *parser, enum special special,
                      const struct body_start *start)
{
    const struct mentions *mentions = &parser->mentions[special];
    size_t first = start->counts[special];
    return mentions->count > first && mentions->items[first];
}

void parser_forget(struct parser *parser, const struct body_start *start)
{
    for (size_t i = 0; i < SPECIAL_COUNT; i++)
        parser->mentions[i].count = start->counts[i];
}
