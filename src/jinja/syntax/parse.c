/* Parses templates: checks the text, then parses statements by a table of tags. */
#include "jinja/syntax/parse.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "jinja/run/vm.h"
#include "jinja/syntax/parse_expression.h"
#include "jinja/syntax/parse_tags.h"
#include "jinja/syntax/program.h"
#include "jinja/syntax/scope.h"

#include <string.h>

/* ---------------------------------------------------------------- bodies */

static bool sees_end(const struct parser *parser, const struct opener *opener)
{
    for (size_t i = 0; opener && i < opener->end_count; i++)
        if (parser_sees(parser, opener->ends[i]))
            return true;
    return false;
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
        if (parse_body(&branch->body, parser, &opener))
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

static int parse_for(struct statement *statement, struct parser *parser)
{
    static const char *const ends[] = {"else", "endfor"};
    struct opener opener = {"for", statement->offset, ends, 2};
    bool has_test, has_else;
    statement->kind = S_FOR;
    parser->loops++;
    if (parse_target(&statement->loop.target, parser) || parse_word(parser, "in") ||
        parse_plain_tuple(&statement->loop.iterable, parser) ||
        parser_skip(&has_test, parser, "if"))
        return -1;
    if (has_test && parse_expression(&statement->loop.test, parser))
        return -1;
    if (parser_sees(parser, "recursive"))
        return parser_fail(parser, parser->current.offset,
                           "'recursive' loops are not in the template language");
    const struct body_start start = parser_body_start(parser);
    size_t scoped_blocks = parser->scoped_blocks;
    if (parse_body(&statement->loop.body, parser, &opener) ||
        parser_skip(&has_else, parser, "else"))
        return -1;
    statement->loop.mentions_loop = parser_mentioned(parser, SPECIAL_LOOP, &start);
    opener.ends = &ends[1], opener.end_count = 1;
    if (has_else && parse_body(&statement->loop.otherwise, parser, &opener))
        return -1;
    statement->loop.mentions_loop |= parser->scoped_blocks > scoped_blocks;
    parser->loops--;
    return parser_advance(parser);
}

/* ---------------------------------------------------------------- set, filter, with */

static int parse_set(struct statement *statement, struct parser *parser)
{
    if (parse_set_target(&statement->set.target, parser))
        return -1;
    if (parser->current.kind == T_ASSIGN) {
        statement->kind = S_SET;
        return parser_advance(parser) ? -1 : parse_tuple(&statement->set.value, parser);
    }
    statement->kind = S_SET_BLOCK;
    return parse_filters(&statement->set.filter, parser, NULL) ||
                   parse_captured_body(&statement->set.body, parser, "set", statement->offset,
                                       "endset")
               ? -1
               : 0;
}

/* Unlike other bodies whose text becomes a value, this one is silent if its surroundings are. */
static int parse_filter_block(struct statement *statement, struct parser *parser)
{
    statement->kind = S_FILTER;
    parser->captures++;
    if (parse_filter_chain(&statement->set.filter, parser) ||
        parse_whole_body(&statement->set.body, parser, "filter", statement->offset, "endfilter"))
        return -1;
    parser->captures--;
    return 0;
}

static int parse_with(struct statement *statement, struct parser *parser)
{
    struct node_list *targets = &statement->with.targets, *values = &statement->with.values;
    struct node *target, *value;
    statement->kind = S_WITH;
    while (parser->current.kind != T_BLOCK_END) {
        if (targets->count && parser_expect(parser, T_COMMA))
            return -1;
        if (parse_with_target(&target, parser) || parser_expect(parser, T_ASSIGN) ||
            parse_expression(&value, parser))
            return -1;
        arena_push(parser->arena, targets->items, targets->count) = target;
        arena_push(parser->arena, values->items, values->count) = value;
    }
    return parse_whole_body(&statement->with.body, parser, "with", statement->offset, "endwith");
}

/* ---------------------------------------------------------------- the table of tags */

static const struct {
    const char *name;
    int (*parse)(struct statement *statement, struct parser *parser);
} tags[] = {
    {"block", parse_block},     {"call", parse_call_block},
    {"extends", parse_extends}, {"filter", parse_filter_block},
    {"for", parse_for},         {"from", parse_from},
    {"if", parse_if},           {"import", parse_import},
    {"include", parse_include}, {"macro", parse_macro},
    {"set", parse_set},         {"with", parse_with},
};

#define TAG_COUNT (sizeof(tags) / sizeof(tags[0]))

/* Tags of Jinja2 and its extensions that this language has not. */
static const struct {
    const char *name, *instead;
} refused_tags[] = {
    {"autoescape",
     "nothing is escaped; where it must be, filter it with 'tojson' or 'shell_quote'"},
    {"break", "give the loop a condition: {% for x in list if CONDITION %}"},
    {"continue", "put what is left of the body into an 'if'"},
    {"debug", NULL},
    {"do", "write {% set _ = EXPRESSION %}"},
    {"print", "write {{ EXPRESSION }}"},
    {"trans", "write the text itself"},
};

/* Closing tags: misplaced, but not misspelt. */
static const char *const end_tags[] = {
    "elif",  "else",     "endblock", "endcall", "endfilter", "endfor",
    "endif", "endmacro", "endraw",   "endset",  "endwith",
};

/* The tag that an unknown name may mean. */
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

static int refuse_tag(struct parser *parser, size_t i)
{
    (void)parser_fail(parser, parser->current.offset,
                      "the tag '%s' is not in the template language", refused_tags[i].name);
    return refused_tags[i].instead ? err_hint(parser->err, "%s", refused_tags[i].instead) : -1;
}

static int fail_tag(struct parser *parser, const struct opener *opener)
{
    struct span name = parser->current.text;
    size_t offset = parser->current.offset;
    for (size_t i = 0; i < sizeof(refused_tags) / sizeof(refused_tags[0]); i++)
        if (span_equal(name, span_from(refused_tags[i].name)))
            return refuse_tag(parser, i);
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
    statement->silent = parser->silent;
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
        statement->silent = parser->silent;
        statement->text = parser->current.text;
        return parser_advance(parser);
    case T_VARIABLE_BEGIN:
        return parse_output(statement, parser);
    default:
        return parse_tag(statement, parser, opener);
    }
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
    return opener ? parser_fail(parser, opener->offset, "'%s' is not closed by '%s'", opener->name,
                                opener->ends[opener->end_count - 1])
                  : 0;
}

/* ---------------------------------------------------------------- whole templates */

static int parse_all(struct statement **out, struct parser *parser)
{
    if (parser_advance(parser))
        return -1;
    return parse_statements(out, parser, NULL);
}

/* Converts \r\n and \r to \n, as Jinja2 does. */
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
    struct span text = unicode_strip(program->source, true, true);
    if (text.len >= 2 && *text.ptr == '{' && strchr("{%", text.ptr[1])) {
        (void)parser_fail(parser, (size_t)(text.ptr - program->source.ptr),
                          "an expression stands here, without '%.2s'", text.ptr);
        return err_hint(parser->err, "such as: when: \"docs and ci == 'github'\"");
    }
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
    struct parser parser = {
        .arena = arena, .err = err, .statements = parse_statements, .blocks_end = &program->blocks};
    const struct body_start start = parser_body_start(&parser);
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
    if (expression ? parse_bare(program, &parser) : parse_all(&program->body, &parser))
        return -1;
    program->uses_self = parser_mentioned(&parser, SPECIAL_SELF, &start);
    program->extends = parser.extends;
    program->deepest = parser.deepest;
    *out = program;
    return scope_resolve(program, arena, err);
}
