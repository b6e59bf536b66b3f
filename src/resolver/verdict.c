/* Whether anything speaks against a candidate: the rules, then its packages. */
#include "resolver/verdict.h"

#include "resolver/with.h"

bool objects(const struct problem *problem, const struct candidate *candidate, enum level level,
             struct objection *out)
{
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
