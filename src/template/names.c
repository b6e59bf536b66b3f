/* The free names of a template: what it may read from its context. */
#include "template/template.h"

#include "base/account.h"
#include "base/arena.h"
#include "base/data.h"
#include "base/limits.h"
#include "template/ast.h"
#include "template/builtins.h"
#include "template/parse.h"
#include "template/program.h"
#include "template/scope.h"
#include "template/vm.h"

struct finder {
    struct data *names;
    struct arena *arena;   /* of the names */
    struct arena *scratch; /* of all else */
    const struct template_loader *loader;
    struct err *err;
    size_t *includes; /* looked into so far */
};

#define INCLUDES_MAX 10000 /* templates that include each other many times over */

/*
 * A template, and those that include it: a name that they set is not free. Templates that extend
 * each other are a chain, from the child to the last parent; they have one context.
 */
struct place {
    const struct program *program;
    const struct scope *scope; /* where the outer one includes this one */
    const struct place *outer;
    const struct place *child; /* that extends this one */
    struct place *parent;
    size_t depth;
};

static int find_in_body(const struct finder *finder, const struct place *place,
                        const struct statement *statement);

/* Is the name always set in one of these scopes? */
static bool is_set_in(const struct scope *scope, struct span name)
{
    const struct symbol *symbol = NULL;
    for (; scope && !symbol; scope = scope->parent)
        symbol = scope_own(scope, name);
    while (symbol && symbol->load == LOAD_ALIAS)
        symbol = symbol->outer;
    return symbol && symbol->load != LOAD_RESOLVE;
}

/* Does a template around this one, or one that extends it, always set the name before? */
static bool is_set_around(const struct place *place, struct span name)
{
    for (; place->child; place = place->child)
        if (is_set_in(place->child->program->root, name))
            return true;
    for (; place->outer; place = place->outer)
        if (is_set_in(place->scope, name))
            return true;
    return false;
}

/* A block sees what the templates of its chain have set, and one that is scoped what is around. */
static bool is_set_for_block(const struct place *place, const struct block_code *block,
                             struct span name)
{
    if (is_set_in(block->scoped ? block->around : place->program->root, name))
        return true;
    for (const struct place *parent = place->parent; parent; parent = parent->parent)
        if (is_set_in(parent->program->root, name))
            return true;
    return false;
}

/* The template is forgotten when its names are found: they are copied. */
static void keep_name(const struct finder *finder, struct span name)
{
    if (data_get_span(finder->names, name))
        return;
    const char *copy = arena_memdup(finder->arena, name.ptr, name.len);
    data_append(finder->arena, finder->names, span_of(copy, name.len), data_null(finder->arena));
}

static bool is_builtin(struct span name)
{
    return function_find(&builtins, name) || function_is_refused(&builtins, name);
}

static void add_scope(const struct finder *finder, const struct place *place,
                      const struct scope *scope, const struct block_code *block)
{
    for (const struct symbol *symbol = scope->symbols; symbol; symbol = symbol->next)
        if (symbol->load == LOAD_RESOLVE && !is_builtin(symbol->name) &&
            !is_set_around(place, symbol->name) &&
            !(block && is_set_for_block(place, block, symbol->name)))
            keep_name(finder, symbol->name);
}

/* ---------------------------------------------------------------- other templates */

static bool is_open(const struct place *place, const char *name)
{
    for (; place; place = place->child ? place->child : place->outer)
        if (str_equal(place->program->name, name))
            return true;
    return false;
}

/* Says in the trace of the error that it is in what this name includes. */
static int trace_load(const struct finder *finder, const struct place *place, const char *how,
                      const struct node *name)
{
    ERR_SCRATCH(at);
    (void)program_error_at(place->program, name->offset, &at);
    return err_trace(finder->err, "%s %s:%zu:%zu", how, place->program->path, at.where.line,
                     at.where.column);
}

/* The template that is named by a text; NULL where rendering would say that there is none, where
 * it is being looked into already, and where only rendering knows which it is. */
static int load(struct program **out, const struct finder *finder, const struct place *place,
                const char *how, const struct node *name)
{
    struct template_source source = {.name = NULL};
    *out = NULL;
    if (!finder->loader || name->kind != N_CONSTANT || name->value.kind != V_TEXT ||
        place->depth >= LIMIT_TEMPLATE_CALLS)
        return 0;
    source.name = arena_memdup(finder->scratch, name->value.text.ptr, name->value.text.len);
    if (is_open(place, source.name))
        return 0;
    if (++*finder->includes > INCLUDES_MAX) {
        (void)err_set(finder->err, TG_USAGE, CODE_LIMIT, "more than %d templates are included",
                      INCLUDES_MAX);
        return program_error_at(place->program, name->offset, finder->err);
    }
    int rc = finder->loader->load(&source, finder->loader->context, source.name, finder->err);
    if (rc > 0)
        return 0; /* rendering says so, if it gets there */
    if (rc < 0)
        return -1;
    return program_parse(out, finder->scratch, &source, false, finder->err)
               ? trace_load(finder, place, how, name)
               : 0;
}

