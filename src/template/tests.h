/* The tests behind `is`. */
#ifndef TMPLGEN_TEMPLATE_TESTS_H
#define TMPLGEN_TEMPLATE_TESTS_H

#include "template/function.h"

extern const struct function_table tests;

#endif
