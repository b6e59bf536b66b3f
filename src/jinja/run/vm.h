/* The state of one render: memory, limits, where we are, and how it fails. */
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

/* The fixed words of errors. */
#define CODE_SYNTAX "template-syntax"
#define CODE_UNDEFINED "template-undefined"
#define CODE_TYPE "template-type"
#define CODE_LIMIT "template-limit"

/* A template, a block or a macro that is being rendered. */
struct frame {
    const struct program *program;
    const struct routine *routine;
    struct value *slots;
    const struct frame *up; /* of a macro: the one that it was made in; else NULL */
    const struct frame *caller;
    const struct context *context;
    const struct program *parent; /* that the template extends, once it said so */
    uint32_t parent_at;
    size_t calls;  /* how deep */
    size_t weight; /* depth of the expressions that are being evaluated below, at most */
};

struct vm {
    struct arena *arena;
    struct err *err;
    const struct data *context;
    const struct template_loader *loader;
    /* For what is named only when the template runs: map('upper'), 'upper' is filter. */
    const struct function_table *filters, *tests;
    /* The name that may have been meant, for "did you mean", or NULL. */
    const char *(*nearest)(struct vm *vm, const struct undefined *undefined);
    /* Of exec.c and macro.c, for the files below them: executes statements; calls what has a body.
     */
    int (*run)(struct vm *vm, const struct statement *body);
    int (*invoke)(struct value *out, struct vm *vm, const struct value *callee,
                  const struct arguments *arguments);
    struct template_cache own, *cache; /* of this render alone; the one in use */
    struct module *modules;            /* imported without context so far */
    struct dict *shared;   /* lists and mappings of the context that were used, by name */
    struct value captured; /* the body of the set block that is being filtered */
    struct frame *frame;
    uint32_t at;        /* the byte of the frame's template that is being evaluated */
    struct buf *out;    /* where output goes now */
    struct buf scratch; /* texts in the making, one on top of the other */
    size_t steps;       /* left */
    size_t unpaid;      /* taken, and not yet told to the run's budget */
    size_t nesting;     /* blocks open, through all includes */
    size_t depth;       /* containers being walked: printed, compared, hashed */
};

void *vm_alloc(struct vm *vm, size_t size);
/* Takes `count` steps; fails when none are left, of this render or of the run (base/budget.h). */
TG_CHECKED int vm_charge(struct vm *vm, size_t count);
/* As vm_charge, for work on so many bytes. */
TG_CHECKED int vm_charge_bytes(struct vm *vm, size_t bytes);
/* Takes steps where nothing can fail: the next vm_charge does. */
void vm_owe(struct vm *vm, size_t count);
/* At the end of a render: the run's budget knows of all its steps. */
TG_CHECKED int vm_settle(struct vm *vm);

/* Fails at the current place; -1. */
int vm_fail(struct vm *vm, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Fails because an undefined value was used: at the place where it came to be; -1. */
int vm_fail_undefined(struct vm *vm, const struct value *value);
/* Fails because a value is of the wrong kind: "WANTED, not a list"; as undefined where it is; -1.
 */
int vm_fail_kind(struct vm *vm, const char *wanted, const struct value *value);
/* Likewise: "a list REASON". */
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
 * Texts are made on the scratch buffer: `start = vm_begin(vm)`, append to `&vm->scratch`, then
 * vm_end makes them a value and gives the room back. Nested use is fine.
 */
size_t vm_begin(struct vm *vm);
TG_CHECKED int vm_end(struct value *out, struct vm *vm, size_t start);

/* What `run` prints, as a text; and what statements print. */
TG_CHECKED int capture(struct value *out, struct vm *vm,
                       int (*run)(struct vm *vm, const void *what), const void *what);
TG_CHECKED int capture_body(struct value *out, struct vm *vm, const struct statement *body);

/* One level deeper into containers, and back. */
TG_CHECKED int vm_enter(struct vm *vm);
void vm_leave(struct vm *vm);
