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

/* What no stack does. A type's need is a sentence of its own. */
static int say_refusal(struct arena *arena, const struct ask *ask, uint64_t set, struct err *err)
{
    const char *name = ask->named->name, *need = "";
    uint64_t type = ask->at[TYPE_PYTHON] < 0 ? 0 : (uint64_t)1 << ask->at[TYPE_PYTHON];
    if (!set)
        return err_set(err, TG_UNSOLVABLE, "unsatisfiable", "the matrix has no stack for %s at all",
                       name);
    if (set & type)
        need = arena_printf(arena, ": %s", ask->demands[ask->at[TYPE_PYTHON]].text);
    if (set == type)
        return err_set(err, TG_UNSOLVABLE, "unsatisfiable", "no %s stack will do%s", name, need);
    return err_set(err, TG_UNSOLVABLE, "unsatisfiable", "no %s stack meets %s%s", name,
                   list_demands(arena, ask, set & ~type), need);
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
    (void)say_refusal(arena, ask, set, err);
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
