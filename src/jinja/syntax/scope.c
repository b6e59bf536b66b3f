/* Resolves names to variables before rendering, by Jinja2's rules. */
#include "jinja/syntax/scope.h"

#include "base/arena.h"
#include "jinja/run/vm.h"
#include "jinja/syntax/ast.h"
#include "jinja/syntax/program.h"

#include <string.h>

struct scope_resolver {
    struct program *program;
    struct arena *arena;
    struct err *err;
};

/* ---------------------------------------------------------------- symbols */

struct symbol *scope_own(const struct scope *scope, struct span name)
{
    size_t number = intern_find(&scope->names, name);
    return number == INTERN_NONE ? NULL : scope->by_number[number];
}

static struct symbol *scope_find(const struct scope *scope, struct span name)
{
    struct symbol *found = NULL;
    for (; scope && !found; scope = scope->parent)
        found = scope_own(scope, name);
    return found;
}

static struct scope *scope_of(struct scope_resolver *resolver, struct scope *parent,
                              struct routine *routine)
{
    struct scope *scope = arena_alloc(resolver->arena, sizeof(*scope));
    scope->resolver = resolver;
    scope->parent = parent;
    scope->routine = routine;
    scope->end = &scope->symbols;
    return scope;
}

static struct scope *scope_new(struct scope *parent)
{
    return scope_of(parent->resolver, parent, parent->routine);
}

/* Creates a routine's outermost scope; a macro's also sees the scopes around it. */
static struct scope *routine_new(struct scope_resolver *resolver, struct scope *around)
{
    struct routine *routine = arena_alloc(resolver->arena, sizeof(*routine));
    struct scope *scope = scope_of(resolver, around, routine);
    routine->depth = around ? around->routine->depth + 1 : 0;
    for (; around && !around->captured; around = around->parent)
        around->captured = true;
    return scope;
}

static struct symbol *define(struct scope *scope, struct span name, enum symbol_load load)
{
    struct arena *arena = scope->resolver->arena;
    struct symbol *symbol = arena_alloc(arena, sizeof(*symbol));
    symbol->name = name;
    symbol->load = load;
    symbol->slot = (uint32_t)scope->routine->slot_count++;
    symbol->depth = scope->routine->depth;
    *scope->end = symbol;
    scope->end = &symbol->next;
    size_t number = intern_add(&scope->names, arena, name);
    scope->by_number = arena_grow(arena, scope->by_number, number, sizeof(struct symbol *));
    scope->by_number[number] = symbol;
    return symbol;
}

static struct symbol *define_parameter(struct scope *scope, struct span name)
{
    struct symbol *symbol = scope_own(scope, name);
    if (!symbol)
        symbol = define(scope, name, LOAD_PARAMETER);
    symbol->load = LOAD_PARAMETER;
    symbol->stored = true;
    return symbol;
}

static void load(struct scope *scope, struct span name)
{
    if (!scope_find(scope, name))
        (void)define(scope, name, LOAD_RESOLVE);
}

/*
 * A name that is assigned before any other mention starts undefined, even if the context has it. If
 * the assignment is in a branch, it starts with the context's value.
 */
static void store(struct scope *scope, struct span name, bool conditional)
{
    struct symbol *symbol = scope_own(scope, name);
    if (!symbol) {
        const struct symbol *outer = scope_find(scope->parent, name);
        symbol = define(scope, name,
                        outer         ? LOAD_ALIAS
                        : conditional ? LOAD_RESOLVE
                                      : LOAD_UNDEFINED);
        symbol->outer = outer;
    }
    symbol->stored = true;
}

/* ---------------------------------------------------------------- walking expressions */

/* How an expression uses names. */
enum name_use { NAME_LOADED, NAME_DECLARED, NAME_STORED, NAME_PERHAPS_STORED, NAME_REFERRED };

struct name_walk {
    struct scope *scope;
    enum name_use use;
};

static int refer_name(struct name_walk *walk, struct node *node)
{
    const struct scope_resolver *resolver = walk->scope->resolver;
    node->name.symbol = scope_find(walk->scope, node->name.name);
    if (node->name.symbol) {
        node->name.hops = walk->scope->routine->depth - node->name.symbol->depth;
        return 0;
    }
    (void)err_set(resolver->err, TG_USAGE, CODE_SYNTAX,
                  "the filter of a 'set' block cannot use the variable '%.*s'",
                  (int)(node->name.name.len % 100), node->name.name.ptr);
    (void)err_hint(resolver->err, "write {%% set NAME = BLOCK | FILTER %%} behind the block");
    return program_error_at(resolver->program, node->offset, resolver->err);
}

static int use_name(struct name_walk *walk, struct node *node)
{
    struct span name = node->name.name;
    switch (walk->use) {
    case NAME_LOADED:
        load(walk->scope, name);
        return 0;
    case NAME_DECLARED:
        (void)define_parameter(walk->scope, name);
        return 0;
    case NAME_STORED:
    case NAME_PERHAPS_STORED:
        store(walk->scope, name, walk->use == NAME_PERHAPS_STORED);
        return 0;
    case NAME_REFERRED:
        return refer_name(walk, node);
    }
    return 0;
}