static const struct node *extended_name(const struct program *program)
{
    const struct statement *statement = program->body;
    while (statement->kind != S_EXTENDS)
        statement = statement->next;
    return statement->extends;
}

/* All that a template extends, so that the blocks of each know what the others set. */
static int load_parents(const struct finder *finder, struct place *place)
{
    while (place->program->extends) {
        struct program *program;
        if (load(&program, finder, place, "extended from", extended_name(place->program)))
            return -1;
        if (!program)
            break;
        struct place *parent = arena_alloc(finder->scratch, sizeof(*parent));
        *parent = (struct place){.program = program,
                                 .scope = place->scope,
                                 .outer = place->outer,
                                 .child = place,
                                 .depth = place->depth + 1};
        place->parent = parent;
        place = parent;
    }
    return 0;
}

static int find_in_program(const struct finder *finder, struct place *place)
{
    if (load_parents(finder, place))
        return -1;
    for (; place; place = place->parent) {
        add_scope(finder, place, place->program->root, NULL);
        if (find_in_body(finder, place, place->program->body))
            return -1;
    }
    return 0;
}

/* What an include or import of one literal name reads of the context. */
static int find_in_include(const struct finder *finder, const struct place *place,
                           const struct statement *statement)
{
    const char *how = statement->kind == S_IMPORT ? "imported from" : "included from";
    const struct node *name = statement->include.name;
    struct program *program = NULL;
    if (statement->include.with_context && load(&program, finder, place, how, name))
        return -1;
    struct place inner = {.program = program,
                          .scope = statement->include.scope,
                          .outer = place,
                          .depth = place->depth + 1};
    return program && find_in_program(finder, &inner) ? trace_load(finder, place, how, name) : 0;
}

/* ---------------------------------------------------------------- statements */

static int find_in_scope(const struct finder *finder, const struct place *place,
                         const struct scope *scope, const struct statement *body)
{
    add_scope(finder, place, scope, NULL);
    return find_in_body(finder, place, body);
}

static int find_in_loop(const struct finder *finder, const struct place *place,
                        const struct statement *statement)
{
    if (find_in_scope(finder, place, statement->loop.body_scope, statement->loop.body))
        return -1;
    if (statement->loop.test_scope)
        add_scope(finder, place, statement->loop.test_scope, NULL);
    return find_in_scope(finder, place, statement->loop.otherwise_scope, statement->loop.otherwise);
}

static int find_in_branches(const struct finder *finder, const struct place *place,
                            const struct if_branch *branch)
{
    for (; branch; branch = branch->next)
        if (find_in_body(finder, place, branch->body))
            return -1;
    return 0;
}

static int find_in_statement(const struct finder *finder, const struct place *place,
                             const struct statement *statement)
{
    switch (statement->kind) {
    case S_IF:
        return find_in_branches(finder, place, statement->branches);
    case S_FOR:
        return find_in_loop(finder, place, statement);
    case S_SET_BLOCK:
    case S_FILTER:
        return find_in_scope(finder, place, statement->set.scope, statement->set.body);
    case S_WITH:
        return find_in_scope(finder, place, statement->with.scope, statement->with.body);
    case S_MACRO:
    case S_CALL:
        return find_in_scope(finder, place, statement->macro.code->scope,
                             statement->macro.code->body);
    case S_BLOCK:
        add_scope(finder, place, statement->block->scope, statement->block);
        return find_in_body(finder, place, statement->block->body);
    case S_INCLUDE:
    case S_IMPORT:
        return find_in_include(finder, place, statement);
    case S_TEXT:
    case S_OUTPUT:
    case S_SET:
    case S_EXTENDS:
        break;
    }
    return 0;
}

static int find_in_body(const struct finder *finder, const struct place *place,
                        const struct statement *statement)
{
    for (; statement; statement = statement->next)
        if (find_in_statement(finder, place, statement))
            return -1;
    return 0;
}

int template_names(struct data *names, struct arena *arena, const struct template_source *source,
                   bool expression, const struct template_loader *loader, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    ARENA_SCRATCH(scratch);
    size_t includes = 0;
    const struct finder finder = {names, arena, &scratch, loader, err, &includes};
    struct program *program;
    if (program_parse(&program, &scratch, source, expression, err))
        return -1;
    struct place place = {.program = program};
    return find_in_program(&finder, &place) ? -1 : 0;
}
