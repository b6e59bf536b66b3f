/* The functions behind the tables of methods. */
#ifndef TMPLGEN_METHOD_BODIES_H
#define TMPLGEN_METHOD_BODIES_H

#include "jinja/functions/function.h"

/* of texts */
extern function_body text_capitalize, text_center, text_count, text_endswith, text_index, text_join,
    text_ljust, text_lower, text_lstrip, text_partition, text_removeprefix, text_removesuffix,
    text_replace_method, text_rfind, text_rindex, text_rjust, text_rpartition, text_rsplit,
    text_rstrip, text_split, text_splitlines, text_startswith, text_strip_method, text_title,
    text_upper, text_zfill, text_find_method;
/* of lists and tuples */
extern function_body list_append, list_copy, list_count, list_extend, list_index, list_insert;
/* of mappings */
extern function_body dict_copy, dict_get, dict_items, dict_keys, dict_setdefault, dict_update,
    dict_values;
/* of the loop */
extern function_body loop_cycle, loop_changed;

#endif
