/* The tags of macros: `macro` and `call`. */
#include "jinja/syntax/parse_macro.h"

#include "base/arena.h"
#include "jinja/syntax/parse_body.h"
#include "jinja/syntax/parse_expression.h"

/* "NAME" or "NAME=EXPRESSION" */
static int parse_parameter(struct macro_code *code, struct parser *parser, struct intern *names)
{
    struct parameter parameter = {.fallback = NULL};
    size_t offset = parser->current.offset;
    if (parser_name(&parameter.name, parser))
        return -1;
    parser_mention(parser, parameter.name, false);
    if (intern_add(names, parser->arena, parameter.name) < code->count)
        return parser_fail(parser, offset, "the parameter '%.*s' is there twice",
                           (int)(parameter.name.len % 100), parameter.name.ptr);
    if (parser->current.kind == T_ASSIGN) {
        if (parser_advance(parser) || parse_expression(&parameter.fallback, parser))
            return -1;
    } else if (code->count && code->parameters[code->count - 1].fallback) {
        return parser_fail(parser, offset, "a parameter without a default behind one that has one");
    }
    code->parameters = arena_grow(parser->arena, code->parameters, code->count, sizeof(parameter));
    code->parameters[code->count++] = parameter;
    return 0;
}

/* "(a, b=1)" */
static int parse_parameters(struct macro_code *code, struct parser *parser)
{
    struct intern names = {.count = 0};
    if (parser_expect(parser, T_LPAREN))
        return -1;
    while (parser->current.kind != T_RPAREN)
        if ((code->count && parser_expect(parser, T_COMMA)) ||
            parse_parameter(code, parser, &names))
            return -1;
    return parser_advance(parser);
}

/* Jinja2 takes the name for what `call` brings, and so must be able to leave it out. */
static int check_caller(const struct macro_code *code, struct parser *parser, size_t offset)
{
    for (size_t i = 0; code->uses_caller && i < code->count; i++)
        if (span_equal(code->parameters[i].name, span_from("caller")) &&
            !code->parameters[i].fallback)
            return parser_fail(parser, offset, "the parameter 'caller' needs a default");
    return 0;
}

static int parse_code(struct macro_code *code, struct parser *parser,
                      const struct statement *statement, const char *name, const char *end)
{
    const struct body_start start = parser_body_start(parser);
    if (parse_captured_body(&code->body, parser, name, statement->offset, end))
        return -1;
    code->uses_caller = parser_mentioned(parser, SPECIAL_CALLER, &start);
    code->uses_kwargs = parser_mentioned(parser, SPECIAL_KWARGS, &start);
    code->uses_varargs = parser_mentioned(parser, SPECIAL_VARARGS, &start);
    return check_caller(code, parser, statement->offset);
}

int parse_macro(struct statement *statement, struct parser *parser)
{
    struct macro_code *code = arena_alloc(parser->arena, sizeof(*code));
    statement->kind = S_MACRO;
    statement->macro.code = code;
    return parser_name(&code->name, parser) || parse_parameters(code, parser) ||
                   parse_code(code, parser, statement, "macro", "endmacro")
               ? -1
               : 0;
}

int parse_call_block(struct statement *statement, struct parser *parser)
{
    struct macro_code *code = arena_alloc(parser->arena, sizeof(*code));
    statement->kind = S_CALL;
    statement->macro.code = code;
    if (parser->current.kind == T_LPAREN && parse_parameters(code, parser))
        return -1;
    size_t offset = parser->current.offset;
    if (parse_expression(&statement->macro.call, parser))
        return -1;
    if (statement->macro.call->kind != N_CALL)
        return parser_fail(parser, offset, "'call' needs the call of a macro here");
    for (const struct keyword *keyword = statement->macro.call->call.args.keywords; keyword;
         keyword = keyword->next)
        if (span_equal(keyword->name, span_from("caller")))
            return parser_fail(parser, offset, "'call' itself gives the argument 'caller'");
    return parse_code(code, parser, statement, "call", "endcall");
}
