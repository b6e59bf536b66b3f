/* Finds packages that can share one environment with the framework. */
#include "resolver/rules/rules.h"

#include "base/arena.h"
#include "base/budget.h"
#include "resolver/search/members.h"

#include <string.h>

/* How far a member got. A later stage's objection says more; a later member's says still more. */
enum stage {
    STAGE_NONE,
    STAGE_RELEASE,
    STAGE_PYTHON,
    STAGE_BUILD,
    STAGE_IMAGE,
    STAGE_PINS,
    STAGE_CUDA,
    STAGE_COUNT
};

struct set_search {
    const struct problem *problem;
    struct problem theirs; /* for the current member */
    const struct candidate *candidate;
    struct package_pick *picks;
    uint64_t wanted; /* members that must be present */
    struct objection *out;
    int told; /* how far the objection in `out` got */
};

#define FAILED ((uint64_t)1 << 63) /* in a set of members: never one of them */

static const struct member *member_at(const struct set_search *s, size_t i)
{
    return &s->problem->ask->members.items[i];
}

/* An objection with room for words. */
static struct objection blank(const struct set_search *s)
{
    return (struct objection){.arena = s->out ? s->out->arena : NULL};
}

/* Keeps the objection that got furthest; returns true. */
static bool keep(struct set_search *s, size_t at, enum stage stage,
                 const struct objection *objection)
{
    int far = (int)at * STAGE_COUNT + (int)stage;
    if (s->out && far > s->told) {
        s->told = far;
        *s->out = *objection;
    }
    return true;
}

static struct candidate candidate_at(const struct set_search *s, const struct package_pick *pick)
{
    struct candidate candidate = *s->candidate;
    candidate.release = pick->release;
    candidate.build = pick->build;
    return candidate;
}

const char *index_of(struct arena *arena, const struct problem *problem,
                     const struct framework *row, const struct package_pick *pick)
{
    const char *url = pick->build->index_url ? pick->build->index_url : row->index_url;
    if (!url || (row == problem->ask->framework && is_active(problem, CHOICE_VARIANT) &&
                 str_equal(problem->ask->variant, "pypi")))
        return NULL;
    return fill_text(arena, url, pick->release, pick->build);
}

/* ------------------------------------------------------------------ one by itself */

/* True where the user's request for this package excludes the pick. */
static bool said_objects(struct set_search *s, size_t at, const struct package_pick *pick,
                         const struct asked_package *package)
{
    struct objection objection = blank(s);
    if (package->row != member_at(s, at)->row ||
        spec_matches(&package->spec, &pick->release->version))
        return false;
    object_to_release(&objection, package->row, pick->release, &package->spec);
    return keep(s, at, STAGE_RELEASE, &objection);
}

/* True where no admitted release has a wheel for so new a Python, as far as rows tell. */
static bool too_new_for(const struct set_search *s, const struct asked_package *package)
{
    const struct version *python = s->candidate->python_version;
    bool found = false;
    for (size_t i = 0; package->like && i < package->like->releases.count; i++) {
        const struct release *release = ROW(struct release, package->like->releases, i);
        if (!spec_matches(&package->spec, &release->version))
            continue;
        found = true;
        for (size_t j = 0; j < release->pythons.count + release->experimental.count; j++)
            if (version_compare(python, &release->python_versions[j]) <= 0)
                return false;
    }
    return found;
}

/* True where a requested package that no row knows excludes the pick. */
static bool unknown_objects(struct set_search *s, size_t at, const struct package_pick *pick,
                            const struct asked_package *package)
{
    const struct pins *pins = pins_of(member_at(s, at), pick->release);
    struct objection objection = blank(s);
    if (s->candidate->python && too_new_for(s, package)) {
        object(&objection, "python", &pick->release->fact, "%s has no wheel for Python %s",
               package->said, s->candidate->python);
        return keep(s, at, STAGE_PYTHON, &objection);
    }
    for (size_t i = 0; i < pins->count; i++) {
        if (!same_package(pins->items[i].name, package->name) ||
            spec_overlaps(&pins->items[i].spec, &package->spec))
            continue;
        object(&objection, "framework", &pick->release->fact, "%s %s needs %s",
               member_at(s, at)->row->name, pick->release->version.text, pins->items[i].said);
        return keep(s, at, STAGE_PINS, &objection);
    }
    return false;
}

/* Checks every --with. */
static bool words_object(struct set_search *s, size_t at, const struct package_pick *pick)
{
    const struct demands *ask = s->problem->ask;
    for (size_t i = 0; i < ask->demand_count; i++) {
        if (ask->demands[i].choice != CHOICE_WITH || !(s->problem->active >> i & 1))
            continue;
        const struct asked_package *package = &ask->with[ask->demands[i].index];
        if (package->row ? said_objects(s, at, pick, package)
                         : unknown_objects(s, at, pick, package))
            return true;
    }
    return false;
}

