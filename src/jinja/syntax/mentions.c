/* Lists what a template mentions in all its branches: variables, their members, other templates. */
#include "jinja/mentions.h"

#include "base/account.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "data/data.h"
#include "jinja/functions/function.h"
#include "jinja/run/load.h"
#include "jinja/run/vm.h"
#include "jinja/syntax/ast.h"
#include "jinja/syntax/parse.h"
#include "jinja/syntax/program.h"
#include "jinja/syntax/scope.h"

#define TEMPLATES_MAX 10000 /* for one source: templates may include each other many times */

struct mention_walk {
    const struct mention_reader *reader;
    struct arena *arena;
    struct template_cache *cache;
    size_t templates; /* number read so far */
    struct err *err;
};

/*
 * A template, with those that include or extend it: names that they set are not free in it. In a
 * block, names set by the template itself and by those that it extends are not free either.
 */
struct mention_place {
    struct mention_walk *walk;
    const struct program *program;
    const struct mention_place *outer; /* includes or extends this one */
    const struct scope *scope;         /* of the including tag; NULL: not visible here */
    struct mention_place *parent;      /* that this one extends */
    const struct block_code *block;    /* the current block, or NULL */
    const char *through;
    size_t depth;
    bool alone; /* the context is not visible */
};

/* How a template takes in another one. */
struct taking {
    const char *how;           /* in the trace of an error */
    const struct scope *scope; /* visible to the other one, or NULL */
    bool dead, lenient;
    const struct import_name *names; /* imported from it */
};

enum truth { FALSE_HERE, TRUE_HERE, UNKNOWN };

/* Whether templates assign the name. If they do so only in some branch, or after a use, it may
 * still be a name of the context. */
enum setting { NEVER_SET, PERHAPS_SET, ALWAYS_SET };

/* ---------------------------------------------------------------- known values */

static enum setting set_by(const struct symbol *symbol)
{
    enum setting set = NEVER_SET;
    for (; symbol; symbol = symbol->load == LOAD_ALIAS ? symbol->outer : NULL) {
        if (symbol->load == LOAD_PARAMETER || symbol->load == LOAD_UNDEFINED)
            return ALWAYS_SET;
        if (symbol->stored)
            set = PERHAPS_SET;
    }
    return set;
}

static void also_set_in(enum setting *set, const struct scope *scope, struct span name)
{
    const struct symbol *found = NULL;
    for (; scope && !found; scope = scope->parent)
        found = scope_own(scope, name);
    enum setting here = set_by(found);
    if (here > *set)
        *set = here;
}

static void also_set_for_block(enum setting *set, const struct mention_place *place,
                               struct span name)
{
    const struct block_code *block = place->block;
    also_set_in(set, block->scoped ? block->around : place->program->root, name);
    for (const struct mention_place *parent = place->parent; parent; parent = parent->parent)
        also_set_in(set, parent->program->root, name);
}

/* Assignments by the template or those around it. A node that is not a variable counts as set. A
 * name of a built-in function need not be in the context. */
static enum setting setting_of(const struct mention_place *place, const struct node *node)
{
    if (node->kind != N_NAME || !node->name.symbol)
        return ALWAYS_SET;
    struct span name = node->name.name;
    enum setting set = set_by(node->name.symbol);
    if (place->block && set != ALWAYS_SET)
        also_set_for_block(&set, place, name);
    for (; place->scope && set != ALWAYS_SET; place = place->outer)
        also_set_in(&set, place->scope, name);
    return set != ALWAYS_SET && function_find(&builtins, name) ? PERHAPS_SET : set;
}

static bool is_free(const struct mention_place *place, const struct node *node)
{
    return setting_of(place, node) == NEVER_SET;
}

/* The context's value of a free name, or NULL. */
static const struct data *known_value(const struct mention_place *place, const struct node *node)
{
    return place->alone ? NULL : data_get_span(place->walk->reader->known, node->name.name);
}

