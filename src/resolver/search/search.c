/* Walks the candidates in order of preference, and finds the first without an objection. */
#include "resolver/search/search.h"

#include "base/budget.h"
#include "resolver/rules/gpu_coverage.h"
#include "resolver/rules/rules.h"

#include <string.h>

/* ------------------------------------------------------------------ objections to one */

/* The cost of checking all rules of a tier against one candidate. */
enum { CANDIDATE_STEPS = 2 };

bool objects(const struct problem *problem, const struct candidate *candidate, enum tier tier,
             struct objection *out)
{
    struct package_pick picks[MEMBERS_MAX];
    if (!budget_try_steps(CANDIDATE_STEPS) || rules_object(problem, candidate, tier, out))
        return true;
    return tier == TIER_PYTHON && problem->ask->members.count &&
           !with_find(picks, problem, candidate, out);
}

bool objects_at_all(const struct problem *problem, const struct candidate *candidate,
                    struct objection *out)
{
    for (enum tier tier = TIER_RELEASE; tier <= TIER_IMAGE; tier++)
        if (objects(problem, candidate, tier, out))
            return true;
    return false;
}

/* ------------------------------------------------------------------ images of a build */

struct image_walk {
    const struct problem *problem;
    struct candidate *candidate;            /* the walk sets its image in turn */
    bool (*visit)(struct image_walk *walk); /* or NULL */
    struct objection *objection; /* gets the objection to the first unusable image; or NULL */
    bool content;                /* `visit` sets it: classes that are liked less are skipped */
};

static bool visit_image(struct image_walk *walk)
{
    struct objection *objection = walk->objection;
    if (objection && objection->reason)
        objection = NULL;
    return !objects(walk->problem, walk->candidate, TIER_IMAGE, objection) && walk->visit &&
           walk->visit(walk);
}

static void set_image(struct candidate *c, const struct image *image, const struct tag *tag,
                      const struct plain_image *plain, const struct distribution *distribution)
{
    c->image = image;
    c->tag = tag;
    c->plain = plain;
    c->distribution = distribution;
    c->named = false;
}

static bool walk_plain(struct image_walk *walk)
{
    const struct matrix *matrix = walk->problem->ask->matrix;
    for (size_t i = 0; i < matrix->plain.count; i++) {
        const struct plain_image *plain = ROW(struct plain_image, matrix->plain, i);
        set_image(walk->candidate, NULL, NULL, plain, distribution_of(matrix, plain->os));
        if (visit_image(walk))
            return true;
    }
    return false;
}

/* Walks the images of a minor; NULL: those that the build names. */
static bool walk_minor(struct image_walk *walk, const struct version *minor)
{
    const struct matrix *matrix = walk->problem->ask->matrix;
    const struct build *build = walk->candidate->build;
    for (size_t i = matrix->images.count; i-- > 0 && budget_try_steps(1);) {
        const struct image *image = ROW(struct image, matrix->images, i);
        if (minor ? !same_minor(&image->cuda, minor) : !image_fits(build, &image->cuda))
            continue;
        for (size_t j = 0; j < image->tag_count && budget_try_steps(1); j++) {
            const struct tag *tag = &image->tags[j];
            set_image(walk->candidate, image, tag, NULL, tag->distribution);
            if (visit_image(walk))
                return true;
        }
    }
    return false;
}

/*
 * The newest CUDA of the build's major that has images, below `last` (NULL: no limit). Skips images
 * that are not known to start: another one that is will do.
 */
static const struct version *next_minor(const struct image_walk *walk, const struct version *last)
{
    const struct matrix *matrix = walk->problem->ask->matrix;
    const struct build *build = walk->candidate->build;
    const struct version *next = NULL;
    for (size_t i = 0; i < matrix->images.count && budget_try_steps(1); i++) {
        const struct image *image = ROW(struct image, matrix->images, i);
        if (image->cuda.release[0] == build->cuda.release[0] && !image_fits(build, &image->cuda) &&
            (!last || version_compare_parts(&image->cuda, last, 2) < 0) &&
            (!next || version_compare_parts(&image->cuda, next, 2) > 0) &&
            (walk->problem->cdi || gate_of(matrix, image)))
            next = &image->cuda;
    }
    return next;
}

/*
 * True where an image of another CUDA, or of none, will do. The package that lets a newer CUDA run
 * on an older driver is in the images of that CUDA.
 */
static bool is_free_of_image(const struct image_walk *walk)
{
    const struct problem *problem = walk->problem;
    const struct build *build = walk->candidate->build;
    const struct asked_driver *driver = problem->host.driver;
    if (!str_equal(supply_of(problem->ask->framework, build), "wheel"))
        return false;
    return !driver || driver_reliance(problem, build, &build->cuda, &driver->version,
                                      driver->branch) != RELIES_FORWARD;
}

/*
 * Walks every acceptable image of the candidate's build; true where a visit ended the walk. Where
 * the wheel brings CUDA, the image only has to start: first the minor of the build, so that a user
 * can add parts of CUDA, then others of its major, then an image without CUDA.
 */