static bool python_objects(struct set_search *s, size_t at, const struct package_pick *pick)
{
    const char *python = s->candidate->python;
    struct objection objection = blank(s);
    if (member_at(s, at)->row->by_companions || words_have(&pick->release->pythons, python) ||
        words_have(&pick->release->experimental, python))
        return false;
    object(&objection, "python", &pick->release->fact, "%s %s has no wheel for Python %s",
           member_at(s, at)->row->name, pick->release->version.text, python);
    return keep(s, at, STAGE_PYTHON, &objection);
}

/* A build without its own CUDA uses the present one; its bounds on GPUs still count. */
static bool bounds_object(const struct set_search *s, const struct member *member,
                          const struct build *build, struct objection *out)
{
    bool bounded = build->cc_min || build->cc_max;
    if (bounded && !s->candidate->build->cuda.text)
        return object(out, "gpu-arch", &build->fact, "%s is for GPUs, the stack has no CUDA",
                      member->row->name);
    for (size_t i = 0; bounded && i < s->problem->gpu_count; i++) {
        int cc = s->problem->gpus[i]->cc;
        if ((build->cc_min && cc < build->cc_min) || (build->cc_max && cc > build->cc_max))
            return object(out, "gpu-arch", &build->fact, "%s does not run on %s (%d.%d)",
                          member->row->name, s->problem->gpus[i]->name, cc / 10, cc % 10);
    }
    return false;
}

static bool build_objects(const struct set_search *s, const struct member *member,
                          const struct candidate *candidate, struct objection *out)
{
    const struct release *release = candidate->release;
    const struct build *build = candidate->build;
    bool cpu = !s->candidate->build->cuda.text;
    if ((release->processors.count && !words_have(&release->processors, s->problem->arch)) ||
        !build_has_processor(build, s->problem->arch))
        return object(out, "arch", &release->fact, "there is no wheel of %s %s for %s",
                      member->row->name, release->version.text, s->problem->arch);
    if (cpu && build->cuda.text)
        return object(out, "cuda", &build->fact, "%s %s is built for CUDA %s, the stack has none",
                      member->row->name, release->version.text, build->cuda.text);
    if (member->row->on && !build->cuda.text)
        return bounds_object(s, member, build, out);
    return !cpu && rules_object(&s->theirs, candidate, TIER_BUILD, out);
}

static bool objects_alone(struct set_search *s, size_t at, const struct package_pick *pick)
{
    const struct member *member = member_at(s, at);
    const struct candidate candidate = candidate_at(s, pick);
    bool has_image = candidate.image || candidate.plain || candidate.named;
    struct objection objection = blank(s);
    if (at == 0)
        return words_object(s, at, pick);
    s->theirs.ask = member->ask;
    if (rules_object(&s->theirs, &candidate, TIER_RELEASE, &objection))
        return keep(s, at, STAGE_RELEASE, &objection);
    if (words_object(s, at, pick) || python_objects(s, at, pick))
        return true;
    if (build_objects(s, member, &candidate, &objection))
        return keep(s, at, STAGE_BUILD, &objection);
    return has_image && rules_object(&s->theirs, &candidate, TIER_IMAGE, &objection) &&
           keep(s, at, STAGE_IMAGE, &objection);
}

/* ------------------------------------------------------------------ two together */

struct half {
    const struct member *member;
    const struct package_pick *pick;
    const struct pins *pins;
    struct candidate candidate;
};

static struct half half_at(const struct set_search *s, size_t at, const struct package_pick *pick)
{
    const struct member *member = member_at(s, at);
    return (struct half){member, pick, pins_of(member, pick->release), candidate_at(s, pick)};
}

/* True where `a` requires another version of `b`: `numpy<2` against numpy 2.1. */
static bool pin_objects(const struct half *a, const struct half *b, struct objection *out)
{
    const struct pin *pin = NULL;
    for (size_t i = 0; i < a->pins->count; i++) {
        if (!is_called(b->member->row, a->pins->items[i].name))
            continue;
        pin = &a->pins->items[i];
        if (!spec_matches(&pin->spec, &b->pick->release->version))
            return object(out, "framework", &a->pick->release->fact,
                          "%s %s goes with %s, which %s is not", a->member->row->name,
                          a->pick->release->version.text, pin->said,
                          b->pick->release->version.text);
    }
    if (pin || !b->member->row->by_companions ||
        !str_equal(b->member->row->on, a->member->row->name))
        return false;
    return object(out, "framework", &a->pick->release->fact,
                  "which %s goes with %s %s is not known", b->member->row->name,
                  a->member->row->name, a->pick->release->version.text);
}