/* The text of an expression, if it is known. */
static bool known_text(struct span *out, const struct mention_place *place, const struct node *node)
{
    if (node->kind == N_CONSTANT && node->value.kind == V_TEXT) {
        *out = node->value.text;
        return true;
    }
    const struct data *value = is_free(place, node) ? known_value(place, node) : NULL;
    if (!value || value->kind != DATA_STR)
        return false;
    *out = value->str;
    return true;
}

static enum truth truth_of(const struct mention_place *place, const struct node *node);

static enum truth opposite(enum truth truth)
{
    return truth == UNKNOWN ? UNKNOWN : truth == TRUE_HERE ? FALSE_HERE : TRUE_HERE;
}

static enum truth truth_when(bool holds)
{
    return holds ? TRUE_HERE : FALSE_HERE;
}

static enum truth truth_of_constant(const struct node *node)
{
    switch (node->value.kind) {
    case V_NONE:
        return FALSE_HERE;
    case V_BOOL:
        return truth_when(node->value.boolean);
    case V_INT:
        return truth_when(node->value.integer != 0);
    case V_TEXT:
        return truth_when(node->value.text.len != 0);
    default:
        return UNKNOWN;
    }
}

static enum truth truth_of_name(const struct mention_place *place, const struct node *node)
{
    const struct data *value = is_free(place, node) ? known_value(place, node) : NULL;
    if (value && value->kind == DATA_NULL)
        return FALSE_HERE;
    return value && value->kind == DATA_STR ? truth_when(value->str.len != 0) : UNKNOWN;
}

/* `x is defined`, `x is undefined`. */
static enum truth truth_of_test(const struct mention_place *place, const struct node *node)
{
    bool defined = str_equal(node->filter.function->name, "defined");
    const struct node *object = node->filter.object;
    if ((!defined && !str_equal(node->filter.function->name, "undefined")) ||
        !is_free(place, object))
        return UNKNOWN;
    return truth_when((known_value(place, object) != NULL) == defined);
}

/* `x | default('')` of an unknown value is its argument, or nothing. */
static enum truth truth_of_filter(const struct mention_place *place, const struct node *node)
{
    const char *name = node->filter.function->name;
    const struct node *object = node->filter.object;
    if ((!str_equal(name, "default") && !str_equal(name, "d")) || !object ||
        !is_free(place, object) || known_value(place, object) || node->filter.args.keywords)
        return UNKNOWN;
    return node->filter.args.positional.count
               ? truth_of(place, node->filter.args.positional.items[0])
               : FALSE_HERE;
}

/* Whether a text is one of a list of texts. */
static enum truth truth_of_in(const struct mention_place *place, struct span text,
                              const struct node *list)
{
    struct span item;
    if (list->kind != N_LIST && list->kind != N_TUPLE)
        return UNKNOWN;
    for (size_t i = 0; i < list->items.count; i++) {
        if (!known_text(&item, place, list->items.items[i]))
            return UNKNOWN;
        if (span_equal(item, text))
            return TRUE_HERE;
    }
    return FALSE_HERE;
}

static enum truth truth_of_compare(const struct mention_place *place, const struct node *node)
{
    const struct node_list *operands = &node->compare.operands;
    struct span left, right;
    enum compare_op op = node->compare.ops[0];
    if (operands->count != 2 || !known_text(&left, place, operands->items[0]))
        return UNKNOWN;
    if (op == OP_IN || op == OP_NOT_IN) {
        enum truth in = truth_of_in(place, left, operands->items[1]);
        return op == OP_IN ? in : opposite(in);
    }
    if ((op != OP_EQ && op != OP_NE) || !known_text(&right, place, operands->items[1]))
        return UNKNOWN;
    return truth_when(span_equal(left, right) == (op == OP_EQ));
}

