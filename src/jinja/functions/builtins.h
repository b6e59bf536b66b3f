/* The functions that are there without being set: range, dict, namespace, cycler, joiner. */
#pragma once

#include "jinja/functions/function.h"

/* What a joiner does when it is called. */
extern const struct function joiner_function;
/* The methods of a cycler. */
extern function_body cycler_next, cycler_reset;

/* The function of that name; V_MISSING where there is none. */
struct value builtin_find(struct span name);
