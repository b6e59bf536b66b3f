/* The functions behind the table of filters. */
#ifndef TMPLGEN_FILTER_BODIES_H
#define TMPLGEN_FILTER_BODIES_H

#include "jinja/functions/function.h"

/* texts */
extern function_body filter_capitalize, filter_center, filter_format, filter_indent, filter_lower,
    filter_replace, filter_string, filter_title, filter_trim, filter_truncate, filter_upper,
    filter_wordcount, filter_wordwrap;
/* lists and mappings */
extern function_body filter_default, filter_first, filter_items, filter_join, filter_last,
    filter_length, filter_list, filter_reverse, filter_sort, filter_unique;
extern function_body filter_batch, filter_dictsort, filter_groupby, filter_max, filter_min,
    filter_slice, filter_sum;
/* what asks other filters and tests */
extern function_body filter_map, filter_reject, filter_rejectattr, filter_select, filter_selectattr;
/* numbers */
extern function_body filter_abs, filter_filesizeformat, filter_float, filter_int, filter_round;
/* other notations */
extern function_body filter_dockerfile_quote, filter_escape, filter_forceescape, filter_pprint,
    filter_safe, filter_shell_quote, filter_slug, filter_to_toml, filter_to_yaml, filter_tojson,
    filter_urlencode;

#endif
