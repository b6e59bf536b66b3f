/* Parses expressions: Jinja2's grammar, from the loosest binding to the tightest. */
#include "jinja/syntax/parse_expression.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "jinja/functions/function.h"
#include "jinja/run/vm.h"
#include "jinja/syntax/program.h"

#include <string.h>

static int parse_unary(struct node **out, struct parser *parser, bool with_filters);
static int parse_or(struct node **out, struct parser *parser);

/* ---------------------------------------------------------------- nodes */

static struct node *node_new(struct parser *parser, enum node_kind kind, size_t offset)
{
    struct node *node = arena_alloc(parser->arena, sizeof(*node));
    node->kind = kind;
    node->offset = (uint32_t)offset;
    node->depth = 1;
    node->constant = kind != N_NAME && kind != N_CALL;
    return node;
}

static int fail_nesting(struct parser *parser, size_t offset)
{
    (void)err_set(parser->err, TG_USAGE, CODE_LIMIT, "the expression is nested more than %zu deep",
                  LIMIT_TEMPLATE_NESTING);
    return program_error_at(parser->lexer.program, offset, parser->err);
}

static int adopt(struct parser *parser, struct node *node, const struct node *child)
{
    if (child->depth >= LIMIT_TEMPLATE_NESTING)
        return fail_nesting(parser, child->offset);
    if (child->depth >= node->depth)
        node->depth = (uint16_t)(child->depth + 1);
    if (node->depth > parser->deepest)
        parser->deepest = node->depth;
    node->constant &= child->constant;
    return 0;
}

static int add_item(struct parser *parser, struct node *node, struct node_list *list,
                    struct node *item)
{
    arena_push(parser->arena, list->items, list->count) = item;
    return adopt(parser, node, item);
}

static int node_two(struct node **out, struct parser *parser, enum node_kind kind,
                    enum binary_op op, struct node *left, struct node *right)
{
    struct node *node = node_new(parser, kind, left->offset);
    node->binary.op = op;
    node->binary.left = left;
    node->binary.right = right;
    *out = node;
    return adopt(parser, node, left) || adopt(parser, node, right) ? -1 : 0;
}

static int enter(struct parser *parser)
{
    if (++parser->nesting > LIMIT_TEMPLATE_NESTING)
        return fail_nesting(parser, parser->current.offset);
    return 0;
}

static void leave(struct parser *parser)
{
    parser->nesting--;
}

/* ---------------------------------------------------------------- arguments */

/* Arguments of a call being parsed, and the names seen, to find duplicates. */
struct argument_list {
    struct node *node;
    struct call_args *args;
    struct keyword **end;
    struct intern names;
};

static int parse_keyword(struct parser *parser, struct argument_list *given)
{
    struct keyword *keyword = arena_alloc(parser->arena, sizeof(*keyword));
    size_t count = given->names.count;
    keyword->name = parser->current.text;
    if (intern_add(&given->names, parser->arena, keyword->name) < count)
        return parser_fail(parser, parser->current.offset, "'%.*s' is given twice",
                           (int)keyword->name.len, keyword->name.ptr);
    *given->end = keyword;
    given->end = &keyword->next;
    if (parser_advance(parser) || parser_advance(parser) ||
        parse_expression(&keyword->value, parser))
        return -1;
    return adopt(parser, given->node, keyword->value);
}

/* "*LIST", "**MAPPING" */
static int parse_star(struct parser *parser, struct argument_list *given)
{
    struct call_args *args = given->args;
    struct node **out = parser->current.kind == T_MUL ? &args->star : &args->star_star;
    if (*out || args->star_star)
        return parser_fail(parser, parser->current.offset,
                           "there can be one '*' and, behind it, one '**'");
    if (parser_advance(parser) || parse_expression(out, parser))
        return -1;
    return adopt(parser, given->node, *out);
}

