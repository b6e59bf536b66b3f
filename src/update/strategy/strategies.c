/* The table of strategies. */
#include "apply/journal.h"
#include "base/arena.h"
#include "update/strategy.h"

#include <string.h>

static const struct strategy *const strategies[] = {&strategy_default, &strategy_merge,
                                                    &strategy_rebase};
enum { COUNT = sizeof(strategies) / sizeof(*strategies) };

const struct strategy *strategy_find(const char *name)
{
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(strategies[i]->name, name) == 0)
            return strategies[i];
    return NULL;
}

const char *strategy_names(struct arena *arena)
{
    const char *names[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        names[i] = strategies[i]->name;
    return str_join(arena, names, COUNT, ", ");
}

const struct strategy *strategy_of(const struct journal *stopped)
{
    const struct strategy *found = stopped->strategy ? strategy_find(stopped->strategy) : NULL;
    return found ? found : &strategy_default;
}
