/* What the user's pip is set up for. */
#ifndef TMPLGEN_PIP_CONFIG_H
#define TMPLGEN_PIP_CONFIG_H

#include "base/err.h"

struct arena;

/* NULL: pip has no such setting. */
struct pip_settings {
    const char *index_url, *cert, *proxy;
};

/*
 * Asks the pip of `python3` for its settings, PIP_... variables and files together, and, where they
 * name no index, for the one that it knows itself. Exit 1 where there is no pip that answers.
 */
TG_CHECKED int pip_settings(struct pip_settings *out, struct arena *arena, struct err *err);

#endif