static int parse_argument(struct parser *parser, struct argument_list *given)
{
    struct token next = {.kind = T_END};
    size_t offset = parser->current.offset;
    if (parser->current.kind == T_MUL || parser->current.kind == T_POW)
        return parse_star(parser, given);
    if (parser->current.kind == T_NAME && parser_peek(&next, parser))
        return -1;
    if (given->args->star_star)
        return parser_fail(parser, offset, "nothing can be behind '**'");
    if (next.kind == T_ASSIGN)
        return parse_keyword(parser, given);
    if (given->args->keywords || given->args->star)
        return parser_fail(parser, offset, "a positional argument after '*' or one given by name");
    struct node *value;
    if (parse_expression(&value, parser))
        return -1;
    return add_item(parser, given->node, &given->args->positional, value);
}

/* "(a, b, c=d)"; the current token is the parenthesis. */
static int parse_args(struct parser *parser, struct node *node, struct call_args *args)
{
    struct argument_list given = {.node = node, .args = args, .end = &args->keywords};
    if (enter(parser) || parser_advance(parser))
        return -1;
    for (bool first = true; parser->current.kind != T_RPAREN; first = false) {
        if (!first && parser_expect(parser, T_COMMA))
            return -1;
        if (!first && parser->current.kind == T_RPAREN)
            break;
        if (parse_argument(parser, &given))
            return -1;
    }
    leave(parser);
    return parser_advance(parser);
}

/* ---------------------------------------------------------------- primary expressions */

static struct node *constant_new(struct parser *parser, struct value value)
{
    struct node *node = node_new(parser, N_CONSTANT, parser->current.offset);
    node->value = value;
    return node;
}

static int parse_name(struct node **out, struct parser *parser)
{
    struct span name = parser->current.text;
    const struct value *constant = parser_constant(name);
    if (constant) {
        *out = constant_new(parser, *constant);
        return parser_advance(parser);
    }
    *out = node_new(parser, N_NAME, parser->current.offset);
    (*out)->name.name = name;
    parser_mention(parser, name, true);
    return parser_advance(parser);
}

/* Joins adjacent texts at once, since a file may have any number of them. */
static int parse_text(struct node **out, struct parser *parser)
{
    BUF_SCRATCH(joined, LIMIT_TEMPLATE_BYTES);
    struct span text = parser->current.text;
    *out = constant_new(parser, value_text(text));
    if (parser_advance(parser))
        return -1;
    if (parser->current.kind != T_TEXT)
        return 0;
    (void)buf_append(&joined, text.ptr, text.len);
    while (parser->current.kind == T_TEXT) {
        (void)buf_append(&joined, parser->current.text.ptr, parser->current.text.len);
        if (parser_advance(parser))
            return -1;
    }
    (*out)->value.text =
        span_of(arena_memdup(parser->arena, buf_text(&joined), joined.len), joined.len);
    return 0;
}

/* Parses expressions up to the bracket `close`, which it takes; a final comma is allowed. */
static int parse_items(struct node *node, struct parser *parser, enum token_kind close)
{
    for (bool first = true; parser->current.kind != close; first = false) {
        struct node *item;
        if (!first && parser_expect(parser, T_COMMA))
            return -1;
        if (parser->current.kind == close)
            break;
        if (parse_expression(&item, parser) || add_item(parser, node, &node->items, item))
            return -1;
        if (close != T_RBRACE)
            continue;
        if (parser_expect(parser, T_COLON) || parse_expression(&item, parser) ||
            add_item(parser, node, &node->items, item))
            return -1;
    }
    return parser_advance(parser);
}

static int parse_bracketed(struct node **out, struct parser *parser, enum node_kind kind,
                           enum token_kind close)
{
    *out = node_new(parser, kind, parser->current.offset);
    if (enter(parser) || parser_advance(parser) || parse_items(*out, parser, close))
        return -1;
    leave(parser);
    return 0;
}

/* A keyword does not end one: Jinja2 intends that, but fails to do it. */
static bool is_tuple_end(const struct parser *parser)
{
    return parser->current.kind == T_VARIABLE_END || parser->current.kind == T_BLOCK_END ||
           parser->current.kind == T_RPAREN;
}

typedef int item_parser(struct node **out, struct parser *parser);

