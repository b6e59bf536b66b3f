/* The members: the packages that share the one environment of a request. */
#include "resolver/search/members.h"

#include "base/arena.h"
#include "base/budget.h"
#include "resolver/request.h"

#include <string.h>

struct assembly {
    struct members *members;
    struct arena *arena;
    const struct matrix *all;
    struct err *err;
};

size_t member_of(const struct members *members, const struct framework *row)
{
    size_t i = 0;
    while (i < members->count && members->items[i].row != row)
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

/* Skips a text that is no SPEC: `matrix check` reports it. */
static void add_pin(const struct assembly *g, struct pins *pins, const char *said, const char *name,
                    const char *spec)
{
    ERR_SCRATCH(ignored);
    struct pin *pin = &pins->items[pins->count];
    *pin = (struct pin){.name = name, .said = said};
    if (spec_parse(&pin->spec, g->arena, spec, "requires", &ignored) == 0)
        pins->count++;
}

static void read_pins(const struct assembly *g, struct pins *pins, const struct release *release)
{
    const char *text = arena_printf(g->arena, "%s %s", release->requires ? release->requires : "",
                                    release->pins ? release->pins : "");
    const struct words words = words_read(g->arena, text);
    pins->items =
        arena_array(g->arena, release->companions.count + words.count + 1, sizeof *pins->items);
    for (size_t i = 0; i < release->companions.count; i++) {
        const struct pair *pair = &release->companions.items[i];
        const char *spec = arena_printf(g->arena, "==%s", pair->value);
        add_pin(g, pins, arena_printf(g->arena, "%s%s", pair->name, spec), pair->name, spec);
    }
    for (size_t i = 0; i < words.count; i++)
        add_pin(g, pins, words.items[i], package_name(g->arena, words.items[i]),
                package_spec(words.items[i]));
}

/* ------------------------------------------------------------------ the members */

static int add_member(const struct assembly *g, const struct framework *row)
{
    struct members *members = g->members;
    if (member_of(members, row) < members->count)
        return 0;
    if (members->count == MEMBERS_MAX)
        return err_set(g->err, TG_USAGE, "too-many-packages",
                       "more than %d packages must live together", MEMBERS_MAX);
    struct pins *pins = arena_array(g->arena, row->releases.count + 1, sizeof *pins);
    for (size_t i = 0; i < row->releases.count && budget_try_steps(1); i++)
        read_pins(g, &pins[i], ROW(struct release, row->releases, i));
    members->items[members->count++] = (struct member){.row = row, .pins = pins};
    return 0;
}

static bool requires(const struct member *member, const struct framework *row)
{
    for (size_t i = 0; i < member->row->releases.count; i++)
        if (pin_of(&member->pins[i], row))
            return true;
    return false;
}

/* Adds the framework that it lives on, and the packages that must come from that one's index. */
static int add_company(const struct assembly *g, size_t at)
{
    const struct framework *row = g->members->items[at].row;
    const struct framework *ground = row->on ? framework_of(g->all, row->on) : NULL;
    if (!ground)
        return 0;
    if (is_called(g->members->items[0].row, ground->name))
        ground = g->members->items[0].row;
    if (add_member(g, ground))
        return -1;
    for (size_t i = 0; i < g->all->package_count; i++) {
        const struct framework *package = &g->all->packages[i];
        if (package->index && str_equal(package->on, row->on) &&
            requires(&g->members->items[at], package) && add_member(g, package))
            return -1;
    }
    return 0;
}

/* ------------------------------------------------------------------ their order */

/* True where another member after the first `placed` requires it. */
static bool is_required(const struct members *members, size_t placed, size_t at)
{
    for (size_t i = placed; i < members->count; i++)
        if (i != at && requires(&members->items[i], members->items[at].row))
            return true;
    return false;
}

static bool comes_before(const struct members *members, size_t placed, size_t a, size_t b)
{
    const struct member *x = &members->items[a], *y = &members->items[b];
    if (!x->row->on != !y->row->on)
        return !x->row->on;
    bool x_required = is_required(members, placed, a), y_required = is_required(members, placed, b);
    if (x->row->on && x_required != y_required)
        return y_required;
    return strcmp(x->row->name, y->row->name) < 0;
}

/* Sorts by kind and name, so that the order of words does not change the answer. */
static void sort_members(struct members *members)
{
    for (size_t placed = 1; placed < members->count; placed++) {
        size_t best = placed;
        for (size_t i = placed + 1; i < members->count; i++)
            if (comes_before(members, placed, i, best))
                best = i;
        struct member member = members->items[best];
        members->items[best] = members->items[placed];
        members->items[placed] = member;
    }
}

int members_gather(struct members *out, struct arena *arena, const struct matrix *all,
                   const struct framework *const *rows, size_t count, struct err *err)
{
    const struct assembly g = {out, arena, all, err};
    out->count = 0;
    for (size_t i = 0; i < count; i++)
        if (add_member(&g, rows[i]))
            return -1;
    for (size_t i = 0; i < out->count; i++)
        if (add_company(&g, i))
            return -1;
    sort_members(out);
    return 0;
}