static enum truth truth_of(const struct mention_place *place, const struct node *node)
{
    enum truth left;
    switch (node->kind) {
    case N_CONSTANT:
        return truth_of_constant(node);
    case N_NAME:
        return truth_of_name(place, node);
    case N_NOT:
        return opposite(truth_of(place, node->binary.right));
    case N_AND:
    case N_OR:
        left = truth_of(place, node->binary.left);
        if (left == (node->kind == N_AND ? FALSE_HERE : TRUE_HERE))
            return left;
        enum truth right = truth_of(place, node->binary.right);
        return left == UNKNOWN && right == (node->kind == N_AND ? TRUE_HERE : FALSE_HERE) ? UNKNOWN
                                                                                          : right;
    case N_TEST:
        return truth_of_test(place, node);
    case N_FILTER:
        return truth_of_filter(place, node);
    case N_COMPARE:
        return truth_of_compare(place, node);
    default:
        return UNKNOWN;
    }
}

/* ---------------------------------------------------------------- reports */

static void tell(const struct mention_place *place, enum mention_kind kind, struct span text,
                 size_t offset, bool dead, bool lenient)
{
    const struct mention mention = {
        kind, text,    place->program->name, place->program->source, offset,
        dead, lenient, place->alone,         place->through};
    place->walk->reader->see(place->walk->reader->context, &mention);
}

static void tell_name(const struct mention_place *place, const struct node *node, bool dead,
                      bool lenient)
{
    enum setting set = setting_of(place, node);
    if (set != ALWAYS_SET)
        tell(place, MENTION_NAME, node->name.name, node->offset, dead,
             lenient || set == PERHAPS_SET);
}

/* Writes "a.b.c" and tells whether "a" is set; any other node counts as set. */
static enum setting path_of(struct buf *out, const struct mention_place *place,
                            const struct node *node)
{
    struct span part = node->kind == N_ATTRIBUTE ? node->member.name : span_of(NULL, 0);
    if (node->kind == N_NAME)
        part = node->name.name;
    else if (node->kind == N_ITEM && node->member.index->kind == N_CONSTANT &&
             node->member.index->value.kind == V_TEXT)
        part = node->member.index->value.text;
    if (!part.ptr)
        return ALWAYS_SET;
    enum setting set =
        node->kind == N_NAME ? setting_of(place, node) : path_of(out, place, node->member.object);
    bool fits = set != ALWAYS_SET && (node->kind == N_NAME || buf_putc(out, '.') == 0) &&
                buf_append(out, part.ptr, part.len) == 0;
    return fits ? set : ALWAYS_SET;
}

static void tell_member(const struct mention_place *place, const struct node *node, bool dead,
                        bool lenient)
{
    BUF_SCRATCH(path, LIMIT_KIB);
    enum setting set = path_of(&path, place, node);
    if (set != ALWAYS_SET)
        tell(place, MENTION_MEMBER, span_of(path.ptr, path.len), node->offset, dead,
             lenient || set == PERHAPS_SET);
}

/* ---------------------------------------------------------------- expressions */

/* `node` may be NULL. */
static void walk_node(const struct mention_place *place, const struct node *node, bool dead,
                      bool lenient);

/* The children of a node; the object of a filter or a test may be `lenient`. */
struct walk_below {
    const struct mention_place *place;
    const struct node *object;
    bool dead, lenient;
};

static int walk_one_below(void *context, struct node *node)
{
    const struct walk_below *walk = context;
    walk_node(walk->place, node, walk->dead, walk->lenient && node == walk->object);
    return 0;
}

/* ---------------------------------------------------------------- wrong calls */

static void tell_wrong(const struct mention_place *place, const struct node *node, const char *what,
                       struct span word, const char *rest)
{
    const struct mention_reader *reader = place->walk->reader;
    ERR_SCRATCH(wrong);
    ARENA_SCRATCH(scratch);
    if (!reader->broken)
        return;
    (void)err_set(&wrong, TG_USAGE, CODE_SYNTAX, "%s'%s'%s", what,
                  arena_memdup(&scratch, word.ptr, word.len), rest);
    (void)program_error_at(place->program, node->offset, &wrong);
    reader->broken(reader->context, place->program->name, &wrong);
}

static bool has_parameter(const struct function *function, struct span name)
{
    for (size_t i = 0; i < FUNCTION_PARAMETERS && function->parameters[i]; i++)
        if (span_equal(name, span_from(function->parameters[i])))
            return true;
    return false;
}

