/* Methods of the types, and the functions behind their tables. */
#pragma once

#include "jinja/functions/function.h"

/* methods of texts; text_parts.h explains `how` */
extern function_body text_change_case, text_count, text_index, text_has_end, text_join,
    text_justify, text_partition, text_remove, text_replace_method, text_split, text_splitlines,
    text_strip_method, text_zfill;
/* methods of lists and tuples */
extern function_body list_append, list_copy, list_count, list_extend, list_index, list_insert;
/* of mappings; `how` of a view is an enum view_part */
extern function_body dict_copy, dict_get, dict_setdefault, dict_update, dict_view;
/* methods of the loop */
extern function_body loop_cycle, loop_changed;

/* The method `name` of the type of `self`, or NULL. */
const struct function *method_find(const struct value *self, struct span name);
/* Whether it is an attribute of Python's type that this language hides. */
bool method_is_refused(const struct value *self, struct span name);
/* The nearest method or key or loop variable, or NULL. */
const char *member_nearest(struct vm *vm, const struct value *object, struct span name);
