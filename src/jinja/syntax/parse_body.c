/* The bodies of tags: what lies between a tag and the one that ends it. */
#include "jinja/syntax/parse_body.h"

#include "base/arena.h"
#include "base/limits.h"
#include "jinja/run/vm.h"
#include "jinja/syntax/program.h"

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
