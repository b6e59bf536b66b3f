/* The functions behind the table of filters. */
#pragma once

#include "jinja/functions/function.h"

/* The values of `how` for filter_select. */
enum selection_filter {
    FILTER_MAP,
    FILTER_SELECT,
    FILTER_REJECT,
    FILTER_SELECTATTR,
    FILTER_REJECTATTR
};

/* texts; `how` of filter_case is an enum letter_case */
extern function_body filter_case, filter_center, filter_format, filter_indent, filter_replace,
    filter_string, filter_title, filter_trim, filter_truncate, filter_wordcount, filter_wordwrap;
/* lists and mappings */
extern function_body filter_default, filter_end, filter_items, filter_join, filter_length,
    filter_list, filter_reverse, filter_sort, filter_unique;
extern function_body filter_cut, filter_dictsort, filter_extreme, filter_groupby, filter_sum;
/* filters that call other filters and tests */
extern function_body filter_select;
/* numbers */
extern function_body filter_abs, filter_filesizeformat, filter_float, filter_int, filter_round;
/* conversion to other notations */
extern function_body filter_dockerfile_quote, filter_escape, filter_pprint, filter_safe,
    filter_shell_quote, filter_slug, filter_to_toml, filter_to_yaml, filter_tojson,
    filter_urlencode;
