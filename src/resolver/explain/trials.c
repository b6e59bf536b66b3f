/* Tries changed requests, and keeps those that work. */
#include "resolver/explain/trials.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/limits.h"
#include "base/shell.h"
#include "data/document.h"
#include "resolver/result/resolution.h"
#include "resolver/search/search.h"

#include <stdlib.h>

#define STEPS_MAX                                                                                  \
    (LIMIT_RUN_STEPS / 4) /* the rest is for the answer, and for the run's other work */

/* True where enough was tried: a very large matrix, or request, gets a shorter answer. */
static bool trials_are_over(const struct trials *n)
{
    return budget_taken() - n->since > STEPS_MAX;
}

/* True where the stack rests on rows of low confidence. */
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

static bool try_changed(const struct trials *n, const struct stack_request *changed,
                        struct data *change)
{
    struct data *resolution = resolve_changed(n, changed);
    if (!resolution)
        return false;
    data_push(n->arena, n->list,
              data_of(n->arena, FIELD("change", change),
                      FIELD("request", stack_request_data(n->arena, changed)),
                      FIELD("resolution", resolution)));
    return true;
}

bool try_change(const struct trials *n, const struct stack_request *changed, struct data *text)
{
    struct data *change = data_list(n->arena);
    data_push(n->arena, change, text);
    return try_changed(n, changed, change);
}

struct data *change_text(const struct trials *n, enum stack_choice choice, const char *value)
{
    const char *name = stack_options[choice].name;
    bool updates = n->request->asked && choice != CHOICE_WITH; /* it sets all of `with` */
    return data_str(n->arena, updates ? shell_command(n->arena, "--set %s=%s", name, value)
                                      : shell_command(n->arena, "--%s %s", name, value));
}

struct data *drop_text(struct arena *arena, enum stack_choice choice, const char *value)
{
    const char *name = stack_options[choice].name;
    return data_str(arena, stack_options[choice].repeatable
                               ? shell_command(arena, "without --%s %s", name, value)
                               : arena_printf(arena, "without --%s", name));
}

/* ------------------------------------------------------------------ several demands at once */

#define CHANGES_MAX 3 /* at once; with more it would be another project */
#define RESULTS_MAX 4

/* The value that a demand needs for the candidate; NULL: no value can say that. */
static const char *value_for(const struct trials *n, enum stack_choice choice,
                             const struct candidate *c)
{
    switch (choice) {
    case CHOICE_FRAMEWORK:
        if (n->ask->named != n->ask->framework)
            return NULL; /* the candidate is the framework that it lives on */
        return arena_printf(n->arena, "%s==%s", n->ask->framework->name, c->release->version.text);
    case CHOICE_PYTHON:
        return c->python;
    case CHOICE_CUDA:
        return c->build->images.count ? NULL : c->build->cuda.text;
    case CHOICE_VARIANT:
        return c->build->variant;
    case CHOICE_OS:
        return c->distribution ? c->distribution->os : NULL;
    case CHOICE_IMAGE:
        return image_text(n->arena, n->ask, c);
    case CHOICE_RUNTIME:
        return n->ask->cdi ? "legacy" : "cdi";
    default:
        return NULL;
    }
}

static uint64_t distance(const struct trials *n, const struct branch *branch)
{
    uint64_t asked = n->ask->driver.version.release[0], number = (uint64_t)branch->number;
    return asked > number ? asked - number : number - asked;
}

/* The driver branches, ordered by their distance from the requested one. */
static const struct branch **closest_branches(const struct trials *n)
{
    const struct rows *rows = &n->ask->matrix->branches;
    const struct branch **branches = arena_array(n->arena, rows->count + 1, sizeof(*branches));
    for (size_t i = 0; i < rows->count; i++) {
        const struct branch *branch = ROW(struct branch, *rows, i);
        size_t at = i;
        for (; at > 0 && distance(n, branches[at - 1]) > distance(n, branch); at--)
            branches[at] = branches[at - 1];
        branches[at] = branch;
    }
    return branches;
}

static struct data *with_change(const struct trials *n, const struct data *changes,
                                struct data *text)
{
    struct data *list = data_list(n->arena);
    for (size_t i = 0; i < changes->list.count; i++)
        data_push(n->arena, list, changes->list.items[i]);
    data_push(n->arena, list, text);
    return list;
}

/* Gives a demand another value, or drops it where it is one of several; NULL: neither works. */
static struct data *change_demand(struct stack_request *changed, const struct trials *n,
                                  const struct demand *demand, const struct candidate *candidate)
{
    enum stack_choice choice = (enum stack_choice)demand->choice;
    if (stack_options[choice].repeatable) {
        const char *text = n->request->said[choice].items[demand->index];
        request_take_back(changed, n->arena, choice, text);
        return drop_text(n->arena, choice, text);
    }
    const char *value = value_for(n, choice, candidate);
    if (!value)
        return NULL;
    request_say(changed, n->arena, choice, value);
    return change_text(n, choice, value);
}

/* Tries the driver branches, the closest first, on top of the other changes. */
static bool try_branches(const struct trials *n, struct stack_request *changed,
                         const struct data *changes)
{
    const struct branch **branches = closest_branches(n);
    for (size_t i = 0; branches[i]; i++) {
        const char *value = arena_printf(n->arena, "%lld", (long long)branches[i]->number);
        struct data *text = change_text(n, CHOICE_DRIVER, value);
        request_say(changed, n->arena, CHOICE_DRIVER, value);
        if (branches[i]->fact.confidence != CONFIDENCE_LOW &&
            try_changed(n, changed, with_change(n, changes, text)))
            return true;
    }
    return false;
}

/* Tries the request with the demands of `set` changed to the candidate's values. */
static bool try_set(const struct trials *n, uint64_t set, const struct candidate *candidate)
{
    struct stack_request changed = *n->request;
    struct data *changes = data_list(n->arena);
    bool driver = false;
    for (size_t i = 0; i < n->ask->demand_count; i++) {
        const struct demand *demand = &n->ask->demands[i];
        if (!(set >> i & 1))
            continue;
        if (demand->choice == CHOICE_DRIVER) {
            driver = true;
            continue;
        }
        struct data *text = change_demand(&changed, n, demand, candidate);
        if (!text)
            return false;
        changes = with_change(n, changes, text);
    }
    if (n->ask->gpu_count && !changed.said[CHOICE_GPU].count)
        return false; /* a stack for no GPU would answer another question */
    return driver ? try_branches(n, &changed, changes) : try_changed(n, &changed, changes);
}

/* Tries every set of `left` more demands, from index `from` on; true where it found enough. */
static bool try_sets(const struct trials *n, uint64_t set, size_t from, size_t left)
{
    struct candidate candidate;
    if (!left) {
        if (search_best(&candidate, n->ask, ask_all(n->ask) & ~set))
            try_set(n, set, &candidate);
        return n->list->list.count >= RESULTS_MAX || trials_are_over(n);
    }
    for (size_t i = from; i < n->ask->demand_count; i++) {
        int choice = n->ask->demands[i].choice;
        bool changeable =
            choice != CHOICE_PLATFORM && choice != CHOICE_ARCH && choice < CHOICE_COUNT;
        if (changeable && try_sets(n, set | (uint64_t)1 << i, i + 1, left - 1))
            return true;
    }
    return false;
}

void try_sets_of_changes(const struct trials *n)
{
    for (size_t count = 2; count <= CHANGES_MAX && !n->list->list.count; count++)
        try_sets(n, 0, 0, count);
}
