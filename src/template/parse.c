/* Templates: their text is checked, then a table of tags has a function for each statement. */
#include "template/parse.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/utf8.h"
#include "template/parse_expression.h"
#include "template/program.h"
#include "template/scope.h"
#include "template/vm.h"

#include <string.h>

/* ---------------------------------------------------------------- blocks */

/* A tag whose body is being read: what may end it. */
struct opener {
    const char *name;
    size_t offset;
    const char *const *ends; /* the last one closes it */
    size_t end_count;
};

static int parse_statements(struct statement **out, struct parser *parser,
                            const struct opener *opener);

static bool sees_end(const struct parser *parser, const struct opener *opener)
{
    for (size_t i = 0; opener && i < opener->end_count; i++)
        if (parser_sees(parser, opener->ends[i]))
            return true;
    return false;
}

/* The body of a tag. The rest of the tag is taken; the current token is then the ending's name. */
static int parse_block(struct statement **out, struct parser *parser, const struct opener *opener)
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
    if (parser_advance(parser) || parse_statements(out, parser, opener))
        return -1;
    parser->blocks--;
    return 0;
}

static int parse_if(struct statement *statement, struct parser *parser)
{
    static const char *const ends[] = {"elif", "else", "endif"};
    struct opener opener = {"if", statement->offset, ends, 3};
    struct if_branch **end = &statement->branches;
    bool is_else = false, more = true;
    statement->kind = S_IF;
    while (more) {
        struct if_branch *branch = *end = arena_alloc(parser->arena, sizeof(*branch));
        end = &branch->next;
        if (!is_else && parse_plain_tuple(&branch->test, parser))
            return -1;
        if (parse_block(&branch->body, parser, &opener))
            return -1;
        more = !parser_sees(parser, "endif");
        is_else = parser_sees(parser, "else");
        if (is_else)
            opener.ends = &ends[2], opener.end_count = 1;
        if (parser_advance(parser))
            return -1;
    }
    return 0;
}

static int expect_name(struct parser *parser, const char *name)
{
    if (!parser_sees(parser, name))
        return parser_fail_expected(parser, arena_printf(parser->arena, "'%s'", name));
    return parser_advance(parser);
}

static int parse_for(struct statement *statement, struct parser *parser)
{
    static const char *const ends[] = {"else", "endfor"};
    struct opener opener = {"for", statement->offset, ends, 2};
    bool has_test, has_else;
    statement->kind = S_FOR;
    parser->loops++;
    if (parse_target(&statement->loop.target, parser) || expect_name(parser, "in") ||
        parse_plain_tuple(&statement->loop.iterable, parser) ||
        parser_skip(&has_test, parser, "if"))
        return -1;
    if (has_test && parse_expression(&statement->loop.test, parser))
        return -1;
    if (parser_sees(parser, "recursive"))
        return parser_fail(parser, parser->current.offset,
                           "'recursive' loops are not in the template language");
    size_t mentions = parser->loop_mentions;
    if (parse_block(&statement->loop.body, parser, &opener) ||
        parser_skip(&has_else, parser, "else"))
        return -1;
    statement->loop.mentions_loop = parser->loop_mentions > mentions;
    opener.ends = &ends[1], opener.end_count = 1;
    if (has_else && parse_block(&statement->loop.otherwise, parser, &opener))
        return -1;
    parser->loops--;
    return parser_advance(parser);
}

static int parse_set(struct statement *statement, struct parser *parser)
{
    static const char *const ends[] = {"endset"};
    struct opener opener = {"set", statement->offset, ends, 1};
    if (parse_target(&statement->set.target, parser))
        return -1;
    if (parser->current.kind == T_ASSIGN) {
        statement->kind = S_SET;
        return parser_advance(parser) ? -1 : parse_tuple(&statement->set.value, parser);
    }
    statement->kind = S_SET_BLOCK;
    parser->captures++;
    if (parse_filters(&statement->set.filter, parser, NULL) ||
        parse_block(&statement->set.body, parser, &opener))
        return -1;
    parser->captures--;
    return parser_advance(parser);
}

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

static int parse_include(struct statement *statement, struct parser *parser)
{
    bool with, without;
    statement->kind = S_INCLUDE;
    if (parse_expression(&statement->include.name, parser) ||
        skip_pair(&statement->include.ignore_missing, parser, "ignore", "missing") ||
        skip_pair(&with, parser, "with", "context"))
        return -1;
    statement->include.with_context = true;
    if (with)
        return 0;
    size_t offset = parser->current.offset;
    if (skip_pair(&without, parser, "without", "context"))
        return -1;
    if (without && parser->captures) /* Jinja2 puts the text before, not into the variable */
        return parser_fail(parser, offset, "'without context' cannot stand in the body of a 'set'");
    statement->include.with_context = !without;
    return 0;
}

/* ---------------------------------------------------------------- the table of tags */

static const struct {
    const char *name;
    int (*parse)(struct statement *statement, struct parser *parser);
} tags[] = {
    {"for", parse_for},
    {"if", parse_if},
    {"include", parse_include},
    {"set", parse_set},
};

#define TAG_COUNT (sizeof(tags) / sizeof(tags[0]))

/* Tags of Jinja2 and its extensions that this language has not. */
static const char *const refused_tags[] = {
    "autoescape", "block", "break",  "call",  "continue", "debug", "do",   "extends",
    "filter",     "from",  "import", "macro", "print",    "trans", "with",
};

/* Tags that end something: out of place, but no slips of the pen. */
static const char *const end_tags[] = {"elif", "else", "endfor", "endif", "endraw", "endset"};