static int walk_node(void *context, struct node *node)
{
    struct name_walk *walk = context, reading = *walk;
    if (node->kind == N_NAME)
        return use_name(walk, node);
    if (node->kind != N_NAMESPACED)
        return node_each(node, walk_node, walk);
    if (walk->use != NAME_REFERRED) /* the attribute is the target: the object is read */
        reading.use = NAME_LOADED;
    return walk_node(&reading, node->member.object);
}

/* `node` may be NULL. */
static int walk_names(struct scope *scope, struct node *node, enum name_use use)
{
    struct name_walk walk = {scope, use};
    return node ? walk_node(&walk, node) : 0;
}

/* ---------------------------------------------------------------- first pass: symbols */

static void collect(struct scope *scope, struct node *node)
{
    (void)walk_names(scope, node, NAME_LOADED);
}

static void collect_body(struct scope *scope, struct statement *statement, bool conditional);

static void collect_branches(struct scope *scope, struct if_branch *branch)
{
    for (; branch; branch = branch->next) {
        collect(scope, branch->test);
        collect_body(scope, branch->body, true);
    }
}

static void collect_import(struct scope *scope, struct statement *statement, bool conditional)
{
    collect(scope, statement->include.name);
    for (struct import_name *name = statement->include.names; name; name = name->next)
        store(scope, name->alias, conditional);
}

static void collect_statement(struct scope *scope, struct statement *statement, bool conditional)
{
    switch (statement->kind) {
    case S_TEXT:
    case S_BLOCK:
    case S_EXTENDS:
        return;
    case S_OUTPUT:
        return collect(scope, statement->output);
    case S_IF:
        return collect_branches(scope, statement->branches);
    case S_FOR:
        return collect(scope, statement->loop.iterable);
    case S_SET:
    case S_SET_BLOCK:
        collect(scope, statement->set.value);
        (void)walk_names(scope, statement->set.target,
                         conditional ? NAME_PERHAPS_STORED : NAME_STORED);
        return;
    case S_FILTER:
        return collect(scope, statement->set.filter);
    case S_WITH:
        for (size_t i = 0; i < statement->with.values.count; i++)
            collect(scope, statement->with.values.items[i]);
        return;
    case S_INCLUDE:
    case S_IMPORT:
        return collect_import(scope, statement, conditional);
    case S_MACRO:
        return store(scope, statement->macro.code->name, conditional);
    case S_CALL:
        return collect(scope, statement->macro.call);
    }
}

/* Collects the names of a scope's statements; nested scopes are left to the second pass. */
static void collect_body(struct scope *scope, struct statement *statement, bool conditional)
{
    for (; statement; statement = statement->next)
        collect_statement(scope, statement, conditional);
}

/* ---------------------------------------------------------------- second pass: references */

static int refer(struct scope *scope, struct node *node)
{
    return walk_names(scope, node, NAME_REFERRED);
}

static int refer_body(struct scope *scope, struct statement *body);

static int resolve_body(struct scope *scope, struct statement *body)
{
    collect_body(scope, body, false);
    return refer_body(scope, body);
}

static struct node *clone_target(struct arena *arena, const struct node *node)
{
    struct node *copy = arena_alloc(arena, sizeof(*copy));
    *copy = *node;
    if (node->kind != N_TUPLE)
        return copy;
    copy->items.items = arena_array(arena, node->items.count, sizeof(struct node *));
    for (size_t i = 0; i < node->items.count; i++)
        copy->items.items[i] = clone_target(arena, node->items.items[i]);
    return copy;
}

/* The condition of a loop sees its own copy of the loop's variables. */
static int resolve_loop_test(struct scope *scope, struct statement *statement)
{
    statement->loop.test_scope = scope_new(scope);
    statement->loop.test_target = clone_target(scope->resolver->arena, statement->loop.target);
    (void)walk_names(statement->loop.test_scope, statement->loop.test_target, NAME_DECLARED);
    collect(statement->loop.test_scope, statement->loop.test);
    return refer(statement->loop.test_scope, statement->loop.test_target) ||
           refer(statement->loop.test_scope, statement->loop.test);
}

static int resolve_loop(struct scope *scope, struct statement *statement)
{
    struct scope *inner = scope_new(scope);
    statement->loop.body_scope = inner;
    if (statement->loop.mentions_loop)
        statement->loop.loop = define_parameter(inner, span_from("loop"));
    (void)walk_names(inner, statement->loop.target, NAME_DECLARED);
    if (refer(scope, statement->loop.iterable) || refer(inner, statement->loop.target) ||
        resolve_body(inner, statement->loop.body))
        return -1;
    if (statement->loop.test && resolve_loop_test(scope, statement))
        return -1;
    statement->loop.otherwise_scope = scope_new(scope);
    return resolve_body(statement->loop.otherwise_scope, statement->loop.otherwise);
}

