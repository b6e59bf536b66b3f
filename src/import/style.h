/* How a template wants Jinja2 to be: the options of its environment. */
#ifndef TMPLGEN_IMPORT_STYLE_H
#define TMPLGEN_IMPORT_STYLE_H

#include "base/err.h"

struct data;
struct draft;

/*
 * Takes `_jinja2_env_vars` or `_envops` (a map, or NULL). What would give every text another
 * meaning and cannot be said here is exit 2, "invalid", without a place; what makes no difference
 * is passed over.
 */
TG_CHECKED int style_read(struct draft *draft, const struct data *options, struct err *err);

#endif