static int parse_tuple_by(struct node **out, struct parser *parser, item_parser *parse_item,
                          bool may_be_empty)
{
    struct node *tuple = node_new(parser, N_TUPLE, parser->current.offset);
    bool is_tuple = false;
    for (;;) {
        struct node *item;
        if (is_tuple_end(parser))
            break;
        if (parse_item(&item, parser) || add_item(parser, tuple, &tuple->items, item))
            return -1;
        if (parser->current.kind != T_COMMA)
            break;
        is_tuple = true;
        if (parser_advance(parser))
            return -1;
    }
    if (!is_tuple && tuple->items.count == 0 && !may_be_empty)
        return parser_fail_expected(parser, "an expression");
    *out = is_tuple || tuple->items.count == 0 ? tuple : tuple->items.items[0];
    return 0;
}

static int parse_parenthesized(struct node **out, struct parser *parser)
{
    if (enter(parser) || parser_advance(parser) ||
        parse_tuple_by(out, parser, parse_expression, true) || parser_expect(parser, T_RPAREN))
        return -1;
    leave(parser);
    return 0;
}

static int parse_primary(struct node **out, struct parser *parser)
{
    switch (parser->current.kind) {
    case T_NAME:
        return parse_name(out, parser);
    case T_TEXT:
        return parse_text(out, parser);
    case T_INTEGER:
        *out = constant_new(parser, value_int(parser->current.integer));
        return parser_advance(parser);
    case T_FLOAT:
        *out = constant_new(parser, (struct value){.kind = V_FLOAT, .real = parser->current.real});
        return parser_advance(parser);
    case T_LPAREN:
        return parse_parenthesized(out, parser);
    case T_LBRACKET:
        return parse_bracketed(out, parser, N_LIST, T_RBRACKET);
    case T_LBRACE:
        return parse_bracketed(out, parser, N_DICT, T_RBRACE);
    default:
        return parser_fail_expected(parser, "an expression");
    }
}

/* ---------------------------------------------------------------- postfix operators */

/* ".name" and ".0" */
static int parse_dot(struct node **out, struct parser *parser, struct node *object)
{
    struct node *node;
    if (parser_advance(parser))
        return -1;
    if (parser->current.kind == T_NAME) {
        node = node_new(parser, N_ATTRIBUTE, parser->current.offset);
        node->member.name = parser->current.text;
    } else if (parser->current.kind == T_INTEGER) {
        node = node_new(parser, N_ITEM, parser->current.offset);
        node->member.index = constant_new(parser, value_int(parser->current.integer));
    } else {
        return parser_fail_expected(parser, "a name or an index");
    }
    node->member.object = object;
    *out = node;
    return adopt(parser, node, object) ? -1 : parser_advance(parser);
}

/* An optional part of a slice. */
static int parse_part(struct node **out, struct parser *parser, struct node *slice)
{
    enum token_kind kind = parser->current.kind;
    if (kind == T_COLON || kind == T_COMMA || kind == T_RBRACKET)
        return 0;
    return parse_expression(out, parser) || adopt(parser, slice, *out) ? -1 : 0;
}

/* ":stop:step" after `start` */
static int parse_slice(struct node **out, struct parser *parser, struct node *start)
{
    struct node *slice = node_new(parser, N_SLICE, parser->current.offset);
    slice->slice.start = start;
    *out = slice;
    if ((start && adopt(parser, slice, start)) || parser_advance(parser) ||
        parse_part(&slice->slice.stop, parser, slice))
        return -1;
    if (parser->current.kind != T_COLON)
        return 0;
    return parser_advance(parser) || parse_part(&slice->slice.step, parser, slice) ? -1 : 0;
}

static int parse_one_index(struct node **out, struct parser *parser, struct node *tuple)
{
    *out = NULL;
    if (parser->current.kind != T_COLON && parse_expression(out, parser))
        return -1;
    size_t offset = parser->current.offset;
    bool is_slice = parser->current.kind == T_COLON;
    if (is_slice && parse_slice(out, parser, *out))
        return -1;
    if (is_slice && (tuple->items.count || parser->current.kind == T_COMMA))
        return parser_fail(parser, offset, "a slice cannot be one of several indexes");
    return add_item(parser, tuple, &tuple->items, *out);
}

