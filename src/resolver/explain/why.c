/* Explains a stack: the preferences behind it, and the reasons for what was passed over. */
#include "resolver/resolver.h"

#include "base/arena.h"
#include "base/budget.h"
#include "data/document.h"
#include "resolver/rules/rules.h"
#include "resolver/search/search.h"

#include <string.h>

struct why {
    struct arena *arena;
    const struct demands *ask;
    struct problem problem; /* with what the search accepted when it found something */
    const struct candidate *chosen;
    struct data *passed_over;
};

/* ------------------------------------------------------------------ passed over */

/* An objection to every Python, or else to the best of the images. */
static void object_to_rest(const struct why *w, struct candidate *candidate,
                           struct objection *objection)
{
    struct problem lenient = w->problem;
    struct candidate best;
    lenient.allow_eol = lenient.allow_forward = true;
    for (size_t i = 0; i < candidate->release->pythons.count; i++) {
        candidate->python_version = &candidate->release->python_versions[i];
        candidate->python = candidate->python_version->text;
        if (!objects(&w->problem, candidate, TIER_PYTHON, objection))
            break;
    }
    if (objection->reason)
        return;
    if (search_build(&best, &lenient, candidate->release, candidate->build)) {
        objects_at_all(&w->problem, &best, objection); /* only what is disliked most */
        return;
    }
    candidate->image = NULL;
    search_object_image(&w->problem, candidate, objection);
}

static void tell(struct why *w, const char *what, const struct objection *objection)
{
    data_push(w->arena, w->passed_over,
              data_of(w->arena, FIELD("what", what), FIELD("reason", objection->reason),
                      FIELD("because", objection->because), FIELD("source", objection->source)));
}

/* Passes over a whole release; false where its builds must be checked. */
static bool pass_over_release(struct why *w, const struct release *release)
{
    struct candidate candidate = {.release = release};
    struct objection objection = {.arena = w->arena};
    if (!objects(&w->problem, &candidate, TIER_RELEASE, &objection))
        return false;
    tell(w, arena_printf(w->arena, "%s %s", w->ask->framework->name, release->version.text),
         &objection);
    return true;
}

static void pass_over(struct why *w, const struct release *release, const struct build *build)
{
    struct candidate candidate = {.release = release, .build = build};
    struct objection objection = {.arena = w->arena};
    if (!build->cuda.text && !is_active(&w->problem, CHOICE_VARIANT))
        return; /* a CPU build is no loss */
    if (!objects(&w->problem, &candidate, TIER_BUILD, &objection))
        object_to_rest(w, &candidate, &objection);
    if (objection.reason)
        tell(w,
             arena_printf(w->arena, "%s %s %s", w->ask->framework->name, release->version.text,
                          build->variant),
             &objection);
}

/* Lists every build that preference ranks higher, in order. */
static void list_passed_over(struct why *w)
{
    const struct framework *framework = w->ask->framework;
    for (size_t i = 0; i < framework->releases.count; i++) {
        const struct release *release = ROW(struct release, framework->releases, i);
        if (pass_over_release(w, release))
            continue;
        for (size_t j = 0; j < release->build_count; j++) {
            if (release == w->chosen->release && release->builds[j] == w->chosen->build)
                return;
            pass_over(w, release, release->builds[j]);
        }
    }
}

/* ------------------------------------------------------------------ by which preferences */

static void choose(const struct why *w, struct data *list, const char *what, const char *value,
                   const char *because)
{
    data_push(
        w->arena, list,
        data_of(w->arena, FIELD("what", what), FIELD("value", value), FIELD("because", because)));
}

static const char *why_build(const struct why *w)
{
    const struct candidate *c = w->chosen;
    if (is_active(&w->problem, CHOICE_VARIANT))
        return "asked for";
    if (str_equal(c->build->variant, c->release->default_variant))
        return "the build that the release makes default";
    return "the newest CUDA that the demands allow; the default build was passed over";
}

static const char *why_python(const struct why *w)
{
    const struct candidate *c = w->chosen;
    if (c->distribution && same_minor(c->python_version, &c->distribution->python))
        return arena_printf(w->arena, "what %s ships", c->distribution->os);
    return is_active(&w->problem, CHOICE_PYTHON)
               ? "the newest that was asked for; no image ships it"
               : "the newest stable one; the image ships none that fits";
}

static const char *why_image(const struct why *w)
{
    const struct candidate *c = w->chosen;
    if (c->named)
        return "asked for";
    if (c->plain)
        return c->build->cuda.text ? "the wheel brings CUDA, and no CUDA image of its major will do"
                                   : "a CPU build needs no CUDA image";
    if (!image_fits(c->build, &c->image->cuda))
        return arena_printf(
            w->arena,
            "the wheel brings CUDA, and no image of CUDA %s will do: the newest CUDA "
            "of its major that will, on the newest %s, in the smallest flavour",
            c->build->cuda.text, c->distribution->family);
    return arena_printf(
        w->arena, "the newest %s with CUDA %llu.%llu, the smallest flavour, the newest patch%s",
        c->distribution->family, (unsigned long long)c->image->cuda.release[0],
        (unsigned long long)c->image->cuda.release[1],
        str_equal(c->image->state, "eol") ? "; nothing else fits" : "");
}

static void choose_members(const struct why *w, struct data *list)
{
    struct package_pick picks[MEMBERS_MAX];
    if (!with_find(picks, &w->problem, w->chosen, NULL))
        return;
    for (size_t i = 1; i < w->ask->members.count; i++)
        if (picks[i].release)
            choose(w, list, w->ask->members.items[i].row->name, picks[i].release->version.text,
                   "the newest release that goes with all of this");
}

static struct data *list_chosen(const struct why *w)
{
    const struct candidate *c = w->chosen;
    struct data *list = data_list(w->arena);
    choose(w, list, "framework", c->release->version.text,
           is_active(&w->problem, CHOICE_FRAMEWORK) &&
                   spec_is_exact(&w->ask->specs[CHOICE_FRAMEWORK])
               ? "asked for"
               : "the newest release that meets every demand");
    choose(w, list, "variant", c->build->variant, why_build(w));
    choose(w, list, "python", c->python, why_python(w));
    choose(w, list, "image", image_text(w->arena, w->ask, c), why_image(w));
    choose_members(w, list);
    return list;
}

int matrix_why(struct data **out, struct arena *arena, const struct matrix *matrix,
               const struct stack_request *request, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    struct demands *ask = arena_alloc(arena, sizeof *ask);
    struct candidate chosen;
    struct why w = {.arena = arena, .ask = ask, .chosen = &chosen};
    if (ask_compile(ask, arena, matrix, request, err))
        return -1;
    bool found = search_tiers(&chosen, &w.problem, ask, ask_all(ask));
    if (budget_steps(0, err) < 0)
        return -1;
    if (!found)
        return err_set(err, TG_UNSOLVABLE, "unsatisfiable", "nothing was chosen");
    w.passed_over = data_list(arena);
    list_passed_over(&w);
    *out = data_of(arena, FIELD("chosen", list_chosen(&w)), FIELD("passed_over", w.passed_over));
    return budget_steps(0, err);
}
