/* What an update has found out before it decides anything. Nothing changes it afterwards. */
#ifndef TMPLGEN_UPDATE_FACTS_H
#define TMPLGEN_UPDATE_FACTS_H

#include "plan/plan.h"
#include "update/resume/branch_refresh.h"
#include "update/update.h"

#include <stdbool.h>

struct base;
struct child;
struct target;

struct update_facts {
    const struct update_options *options;
    const struct child *child;
    bool adopts; /* the child has no record yet, and so no version before */
    const struct target *target;
    struct plan_list render; /* of the target, as a list */
    const struct base *base; /* what is merged against */
    struct refresh refresh;  /* of --refresh */
};

#endif
