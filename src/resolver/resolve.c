/* A request in, one consistent stack or reasons out. */
#include "resolver/resolver.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/data.h"
#include "resolver/nearest.h"
#include "resolver/refuse.h"
#include "resolver/resolution.h"
#include "resolver/search.h"

/* "driver 470.82.01 and variant cu121". */
static const char *list_demands(struct arena *arena, const struct ask *ask, uint64_t set)
{
    const char *text = "";
    size_t left = (size_t)__builtin_popcountll(set);
    for (size_t i = 0; i < ask->demand_count; i++) {
        if (!(set >> i & 1))
            continue;
        left--;
        text = arena_printf(arena, "%s%s%s", text, ask->demands[i].text,
                            left > 1 ? ", "
                            : left   ? " and "
                                     : "");
    }
    return text;
}

static int refuse(struct data **refusal, struct arena *arena, const struct ask *ask,
                  const struct stack_request *request, struct err *err)
{
    uint64_t set = minimal_conflict(ask);
    struct data *map = data_map(arena);
    struct data *nearest = nearest_data(arena, ask, request);
    if (budget_steps(0, err) < 0)
        return -1;
    data_put(arena, map, "conflicts", conflicts_data(arena, ask, set));
    data_put(arena, map, "nearest", nearest);
    *refusal = map;
    if (!set)
        return err_set(err, TG_UNSOLVABLE, "unsatisfiable", "the matrix has no stack for %s at all",
                       ask->framework->name);
    err_set(err, TG_UNSOLVABLE, "unsatisfiable", "no %s stack meets %s", ask->framework->name,
            list_demands(arena, ask, set));
    if (!nearest->list.count)
        return -1;
    const struct data *change = data_get(nearest->list.items[0], "change");
    const char *text = "";
    for (size_t i = 0; i < change->list.count; i++)
        text = arena_printf(arena, "%s%s%s", text, i ? " with " : "",
                            data_text(change->list.items[i]));
    return err_hint(err, "%s would do", text);
}

int matrix_resolve(struct data **resolution, struct data **refusal, struct arena *arena,
                   const struct matrix *matrix, const struct stack_request *request,
                   struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    struct ask *ask = arena_alloc(arena, sizeof *ask);
    struct candidate candidate;
    if (ask_compile(ask, arena, matrix, request, err))
        return -1;
    bool found = search_best(&candidate, ask, ask_all(ask));
    if (budget_steps(0, err) < 0)
        return -1;
    if (!found)
        return refuse(refusal, arena, ask, request, err);
    *resolution = resolution_data(arena, ask, &candidate);
    return 0;
}
