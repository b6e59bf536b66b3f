/* The filters behind `|`. */
#ifndef TMPLGEN_FILTERS_H
#define TMPLGEN_FILTERS_H

#include "jinja/functions/function.h"

extern const struct function_table filters;

#endif
