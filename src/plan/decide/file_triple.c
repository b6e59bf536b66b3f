/* One file through its three trees, and the rule that it is under. */
#include "plan/file_triple.h"

#include "base/budget.h"

bool triple_is_yours(const struct file_triple *unit, const struct plan_input *input)
{
    for (size_t i = 0; i < input->yours_count; i++)
        for (int side = BASE; side < SIDES; side++)
            if (unit->side[side] && budget_glob(input->yours[i], unit->side[side]->path))
                return true;
    return false;
}

const struct plan_file *triple_rule(const struct file_triple *unit, const struct plan_input *input)
{
    if (unit->side[RENDER])
        return unit->side[RENDER];
    return input->base_has_rules ? unit->side[BASE] : NULL;
}
