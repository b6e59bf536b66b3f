/* Requests with something changed, tried: those that work are kept. */
#include "resolver/trials.h"

#include "base/arena.h"
#include "base/data.h"
#include "base/shell.h"
#include "resolver/resolution.h"
#include "resolver/search.h"

/* Whether the stack rests on what is hardly known. */
static bool is_doubtful(const struct candidate *c)
{
    return c->release->fact.confidence == CONFIDENCE_LOW ||
           c->build->fact.confidence == CONFIDENCE_LOW ||
           (c->image && c->image->fact.confidence == CONFIDENCE_LOW);
}

bool try_changed(const struct trials *n, const struct stack_request *changed, struct data *change)
{
    ERR_SCRATCH(ignored);
    struct candidate candidate;
    struct ask *ask = arena_alloc(n->arena, sizeof *ask);
    if (ask_compile(ask, n->arena, n->ask->matrix, changed, &ignored) ||
        !search_best(&candidate, ask, ask_all(ask)) || is_doubtful(&candidate))
        return false;
    struct data *map = data_map(n->arena);
    data_put(n->arena, map, "change", change);
    data_put(n->arena, map, "request", stack_request_data(n->arena, changed));
    data_put(n->arena, map, "resolution", resolution_data(n->arena, ask, &candidate));
    data_push(n->arena, n->list, map);
    return true;
}

struct data *change_text(struct arena *arena, enum stack_choice choice, const char *value)
{
    return data_str(arena, shell_command(arena, "--%s %s", stack_options[choice].name, value));
}