/* True where both require a third package, and no version of it suits both. */
static bool thirds_object(const struct half *a, const struct half *b, struct objection *out)
{
    for (size_t i = 0; i < a->pins->count; i++)
        for (size_t j = 0; j < b->pins->count; j++)
            if (same_package(a->pins->items[i].name, b->pins->items[j].name) &&
                !spec_overlaps(&a->pins->items[i].spec, &b->pins->items[j].spec))
                return object(
                    out, "framework", &b->pick->release->fact, "%s %s needs %s, %s %s needs %s",
                    a->member->row->name, a->pick->release->version.text, a->pins->items[i].said,
                    b->member->row->name, b->pick->release->version.text, b->pins->items[j].said);
    return false;
}

/* A package may live on only some builds of its framework. */
static bool variant_objects(const struct half *ground, const struct half *package,
                            struct objection *out)
{
    const struct words *variants = &package->pick->release->variants;
    if (!str_equal(package->member->row->on, ground->member->row->name) || !variants->count ||
        words_have(variants, ground->pick->build->variant))
        return false;
    return object(out, "variant", &package->pick->release->fact, "%s %s has no wheel for %s",
                  package->member->row->name, package->pick->release->version.text,
                  ground->pick->build->variant);
}

static uint64_t cudnn_major(const struct build *build)
{
    if (!build->cudnn)
        return 0;
    return build->cudnn_window.count ? build->cudnn_window.clauses[0].version.release[0]
                                     : build->cudnn_version.release[0];
}

/* A wheel requires its cuDNN: two wheels must have a version in common. */
static bool cudnns_meet(const struct half *a, const struct half *b)
{
    const struct build *x = a->pick->build, *y = b->pick->build;
    if (!x->cudnn || !y->cudnn)
        return true;
    if (!str_equal(supply_of(a->member->row, x), "wheel") ||
        !str_equal(supply_of(b->member->row, y), "wheel"))
        return cudnn_major(x) == cudnn_major(y);
    if (x->cudnn_window.count)
        return y->cudnn_window.count ? spec_overlaps(&x->cudnn_window, &y->cudnn_window)
                                     : spec_matches(&x->cudnn_window, &y->cudnn_version);
    return y->cudnn_window.count ? spec_matches(&y->cudnn_window, &x->cudnn_version)
                                 : version_compare(&x->cudnn_version, &y->cudnn_version) == 0;
}

/*
 * Two packages in one process share one libcudart, one libcublas, one libcudnn: the loader keeps
 * the first library of a name, and the names have only the major (libcudnn.so.9). And pip installs
 * one version of each package that brings them.
 */
static bool cuda_objects(const struct half *a, const struct half *b, struct objection *out)
{
    const struct build *x = a->pick->build, *y = b->pick->build;
    const char *name = a->member->row->name, *version = a->pick->release->version.text;
    const char *other = b->member->row->name, *other_version = b->pick->release->version.text;
    if (!x->cuda.text || !y->cuda.text)
        return false;
    if (candidate_cuda(&a->candidate)->release[0] != candidate_cuda(&b->candidate)->release[0])
        return object(out, "cuda", &y->fact,
                      "%s %s is built for CUDA %s, %s %s for CUDA %s: one process takes one major",
                      name, version, x->cuda.text, other, other_version, y->cuda.text);
    if (!cudnns_meet(a, b))
        return object(out, "cudnn", &y->fact,
                      "%s %s wants cuDNN %s, %s %s wants %s: one environment has one", name,
                      version, x->cudnn, other, other_version, y->cudnn);
    if (x->nccl.count && y->nccl.count && !spec_overlaps(&x->nccl, &y->nccl))
        return object(out, "cuda", &y->fact, "%s %s requires NCCL %s, %s %s %s", name, version,
                      x->nccl.text, other, other_version, y->nccl.text);
    if (x->libraries.count && y->libraries.count && !spec_overlaps(&x->libraries, &y->libraries))
        return object(out, "cuda", &y->fact,
                      "%s %s requires the libraries of CUDA %s, %s %s those of CUDA %s", name,
                      version, x->libraries.text, other, other_version, y->libraries.text);
    return false;
}

/* Where two packages come from indexes of their own, pip may take one from the wrong index. */
static bool indexes_object(const struct set_search *s, const struct half *a, const struct half *b,
                           struct objection *out)
{
    ARENA_SCRATCH(scratch);
    const char *x = index_of(&scratch, s->problem, a->member->row, a->pick);
    const char *y = index_of(&scratch, s->problem, b->member->row, b->pick);
    return x && y && !str_equal(x, y) &&
           object(out, "framework", &b->pick->build->fact,
                  "%s comes from %s, %s from %s: one stack has one index beside pip's own",
                  a->member->row->name, x, b->member->row->name, y);
}