/* Filters with the name of another filter or test as an argument, and its index. */
static const struct {
    const char *name;
    size_t argument;
    const struct function_table *table;
} by_name[] = {{"map", 0, &filters},
               {"select", 0, &tests},
               {"reject", 0, &tests},
               {"selectattr", 1, &tests},
               {"rejectattr", 1, &tests}};

static void check_name(const struct mention_place *place, const struct function *function,
                       const struct call_args *args)
{
    for (size_t i = 0; i < sizeof(by_name) / sizeof(*by_name); i++) {
        size_t at = by_name[i].argument;
        if (!str_equal(function->name, by_name[i].name) || args->positional.count <= at)
            continue;
        const struct node *name = args->positional.items[at];
        if (name->kind == N_CONSTANT && name->value.kind == V_TEXT &&
            !function_find(by_name[i].table, name->value.text))
            tell_wrong(place, name,
                       by_name[i].table == &filters ? "unknown filter " : "unknown test ",
                       name->value.text, "");
    }
}

/* Reports too many arguments or an unknown keyword, which are errors in every branch. */
static void check_call(const struct mention_place *place, const struct node *node,
                       const struct function *function, const struct call_args *args)
{
    size_t most = 0;
    while (most < FUNCTION_PARAMETERS && function->parameters[most])
        most++;
    if (!function->variadic && args->positional.count > most)
        tell_wrong(place, node, "", span_from(function->name), " takes fewer arguments");
    for (const struct keyword *word = args->keywords; word && !function->keywords;
         word = word->next)
        if (!has_parameter(function, word->name))
            tell_wrong(place, node,
                       arena_printf(place->walk->arena, "'%s' has no parameter ", function->name),
                       word->name, "");
    check_name(place, function, args);
}

/* Whether the function accepts an undefined object. */
static bool is_lenient(const struct function *function)
{
    static const char *const names[] = {"default", "d", "defined", "undefined"};
    return str_is_among(function->name, names, sizeof(names) / sizeof(*names));
}

/* The right side of `and` and `or`, and either side of an inline if, may be unreachable. */
static void walk_choice(const struct mention_place *place, const struct node *node, bool dead)
{
    if (node->kind == N_CONDITION) {
        enum truth truth = truth_of(place, node->condition.test);
        walk_node(place, node->condition.test, dead, false);
        walk_node(place, node->condition.yes, dead || truth == FALSE_HERE, false);
        walk_node(place, node->condition.no, dead || truth == TRUE_HERE, false);
        return;
    }
    enum truth ends = node->kind == N_AND ? FALSE_HERE : TRUE_HERE;
    walk_node(place, node->binary.left, dead, false);
    walk_node(place, node->binary.right, dead || truth_of(place, node->binary.left) == ends, false);
}

static void walk_node(const struct mention_place *place, const struct node *node, bool dead,
                      bool lenient)
{
    struct walk_below below = {.place = place, .dead = dead};
    if (!node)
        return;
    bool applied = node->kind == N_FILTER || node->kind == N_TEST;
    if (applied && !dead)
        check_call(place, node, node->filter.function, &node->filter.args);
    if (applied) {
        below.object = node->filter.object;
        below.lenient = is_lenient(node->filter.function);
    }
    if (node->kind == N_NAME)
        tell_name(place, node, dead, lenient);
    else if (node->kind == N_AND || node->kind == N_OR || node->kind == N_CONDITION)
        walk_choice(place, node, dead);
    else
        (void)node_each(node, walk_one_below, &below);
    if ((node->kind == N_ATTRIBUTE || node->kind == N_ITEM) && place->walk->reader->members)
        tell_member(place, node, dead, lenient);
}

/* ---------------------------------------------------------------- other templates */

static int walk_program(struct mention_place *place, bool dead);

static bool is_open(const struct mention_place *place, const char *name)
{
    for (; place; place = place->outer)
        if (str_equal(place->program->name, name))
            return true;
    return false;
}

