/* The tags of macros and of other templates; and the bodies of all tags. */
#include "jinja/syntax/parse_tags.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/unicode.h"
#include "jinja/run/vm.h"
#include "jinja/syntax/parse_expression.h"
#include "jinja/syntax/program.h"

/* ---------------------------------------------------------------- bodies */

int parse_body(struct statement **out, struct parser *parser, const struct opener *opener)
{
    if (parser->current.kind == T_COLON && parser_advance(parser))
        return -1;
    if (parser->current.kind != T_BLOCK_END)
        return parser_fail_expected(parser, token_kind_name(T_BLOCK_END));
    if (++parser->blocks > LIMIT_TEMPLATE_NESTING) {
        (void)err_set(parser->err, TG_USAGE, CODE_LIMIT, "blocks are nested more than %zu deep",
                      LIMIT_TEMPLATE_NESTING);
        return program_error_at(parser->lexer.program, opener->offset, parser->err);
    }
    if (parser_advance(parser) || parser->statements(out, parser, opener))
        return -1;
    parser->blocks--;
    return 0;
}

int parse_whole_body(struct statement **out, struct parser *parser, const char *name, size_t offset,
                     const char *end)
{
    const char *const ends[] = {end};
    const struct opener opener = {name, offset, ends, 1};
    return parse_body(out, parser, &opener) || parser_advance(parser) ? -1 : 0;
}

int parse_captured_body(struct statement **out, struct parser *parser, const char *name,
                        size_t offset, const char *end)
{
    bool silent = parser->silent;
    parser->silent = false;
    parser->captures++;
    if (parse_whole_body(out, parser, name, offset, end))
        return -1;
    parser->captures--;
    parser->silent = silent;
    return 0;
}

int parse_word(struct parser *parser, const char *word)
{
    if (!parser_sees(parser, word))
        return parser_fail_expected(parser, arena_printf(parser->arena, "'%s'", word));
    return parser_advance(parser);
}

/* ---------------------------------------------------------------- macro, call */

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
    arena_push(parser->arena, code->parameters, code->count) = parameter;
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

/* Jinja2 uses this name for the `call` block, and so must be able to omit the argument. */
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

/* ---------------------------------------------------------------- include, import, from */

/* "with context", "without context", or neither */
static int parse_context(bool *seen, struct statement *statement, struct parser *parser)
{
    bool with, without = false;
    if (parser_skip_pair(&with, parser, "with", "context") ||
        (!with && parser_skip_pair(&without, parser, "without", "context")))
        return -1;
    *seen = with || without;
    if (*seen)
        statement->include.with_context = with;
    return 0;
}

int parse_include(struct statement *statement, struct parser *parser)
{
    bool seen;
    statement->kind = S_INCLUDE;
    statement->include.with_context = true;
    if (parse_expression(&statement->include.name, parser) ||
        parser_skip_pair(&statement->include.ignore_missing, parser, "ignore", "missing"))
        return -1;
    size_t offset = parser->current.offset;
    if (parse_context(&seen, statement, parser))
        return -1;
    if (!statement->include.with_context && parser->captures) /* Jinja2 prints it too early */
        return parser_fail(parser, offset,
                           "'without context' cannot stand in the body of a 'set', 'filter', "
                           "'macro' or 'call'");
    return 0;
}

static struct import_name *add_name(struct statement *statement, struct parser *parser,
                                    struct import_name ***end)
{
    struct import_name *name = arena_alloc(parser->arena, sizeof(*name));
    name->offset = parser->current.offset;
    if (!*end)
        *end = &statement->include.names;
    **end = name;
    *end = &name->next;
    return name;
}

int parse_import(struct statement *statement, struct parser *parser)
{
    struct import_name **end = NULL;
    bool seen;
    statement->kind = S_IMPORT;
    if (parse_expression(&statement->include.name, parser) || parse_word(parser, "as"))
        return -1;
    struct import_name *name = add_name(statement, parser, &end);
    return parser_name(&name->alias, parser) || parse_context(&seen, statement, parser) ? -1 : 0;
}