/* "[index]", "[start:stop:step]"; several indexes are a tuple */
static int parse_index(struct node **out, struct parser *parser, struct node *object)
{
    struct node *node = node_new(parser, N_ITEM, parser->current.offset);
    struct node *tuple = node_new(parser, N_TUPLE, parser->current.offset);
    if (enter(parser) || parser_advance(parser))
        return -1;
    while (parser->current.kind != T_RBRACKET) {
        struct node *item;
        if ((tuple->items.count && parser_expect(parser, T_COMMA)) ||
            parse_one_index(&item, parser, tuple))
            return -1;
    }
    leave(parser);
    node->member.object = object;
    node->member.index = tuple->items.count == 1 ? tuple->items.items[0] : tuple;
    *out = node;
    if (adopt(parser, node, object) || adopt(parser, node, node->member.index))
        return -1;
    return parser_advance(parser);
}

static int parse_call(struct node **out, struct parser *parser, struct node *callee)
{
    struct node *node = node_new(parser, N_CALL, callee->offset);
    node->call.callee = callee;
    *out = node;
    return adopt(parser, node, callee) ? -1 : parse_args(parser, node, &node->call.args);
}

static int parse_postfix(struct node **out, struct parser *parser, struct node *node)
{
    int rc = 0;
    *out = node;
    while (!rc)
        if (parser->current.kind == T_DOT)
            rc = parse_dot(out, parser, *out);
        else if (parser->current.kind == T_LBRACKET)
            rc = parse_index(out, parser, *out);
        else if (parser->current.kind == T_LPAREN)
            rc = parse_call(out, parser, *out);
        else
            return 0;
    return -1;
}

/* To Jinja2 the dot is part of the name, and the filter is missing at run time. */
static int refuse_dot(struct parser *parser, const struct function *function, const char *what)
{
    size_t offset = parser->current.offset;
    if (parser->current.kind != T_DOT)
        return 0;
    if (parser_advance(parser))
        return -1;
    struct span member = parser->current.kind == T_NAME ? parser->current.text : span_of("", 0);
    (void)parser_fail(parser, offset, "a dot is part of no %s's name", what);
    return err_hint(parser->err, "write (x%s%s).%.*s",
                    function_find(&filters, span_from(function->name)) == function ? "|" : " is ",
                    function->name, (int)(member.len % 100), member.ptr);
}

/* Parses the name of a filter or test, and finds its row in the table. */
static int parse_function(const struct function **out, struct parser *parser,
                          const struct function_table *table, const char *what)
{
    if (parser->current.kind != T_NAME)
        return parser_fail_expected(parser, "a name");
    struct span name = parser->current.text;
    size_t offset = parser->current.offset;
    *out = function_find(table, name);
    if (*out)
        return parser_advance(parser) ? -1 : refuse_dot(parser, *out, what);
    const char *nearest = function_nearest(table, name);
    if (function_is_refused(table, name))
        return parser_fail(parser, offset, "the %s '%.*s' is not in the template language", what,
                           (int)name.len, name.ptr);
    (void)parser_fail(parser, offset, "there is no %s '%.*s'", what, (int)name.len, name.ptr);
    return nearest ? err_hint(parser->err, "did you mean '%s'?", nearest) : -1;
}

static int parse_one_filter(struct node **out, struct parser *parser, struct node *object)
{
    struct node *node = node_new(parser, N_FILTER, parser->current.offset);
    node->filter.object = object;
    *out = node;
    if (object && adopt(parser, node, object))
        return -1;
    node->constant &= object != NULL;
    if (parse_function(&node->filter.function, parser, &filters, "filter"))
        return -1;
    if (parser->current.kind != T_LPAREN)
        return 0;
    return parse_args(parser, node, &node->filter.args);
}

