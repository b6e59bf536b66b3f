/* The free names of a template: what it may read from its context. */
#include "template/template.h"

#include "base/account.h"
#include "base/arena.h"
#include "base/data.h"
#include "base/limits.h"
#include "template/ast.h"
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

/* A template, and those that include it: a name that they set is not free. */
struct place {
    const struct program *program;
    const struct scope *scope; /* where the outer one includes this one */
    const struct place *outer;
    size_t depth;
};

static int find_in_body(const struct finder *finder, const struct place *place,
                        const struct statement *statement);

/* Does a template around this one always set the name before? */
static bool is_set_around(const struct place *place, struct span name)
{
    for (; place->outer; place = place->outer) {
        const struct symbol *symbol = NULL;
        for (const struct scope *scope = place->scope; scope && !symbol; scope = scope->parent)
            symbol = scope_own(scope, name);
        while (symbol && symbol->load == LOAD_ALIAS)
            symbol = symbol->outer;
        if (symbol && symbol->load != LOAD_RESOLVE)
            return true;
    }
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

static void add_scope(const struct finder *finder, const struct place *place,
                      const struct scope *scope)
{
    for (const struct symbol *symbol = scope->symbols; symbol; symbol = symbol->next)
        if (symbol->load == LOAD_RESOLVE && !span_equal(symbol->name, span_from("range")) &&
            !is_set_around(place, symbol->name))
            keep_name(finder, symbol->name);
}

static int find_in_program(const struct finder *finder, const struct place *place)
{
    add_scope(finder, place, place->program->root);
    return find_in_body(finder, place, place->program->body);
}

/* An include of one literal name: its template is looked into, too. */
static int find_in_include(const struct finder *finder, const struct place *place,
                           const struct statement *statement)
{
    const struct node *name = statement->include.name;
    struct template_source source = {.name = NULL};
    struct program *program;
    if (!finder->loader || name->kind != N_CONSTANT || name->value.kind != V_TEXT ||
        !statement->include.with_context || place->depth >= LIMIT_TEMPLATE_CALLS)
        return 0;
    source.name = arena_memdup(finder->scratch, name->value.text.ptr, name->value.text.len);
    for (const struct place *outer = place; outer; outer = outer->outer)
        if (str_equal(outer->program->name, source.name))
            return 0;
    if (++*finder->includes > INCLUDES_MAX) {
        (void)err_set(finder->err, TG_USAGE, CODE_LIMIT, "more than %d templates are included",
                      INCLUDES_MAX);
        return program_error_at(place->program, name->offset, finder->err);
    }
    int rc = finder->loader->load(&source, finder->loader->context, source.name, finder->err);
    if (rc > 0)
        return 0; /* rendering says so, if it gets there */
    if (rc < 0 || program_parse(&program, finder->scratch, &source, false, finder->err))
        return -1;
    const struct place inner = {program, statement->include.scope, place, place->depth + 1};
    return find_in_program(finder, &inner);
}

static int find_in_loop(const struct finder *finder, const struct place *place,
                        const struct statement *statement)
{
    add_scope(finder, place, statement->loop.body_scope);
    add_scope(finder, place, statement->loop.otherwise_scope);
    if (statement->loop.test_scope)
        add_scope(finder, place, statement->loop.test_scope);
    return find_in_body(finder, place, statement->loop.body) ||
           find_in_body(finder, place, statement->loop.otherwise);
}

static int find_in_statement(const struct finder *finder, const struct place *place,
                             const struct statement *statement)
{
    switch (statement->kind) {
    case S_IF:
        for (const struct if_branch *branch = statement->branches; branch; branch = branch->next)
            if (find_in_body(finder, place, branch->body))
                return -1;
        return 0;
    case S_FOR:
        return find_in_loop(finder, place, statement);
    case S_SET_BLOCK:
        add_scope(finder, place, statement->set.scope);
        return find_in_body(finder, place, statement->set.body);
    case S_INCLUDE:
        return find_in_include(finder, place, statement);
    case S_TEXT:
    case S_OUTPUT:
    case S_SET:
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
    const struct place place = {.program = program};
    return find_in_program(&finder, &place) ? -1 : 0;
}
