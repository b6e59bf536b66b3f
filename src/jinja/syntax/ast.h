/* The syntax tree of a template. All of it lives in an arena. */
#pragma once

#include "base/str.h"
#include "jinja/values/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct routine;
struct scope;
struct symbol;

enum node_kind {
    N_CONSTANT,
    N_NAME,
    N_LIST,
    N_TUPLE,
    N_DICT,
    N_ATTRIBUTE,
    N_NAMESPACED, /* an attribute as assignment target */
    N_ITEM,
    N_SLICE, /* only as an index */
    N_CALL,
    N_FILTER,
    N_TEST,
    N_NOT,
    N_NEGATE,
    N_PLUS,
    N_BINARY,
    N_CONCAT,
    N_AND,
    N_OR,
    N_COMPARE,
    N_CONDITION,
    N_KIND_COUNT,
};

enum binary_op { OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_FLOORDIV, OP_MOD, OP_POW };

enum compare_op { OP_EQ, OP_NE, OP_GE, OP_LE, OP_GT, OP_LT, OP_IN, OP_NOT_IN };

struct node_list {
    struct node **items;
    size_t count;
};

struct keyword {
    struct span name;
    struct node *value;
    struct keyword *next;
};

/* The arguments of a call, filter or test. */
struct call_args {
    struct node_list positional;
    struct keyword *keywords;
    struct node *star, *star_star; /* the arguments `*` and `**`; or NULL */
};

struct node {
    enum node_kind kind;
    uint32_t offset;
    uint16_t depth; /* height of this subtree */
    bool constant;  /* folded by Jinja2 at compile time */
    union {
        struct value value; /* N_CONSTANT */
        struct {
            struct span name;
            struct symbol *symbol; /* set by scope_resolve */
            uint16_t hops;         /* routines outwards */
        } name;
        struct node_list items; /* N_LIST, N_TUPLE, N_CONCAT; N_DICT: key, value, key, value */
        struct {
            struct node *object;
            struct span name;   /* N_ATTRIBUTE, N_NAMESPACED */
            struct node *index; /* N_ITEM */
        } member;
        struct {
            struct node *start, *stop, *step; /* each may be NULL */
        } slice;
        struct {
            struct node *callee;
            struct call_args args;
        } call;
        struct {
            struct node *object; /* NULL: the body of a set block */
            const struct function *function;
            struct call_args args;
        } filter; /* N_FILTER, N_TEST */
        struct {
            enum binary_op op;
            struct node *left, *right; /* also of N_AND, N_OR; N_NOT, N_NEGATE, N_PLUS: right */
        } binary;
        struct {
            struct node_list operands; /* one more than ops */
            enum compare_op *ops;
        } compare;
        struct {
            struct node *test, *yes, *no; /* `no` may be NULL */
        } condition;
    };
};

/* Calls `visit` with each child, from left to right, until one call does not return 0. */
int node_each(const struct node *node, int (*visit)(void *context, struct node *below),
              void *context);

/* A parameter of a macro. */
struct parameter {
    struct span name;
    struct node *fallback; /* NULL: none */
    struct symbol *symbol;
};

/* A macro, or (without a name) the body of a `call` block, which acts as one. */
struct macro_code {
    struct span name;
    struct parameter *parameters;
    size_t count;
    bool uses_caller, uses_kwargs, uses_varargs; /* used in its body */
    struct statement *body;
    struct scope *scope;
    const struct routine *routine;
    struct symbol *caller, *kwargs, *varargs; /* unless declared as parameters */
};

struct block_code {
    struct span name;
    size_t offset;
    bool scoped, required, uses_self, uses_super;
    bool inherited; /* inside a child template: not rendered in place */
    struct statement *body;
    struct scope *scope, *around;
    const struct routine *routine;
    struct symbol *self, *super;
    struct block_code *next; /* of the template */
};

/* A name that `from` or `import` takes, and its local name. */
struct import_name {
    struct span name; /* empty: the module itself */
    struct span alias;
    uint32_t offset;
    struct symbol *symbol;
    struct import_name *next;
};

enum statement_kind {
    S_TEXT,
    S_OUTPUT,
    S_IF,
    S_FOR,
    S_SET,
    S_SET_BLOCK,
    S_INCLUDE,
    S_WITH,
    S_FILTER,
    S_MACRO,
    S_CALL,
    S_BLOCK,
    S_EXTENDS,
    S_IMPORT,
};

struct if_branch {
    struct node *test; /* NULL: else */
    struct statement *body;
    struct if_branch *next;
};

struct statement {
    enum statement_kind kind;
    bool silent;   /* S_TEXT, S_OUTPUT: after `extends`, prints nothing */
    bool toplevel; /* assigns to a variable of the template itself */
    uint32_t offset;
    struct statement *next;
    union {
        struct span text;
        struct node *output;
        struct if_branch *branches;
        struct {
            struct node *target, *iterable, *test;
            struct statement *body, *otherwise;
            struct scope *body_scope, *test_scope, *otherwise_scope;
            struct node *test_target; /* the target again, for the scope of the test */
            struct symbol *loop;      /* the variable `loop`, if the body mentions it */
            bool mentions_loop;
        } loop;
        struct {
            struct node *target, *value; /* value: S_SET */
            struct node *filter; /* S_SET_BLOCK, S_FILTER: outermost of the chain, or NULL */
            struct statement *body;
            struct scope *scope;
        } set;
        struct {
            struct node_list targets, values;
            struct statement *body;
            struct scope *scope;
        } with;
        struct {
            struct node *name;
            struct scope *scope; /* the innermost around it */
            bool ignore_missing, with_context;
            struct import_name *names; /* S_IMPORT */
        } include;
        struct {
            struct macro_code *code;
            struct symbol *symbol; /* S_MACRO */
            struct node *call;     /* S_CALL */
        } macro;
        struct block_code *block;
        struct node *extends;
    };
};
