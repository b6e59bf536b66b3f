/* The tests behind `is`. */
#ifndef TMPLGEN_IS_TESTS_H
#define TMPLGEN_IS_TESTS_H

#include "jinja/functions/function.h"

extern const struct function_table tests;

#endif
