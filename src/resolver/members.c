/* Who lives in the one environment of a request. */
#include "resolver/members.h"

#include "base/arena.h"
#include "base/budget.h"

#include <string.h>

struct gathering {
    struct ask *ask;
    struct arena *arena;
    const struct matrix *all;
    struct err *err;
};

size_t member_of(const struct ask *ask, const struct framework *row)
{
    size_t i = 0;
    while (i < ask->member_count && ask->members[i].row != row)
        i++;
    return i;
}

const struct pins *pins_of(const struct member *member, const struct release *release)
{
    return &member->pins[release - (const struct release *)member->row->releases.items];
}

const struct pin *pin_of(const struct pins *pins, const struct framework *row)
{
    for (size_t i = 0; i < pins->count; i++)
        if (is_called(row, pins->items[i].name))
            return &pins->items[i];
    return NULL;
}

/* ------------------------------------------------------------------ pins */

/* A text that is no SPEC says nothing here: `matrix check` tells of it. */
static void add_pin(const struct gathering *g, struct pins *pins, const char *said,
                    const char *name, const char *spec)
{
    ERR_SCRATCH(ignored);
    struct pin *pin = &pins->items[pins->count];
    *pin = (struct pin){.name = name, .said = said};
    if (spec_parse(&pin->spec, g->arena, spec, "requires", &ignored) == 0)
        pins->count++;
}

static void read_pins(const struct gathering *g, struct pins *pins, const struct release *release)
{
    const char *text = release->requires ? release->requires : "";
    size_t room = release->companions.count + strlen(text) / 2 + 1;
    char *copy = arena_strdup(g->arena, text), *save = NULL;
    pins->items = arena_array(g->arena, room, sizeof *pins->items);
    for (size_t i = 0; i < release->companions.count; i++) {
        const struct pair *pair = &release->companions.items[i];
        const char *spec = arena_printf(g->arena, "==%s", pair->value);
        add_pin(g, pins, arena_printf(g->arena, "%s%s", pair->name, spec), pair->name, spec);
    }
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
        add_pin(g, pins, word, package_name(g->arena, word), package_spec(word));
}

static const struct pins *read_all_pins(const struct gathering *g, const struct framework *row)
{
    struct pins *pins = arena_array(g->arena, row->releases.count + 1, sizeof *pins);
    for (size_t i = 0; i < row->releases.count && budget_try_steps(1); i++)
        read_pins(g, &pins[i], ROW(struct release, row->releases, i));
    return pins;
}

/* ------------------------------------------------------------------ who is there */

static int add_member(const struct gathering *g, const struct framework *row)
{
    struct ask *ask = g->ask;
    if (member_of(ask, row) < ask->member_count)
        return 0;
    if (ask->member_count == MEMBERS_MAX)
        return err_set(g->err, TG_USAGE, "too-many-packages",
                       "more than %d packages must live together", MEMBERS_MAX);
    ask->members[ask->member_count++] = (struct member){.row = row, .pins = read_all_pins(g, row)};
    return 0;
}

static bool requires(const struct member *member, const struct framework *row)
{
    for (size_t i = 0; i < member->row->releases.count; i++)
        if (pin_of(&member->pins[i], row))
            return true;
    return false;
}

/* The framework that it lives on, and what must come from that one's index. */
static int add_company(const struct gathering *g, size_t at)
{
    const struct framework *row = g->ask->members[at].row;
    const struct framework *ground = row->on ? framework_of(g->all, row->on) : NULL;
    if (!ground)
        return 0;
    if (is_called(g->ask->framework, ground->name))
        ground = g->ask->framework;
    if (add_member(g, ground))
        return -1;
    for (size_t i = 0; i < g->all->package_count; i++) {
        const struct framework *package = &g->all->packages[i];
        if (package->index && str_equal(package->on, row->on) &&
            requires(&g->ask->members[at], package) && add_member(g, package))
            return -1;
    }
    return 0;
}

/* ------------------------------------------------------------------ their order */

