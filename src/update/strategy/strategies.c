/* The strategies that there are. */
#include "update/strategies.h"

#include "apply/journal.h"
#include "base/arena.h"

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
    const char *names = "";
    for (size_t i = 0; i < COUNT; i++)
        names = arena_printf(arena, "%s%s%s", names, i ? ", " : "", strategies[i]->name);
    return names;
}

const struct strategy *strategy_of(const struct journal *stopped)
{
    const struct strategy *found = stopped->strategy ? strategy_find(stopped->strategy) : NULL;
    return found ? found : &strategy_default;
}