/* What the name of an unknown tag may have meant. */
static const char *nearest_tag(struct parser *parser, const struct opener *opener)
{
    const char *names[TAG_COUNT + 3];
    const char *wrong =
        arena_memdup(parser->arena, parser->current.text.ptr, parser->current.text.len);
    size_t count = 0;
    for (size_t i = 0; opener && i < opener->end_count; i++)
        names[count++] = opener->ends[i];
    for (size_t i = 0; i < TAG_COUNT; i++)
        names[count++] = tags[i].name;
    return str_nearest(wrong, names, count);
}

static int fail_tag(struct parser *parser, const struct opener *opener)
{
    struct span name = parser->current.text;
    size_t offset = parser->current.offset;
    for (size_t i = 0; i < sizeof(refused_tags) / sizeof(refused_tags[0]); i++)
        if (span_equal(name, span_from(refused_tags[i])))
            return parser_fail(parser, offset, "the tag '%s' is not in the template language",
                               refused_tags[i]);
    (void)parser_fail(parser, offset, "unexpected tag '%.*s'", (int)(name.len % 100), name.ptr);
    bool is_end = false;
    for (size_t i = 0; i < sizeof(end_tags) / sizeof(end_tags[0]); i++)
        is_end |= span_equal(name, span_from(end_tags[i]));
    const char *nearest = is_end ? NULL : nearest_tag(parser, opener);
    if (nearest)
        return err_hint(parser->err, "did you mean '%s'?", nearest);
    return opener ? err_hint(parser->err, "'%s' is open here, and is closed by '%s'", opener->name,
                             opener->ends[opener->end_count - 1])
                  : -1;
}

static int parse_tag(struct statement *statement, struct parser *parser,
                     const struct opener *opener)
{
    if (parser->current.kind != T_NAME)
        return parser_fail_expected(parser, "the name of a tag");
    for (size_t i = 0; i < TAG_COUNT; i++) {
        if (!parser_sees(parser, tags[i].name))
            continue;
        if (parser_advance(parser) || tags[i].parse(statement, parser))
            return -1;
        return parser_expect(parser, T_BLOCK_END);
    }
    return fail_tag(parser, opener);
}

static int parse_output(struct statement *statement, struct parser *parser)
{
    statement->kind = S_OUTPUT;
    if (parser_advance(parser) || parse_tuple(&statement->output, parser))
        return -1;
    return parser_expect(parser, T_VARIABLE_END);
}

static int parse_one(struct statement *statement, struct parser *parser,
                     const struct opener *opener)
{
    statement->offset = parser->current.offset;
    switch (parser->current.kind) {
    case T_DATA:
        statement->kind = S_TEXT;
        statement->text = parser->current.text;
        return parser_advance(parser);
    case T_VARIABLE_BEGIN:
        return parse_output(statement, parser);
    default:
        return parse_tag(statement, parser, opener);
    }
}

static int fail_open(struct parser *parser, const struct opener *opener)
{
    return parser_fail(parser, opener->offset, "'%s' is not closed by '%s'", opener->name,
                       opener->ends[opener->end_count - 1]);
}

static int parse_statements(struct statement **out, struct parser *parser,
                            const struct opener *opener)
{
    struct statement **end = out;
    *out = NULL;
    while (parser->current.kind != T_END) {
        if (parser->current.kind == T_BLOCK_BEGIN) {
            if (parser_advance(parser))
                return -1;
            if (sees_end(parser, opener))
                return 0;
        }
        struct statement *statement = arena_alloc(parser->arena, sizeof(*statement));
        if (parse_one(statement, parser, opener))
            return -1;
        *end = statement;
        end = &statement->next;
    }
    return opener ? fail_open(parser, opener) : 0;
}

/* ---------------------------------------------------------------- the whole */

static int parse_body(struct statement **out, struct parser *parser)
{
    if (parser_advance(parser))
        return -1;
    return parse_statements(out, parser, NULL);
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

static int fail_source(const struct program *program, size_t offset, const char *message,
                       struct err *err)
{
    (void)err_set(err, TG_USAGE, CODE_SYNTAX, "%s", message);
    return program_error_at(program, offset, err);
}

static int check_source(const struct program *program, struct err *err)
{
    struct span text = program->source;
    const char *nul = text.len ? memchr(text.ptr, '\0', text.len) : NULL;
    if (nul)
        return fail_source(program, (size_t)(nul - text.ptr), "the template holds a NUL byte", err);
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        if ((unsigned char)text.ptr[pos] < 0x80)
            pos++;
        else if (utf8_next(text, &pos) == UTF8_INVALID)
            return fail_source(program, start, "the template is not UTF-8", err);
    }
    return 0;
}

static int parse_bare(struct program *program, struct parser *parser)
{
    if (parser_advance(parser) || parse_expression(&program->expression, parser))
        return -1;
    if (parser->current.kind != T_END)
        return parser_fail_expected(parser, "the end of the expression");
    return 0;
}

int program_parse(struct program **out, struct arena *arena, const struct template_source *source,
                  bool expression, struct err *err)
{
    struct program *program = arena_alloc(arena, sizeof(*program));
    struct parser parser = {.arena = arena, .err = err};
    program->name = source->name;
    program->path = source->path ? source->path : source->name;
    program->delimiters = source->delimiters;
    if (budget_steps(budget_steps_of(source->text.len), err) < 0)
        return -1;
    if (source->text.len > LIMIT_TEMPLATE_BYTES)
        return err_set(err, TG_USAGE, CODE_LIMIT, "'%s' is larger than %zu bytes", program->path,
                       LIMIT_TEMPLATE_BYTES);
    program->source = normalize_lines(arena, source->text);
    if (check_source(program, err))
        return -1;
    lexer_init(&parser.lexer, arena, program, expression, err);
    if (expression ? parse_bare(program, &parser) : parse_body(&program->body, &parser))
        return -1;
    *out = program;
    return scope_resolve(program, arena, err);
}
