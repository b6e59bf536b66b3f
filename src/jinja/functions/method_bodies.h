/* The functions behind the tables of methods. */
#ifndef TMPLGEN_METHOD_BODIES_H
#define TMPLGEN_METHOD_BODIES_H

#include "jinja/functions/function.h"

/* of texts; what `how` means to them is in text_parts.h */
extern function_body text_change_case, text_count, text_index, text_has_end, text_join,
    text_justify, text_partition, text_remove, text_replace_method, text_split, text_splitlines,
    text_strip_method, text_zfill;
/* of lists and tuples */
extern function_body list_append, list_copy, list_count, list_extend, list_index, list_insert;
/* of mappings; `how` of a view is an enum view_part */
extern function_body dict_copy, dict_get, dict_setdefault, dict_update, dict_view;
/* of the loop */
extern function_body loop_cycle, loop_changed;

#endif
