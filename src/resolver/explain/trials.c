/* Requests with something changed, tried: those that work are kept. */
#include "resolver/explain/trials.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/limits.h"
#include "base/shell.h"
#include "data/data.h"
#include "resolver/result/resolution.h"
#include "resolver/search/search.h"

#define STEPS_MAX                                                                                  \
    (LIMIT_RUN_STEPS / 4) /* the rest is for the answer, and for the run's other work */

bool trials_are_over(const struct trials *n)
{
    return budget_taken() - n->since > STEPS_MAX;
}

/* Whether the stack rests on what is hardly known. */
static bool is_doubtful(const struct candidate *c)
{
    return c->release->fact.confidence == CONFIDENCE_LOW ||
           c->build->fact.confidence == CONFIDENCE_LOW ||
           (c->image && c->image->fact.confidence == CONFIDENCE_LOW);
}

struct data *resolve_changed(const struct trials *n, const struct stack_request *changed)
{
    ERR_SCRATCH(ignored);
    struct candidate candidate;
    if (trials_are_over(n))
        return NULL;
    struct demands *ask = arena_alloc(n->arena, sizeof *ask);
    if (ask_compile(ask, n->arena, n->matrix, changed, &ignored) ||
        !search_best(&candidate, ask, ask_all(ask)) || is_doubtful(&candidate))
        return NULL;
    return resolution_data(n->arena, ask, &candidate);
}

bool try_changed(const struct trials *n, const struct stack_request *changed, struct data *change)
{
    struct data *resolution = resolve_changed(n, changed);
    if (!resolution)
        return false;
    struct data *map = data_map(n->arena);
    data_put(n->arena, map, "change", change);
    data_put(n->arena, map, "request", stack_request_data(n->arena, changed));
    data_put(n->arena, map, "resolution", resolution);
    data_push(n->arena, n->list, map);
    return true;
}

bool try_change(const struct trials *n, const struct stack_request *changed, struct data *text)
{
    struct data *change = data_list(n->arena);
    data_push(n->arena, change, text);
    return try_changed(n, changed, change);
}

struct data *change_text(struct arena *arena, enum stack_choice choice, const char *value)
{
    return data_str(arena, shell_command(arena, "--%s %s", stack_options[choice].name, value));
}

struct data *drop_text(struct arena *arena, enum stack_choice choice, const char *value)
{
    const char *name = stack_options[choice].name;
    return data_str(arena, stack_options[choice].repeatable
                               ? shell_command(arena, "without --%s %s", name, value)
                               : arena_printf(arena, "without --%s", name));
}
