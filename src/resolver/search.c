/* The candidates in order of preference, and the first that no rule speaks against. */
#include "resolver/search.h"

#include "base/budget.h"

#include <string.h>

/* ------------------------------------------------------------------ images of a build */

struct image_walk {
    const struct problem *problem;
    struct candidate *candidate; /* its image is set in turn */
    bool (*visit)(struct image_walk *walk);
    struct objection *objection; /* gets one to the first image that will not do; or NULL */
};

static bool visit_image(struct image_walk *walk)
{
    struct objection *objection = walk->objection;
    if (objection && objection->reason)
        objection = NULL;
    return !objects(walk->problem, walk->candidate, LEVEL_IMAGE, objection) && walk->visit(walk);
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

static bool walk_named(struct image_walk *walk)
{
    const struct asked_image *image = &walk->problem->ask->image;
    set_image(walk->candidate, image->image, image->row_tag, NULL, image->distribution);
    walk->candidate->named = true;
    return visit_image(walk);
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

/* Every acceptable image of the candidate's build; true where a visit ended the walk. */
static bool walk_images(struct image_walk *walk)
{
    const struct matrix *matrix = walk->problem->ask->matrix;
    const struct build *build = walk->candidate->build;
    if (is_active(walk->problem, CHOICE_IMAGE))
        return walk_named(walk);
    if (!build->cuda.text)
        return walk_plain(walk);
    for (size_t i = matrix->images.count; i-- > 0 && budget_try_steps(1);) {
        const struct image *image = ROW(struct image, matrix->images, i);
        if (!image_fits(build, &image->cuda))
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

/* ------------------------------------------------------------------ Pythons of a release */

/* The `at`th Python of a release, the stable ones first; false behind the last. */
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
 * Positive where `a` is preferred to `b`, both of one build: a stable Python, one that the image's
 * distribution ships, the newest; then the newest distribution, patch, the smallest flavour.
 *
 * Python comes before the image because the project is written against it, while the image is only
 * what it runs in. One that the distribution ships needs no second interpreter in the image, and
 * gets the distribution's security updates. Newer distributions and patches have the longer life;
 * each flavour that is larger than needed is gigabytes to pull (base, runtime, devel).
 */
static int prefer(const struct problem *problem, const struct candidate *a,
                  const struct candidate *b)
{
    int order = b->experimental - a->experimental;
    if (!order)
        order = is_shipped(a) - is_shipped(b);
    if (!order)
        order = version_compare(a->python_version, b->python_version);
    if (!order && a->distribution && b->distribution)
        order = (a->distribution->rank > b->distribution->rank) -
                (a->distribution->rank < b->distribution->rank);
    if (!order && a->image && b->image)
        order = version_compare(&a->image->cuda, &b->image->cuda);
    if (!order && a->tag && b->tag)
        order = rank_of(problem, b) - rank_of(problem, a);
    return order;
}

struct best {
    struct image_walk walk;
    struct candidate best;
    bool found;
};

static bool keep_best(struct image_walk *walk)
{
    struct best *best = (struct best *)walk;
    struct candidate *c = walk->candidate;
    for (size_t at = 0; set_python(c, at); at++) {
        if (objects(walk->problem, c, LEVEL_PYTHON, NULL))
            continue;
        if (!best->found || prefer(walk->problem, c, &best->best) > 0)
            best->best = *c;
        best->found = true;
    }
    return false;
}

/* Whether any Python will do, before the images are looked at. */
static bool has_python(const struct problem *problem, const struct candidate *candidate)
{
    struct candidate c = {.release = candidate->release, .build = candidate->build};
    for (size_t at = 0; set_python(&c, at); at++)
        if (!objects(problem, &c, LEVEL_PYTHON, NULL))
            return true;
    return false;
}

/* The best Python and image for a build, where there are any. */
static bool complete(const struct problem *problem, struct candidate *candidate)
{
    if (!has_python(problem, candidate))
        return false;
    struct best best = {{problem, candidate, keep_best, NULL}, {0}, false};
    walk_images(&best.walk);
    if (best.found)
        *candidate = best.best;
    return best.found;
}

/*
 * Releases first, then their builds, and only then images: an image never makes the framework
 * older. The framework is what was asked for, and for most builds the wheel brings its own CUDA
 * libraries; the image has to start and to have the glibc, which nearly any of them does.
 */
static bool search_with(struct candidate *out, const struct problem *problem)
{
    const struct framework *framework = problem->ask->framework;
    for (size_t i = 0; i < framework->releases.count; i++) {
        struct candidate c = {.release = ROW(struct release, framework->releases, i)};
        if (objects(problem, &c, LEVEL_RELEASE, NULL))
            continue;
        for (size_t j = 0; j < c.release->build_count; j++) {
            c.build = c.release->builds[j];
            if (objects(problem, &c, LEVEL_BUILD, NULL) || !complete(problem, &c))
                continue;
            *out = c;
            return true;
        }
    }
    return false;
}

/*
 * Four rounds: what is disliked most is allowed last. An image at its end of life is deleted by its
 * maintainers, so that a rebuild fails one day; a forward-compatibility package must be in the
 * image and is supported on some GPUs and branches only. Both are better than no answer, and worse
 * than an older release. Where nothing was passed over for that, to allow it would change nothing.
 */
bool search_tiers(struct candidate *out, struct problem *problem, const struct ask *ask,
                  uint64_t active)
{
    bool found = false;
    if (!budget_try_steps(1))
        return false;
    problem_init(problem, ask, active);
    problem->met = &problem->seen;
    for (int tier = 0; tier < 4 && !found; tier++) {
        problem->allow_forward = tier & 1;
        problem->allow_eol = tier >> 1 & 1;
        if ((problem->allow_forward && !problem->seen.forward) ||
            (problem->allow_eol && !problem->seen.eol))
            continue;
        found = search_with(out, problem);
    }
    problem->met = NULL;
    return found;
}

bool search_best(struct candidate *out, const struct ask *ask, uint64_t active)
{
    struct problem problem;
    return search_tiers(out, &problem, ask, active);
}

bool search_build(struct candidate *out, const struct problem *problem,
                  const struct release *release, const struct build *build)
{
    *out = (struct candidate){.release = release, .build = build};
    return !objects(problem, out, LEVEL_RELEASE, NULL) &&
           !objects(problem, out, LEVEL_BUILD, NULL) && complete(problem, out);
}

static bool look_on(struct image_walk *walk)
{
    (void)walk;
    return false;
}

void search_object_image(const struct problem *problem, struct candidate *candidate,
                         struct objection *objection)
{
    struct image_walk walk = {problem, candidate, look_on, objection};
    walk_images(&walk);
    if (objection->reason)
        return;
    set_image(candidate, NULL, NULL, NULL, NULL);
    objects(problem, candidate, LEVEL_IMAGE, objection);
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
    for (size_t at = 0; set_python(walk->candidate, at); at++)
        if (!objects(walk->problem, walk->candidate, LEVEL_PYTHON, NULL) &&
            visitor->visit(visitor->context, walk->candidate))
            return true;
    return false;
}

void search_walk(const struct problem *problem, candidate_fn visit, void *context)
{
    const struct framework *framework = problem->ask->framework;
    for (size_t i = 0; i < framework->releases.count; i++) {
        struct candidate c = {.release = ROW(struct release, framework->releases, i)};
        if (objects(problem, &c, LEVEL_RELEASE, NULL))
            continue;
        for (size_t j = 0; j < c.release->build_count; j++) {
            struct visitor visitor = {{problem, &c, pass_on, NULL}, visit, context};
            c.build = c.release->builds[j];
            if (!objects(problem, &c, LEVEL_BUILD, NULL) && has_python(problem, &c) &&
                walk_images(&visitor.walk))
                return;
        }
    }
}
