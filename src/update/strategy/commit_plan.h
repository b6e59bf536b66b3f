/* From a plan to its effect: a commit, a stop, a staged result; or only a report of that. */
#pragma once

#include "base/err.h"
#include "plan/plan.h"
#include "update/report/update_report.h"

#include <stddef.h>

struct apply;
struct beside;
struct words;

/* The decision of an update. */
struct update_decision {
    struct plan_input input; /* the plan's */
    struct plan plan;
    struct beside *beside; /* conflicts that are committed */
    size_t beside_count;
};

/*
 * Brings the plan and the new record onto the branch, or with --dry-run (`apply` is NULL) reports
 * what that would do. Returns the exit code of its result, or -1 with `err` set.
 */
TG_CHECKED int commit_plan(struct update_outcome *out, struct apply *apply,
                           const struct update_facts *facts, const struct update_decision *decision,
                           struct words *warnings, struct err *err);
