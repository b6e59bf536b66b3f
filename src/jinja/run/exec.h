/* Executing statements. */
#pragma once

#include "base/err.h"

struct arguments;
struct statement;
struct value;
struct vm;

/* The hooks `run` and `invoke` of struct vm. */
TG_CHECKED int exec_body(struct vm *vm, const struct statement *statement);
TG_CHECKED int exec_invoke(struct value *out, struct vm *vm, const struct value *callee,
                           const struct arguments *arguments);
