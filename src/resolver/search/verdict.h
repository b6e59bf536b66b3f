/*
 * Whether anything speaks against a candidate: the rules, then its packages.
 */
#ifndef TMPLGEN_VERDICT_H
#define TMPLGEN_VERDICT_H

#include "resolver/rules/rules.h"

/*
 * At one level; `out` may be NULL, else it gets the first objection. Takes steps of the run's
 * budget, and speaks against everything once that is spent: whoever searches asks budget_steps.
 */
bool objects(const struct problem *problem, const struct candidate *candidate, enum level level,
             struct objection *out);
/* At all levels, in their order. */
bool objects_at_all(const struct problem *problem, const struct candidate *candidate,
                    struct objection *out);

#endif