/* Whether another of those behind the first `placed` requires it. */
static bool is_required(const struct ask *ask, size_t placed, size_t at)
{
    for (size_t i = placed; i < ask->member_count; i++)
        if (i != at && requires(&ask->members[i], ask->members[at].row))
            return true;
    return false;
}

static bool comes_before(const struct ask *ask, size_t placed, size_t a, size_t b)
{
    const struct member *x = &ask->members[a], *y = &ask->members[b];
    if (!x->row->on != !y->row->on)
        return !x->row->on;
    bool x_required = is_required(ask, placed, a), y_required = is_required(ask, placed, b);
    if (x->row->on && x_required != y_required)
        return y_required;
    return strcmp(x->row->name, y->row->name) < 0;
}

/* By what they are, so that no order of words makes another answer. */
static void sort_members(struct ask *ask)
{
    for (size_t placed = 1; placed < ask->member_count; placed++) {
        size_t best = placed;
        for (size_t i = placed + 1; i < ask->member_count; i++)
            if (comes_before(ask, placed, i, best))
                best = i;
        struct member member = ask->members[best];
        ask->members[best] = ask->members[placed];
        ask->members[placed] = member;
    }
}

/* ------------------------------------------------------------------ what is asked of them */

/* What a demand says of it; NULL: it speaks of something else. */
static const struct spec *spec_for(const struct ask *ask, const struct demand *demand,
                                   const struct framework *row)
{
    if (demand->choice == CHOICE_FRAMEWORK && row == ask->named)
        return &ask->specs[CHOICE_FRAMEWORK];
    if (demand->choice == CHOICE_WITH && row == ask->with[demand->index].row)
        return &ask->with[demand->index].spec;
    return NULL;
}

/* The same host, GPUs and driver, but no word of the main framework's own. */
static const struct ask *ask_of(const struct gathering *g, const struct framework *row)
{
    static const enum stack_choice own[] = {CHOICE_FRAMEWORK, CHOICE_PYTHON, CHOICE_CUDA,
                                            CHOICE_VARIANT, CHOICE_WITH};
    struct ask *ask = arena_alloc(g->arena, sizeof *ask);
    *ask = *g->ask;
    ask->framework = ask->named = row;
    ask->with_count = ask->member_count = 0;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        ask->at[own[i]] = -1;
    for (size_t i = 0; i < g->ask->demand_count && ask->at[CHOICE_FRAMEWORK] < 0; i++) {
        const struct spec *spec = spec_for(g->ask, &g->ask->demands[i], row);
        if (!spec || !spec->count)
            continue;
        ask->at[CHOICE_FRAMEWORK] = (int)i;
        ask->specs[CHOICE_FRAMEWORK] = *spec;
    }
    return ask;
}

static void finish_member(const struct gathering *g, struct member *member)
{
    struct ask *ask = g->ask;
    for (size_t i = 0; i < ask->demand_count; i++)
        if (ask->demands[i].choice == CHOICE_WITH &&
            ask->with[ask->demands[i].index].row == member->row)
            member->demands |= (uint64_t)1 << i;
    member->always = member->row == ask->framework || member->row == ask->named;
    member->ask = member->row == ask->framework ? ask : ask_of(g, member->row);
    for (size_t i = 0; i < ask->member_count; i++)
        if (member->row->on && str_equal(ask->members[i].row->name, member->row->on))
            member->brings |= (uint64_t)1 << i;
}

int members_compile(struct ask *ask, struct arena *arena, const struct matrix *all, struct err *err)
{
    const struct gathering g = {ask, arena, all, err};
    if (!ask->with_count && ask->named == ask->framework)
        return 0; /* it is alone */
    if (add_member(&g, ask->framework) || add_member(&g, ask->named))
        return -1;
    for (size_t i = 0; i < ask->with_count; i++)
        if (ask->with[i].row && add_member(&g, ask->with[i].row))
            return -1;
    for (size_t i = 0; i < ask->member_count; i++)
        if (add_company(&g, i))
            return -1;
    sort_members(ask);
    for (size_t i = 0; i < ask->member_count; i++)
        finish_member(&g, &ask->members[i]);
    return 0;
}