int parse_filters(struct node **out, struct parser *parser, struct node *node)
{
    while (parser->current.kind == T_PIPE)
        if (parser_advance(parser) || parse_one_filter(&node, parser, node))
            return -1;
    *out = node;
    return 0;
}

int parse_filter_chain(struct node **out, struct parser *parser)
{
    return parse_one_filter(out, parser, NULL) ? -1 : parse_filters(out, parser, *out);
}

/* Whether the next token is a test's argument without parentheses. */
static bool takes_argument(const struct parser *parser)
{
    switch (parser->current.kind) {
    case T_TEXT:
    case T_INTEGER:
    case T_FLOAT:
    case T_LBRACKET:
    case T_LBRACE:
        return true;
    case T_NAME:
        return !parser_sees(parser, "else") && !parser_sees(parser, "or") &&
               !parser_sees(parser, "and");
    default:
        return false;
    }
}

static int parse_test_argument(struct parser *parser, struct node *node)
{
    struct node *argument;
    if (parser_sees(parser, "is"))
        return parser_fail(parser, parser->current.offset, "tests cannot be chained with 'is'");
    if (parse_primary(&argument, parser) || parse_postfix(&argument, parser, argument))
        return -1;
    return add_item(parser, node, &node->filter.args.positional, argument);
}

static int parse_test(struct node **out, struct parser *parser, struct node *object)
{
    bool negated;
    if (parser_advance(parser) || parser_skip(&negated, parser, "not"))
        return -1;
    struct node *node = node_new(parser, N_TEST, parser->current.offset);
    node->filter.object = object;
    if (adopt(parser, node, object) ||
        parse_function(&node->filter.function, parser, &tests, "test"))
        return -1;
    if (parser->current.kind == T_LPAREN ? parse_args(parser, node, &node->filter.args)
        : takes_argument(parser)         ? parse_test_argument(parser, node)
                                         : 0)
        return -1;
    *out = node;
    return negated ? node_two(out, parser, N_NOT, 0, node, node) : 0;
}

static int parse_filters_and_tests(struct node **out, struct parser *parser, struct node *node)
{
    int rc = 0;
    *out = node;
    while (!rc)
        if (parser->current.kind == T_PIPE)
            rc = parse_filters(out, parser, *out);
        else if (parser_sees(parser, "is"))
            rc = parse_test(out, parser, *out);
        else if (parser->current.kind == T_LPAREN)
            rc = parse_call(out, parser, *out);
        else
            return 0;
    return -1;
}

/* ---------------------------------------------------------------- operators */

static int parse_not(struct node **out, struct parser *parser);

/* Parses a sign or `not` (the current token) and its operand. */
static int parse_prefixed(struct node **out, struct parser *parser, enum node_kind kind)
{
    struct node *node = *out = node_new(parser, kind, parser->current.offset);
    struct node **operand = &node->binary.right;
    if (enter(parser) || parser_advance(parser) ||
        (kind == N_NOT ? parse_not(operand, parser) : parse_unary(operand, parser, false)))
        return -1;
    leave(parser);
    return adopt(parser, node, *operand);
}

static int parse_unary(struct node **out, struct parser *parser, bool with_filters)
{
    struct node *node;
    enum token_kind kind = parser->current.kind;
    if ((kind == T_SUB   ? parse_prefixed(&node, parser, N_NEGATE)
         : kind == T_ADD ? parse_prefixed(&node, parser, N_PLUS)
                         : parse_primary(&node, parser)) ||
        parse_postfix(&node, parser, node))
        return -1;
    if (with_filters && parse_filters_and_tests(&node, parser, node))
        return -1;
    *out = node;
    return 0;
}

/* Left-associative operators, by precedence. */
enum precedence { NO_PRECEDENCE, PRECEDENCE_POWER, PRECEDENCE_PRODUCT, PRECEDENCE_SUM };