static int resolve_set_block(struct scope *scope, struct statement *statement)
{
    statement->set.scope = scope_new(scope);
    if (refer(scope, statement->set.target) ||
        resolve_body(statement->set.scope, statement->set.body))
        return -1;
    return refer(statement->set.scope, statement->set.filter);
}

static int resolve_filter(struct scope *scope, struct statement *statement)
{
    struct scope *inner = statement->set.scope = scope_new(scope);
    collect_body(inner, statement->set.body, false);
    collect(inner, statement->set.filter);
    return refer_body(inner, statement->set.body) || refer(inner, statement->set.filter);
}

/* Values are evaluated in the surrounding scope. */
static int resolve_with(struct scope *scope, struct statement *statement)
{
    struct scope *inner = statement->with.scope = scope_new(scope);
    for (size_t i = 0; i < statement->with.targets.count; i++) {
        (void)walk_names(inner, statement->with.targets.items[i], NAME_DECLARED);
        if (refer(scope, statement->with.values.items[i]) ||
            refer(inner, statement->with.targets.items[i]))
            return -1;
    }
    return resolve_body(inner, statement->with.body);
}

/* ---------------------------------------------------------------- routines */

static struct symbol *declare_special(struct scope *scope, const char *name, bool used)
{
    bool there = scope_own(scope, span_from(name)) != NULL;
    return used && !there ? define_parameter(scope, span_from(name)) : NULL;
}

static int resolve_macro(struct scope *scope, struct macro_code *code)
{
    struct scope *inner = code->scope = routine_new(scope->resolver, scope);
    code->routine = inner->routine;
    for (size_t i = 0; i < code->count; i++)
        code->parameters[i].symbol = define_parameter(inner, code->parameters[i].name);
    code->caller = declare_special(inner, "caller", code->uses_caller);
    code->kwargs = declare_special(inner, "kwargs", code->uses_kwargs);
    code->varargs = declare_special(inner, "varargs", code->uses_varargs);
    for (size_t i = 0; i < code->count; i++)
        collect(inner, code->parameters[i].fallback);
    collect_body(inner, code->body, false);
    for (size_t i = 0; i < code->count; i++)
        if (refer(inner, code->parameters[i].fallback))
            return -1;
    return refer_body(inner, code->body);
}

/* A block sees the context, but no variables of the template around it. */
static int resolve_block(struct scope *scope, struct block_code *block)
{
    block->inherited = block->inherited && scope == scope->resolver->program->root;
    block->around = scope;
    block->scope = routine_new(scope->resolver, NULL);
    block->routine = block->scope->routine;
    block->self = declare_special(block->scope, "self", block->uses_self);
    block->super = declare_special(block->scope, "super", block->uses_super);
    return resolve_body(block->scope, block->body);
}

static int refer_import(struct scope *scope, struct statement *statement)
{
    statement->include.scope = scope;
    for (struct import_name *name = statement->include.names; name; name = name->next)
        name->symbol = scope_own(scope, name->alias);
    return refer(scope, statement->include.name);
}

static int refer_macro(struct scope *scope, struct statement *statement)
{
    if (statement->kind == S_MACRO)
        statement->macro.symbol = scope_own(scope, statement->macro.code->name);
    else if (refer(scope, statement->macro.call))
        return -1;
    return resolve_macro(scope, statement->macro.code);
}

static int refer_branches(struct scope *scope, struct if_branch *branch)
{
    for (; branch; branch = branch->next)
        if (refer(scope, branch->test) || refer_body(scope, branch->body))
            return -1;
    return 0;
}

static int refer_statement(struct scope *scope, struct statement *statement)
{
    statement->toplevel = scope == scope->resolver->program->root;
    switch (statement->kind) {
    case S_TEXT:
    case S_EXTENDS:
        return 0;
    case S_OUTPUT:
        return refer(scope, statement->output);
    case S_IF:
        return refer_branches(scope, statement->branches);
    case S_FOR:
        return resolve_loop(scope, statement);
    case S_SET:
        return refer(scope, statement->set.value) || refer(scope, statement->set.target);
    case S_SET_BLOCK:
        return resolve_set_block(scope, statement);
    case S_FILTER:
        return resolve_filter(scope, statement);
    case S_WITH:
        return resolve_with(scope, statement);
    case S_INCLUDE:
    case S_IMPORT:
        return refer_import(scope, statement);
    case S_MACRO:
    case S_CALL:
        return refer_macro(scope, statement);
    case S_BLOCK:
        return resolve_block(scope, statement->block);
    }
    return 0;
}

static int refer_body(struct scope *scope, struct statement *body)
{
    for (; body; body = body->next)
        if (refer_statement(scope, body))
            return -1;
    return 0;
}

int scope_resolve(struct program *program, struct arena *arena, struct err *err)
{
    struct scope_resolver resolver = {program, arena, err};
    program->root = routine_new(&resolver, NULL);
    program->routine = program->root->routine;
    (void)declare_special(program->root, "self", program->uses_self);
    if (!program->expression)
        return resolve_body(program->root, program->body) ? -1 : 0;
    collect(program->root, program->expression);
    return refer(program->root, program->expression) ? -1 : 0;
}
