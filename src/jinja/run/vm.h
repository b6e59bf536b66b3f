/* The state of one render: memory, limits, the current place, and failures. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "jinja/run/loader.h"
#include "jinja/values/types.h"

#include <stddef.h>
#include <stdint.h>

struct arguments;
struct function_table;
struct routine;
struct statement;

/* Error codes. */
#define CODE_SYNTAX "template-syntax"
#define CODE_UNDEFINED "template-undefined"
#define CODE_TYPE "template-type"
#define CODE_LIMIT "template-limit"

/* A template, block or macro being rendered. */
struct frame {
    const struct program *program;
    const struct routine *routine;
    struct value *slots;
    const struct frame *up; /* of a macro: the frame that created it; else NULL */
    const struct frame *caller;
    const struct context *context;
    const struct program *parent; /* the template that this one extends, once known */
    uint32_t parent_at;
    size_t calls;  /* depth of calls */
    size_t weight; /* upper bound of the depth of all unfinished expressions */
};

struct vm {
    struct arena *arena;
    struct err *err;
    const struct data *context;
    const struct template_loader *loader;
    /* For names known only at run time, such as 'upper' in map('upper'). */
    const struct function_table *filters, *tests;
    /* The nearest defined name, for "did you mean", or NULL. */
    const char *(*nearest)(struct vm *vm, const struct undefined *undefined);
    /* Hooks into exec.c and macro.c for the files below: run statements; call macros and blocks. */
    int (*run)(struct vm *vm, const struct statement *body);
    int (*invoke)(struct value *out, struct vm *vm, const struct value *callee,
                  const struct arguments *arguments);
    struct template_cache own, *cache; /* of this render alone; the one in use */
    struct module *modules;            /* imported without context so far */
    struct dict *shared;               /* context lists and mappings in use, by name */
    struct value captured;             /* text of the set block being filtered */
    struct frame *frame;
    uint32_t at;        /* byte of the frame's template being evaluated */
    struct buf *out;    /* the current output */
    struct buf scratch; /* a stack of unfinished texts */
    size_t steps;       /* steps left */
    size_t unpaid;      /* steps taken, not yet charged to the run's budget */
    size_t nesting;     /* open blocks, across includes */
    size_t depth;       /* containers being walked: printed, compared, hashed */
};

void *vm_alloc(struct vm *vm, size_t size);
/* Takes `count` steps; fails if none are left of this render or of the run (base/budget.h). */
TG_CHECKED int vm_charge(struct vm *vm, size_t count);
/* As vm_charge, for processing `bytes`. */
TG_CHECKED int vm_charge_bytes(struct vm *vm, size_t bytes);
/* Takes steps where failing is impossible: the next vm_charge fails instead. */
void vm_owe(struct vm *vm, size_t count);
/* Charges the steps still unpaid to the run's budget, at the end of a render. */
TG_CHECKED int vm_settle(struct vm *vm);

/* Fails at the current place; -1. */
int vm_fail(struct vm *vm, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Fails for a use of an undefined value, at the place where it was created; returns -1. */
int vm_fail_undefined(struct vm *vm, const struct value *value);
/* Fails for a wrong type ("WANTED, not a list"), or as undefined if it is; returns -1. */
int vm_fail_kind(struct vm *vm, const char *wanted, const struct value *value);
/* The same with the message "a list REASON". */
int vm_fail_value(struct vm *vm, const struct value *value, const char *reason);
#ifndef TMPLGEN_TEMPLATE_VM_C /* see err.h */
#define vm_fail(...) err_minus_one(vm_fail(__VA_ARGS__))
#define vm_fail_undefined(...) err_minus_one(vm_fail_undefined(__VA_ARGS__))
#define vm_fail_kind(...) err_minus_one(vm_fail_kind(__VA_ARGS__))
#define vm_fail_value(...) err_minus_one(vm_fail_value(__VA_ARGS__))
#endif
/* A copy of foreign text for a message: shortened, control characters masked. */
const char *vm_show(struct vm *vm, struct span text);

/* An undefined value that blames the current place. */
struct value vm_undefined_name(struct vm *vm, struct span name);
struct value vm_undefined_member(struct vm *vm, const struct value *object, struct span name);
struct value vm_undefined_reason(struct vm *vm, const char *reason);

/*
 * Builds texts on the scratch buffer: `start = vm_begin(vm)`, append to `&vm->scratch`; vm_end
 * turns the text into a value and frees the room. Can be nested.
 */
size_t vm_begin(struct vm *vm);
TG_CHECKED int vm_end(struct value *out, struct vm *vm, size_t start);

/* The output of `run`, or of statements, as a text. */
TG_CHECKED int capture(struct value *out, struct vm *vm,
                       int (*run)(struct vm *vm, const void *what), const void *what);
TG_CHECKED int capture_body(struct value *out, struct vm *vm, const struct statement *body);

/* Enters or leaves one level of nested containers. */
TG_CHECKED int vm_enter(struct vm *vm);
void vm_leave(struct vm *vm);
