/* One file through its three trees, and the rule that it is under. */
#ifndef TMPLGEN_FILE_TRIPLE_H
#define TMPLGEN_FILE_TRIPLE_H

#include "plan/plan_input.h"

#include <stdbool.h>

struct file_triple {
    const struct plan_file *side[SIDES]; /* NULL where it is absent */
    const char *looks_like; /* gone from the child: a file of its own that may be it; or NULL */
};

/* True where a `yours:` glob names the file by any of its paths. */
bool triple_is_yours(const struct file_triple *unit, const struct plan_input *input);
/* The rule that counts: the render's, else the base's where its rules are known; else NULL. */
const struct plan_file *triple_rule(const struct file_triple *unit, const struct plan_input *input);

#endif
