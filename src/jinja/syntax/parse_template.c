/* The tags that name other templates, or are replaced by them. */
#include "jinja/syntax/parse_template.h"

#include "base/arena.h"
#include "base/unicode.h"
#include "jinja/syntax/parse_body.h"
#include "jinja/syntax/parse_expression.h"
#include "jinja/syntax/program.h"

/* ---------------------------------------------------------------- include, import, from */

/* Two keywords in a row; a first one alone is not taken. */
static int skip_pair(bool *skipped, struct parser *parser, const char *first, const char *second)
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

/* "with context", "without context", or neither */
static int parse_context(bool *seen, struct statement *statement, struct parser *parser)
{
    bool with, without = false;
    if (skip_pair(&with, parser, "with", "context") ||
        (!with && skip_pair(&without, parser, "without", "context")))
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
        skip_pair(&statement->include.ignore_missing, parser, "ignore", "missing"))
        return -1;
    size_t offset = parser->current.offset;
    if (parse_context(&seen, statement, parser))
        return -1;
    if (!statement->include.with_context && parser->captures) /* Jinja2 puts the text before */
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

/* Does a block that others must fill hold nothing but white space? */
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
