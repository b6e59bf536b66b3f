/* From a plan to what it does: a commit, a stop, a staged result; or a look at all that. */
#pragma once

#include "base/err.h"
#include "plan/plan.h"
#include "update/report/update_report.h"

#include <stddef.h>

struct apply;
struct beside;
struct words;

/* What an update has decided. */
struct update_decision {
    struct plan_input input; /* of the plan */
    struct plan plan;
    struct beside *beside; /* conflicts that are committed */
    size_t beside_count;
};

/*
 * Brings the plan and the new record onto the branch, or with --dry-run (`apply` is NULL) says what
 * that would do. Ends with the exit code of its result, or -1 with `err` set.
 */
TG_CHECKED int commit_plan(struct update_outcome *out, struct apply *apply,
                           const struct update_facts *facts, const struct update_decision *decision,
                           struct words *warnings, struct err *err);
