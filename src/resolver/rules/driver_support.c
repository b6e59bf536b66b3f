/* What a driver runs, and what it relies on for that. */
#include "resolver/rules/driver_support.h"

#include <stdlib.h>

static bool at_least(const struct version *driver, const struct version *floor)
{
    return version_compare(driver, floor) >= 0;
}

const struct forward *forward_of(const struct problem *problem, const struct build *build,
                                 const struct branch *branch)
{
    const struct matrix *matrix = problem->ask->matrix;
    bool barred = is_active(problem, CHOICE_PLATFORM) && problem->ask->platform->no_forward;
    if (!branch || barred)
        return NULL;
    for (size_t i = 0; i < matrix->forwards.count; i++) {
        const struct forward *row = ROW(struct forward, matrix->forwards, i);
        if (!same_minor(&row->cuda, &build->cuda))
            continue;
        for (size_t j = 0; j < row->branches.count; j++)
            if (atoll(row->branches.items[j]) == branch->number)
                return row;
    }
    return NULL;
}

enum reliance driver_reliance(const struct problem *problem, const struct build *build,
                              const struct version *cuda, const struct version *driver,
                              const struct branch *branch)
{
    const struct matrix *matrix = problem->ask->matrix;
    bool of_build = cuda == &build->cuda;
    const struct toolkit *toolkit = of_build ? build->toolkit : toolkit_of(matrix, cuda);
    const struct minor_floor *floor = of_build ? build->floor : floor_of(matrix, cuda);
    bool own = !build->driver.text || at_least(driver, &build->driver);
    if (own && toolkit && at_least(driver, &toolkit->driver))
        return RELIES_NATIVE;
    if (own && floor && at_least(driver, &floor->driver))
        return RELIES_MINOR;
    bool of_branch = branch && (uint64_t)branch->number == driver->release[0];
    if (!problem->all_datacenter || !problem->host.driver || !of_branch ||
        !forward_of(problem, build, branch))
        return RELIES_NOT;
    if (problem->met)
        problem->met->forward = true;
    return problem->allow_forward ? RELIES_FORWARD : RELIES_NOT;
}

const struct version *driver_floor(const struct matrix *matrix, const struct build *build,
                                   const struct fact **fact)
{
    const struct toolkit *toolkit = toolkit_of(matrix, &build->cuda);
    const struct minor_floor *floor = floor_of(matrix, &build->cuda);
    *fact = floor ? &floor->fact : toolkit ? &toolkit->fact : &build->fact;
    if (build->driver.text) {
        *fact = &build->fact;
        return &build->driver;
    }
    return floor ? &floor->driver : toolkit ? &toolkit->driver : NULL;
}