static const struct {
    enum precedence precedence;
    enum binary_op op;
} operators[T_KIND_COUNT] = {
    [T_POW] = {PRECEDENCE_POWER, OP_POW},   [T_MUL] = {PRECEDENCE_PRODUCT, OP_MUL},
    [T_DIV] = {PRECEDENCE_PRODUCT, OP_DIV}, [T_FLOORDIV] = {PRECEDENCE_PRODUCT, OP_FLOORDIV},
    [T_MOD] = {PRECEDENCE_PRODUCT, OP_MOD}, [T_ADD] = {PRECEDENCE_SUM, OP_ADD},
    [T_SUB] = {PRECEDENCE_SUM, OP_SUB},
};

static int parse_operators(struct node **out, struct parser *parser, enum precedence precedence);
static int parse_concat(struct node **out, struct parser *parser);

static int parse_operand(struct node **out, struct parser *parser, enum precedence precedence)
{
    return precedence == PRECEDENCE_SUM       ? parse_concat(out, parser)
           : precedence == PRECEDENCE_PRODUCT ? parse_operators(out, parser, PRECEDENCE_POWER)
                                              : parse_unary(out, parser, true);
}

static int parse_operators(struct node **out, struct parser *parser, enum precedence precedence)
{
    struct node *right;
    if (parse_operand(out, parser, precedence))
        return -1;
    while (operators[parser->current.kind].precedence == precedence) {
        enum binary_op op = operators[parser->current.kind].op;
        if (parser_advance(parser) || parse_operand(&right, parser, precedence) ||
            node_two(out, parser, N_BINARY, op, *out, right))
            return -1;
    }
    return 0;
}

static int parse_concat(struct node **out, struct parser *parser)
{
    struct node *item;
    if (parse_operators(&item, parser, PRECEDENCE_PRODUCT))
        return -1;
    *out = item;
    if (parser->current.kind != T_TILDE)
        return 0;
    *out = node_new(parser, N_CONCAT, item->offset);
    if (add_item(parser, *out, &(*out)->items, item))
        return -1;
    while (parser->current.kind == T_TILDE)
        if (parser_advance(parser) || parse_operators(&item, parser, PRECEDENCE_PRODUCT) ||
            add_item(parser, *out, &(*out)->items, item))
            return -1;
    return 0;
}

/* Takes a comparison operator if there is one: returns 1, 0 or -1. */
static int take_comparison(struct parser *parser, enum compare_op *op)
{
    bool taken;
    if (parser->current.kind >= T_EQ && parser->current.kind <= T_LT) {
        *op = (enum compare_op)(parser->current.kind - T_EQ + OP_EQ);
        return parser_advance(parser) ? -1 : 1;
    }
    *op = OP_IN;
    if (parser_skip(&taken, parser, "in"))
        return -1;
    if (taken)
        return 1;
    *op = OP_NOT_IN;
    return parser_skip_pair(&taken, parser, "not", "in") ? -1 : taken;
}

static void add_op(struct parser *parser, struct node *node, enum compare_op op)
{
    size_t count = node->compare.operands.count - 1;
    enum compare_op *ops =
        arena_grow(parser->arena, node->compare.ops, count, sizeof(*node->compare.ops));
    ops[count] = op;
    node->compare.ops = ops;
}

static int parse_compare(struct node **out, struct parser *parser)
{
    struct node *item, *node = NULL;
    if (parse_operators(&item, parser, PRECEDENCE_SUM))
        return -1;
    *out = item;
    for (;;) {
        enum compare_op op;
        int taken = take_comparison(parser, &op);
        if (taken <= 0)
            return taken;
        if (!node) {
            node = node_new(parser, N_COMPARE, item->offset);
            if (add_item(parser, node, &node->compare.operands, item))
                return -1;
        }
        if (node->compare.operands.count > LIMIT_TEMPLATE_NESTING)
            return fail_nesting(parser, parser->current.offset);
        add_op(parser, node, op);
        if (parse_operators(&item, parser, PRECEDENCE_SUM) ||
            add_item(parser, node, &node->compare.operands, item))
            return -1;
        *out = node;
    }
}

static int parse_not(struct node **out, struct parser *parser)
{
    return parser_sees(parser, "not") ? parse_prefixed(out, parser, N_NOT)
                                      : parse_compare(out, parser);
}

