/* What a user should know of a stack beside its versions. */
#ifndef TMPLGEN_STACK_NOTES_H
#define TMPLGEN_STACK_NOTES_H

#include "resolver/search/chosen_set.h"

struct data;

/* The list of {code, text}. */
struct data *notes_data(const struct chosen_set *s);

#endif
