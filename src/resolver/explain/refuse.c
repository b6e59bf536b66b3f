/* Explains a refusal: a minimal set of demands, and what each of them rules out. */
#include "resolver/explain/refuse.h"

#include "base/arena.h"
#include "data/document.h"
#include "resolver/search/hardly_known.h"
#include "resolver/search/search.h"

#include <string.h>

#define REASONS_MAX 4 /* conflicts listed for one demand */

/*
 * Reports only a smallest set: of eight demands two may conflict, and the other six would hide
 * them.
 */
uint64_t minimal_conflict(const struct demands *ask)
{
    uint64_t set = ask_all(ask);
    struct candidate candidate;
    bool shrunk = true;
    while (shrunk) { /* again: naming a GPU can make room for a driver, so order matters */
        shrunk = false;
        for (size_t i = 0; i < ask->demand_count; i++) {
            uint64_t bit = (uint64_t)1 << i;
            if (!(set & bit) || search_best(&candidate, ask, set & ~bit))
                continue;
            set &= ~bit;
            shrunk = true;
        }
    }
    return set;
}

struct conflicts {
    struct arena *arena;
    const struct demands *ask;
    struct problem whole;        /* the demands that are compared */
    const struct demand *demand; /* the one that was left out; NULL: none */
    struct data *list;
    const char *reasons[REASONS_MAX];
    size_t count;
    const struct build *settled; /* refused with any Python and image */
    const struct release *settled_release;
};

static const char *describe(const struct conflicts *c, const struct candidate *candidate,
                            const char *reason)
{
    const char *text = arena_printf(c->arena, "%s %s%s%s", c->ask->framework->name,
                                    candidate->release->version.text, candidate->build ? " " : "",
                                    candidate->build ? candidate->build->variant : "");
    if (str_equal(reason, "image") || str_equal(reason, "gate"))
        return arena_printf(c->arena, "%s on %s", text, image_text(c->arena, c->ask, candidate));
    return text;
}

static void tell(struct conflicts *c, const struct candidate *candidate, const char *demand,
                 const struct objection *objection)
{
    data_push(c->arena, c->list,
              data_of(c->arena, FIELD("demand", demand), FIELD("reason", objection->reason),
                      FIELD("rules_out", describe(c, candidate, objection->reason)),
                      FIELD("because", objection->because), FIELD("source", objection->source)));
    c->reasons[c->count++] = objection->reason;
}

/* The candidate as the whole set sees it: on the requested image. */
static struct candidate as_asked(const struct conflicts *c, const struct candidate *candidate)
{
    struct candidate asked = *candidate;
    if (!is_active(&c->whole, CHOICE_IMAGE) || asked.named)
        return asked;
    const struct asked_image *image = &c->ask->image;
    asked.image = image->image;
    asked.tag = image->row_tag;
    asked.plain = NULL;
    asked.distribution = image->distribution;
    asked.named = true;
    return asked;
}

/* Visits a candidate that would do without the demand: which rule objects to it with the demand? */
static bool visit(void *context, const struct candidate *candidate)
{
    struct conflicts *c = context;
    struct objection objection = {0};
    struct candidate asked = as_asked(c, candidate);
    if (c->settled == candidate->build && c->settled_release == candidate->release)
        return false;
    if (!objects_at_all(&c->whole, &asked, &objection))
        return false;
    if (objects(&c->whole, &asked, TIER_RELEASE, NULL) ||
        objects(&c->whole, &asked, TIER_BUILD, NULL)) {
        c->settled = candidate->build;
        c->settled_release = candidate->release;
    }
    if (str_is_among(objection.reason, c->reasons, c->count))
        return false;
    objection.arena = c->arena;
    objects_at_all(&c->whole, &asked, &objection);
    tell(c, &asked, c->demand->text, &objection);
    return c->count == REASONS_MAX;
}

/* Nothing fits at all: no image, Python and driver go with the framework's files. */
static void tell_hopeless(struct conflicts *c)
{
    const struct framework *framework = c->ask->framework;
    struct candidate candidate = {.release = ROW(struct release, framework->releases, 0)};
    struct objection objection = {.arena = c->arena};
    if (!framework->releases.count)
        return;
    candidate.build = candidate.release->build_count ? candidate.release->builds[0] : NULL;
    if (objects(&c->whole, &candidate, TIER_RELEASE, &objection) ||
        (candidate.build && objects(&c->whole, &candidate, TIER_BUILD, &objection)))
        tell(c, &candidate, framework->name, &objection);
}

/* Lists a release that would do, if more were known about it. */
static void tell_hardly_known(struct conflicts *c, uint64_t set)
{
    const struct framework *row = c->ask->framework;
    const struct release *release =
        c->ask->named == row ? hardly_known(c->arena, c->ask, set, row, NULL) : NULL;
    struct candidate candidate = {.release = release};
    struct objection objection = {.arena = c->arena};
    problem_init(&c->whole, c->ask, set);
    if (release && objects(&c->whole, &candidate, TIER_RELEASE, &objection))
        tell(c, &candidate, c->demand->text, &objection);
}

/* Lists what would do for the demands of `set` without `bit`, and why it fails with it. */
static void tell_of_demand(struct conflicts *c, uint64_t set, uint64_t bit)
{
    struct problem rest;
    problem_init(&rest, c->ask, set & ~bit);
    problem_init(&c->whole, c->ask, set);
    c->settled = NULL;
    search_walk(&rest, visit, c);
}

struct data *conflicts_data(struct arena *arena, const struct demands *ask, uint64_t set)
{
    struct conflicts c = {.arena = arena, .ask = ask, .list = data_list(arena)};
    for (size_t i = 0; i < ask->demand_count; i++) {
        if (!(set >> i & 1))
            continue;
        bool first = !c.demand;
        c.demand = &ask->demands[i];
        c.count = 0;
        if (first)
            tell_hardly_known(&c, set);
        c.count = 0; /* also list the closest release that is well known */
        tell_of_demand(&c, ask_all(ask), (uint64_t)1 << i); /* only what is close to the request */
        if (!c.count)
            tell_of_demand(&c, set, (uint64_t)1 << i);
    }
    problem_init(&c.whole, ask, set);
    if (!set)
        tell_hopeless(&c);
    return c.list;
}