/* Sets NULL if there is none, or if it is broken, which was reported. */
static int read_template(struct program **out, const struct mention_walk *walk, const char *name)
{
    ERR_SCRATCH(inner);
    const struct mention_reader *reader = walk->reader;
    struct template_source source = {.name = name};
    struct err *wrong = reader->broken ? &inner : walk->err;
    *out = cache_find(walk->cache, span_from(name));
    if (*out)
        return 0;
    int rc = reader->loader->load(&source, reader->loader->context, name, wrong);
    source.name = arena_strdup(walk->cache->arena, name);
    if (rc == 0)
        rc = program_parse(out, walk->cache->arena, &source, false, wrong);
    if (rc == 0)
        cache_keep(walk->cache, *out);
    if (rc >= 0)
        return 0;
    *out = NULL;
    if (!reader->broken)
        return -1;
    if (str_equal(inner.code, "limit"))
        return err_set(walk->err, inner.exit, inner.code, "%s", inner.message);
    reader->broken(reader->context, name, &inner);
    return 0;
}

static int trace(const struct mention_place *place, const struct taking *taking, size_t offset)
{
    ERR_SCRATCH(at);
    (void)program_error_at(place->program, offset, &at);
    return err_trace(place->walk->err, "%s %s:%zu:%zu", taking->how, place->program->path,
                     at.where.line, at.where.column);
}

/* NULL: it cannot be read, or is being walked already. */
static int take_in(struct mention_place **out, const struct mention_place *place, struct span text,
                   const struct taking *taking, size_t offset)
{
    struct mention_walk *walk = place->walk;
    const char *name = arena_memdup(walk->arena, text.ptr, text.len);
    struct program *program;
    *out = NULL;
    if (place->depth >= LIMIT_TEMPLATE_CALLS || is_open(place, name))
        return 0;
    if (++walk->templates > TEMPLATES_MAX) {
        (void)err_set(walk->err, TG_USAGE, CODE_LIMIT, "more than %d templates are included",
                      TEMPLATES_MAX);
        return program_error_at(place->program, offset, walk->err);
    }
    if (read_template(&program, walk, name) < 0)
        return trace(place, taking, offset);
    if (!program)
        return 0;
    *out = arena_alloc(walk->arena, sizeof(**out));
    **out = (struct mention_place){.walk = walk,
                                   .program = program,
                                   .outer = place,
                                   .scope = taking->scope,
                                   .through = arena_printf(walk->arena, "%s%s%s", place->through,
                                                           *place->through ? ", " : "",
                                                           place->program->name),
                                   .depth = place->depth + 1,
                                   .alone = place->alone || !taking->scope};
    return 0;
}

/* Imported names must be macros or variables of the other template. */
static void check_names(const struct mention_place *place, const struct program *other,
                        const struct import_name *name)
{
    const struct mention_reader *reader = place->walk->reader;
    for (; reader->broken && name; name = name->next) {
        ERR_SCRATCH(wrong);
        ARENA_SCRATCH(scratch);
        const struct symbol *found =
            name->name.len ? scope_own(other->root, name->name) : other->root->symbols;
        if (!name->name.len || (found && (found->stored || found->load != LOAD_RESOLVE)))
            continue;
        (void)err_set(&wrong, TG_USAGE, CODE_SYNTAX, "there is no '%s' in the template '%s'",
                      arena_memdup(&scratch, name->name.ptr, name->name.len), other->name);
        (void)program_error_at(place->program, name->offset, &wrong);
        reader->broken(reader->context, place->program->name, &wrong);
    }
}

static int walk_template(const struct mention_place *place, struct span text,
                         const struct taking *taking, size_t offset)
{
    struct mention_place *inner;
    if (take_in(&inner, place, text, taking, offset) < 0)
        return -1;
    if (inner && !taking->dead)
        check_names(place, inner->program, taking->names);
    return inner && walk_program(inner, taking->dead) < 0 ? trace(place, taking, offset) : 0;
}