/* "NAME" or "NAME as ALIAS" */
static int parse_import_name(struct import_name *name, struct parser *parser)
{
    bool renamed;
    if (parser_name(&name->name, parser))
        return -1;
    if (name->name.len && name->name.ptr[0] == '_')
        return parser_fail(parser, name->offset, "names that begin with '_' are not exported");
    name->alias = name->name;
    if (parser_skip(&renamed, parser, "as"))
        return -1;
    return renamed ? parser_name(&name->alias, parser) : 0;
}

int parse_from(struct statement *statement, struct parser *parser)
{
    struct import_name **end = NULL;
    bool seen = false, more = true;
    statement->kind = S_IMPORT;
    if (parse_expression(&statement->include.name, parser) || parse_word(parser, "import"))
        return -1;
    while (more) {
        if (end && parser_expect(parser, T_COMMA))
            return -1;
        if (parse_context(&seen, statement, parser))
            return -1;
        if (seen)
            break;
        if (parse_import_name(add_name(statement, parser, &end), parser) ||
            parse_context(&seen, statement, parser))
            return -1;
        more = !seen && parser->current.kind == T_COMMA;
    }
    return 0;
}

/* ---------------------------------------------------------------- extends, block */

static int refuse_dynamic(struct parser *parser, size_t offset, const char *what)
{
    (void)parser_fail(parser, offset, "%s is not in the template language", what);
    return err_hint(parser->err, "a template has one parent, always the same: write one for each, "
                                 "and let them include or import what they share");
}

int parse_extends(struct statement *statement, struct parser *parser)
{
    struct node *name;
    statement->kind = S_EXTENDS;
    if (parser->blocks)
        return refuse_dynamic(parser, statement->offset, "'extends' within another tag");
    if (parser->extends)
        return parser_fail(parser, statement->offset, "a template can extend only one other");
    size_t offset = parser->current.offset;
    if (parse_expression(&name, parser))
        return -1;
    if (name->kind != N_CONSTANT || name->value.kind != V_TEXT)
        return refuse_dynamic(parser, offset, "'extends' of anything but a text");
    statement->extends = name;
    parser->extends = parser->silent = true;
    return 0;
}

/* Whether a required block holds only white space. */
static bool is_blank(const struct statement *body)
{
    for (; body; body = body->next)
        if (body->kind != S_TEXT || unicode_strip(body->text, true, true).len)
            return false;
    return true;
}

static int parse_block_body(struct block_code *block, struct parser *parser, size_t offset)
{
    const struct body_start start = parser_body_start(parser);
    size_t captures = parser->captures;
    bool silent = parser->silent;
    parser->silent = false;
    parser->captures = 0;
    if (parse_whole_body(&block->body, parser, "block", offset, "endblock"))
        return -1;
    parser->captures = captures;
    parser->silent = silent;
    block->uses_self = parser_mentioned(parser, SPECIAL_SELF, &start);
    block->uses_super = parser_mentioned(parser, SPECIAL_SUPER, &start);
    parser_forget(parser, &start);
    return 0;
}

int parse_block(struct statement *statement, struct parser *parser)
{
    struct block_code *block = arena_alloc(parser->arena, sizeof(*block));
    bool named;
    statement->kind = S_BLOCK;
    statement->block = block;
    block->offset = parser->current.offset;
    block->name = parser->current.text;
    block->inherited = parser->extends;
    size_t known = parser->block_names.count;
    if (parser_expect(parser, T_NAME) || parser_skip(&block->scoped, parser, "scoped") ||
        parser_skip(&block->required, parser, "required"))
        return -1;
    if (intern_add(&parser->block_names, parser->arena, block->name) < known)
        return parser_fail(parser, block->offset, "there is a block '%.*s' already",
                           (int)(block->name.len % 100), block->name.ptr);
    *parser->blocks_end = block;
    parser->blocks_end = &block->next;
    parser->scoped_blocks += block->scoped;
    if (parse_block_body(block, parser, statement->offset))
        return -1;
    if (block->required && !is_blank(block->body))
        return parser_fail(parser, block->offset,
                           "a 'required' block holds nothing but comments and white space");
    const char *name = arena_memdup(parser->arena, block->name.ptr, block->name.len);
    return parser_skip(&named, parser, name);
}
