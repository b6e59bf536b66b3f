/* Answers that conditions can be tried with: all that the questions behind them may have. */
#ifndef TMPLGEN_AUTHOR_WORLDS_H
#define TMPLGEN_AUTHOR_WORLDS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct data;
struct fileset;
struct manifest;
struct manifest_text;

/* That a rendered text is this one: of a layer whose name is a template. */
struct wanted_text {
    const struct manifest_text *text;
    const char *is;
};

struct worlds_input {
    const struct manifest *manifest;
    const struct fileset *files; /* for the catalog's frameworks */
    const struct manifest_text *const *conditions;
    size_t condition_count;
    const struct wanted_text *wanted;
    size_t wanted_count;
};

/*
 * Answers under which all conditions hold, as a map of those that they read; NULL: there are none,
 * or nobody can say. What is not simple (many choices, more of the stack than the framework's name)
 * is not said: there is no false alarm.
 */
TG_CHECKED int worlds_find(struct data **out, struct arena *arena, const struct worlds_input *input,
                           struct err *err);

/* "ci = ['github'], docs = true", of such a map. */
const char *worlds_shown(struct arena *arena, const struct data *world);

#endif