/* The template name that an expression yields, with '*' for unknown parts. */
static void put_pattern(struct buf *out, const struct mention_place *place, const struct node *node)
{
    struct span text;
    if (known_text(&text, place, node))
        (void)buf_append(out, text.ptr, text.len);
    else if (node->kind == N_CONCAT)
        for (size_t i = 0; i < node->items.count; i++)
            put_pattern(out, place, node->items.items[i]);
    else if (node->kind == N_BINARY && node->binary.op == OP_ADD) {
        put_pattern(out, place, node->binary.left);
        put_pattern(out, place, node->binary.right);
    } else
        (void)buf_putc(out, '*');
}

/* Without a list of names, reads only literal ones, and only templates that get the context. */
static int walk_templates(const struct mention_place *place, const struct node *name,
                          struct span text, const struct taking *taking)
{
    const struct mention_reader *reader = place->walk->reader;
    const char *const *names;
    if (!reader->loader)
        return 0;
    if (!reader->templates)
        return taking->scope && known_text(&text, place, name)
                   ? walk_template(place, text, taking, name->offset)
                   : 0;
    size_t count = reader->templates(&names, reader->context, text);
    for (size_t i = 0; i < count; i++)
        if (walk_template(place, span_from(names[i]), taking, name->offset) < 0)
            return -1;
    return 0;
}

static int mention_template(const struct mention_place *place, const struct node *name,
                            struct taking taking)
{
    BUF_SCRATCH(pattern, LIMIT_KIB);
    if (name->kind == N_LIST || name->kind == N_TUPLE) { /* the first existing one is used */
        taking.lenient |= name->items.count > 1;
        for (size_t i = 0; i < name->items.count; i++)
            if (mention_template(place, name->items.items[i], taking) < 0)
                return -1;
        return 0;
    }
    if (name->kind == N_CONDITION) {
        if (mention_template(place, name->condition.yes, taking) < 0)
            return -1;
        return name->condition.no ? mention_template(place, name->condition.no, taking) : 0;
    }
    put_pattern(&pattern, place, name);
    struct span text = span_of(buf_text(&pattern), pattern.len);
    tell(place, MENTION_TEMPLATE, text, name->offset, taking.dead, taking.lenient);
    return walk_templates(place, name, text, &taking);
}

/* ---------------------------------------------------------------- statements */

static int walk_body(const struct mention_place *place, const struct statement *statement,
                     bool dead);

static int walk_branches(const struct mention_place *place, const struct if_branch *branch,
                         bool dead)
{
    for (; branch; branch = branch->next) {
        enum truth truth = branch->test ? truth_of(place, branch->test) : TRUE_HERE;
        walk_node(place, branch->test, dead, false);
        if (walk_body(place, branch->body, dead || truth == FALSE_HERE) < 0)
            return -1;
        dead |= truth == TRUE_HERE;
    }
    return 0;
}

static int walk_loop(const struct mention_place *place, const struct statement *statement,
                     bool dead)
{
    walk_node(place, statement->loop.iterable, dead, false);
    walk_node(place, statement->loop.test, dead, false);
    if (walk_body(place, statement->loop.body, dead) < 0)
        return -1;
    return walk_body(place, statement->loop.otherwise, dead);
}

static int walk_set(const struct mention_place *place, const struct statement *statement, bool dead)
{
    walk_node(place, statement->set.value, dead, false);
    walk_node(place, statement->set.target, dead, false);
    walk_node(place, statement->set.filter, dead, false);
    return walk_body(place, statement->set.body, dead);
}

static int walk_macro(const struct mention_place *place, const struct statement *statement,
                      bool dead)
{
    const struct macro_code *code = statement->macro.code;
    for (size_t i = 0; i < code->count; i++)
        walk_node(place, code->parameters[i].fallback, dead, false);
    if (statement->kind == S_CALL)
        walk_node(place, statement->macro.call, dead, false);
    return walk_body(place, code->body, dead);
}

static int walk_block(const struct mention_place *place, const struct block_code *block, bool dead)
{
    struct mention_place inner = *place;
    inner.block = block;
    return walk_body(&inner, block->body, dead);
}

