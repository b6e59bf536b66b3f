/* The filters behind `|`. */
#ifndef TMPLGEN_TEMPLATE_FILTERS_H
#define TMPLGEN_TEMPLATE_FILTERS_H

#include "template/function.h"

extern const struct function_table filters;

#endif
