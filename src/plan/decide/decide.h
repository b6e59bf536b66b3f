/* What becomes of one file of up to three trees. */
#ifndef TMPLGEN_DECIDE_H
#define TMPLGEN_DECIDE_H

#include "base/err.h"
#include "plan/plan.h"

#include <stdbool.h>

struct arena;
struct store;
struct file_triple;

struct outcome {
    bool reported;
    enum path_state state;
    const char *path; /* where the file lies afterwards; NULL: nowhere */
    const char *from_path;
    struct tree_entry disk; /* its content there */
    bool conflict;
    struct tree_entry stages[SIDES];
    bool merged_text; /* `disk` has lines of both */
    const char *note; /* for people, or NULL */
};

/* Puts merged content into the store. */
TG_CHECKED int decide_file(struct outcome *out, struct arena *arena, struct store *store,
                           const struct plan_input *input, const struct file_triple *triple,
                           struct err *err);

#endif