/* True where member `at`, as `pick`, cannot live with the member `before`, chosen earlier. */
static bool objects_to_pair(struct set_search *s, size_t at, const struct package_pick *pick,
                            size_t before)
{
    const struct half a = half_at(s, before, &s->picks[before]), b = half_at(s, at, pick);
    struct objection objection = blank(s);
    /* the cost of comparing two: each pin against each */
    if (!budget_try_steps(4 + (a.pins->count + 2) * (b.pins->count + 2) / 2))
        return true;
    if (pin_objects(&a, &b, &objection) || pin_objects(&b, &a, &objection) ||
        thirds_object(&a, &b, &objection) || variant_objects(&a, &b, &objection) ||
        variant_objects(&b, &a, &objection))
        return keep(s, at, STAGE_PINS, &objection);
    return (cuda_objects(&a, &b, &objection) || indexes_object(s, &a, &b, &objection)) &&
           keep(s, at, STAGE_CUDA, &objection);
}

/* ------------------------------------------------------------------ all of them */

/* The earlier members that require this one, by their chosen releases. */
static uint64_t requirers(const struct set_search *s, size_t at)
{
    uint64_t set = 0;
    for (size_t i = 1; i < at; i++)
        if (s->picks[i].release && member_at(s, at)->row->index &&
            pin_of(pins_of(member_at(s, i), s->picks[i].release), member_at(s, at)->row))
            set |= (uint64_t)1 << i;
    return set;
}

/* The earlier members that `pick` cannot live with: the first of them. */
static uint64_t blamed(struct set_search *s, size_t at, const struct package_pick *pick)
{
    for (size_t i = 0; i < at; i++)
        if (s->picks[i].release && objects_to_pair(s, at, pick, i))
            return (uint64_t)1 << i;
    return 0;
}

static uint64_t choose_from(struct set_search *s, size_t at);

/* Tries one release and build; see choose_from. `blame` gets the members that prevented it. */
static bool try_pick(struct set_search *s, size_t at, const struct package_pick *pick,
                     uint64_t *blame)
{
    *blame = FAILED;
    if (!budget_try_steps(8))
        return false;
    if (objects_alone(s, at, pick))
        *blame = 0;
    else if (!(*blame = blamed(s, at, pick))) {
        s->picks[at] = *pick;
        *blame = choose_from(s, at + 1);
        return !*blame;
    }
    return false;
}

/*
 * Chooses for the members from `at` on. Returns 0, or the set of members that prevented it. A
 * member whose releases all failed goes back to the last of these: changing any other member
 * changes nothing, and trying all of those would take for ever.
 */
static uint64_t choose_from(struct set_search *s, size_t at)
{
    const struct demands *ask = s->problem->ask;
    uint64_t blame, own = (uint64_t)1 << at,
                    bringing = at < ask->members.count ? requirers(s, at) : 0;
    if (at == ask->members.count)
        return 0;
    if (!bringing && !(s->wanted & own)) {
        s->picks[at] = (struct package_pick){NULL, NULL};
        return choose_from(s, at + 1);
    }
    uint64_t all = FAILED | ((s->wanted & own) ? 0 : bringing);
    const struct rows *releases = &ask->members.items[at].row->releases;
    for (size_t i = 0; i < releases->count; i++) {
        const struct release *release = ROW(struct release, *releases, i);
        for (size_t j = 0; j < release->build_count; j++) {
            const struct package_pick pick = {release, release->builds[j]};
            if (try_pick(s, at, &pick, &blame))
                return 0;
            if (blame & FAILED && !(blame & own))
                return s->picks[at] = (struct package_pick){NULL, NULL}, blame;
            all |= blame & ~own;
        }
    }
    s->picks[at] = (struct package_pick){NULL, NULL};
    return all;
}

static uint64_t wanted_members(const struct problem *problem)
{
    const struct demands *ask = problem->ask;
    uint64_t wanted = 0;
    for (size_t i = 0; i < ask->members.count; i++)
        if (ask->members.items[i].always || ask->members.items[i].demands & problem->active)
            wanted |= (uint64_t)1 << i | ask->members.items[i].brings;
    return wanted;
}

bool with_find(struct package_pick picks[MEMBERS_MAX], const struct problem *problem,
               const struct candidate *candidate, struct objection *out)
{
    struct set_search s = {problem, *problem, candidate, picks, 0, out, -1};
    memset(picks, 0, MEMBERS_MAX * sizeof *picks);
    picks[0] = (struct package_pick){candidate->release, candidate->build};
    if (!problem->ask->members.count)
        return true;
    s.wanted = wanted_members(problem);
    return !objects_alone(&s, 0, &picks[0]) && !choose_from(&s, 1);
}
