/* Whether anything speaks against a candidate: the rules, then its packages. */
#include "resolver/search/verdict.h"

#include "base/budget.h"
#include "resolver/rules/with_packages.h"

/* All rules of a level, against one candidate. */
enum { CANDIDATE_STEPS = 2 };

bool objects(const struct problem *problem, const struct candidate *candidate, enum level level,
             struct objection *out)
{
    if (!budget_try_steps(CANDIDATE_STEPS))
        return true;
    return rules_object(problem, candidate, level, out) ||
           (level == LEVEL_PYTHON && with_objects(problem, candidate, out));
}

bool objects_at_all(const struct problem *problem, const struct candidate *candidate,
                    struct objection *out)
{
    for (enum level level = LEVEL_RELEASE; level <= LEVEL_IMAGE; level++)
        if (objects(problem, candidate, level, out))
            return true;
    return false;
}
