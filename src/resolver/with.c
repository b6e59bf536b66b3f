/* Packages that must live with the framework in one environment. */
#include "resolver/with.h"

#include "base/arena.h"

#include <string.h>

/* ------------------------------------------------------------------ another framework */

static uint64_t cudnn_major(const struct build *build)
{
    if (!build->cudnn)
        return 0;
    return build->cudnn_window.count ? build->cudnn_window.clauses[0].version.release[0]
                                     : build->cudnn_version.release[0];
}

/*
 * Two frameworks in one process share one libcudart, one libcublas, one libcudnn: the loader keeps
 * the first of a name that it meets, and names hold the major alone (libcudnn.so.9).
 */
static bool majors_differ(const struct problem *p, const struct candidate *c,
                          const struct candidate *other, struct objection *out)
{
    const struct version *cuda = candidate_cuda(c), *theirs = candidate_cuda(other);
    uint64_t cudnn = cudnn_major(c->build), their_cudnn = cudnn_major(other->build);
    if (cuda->release[0] != theirs->release[0])
        return object(out, "cuda", &other->build->fact,
                      "%s %s is built for CUDA %s, %s %s for CUDA %s: one process takes one major",
                      p->ask->framework->name, c->release->version.text, c->build->cuda.text,
                      other->build->variant, other->release->version.text, other->build->cuda.text);
    if (cudnn && their_cudnn && cudnn != their_cudnn)
        return object(out, "cudnn", &other->build->fact,
                      "%s %s is built for cuDNN %s, the other for %s: one process takes one major",
                      p->ask->framework->name, c->release->version.text, c->build->cudnn,
                      other->build->cudnn);
    return false;
}

/* How far a partner got; a later objection says more. */
enum partner_stage {
    STAGE_NONE,
    STAGE_RELEASE,
    STAGE_PYTHON,
    STAGE_BUILD,
    STAGE_MAJORS,
    STAGE_IMAGE
};

struct partner_search {
    const struct problem *problem; /* of the candidate */
    const struct problem *theirs;  /* of the partner */
    const struct candidate *candidate;
    struct objection *out;
    enum partner_stage stage;
};

/* Keeps the objection of the furthest stage; false. */
static bool keep(struct partner_search *search, enum partner_stage stage,
                 const struct objection *objection)
{
    if (search->out && stage > search->stage) {
        search->stage = stage;
        *search->out = *objection;
    }
    return false;
}

static bool try_build(struct partner_search *search, struct candidate *partner)
{
    struct objection objection = {.arena = search->out ? search->out->arena : NULL};
    bool cpu = !search->candidate->build->cuda.text;
    if (cpu)
        return !partner->build->cuda.text &&
               build_has_processor(partner->build, search->problem->arch);
    if (rules_object(search->theirs, partner, LEVEL_BUILD, &objection))
        return keep(search, STAGE_BUILD, &objection);
    if (majors_differ(search->problem, search->candidate, partner, &objection))
        return keep(search, STAGE_MAJORS, &objection);
    if ((partner->image || partner->plain || partner->named) &&
        rules_object(search->theirs, partner, LEVEL_IMAGE, &objection))
        return keep(search, STAGE_IMAGE, &objection);
    return true;
}

static bool try_release(struct partner_search *search, struct candidate *partner)
{
    struct objection objection = {.arena = search->out ? search->out->arena : NULL};
    const struct release *release = partner->release;
    if (rules_object(search->theirs, partner, LEVEL_RELEASE, &objection))
        return keep(search, STAGE_RELEASE, &objection);
    if (!words_have(&release->pythons, partner->python) &&
        !words_have(&release->experimental, partner->python)) {
        object(&objection, "python", &release->fact, "%s %s has no wheel for Python %s",
               search->theirs->ask->framework->name, release->version.text, partner->python);
        return keep(search, STAGE_PYTHON, &objection);
    }
    for (size_t i = 0; i < release->build_count; i++) {
        partner->build = release->builds[i];
        if (try_build(search, partner))
            return true;
    }
    return false;
}

bool with_partner(struct candidate *partner, const struct problem *problem,
                  const struct candidate *candidate, const struct asked_package *package,
                  struct objection *out)
{
    struct problem theirs = *problem;
    struct partner_search search = {problem, &theirs, candidate, out, STAGE_NONE};
    theirs.ask = package->partner;
    *partner = *candidate;
    for (size_t i = 0; i < theirs.ask->framework->releases.count; i++) {
        partner->release = ROW(struct release, theirs.ask->framework->releases, i);
        if (try_release(&search, partner))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ every package */

/* Whether the release wants another version of the package: `numpy<2` against numpy 2.1. */
static bool pins_differ(const struct candidate *c, const struct asked_package *package,
                        struct objection *out)
{
    ARENA_SCRATCH(scratch);
    char *copy = arena_strdup(&scratch, c->release->requires ? c->release->requires : "");
    char *save = NULL;
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        ERR_SCRATCH(err);
        struct spec pin;
        const char *name = package_name(&scratch, word);
        if (!str_equal(name, package->name) ||
            spec_parse(&pin, &scratch, word + strlen(name), "requires", &err))
            continue;
        if (!spec_overlaps(&pin, &package->spec))
            return object(out, "framework", &c->release->fact, "%s needs %s",
                          c->release->version.text, word);
    }
    return false;
}

static bool package_objects(const struct problem *p, const struct candidate *c,
                            const struct asked_package *package, struct objection *out)
{
    const char *companion = pair_value(&c->release->companions, package->name);
    struct version version;
    struct candidate partner;
    if (words_have(&p->ask->framework->packages, package->name) &&
        !spec_matches(&package->spec, &c->release->version))
        return object(out, "framework", &c->release->fact, "%s %s is not %s", package->name,
                      c->release->version.text, package->spec.text);
    if (companion && !version_parse(&version, companion) && !spec_matches(&package->spec, &version))
        return object(out, "framework", &c->release->fact, "%s %s goes with %s %s, which is not %s",
                      p->ask->framework->name, c->release->version.text, package->name, companion,
                      package->spec.text);
    if (pins_differ(c, package, out))
        return true;
    return package->partner && !with_partner(&partner, p, c, package, out);
}

bool with_objects(const struct problem *problem, const struct candidate *candidate,
                  struct objection *out)
{
    const struct ask *ask = problem->ask;
    for (size_t i = 0; i < ask->demand_count; i++)
        if (ask->demands[i].choice == CHOICE_WITH && problem->active >> i & 1 &&
            package_objects(problem, candidate, &ask->with[ask->demands[i].index], out))
            return true;
    return false;
}
