/* The functions behind the table of filters. */
#ifndef TMPLGEN_TEMPLATE_FILTER_BODIES_H
#define TMPLGEN_TEMPLATE_FILTER_BODIES_H

#include "template/function.h"

/* texts */
extern function_body filter_capitalize, filter_format, filter_indent, filter_lower, filter_replace,
    filter_string, filter_title, filter_trim, filter_upper;
/* lists and mappings */
extern function_body filter_default, filter_first, filter_items, filter_join, filter_last,
    filter_length, filter_list, filter_reverse, filter_sort, filter_unique;
/* numbers */
extern function_body filter_abs, filter_float, filter_int, filter_round;
/* other notations */
extern function_body filter_shell_quote, filter_slug, filter_to_yaml, filter_tojson;

#endif