/* N_OR with operands N_AND, whose operands may have a `not`. */
static int parse_logic(struct node **out, struct parser *parser, enum node_kind kind)
{
    struct node *right;
    bool is_or = kind == N_OR;
    if (is_or ? parse_logic(out, parser, N_AND) : parse_not(out, parser))
        return -1;
    while (parser_sees(parser, is_or ? "or" : "and"))
        if (parser_advance(parser) ||
            (is_or ? parse_logic(&right, parser, N_AND) : parse_not(&right, parser)) ||
            node_two(out, parser, kind, 0, *out, right))
            return -1;
    return 0;
}

static int parse_or(struct node **out, struct parser *parser)
{
    return parse_logic(out, parser, N_OR);
}

static int parse_condition(struct node **out, struct parser *parser)
{
    struct node *node = node_new(parser, N_CONDITION, (*out)->offset);
    bool otherwise;
    node->condition.yes = *out;
    *out = node;
    if (parser_advance(parser) || parse_or(&node->condition.test, parser) ||
        parser_skip(&otherwise, parser, "else"))
        return -1;
    if (adopt(parser, node, node->condition.yes) || adopt(parser, node, node->condition.test))
        return -1;
    node->constant &= otherwise;
    if (!otherwise)
        return 0;
    if (enter(parser) || parse_expression(&node->condition.no, parser))
        return -1;
    leave(parser);
    return adopt(parser, node, node->condition.no);
}

int parse_expression(struct node **out, struct parser *parser)
{
    if (parse_or(out, parser))
        return -1;
    while (parser_sees(parser, "if"))
        if (parse_condition(out, parser))
            return -1;
    return 0;
}

int parse_tuple(struct node **out, struct parser *parser)
{
    return parse_tuple_by(out, parser, parse_expression, false);
}

int parse_plain_tuple(struct node **out, struct parser *parser)
{
    return parse_tuple_by(out, parser, parse_or, false);
}

/* ---------------------------------------------------------------- targets of assignments */

/* A name, or "NAME.ATTRIBUTE" of a namespace. */
static int parse_namespaced(struct node **out, struct parser *parser)
{
    struct token next = {.kind = T_END};
    if (parser->current.kind == T_NAME && parser_peek(&next, parser))
        return -1;
    if (parse_primary(out, parser))
        return -1;
    if (next.kind != T_DOT || (*out)->kind != N_NAME)
        return 0;
    if (parse_dot(out, parser, *out))
        return -1;
    if ((*out)->kind == N_ATTRIBUTE)
        (*out)->kind = N_NAMESPACED;
    return 0;
}

static int check_target(struct parser *parser, const struct node *node)
{
    if (node->kind == N_NAME && parser->loops && span_equal(node->name.name, span_from("loop")))
        return parser_fail(parser, node->offset, "'loop' cannot be assigned to in a loop");
    if (node->kind == N_NAME)
        parser_mention(parser, node->name.name, false);
    if (node->kind == N_NAME || node->kind == N_NAMESPACED)
        return 0;
    if (node->kind != N_TUPLE)
        return parser_fail(parser, node->offset, "only a name can be assigned to");
    for (size_t i = 0; i < node->items.count; i++)
        if (check_target(parser, node->items.items[i]))
            return -1;
    return 0;
}

static int parse_target_by(struct node **out, struct parser *parser, item_parser *parse_item)
{
    struct body_start start = parser_body_start(parser);
    if (parse_tuple_by(out, parser, parse_item, false))
        return -1;
    parser_forget(parser, &start);
    return check_target(parser, *out);
}

int parse_target(struct node **out, struct parser *parser)
{
    return parse_target_by(out, parser, parse_primary);
}

int parse_set_target(struct node **out, struct parser *parser)
{
    return parse_target_by(out, parser, parse_namespaced);
}

int parse_with_target(struct node **out, struct parser *parser)
{
    size_t loops = parser->loops;
    parser->loops = 0; /* a new variable may use the name */
    int rc = parse_target(out, parser);
    parser->loops = loops;
    return rc;
}