static bool walk_images(struct image_walk *walk)
{
    const struct build *build = walk->candidate->build;
    if (is_active(walk->problem, CHOICE_IMAGE)) {
        const struct asked_image *image = &walk->problem->ask->image;
        set_image(walk->candidate, image->image, image->row_tag, NULL, image->distribution);
        walk->candidate->named = true;
        return visit_image(walk);
    }
    if (!build->cuda.text)
        return walk_plain(walk);
    if (walk_minor(walk, NULL))
        return true;
    if (walk->content || !is_free_of_image(walk))
        return false;
    for (const struct version *minor = NULL; !walk->content && (minor = next_minor(walk, minor));)
        if (walk_minor(walk, minor))
            return true;
    return !walk->content && walk_plain(walk);
}

/* ------------------------------------------------------------------ Pythons of a release */

/* Sets the `at`th Python of a release, the stable ones first; false after the last. */
static bool set_python(struct candidate *c, size_t at)
{
    const struct release *release = c->release;
    c->experimental = at >= release->pythons.count;
    if (at >= release->pythons.count + release->experimental.count)
        return false;
    c->python_version = &release->python_versions[at];
    c->python = c->python_version->text;
    return true;
}

/* ------------------------------------------------------------------ preference */

static bool is_shipped(const struct candidate *c)
{
    return c->distribution && same_minor(c->python_version, &c->distribution->python);
}

static int rank_of(const struct problem *problem, const struct candidate *c)
{
    return flavour_rank(supply_of(problem->ask->framework, c->build), c->build->cudnn != NULL,
                        c->tag->flavour);
}

/*
 * Positive where `a` is preferred to `b`, both of one build: a Python that the image's distribution
 * ships, the newest; then the newest distribution, the smallest flavour, the newest patch.
 *
 * Python ranks before the image because the project is written against it, while the image only
 * runs it. A Python that the distribution ships needs no second interpreter in the image, and gets
 * the distribution's security updates. Newer distributions are supported longer. Each flavour that
 * is larger than needed is gigabytes to pull (base, runtime, devel), which a newer patch is not
 * worth.
 */
static int prefer_place(const struct problem *problem, const struct candidate *a,
                        const struct candidate *b)
{
    int order = is_shipped(a) - is_shipped(b);
    if (!order)
        order = version_compare(a->python_version, b->python_version);
    if (!order && a->distribution && b->distribution)
        order = (a->distribution->rank > b->distribution->rank) -
                (a->distribution->rank < b->distribution->rank);
    if (!order && a->tag && b->tag)
        order = rank_of(problem, b) - rank_of(problem, a);
    if (!order && a->image && b->image)
        order = version_compare(&a->image->cuda, &b->image->cuda);
    return order;
}

/* ------------------------------------------------------------------ Pythons, before the images */

#define VIEWS_MAX 16 /* Pythons of one release; the packages of further ones are not compared */

/* The packages that go with each Python of a build, whatever the image. */
struct views {
    size_t members; /* 0: the framework is alone */
    struct package_pick picks[VIEWS_MAX][MEMBERS_MAX];
};

/* False where no Python will do, so that images need no check. `out` may be NULL. */
static bool view_pythons(struct views *out, const struct problem *problem,
                         const struct candidate *candidate)
{
    struct candidate c = {.release = candidate->release, .build = candidate->build};
    struct package_pick spare[MEMBERS_MAX] = {{NULL, NULL}};
    bool any = false;
    if (out)
        out->members = problem->ask->members.count;
    for (size_t at = 0; set_python(&c, at); at++) {
        struct package_pick *picks = out && at < VIEWS_MAX ? out->picks[at] : spare;
        memset(picks, 0, sizeof spare);
        any |= !rules_object(problem, &c, TIER_PYTHON, NULL) && with_find(picks, problem, &c, NULL);
        if (any && (!out || !out->members))
            break;
    }
    return any;
}

/* Prefers the newest releases of the requested packages: the first member that differs decides. */
static int compare_packages(const struct views *views, size_t a, size_t b)
{
    if (a == b || a >= VIEWS_MAX || b >= VIEWS_MAX)
        return 0;
    for (size_t i = 1; i < views->members; i++) {
        const struct release *x = views->picks[a][i].release, *y = views->picks[b][i].release;
        int order = x && y ? version_compare(&x->version, &y->version) : 0;
        if (order)
            return order;
    }
    return 0;
}

struct best {
    struct image_walk walk;
    struct views views;
    struct candidate best;
    size_t python; /* index of the best one's Python in the release */
    bool found;
};

/* Positive where `c`, with the Python at that index, is preferred: stable ones rank first. */
static int prefer(const struct best *best, const struct candidate *c, size_t at)
{
    int order = best->best.experimental - c->experimental;
    if (!order)
        order = compare_packages(&best->views, at, best->python);
    return order ? order : prefer_place(best->walk.problem, c, &best->best);
}

