/* Built-in functions: range, dict, namespace, cycler, joiner. */
#pragma once

#include "jinja/functions/function.h"

/* The function that calling a joiner runs. */
extern const struct function joiner_function;
/* The methods of a cycler. */
extern function_body cycler_next, cycler_reset;

/* The function of that name; V_MISSING if there is none. */
struct value builtin_find(struct span name);