static int walk_include(const struct mention_place *place, const struct statement *statement,
                        bool dead)
{
    const struct taking taking = {statement->kind == S_IMPORT ? "imported from" : "included from",
                                  statement->include.with_context ? statement->include.scope : NULL,
                                  dead, statement->include.ignore_missing,
                                  statement->include.names};
    walk_node(place, statement->include.name, dead, false);
    return mention_template(place, statement->include.name, taking);
}

static int walk_statement(const struct mention_place *place, const struct statement *statement,
                          bool dead)
{
    switch (statement->kind) {
    case S_TEXT:
        return 0;
    case S_OUTPUT:
        walk_node(place, statement->output, dead, false);
        return 0;
    case S_IF:
        return walk_branches(place, statement->branches, dead);
    case S_FOR:
        return walk_loop(place, statement, dead);
    case S_SET:
    case S_SET_BLOCK:
    case S_FILTER:
        return walk_set(place, statement, dead);
    case S_WITH:
        for (size_t i = 0; i < statement->with.values.count; i++)
            walk_node(place, statement->with.values.items[i], dead, false);
        return walk_body(place, statement->with.body, dead);
    case S_MACRO:
    case S_CALL:
        return walk_macro(place, statement, dead);
    case S_BLOCK:
        return walk_block(place, statement->block, dead);
    case S_EXTENDS:
        tell(place, MENTION_TEMPLATE, statement->extends->value.text, statement->extends->offset,
             dead, false); /* walked after this template */
        return 0;
    case S_INCLUDE:
    case S_IMPORT:
        return walk_include(place, statement, dead);
    }
    return 0;
}

static int walk_body(const struct mention_place *place, const struct statement *statement,
                     bool dead)
{
    for (; statement; statement = statement->next)
        if (walk_statement(place, statement, dead) < 0)
            return -1;
    return 0;
}

static const struct node *extended_name(const struct program *program)
{
    const struct statement *statement = program->body;
    while (statement && statement->kind != S_EXTENDS)
        statement = statement->next;
    return statement ? statement->extends : NULL;
}

/* Reads all templates that this one extends, so that its blocks see what they set. */
static int read_parents(struct mention_place *place)
{
    const struct node *name;
    for (; place && place->walk->reader->loader && (name = extended_name(place->program));
         place = place->parent) {
        const struct taking taking = {.how = "extended from", .scope = place->program->root};
        if (take_in(&place->parent, place, name->value.text, &taking, name->offset) < 0)
            return -1;
    }
    return 0;
}

static int walk_program(struct mention_place *place, bool dead)
{
    if (read_parents(place) < 0)
        return -1;
    for (; place; place = place->parent) {
        walk_node(place, place->program->expression, dead, false);
        if (walk_body(place, place->program->body, dead) < 0)
            return -1;
    }
    return 0;
}

int template_mentions(const struct mention_reader *reader, const struct template_source *source,
                      bool expression, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    ARENA_SCRATCH(scratch);
    struct template_cache own = {.arena = &scratch};
    struct template_cache *given = reader->loader ? reader->loader->cache : NULL;
    struct mention_walk walk = {reader, &scratch, given ? given : &own, 0, err};
    struct program *program;
    if (program_parse(&program, &scratch, source, expression, err))
        return -1;
    struct mention_place place = {.walk = &walk, .program = program, .through = ""};
    return walk_program(&place, reader->dead);
}

bool template_never(const struct data *known, const struct template_source *source)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    ARENA_SCRATCH(scratch);
    ERR_SCRATCH(ignored);
    struct mention_reader reader = {.known = known};
    struct mention_walk walk = {.reader = &reader, .arena = &scratch, .err = &ignored};
    struct program *program;
    if (program_parse(&program, &scratch, source, true, &ignored))
        return true;
    const struct mention_place place = {.walk = &walk, .program = program, .through = ""};
    return truth_of(&place, program->expression) == FALSE_HERE;
}
