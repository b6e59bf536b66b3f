/* Macros: made by `macro` and `call`, called like functions. */
#pragma once

#include "base/err.h"
#include "jinja/values/types.h"

struct arguments;
struct vm;

struct value macro_new(struct vm *vm, const struct macro_code *code);
/* The macro's output, as a text. */
TG_CHECKED int macro_call(struct value *out, struct vm *vm, const struct value *callee,
                          const struct arguments *arguments);
