/* The consequences of a chosen candidate: its driver, its partners, the rows behind it. */
#include "resolver/search/chosen_set.h"

bool chosen_has(const struct chosen_set *s, size_t member)
{
    return member > 0 && member < s->ask->members.count && s->picks[member].release;
}

bool chosen_is_shadowed(const struct chosen_set *s)
{
    const struct candidate *c = s->candidate;
    const struct library_path *row;
    if (!c->image || !c->build->cuda.text ||
        !str_equal(supply_of(s->ask->framework, c->build), "wheel") ||
        str_equal(s->ask->framework->library_path, "keep"))
        return false;
    row = library_path_of(s->ask->matrix, &c->image->cuda);
    return row && row->shadows;
}

static const struct version *later(const struct version *a, const struct version *b)
{
    return !a || (b && version_compare(b, a) > 0) ? b : a;
}

/* The highest of the floors of all builds. */
static const struct version *highest_floor(const struct chosen_set *s)
{
    const struct fact *fact;
    const struct version *lowest = driver_floor(s->ask->matrix, s->candidate->build, &fact);
    for (size_t i = 0; i < s->ask->members.count; i++)
        if (chosen_has(s, i) && s->picks[i].build->cuda.text)
            lowest = later(lowest, driver_floor(s->ask->matrix, s->picks[i].build, &fact));
    return lowest;
}

/*
 * The newest of three floors, since a host must meet them all: CUDA's, that of the GPUs, and where
 * PTX must be compiled that of the toolkit.
 */
static const struct version *minimum_driver(const struct chosen_set *s)
{
    const struct matrix *matrix = s->ask->matrix;
    const struct build *build = s->candidate->build;
    if (!build->cuda.text)
        return NULL;
    const struct version *lowest = highest_floor(s);
    for (size_t i = 0; i < s->problem->gpu_count; i++) {
        const struct asked_gpu *gpu = s->problem->gpus[i];
        const struct version *first = &gpu->architecture->first_cuda;
        const struct toolkit *toolkit = first->text ? toolkit_of(matrix, first) : NULL;
        if (toolkit)
            lowest = later(lowest, &toolkit->driver);
        toolkit = toolkit_of(matrix, &build->cuda);
        if (toolkit && !covering_cubin(build, s->problem->arch, gpu->cc) &&
            !covered_by_bounds(build, gpu->cc))
            lowest = later(lowest, &toolkit->driver);
    }
    return lowest;
}

static enum reliance reliance_of(const struct chosen_set *s)
{
    const struct asked_driver *driver = s->problem->host.driver;
    const struct build *build = s->candidate->build;
    if (!build->cuda.text)
        return RELIES_NOT;
    if (driver)
        return driver_reliance(s->problem, build, candidate_cuda(s->candidate), &driver->version,
                               driver->branch);
    return s->minimum
               ? driver_reliance(s->problem, build, candidate_cuda(s->candidate), s->minimum, NULL)
               : RELIES_NOT;
}

static size_t add_fact(const struct fact **facts, size_t count, const struct fact *fact)
{
    if (fact && *fact->source && count < FACTS_MAX)
        facts[count++] = fact;
    return count;
}

size_t chosen_facts(const struct fact *facts[FACTS_MAX], const struct chosen_set *s)
{
    const struct candidate *c = s->candidate;
    const struct asked_driver *driver = s->problem->host.driver;
    const struct fact *floor = NULL;
    size_t count = add_fact(facts, 0, &c->release->fact);
    count = add_fact(facts, count, &c->build->fact);
    if (c->build->cuda.text && driver_floor(s->ask->matrix, c->build, &floor))
        count = add_fact(facts, count, floor);
    if (driver && driver->branch)
        count = add_fact(facts, count, &driver->branch->fact);
    if (driver && s->reliance == RELIES_FORWARD)
        count = add_fact(facts, count, &forward_of(s->problem, c->build, driver->branch)->fact);
    if (s->problem->host.by_platform)
        count = add_fact(facts, count, &s->ask->platform->fact);
    for (size_t i = 0; i < s->problem->gpu_count; i++) {
        const struct asked_gpu *gpu = s->problem->gpus[i];
        count = add_fact(facts, count, gpu->gpu ? &gpu->gpu->fact : &gpu->architecture->fact);
    }
    for (size_t i = 0; i < s->ask->members.count; i++) {
        if (!chosen_has(s, i))
            continue;
        count = add_fact(facts, count, &s->picks[i].release->fact);
        count = add_fact(facts, count, &s->picks[i].build->fact);
    }
    if (c->image)
        count = add_fact(facts, count, &c->image->fact);
    return add_fact(facts, count, c->plain ? &c->plain->fact : NULL);
}

void chosen_init(struct chosen_set *out, struct arena *arena, const struct problem *problem,
                 const struct candidate *candidate)
{
    *out = (struct chosen_set){arena, problem->ask, problem, candidate, RELIES_NOT, NULL, {{0}}};
    with_find(out->picks, problem, candidate, NULL);
    out->minimum = minimum_driver(out);
    out->reliance = reliance_of(out);
}