static bool keep_best(struct image_walk *walk)
{
    struct best *best = (struct best *)walk;
    struct candidate *c = walk->candidate;
    for (size_t at = 0; set_python(c, at); at++) {
        if (best->found && prefer(best, c, at) <= 0)
            continue; /* decided before the packages are checked, which takes longer */
        if (objects(walk->problem, c, TIER_PYTHON, NULL))
            continue;
        best->best = *c;
        best->python = at;
        best->found = walk->content = true;
    }
    return false;
}

/* Fills in the best Python and image for a build, where there are any. */
static bool complete(const struct problem *problem, struct candidate *candidate)
{
    struct best best = {.walk = {problem, candidate, keep_best, NULL, false}};
    if (!view_pythons(&best.views, problem, candidate))
        return false;
    walk_images(&best.walk);
    if (best.found)
        *candidate = best.best;
    return best.found;
}

/*
 * Releases first, then their builds, and only then images: an image never makes the framework
 * older. The user asked for the framework, and most wheels bring their own CUDA libraries. The
 * image only has to start and to have the glibc, which nearly any of them does.
 */
static bool search_with(struct candidate *out, const struct problem *problem)
{
    const struct framework *framework = problem->ask->framework;
    for (size_t i = 0; i < framework->releases.count; i++) {
        struct candidate c = {.release = ROW(struct release, framework->releases, i)};
        if (objects(problem, &c, TIER_RELEASE, NULL))
            continue;
        for (size_t j = 0; j < c.release->build_count; j++) {
            c.build = c.release->builds[j];
            if (objects(problem, &c, TIER_BUILD, NULL) || !complete(problem, &c))
                continue;
            *out = c;
            return true;
        }
    }
    return false;
}

/*
 * Four rounds: what is disliked most is allowed last. An image at its end of life is deleted by its
 * maintainers, so that a rebuild fails one day. A forward-compatibility package must be in the
 * image, and is supported on some GPUs and branches only. Both are better than no answer, and worse
 * than an older release. A round that would allow only what was never passed over is skipped.
 */
bool search_tiers(struct candidate *out, struct problem *problem, const struct demands *ask,
                  uint64_t active)
{
    bool found = false;
    if (!budget_try_steps(1))
        return false;
    problem_init(problem, ask, active);
    problem->met = &problem->seen;
    for (int pass = 0; pass < 4 && !found; pass++) {
        problem->allow_forward = pass & 1;
        problem->allow_eol = pass >> 1 & 1;
        if ((problem->allow_forward && !problem->seen.forward) ||
            (problem->allow_eol && !problem->seen.eol))
            continue;
        found = search_with(out, problem);
    }
    problem->met = NULL;
    return found;
}

bool search_best(struct candidate *out, const struct demands *ask, uint64_t active)
{
    struct problem problem;
    return search_tiers(out, &problem, ask, active);
}

bool search_build(struct candidate *out, const struct problem *problem,
                  const struct release *release, const struct build *build)
{
    *out = (struct candidate){.release = release, .build = build};
    return !objects(problem, out, TIER_RELEASE, NULL) && !objects(problem, out, TIER_BUILD, NULL) &&
           complete(problem, out);
}

bool search_exact_image(struct candidate *out, const struct problem *problem,
                        const struct candidate *chosen, struct objection *objection)
{
    struct problem strict = *problem, lenient = *problem;
    strict.allow_eol = false;
    lenient.allow_eol = lenient.cdi = true;
    return search_build(out, &lenient, chosen->release, chosen->build) && out->image &&
           image_fits(out->build, &out->image->cuda) && objects_at_all(&strict, out, objection);
}

void search_object_image(const struct problem *problem, struct candidate *candidate,
                         struct objection *objection)
{
    struct image_walk walk = {problem, candidate, NULL, objection, false};
    walk_images(&walk);
    if (objection->reason)
        return;
    set_image(candidate, NULL, NULL, NULL, NULL);
    objects(problem, candidate, TIER_IMAGE, objection);
}

/* ------------------------------------------------------------------ all of them */

struct visitor {
    struct image_walk walk;
    candidate_fn visit;
    void *context;
};

static bool pass_on(struct image_walk *walk)
{
    struct visitor *visitor = (struct visitor *)walk;
    for (size_t at = 0; set_python(walk->candidate, at); at++) {
        if (objects(walk->problem, walk->candidate, TIER_PYTHON, NULL))
            continue;
        walk->content = true;
        if (visitor->visit(visitor->context, walk->candidate))
            return true;
    }
    return false;
}

void search_walk(const struct problem *problem, candidate_fn visit, void *context)
{
    const struct framework *framework = problem->ask->framework;
    for (size_t i = 0; i < framework->releases.count; i++) {
        struct candidate c = {.release = ROW(struct release, framework->releases, i)};
        if (objects(problem, &c, TIER_RELEASE, NULL))
            continue;
        for (size_t j = 0; j < c.release->build_count; j++) {
            struct visitor visitor = {{problem, &c, pass_on, NULL, false}, visit, context};
            c.build = c.release->builds[j];
            if (!objects(problem, &c, TIER_BUILD, NULL) && view_pythons(NULL, problem, &c) &&
                walk_images(&visitor.walk))
                return;
        }
    }
}
