/* Which GPUs a build has kernels for, which builds a driver runs, and on what that relies. */
#include "resolver/rules/gpu_coverage.h"

#include <stdlib.h>

/*
 * Tegra, the GPUs of Jetson boards. Kernels for an older GPU of the same major run on later desktop
 * GPUs only (CUDA C Programming Guide 3.1.2; launches of sm_80 on an Orin fail: jax PR 40492), and
 * the libraries in wheels for servers hold no kernels for Tegra either.
 */
static bool is_tegra(int cc)
{
    return cc == 32 || cc == 53 || cc == 62 || cc == 72 || cc == 87;
}

static bool within_bounds(const struct build *build, int cc)
{
    return (!build->cc_min || cc >= build->cc_min) && (!build->cc_max || cc <= build->cc_max) &&
           !has_cc(&build->not_covered, cc);
}

const struct ccs *cubins_of(const struct build *build, const char *arch)
{
    return str_equal(arch, "x86_64") ? &build->x86_64 : &build->aarch64;
}

int covering_cubin(const struct build *build, const char *arch, int cc)
{
    const struct ccs *cubins = cubins_of(build, arch);
    int best = 0;
    if (is_tegra(cc) && !has_cc(cubins, cc))
        return 0;
    for (size_t i = 0; i < cubins->count && within_bounds(build, cc); i++)
        if (cubins->items[i] / 10 == cc / 10 && cubins->items[i] <= cc && cubins->items[i] > best)
            best = cubins->items[i];
    return best;
}

int covering_ptx(const struct build *build, const char *arch, int cc)
{
    return build->ptx && cc >= build->ptx && !is_tegra(cc) && within_bounds(build, cc) &&
                   build_has_processor(build, arch)
               ? build->ptx
               : 0;
}

bool covered_by_bounds(const struct build *build, int cc)
{
    return build->cuda.text && !is_tegra(cc) && !build->x86_64.count && !build->aarch64.count &&
           within_bounds(build, cc);
}

bool toolkit_makes(const struct matrix *matrix, const struct version *cuda, int cc)
{
    const struct ccs *ccs = capabilities_of(matrix, cuda);
    return !ccs || has_cc(ccs, cc);
}

bool covers_unseen(const struct problem *p, const struct build *build, int cc)
{
    return covered_by_bounds(build, cc) &&
           (build->images.count || toolkit_makes(p->ask->matrix, &build->cuda, cc));
}

bool compiles_ptx(const struct problem *p, const struct build *build)
{
    enum reliance how;
    if (p->host.driver) {
        how = driver_reliance(p, build, &build->cuda, &p->host.driver->version,
                              p->host.driver->branch);
        return how != RELIES_MINOR;
    }
    for (size_t i = 0; i < p->branch_count; i++) {
        struct version last = {.release = {(uint64_t)p->branches[i]->number, LAST_RELEASE},
                               .count = 2};
        if (driver_reliance(p, build, &build->cuda, &last, p->branches[i]) == RELIES_NATIVE)
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ cuDNN */

static bool lacks_kernels(const struct cudnn *row, int cc)
{
    return cc < row->range.items[0] || cc > row->range.items[row->range.count - 1] ||
           has_cc(&row->without, cc);
}

bool cudnn_lacks(const struct problem *p, const struct version *cudnn, const struct version *cuda,
                 struct objection *out)
{
    const struct matrix *matrix = p->ask->matrix;
    for (size_t i = 0; i < matrix->cudnns.count; i++) {
        const struct cudnn *row = ROW(struct cudnn, matrix->cudnns, i);
        if (!spec_matches(&row->cudnn, cudnn) || !spec_matches(&row->cuda, cuda))
            continue;
        for (size_t j = 0; j < p->gpu_count; j++) {
            int cc = p->gpus[j]->cc;
            if (lacks_kernels(row, cc))
                return object(out, "cudnn", &row->fact,
                              "cuDNN %s has no kernels for %s (compute capability %d.%d)",
                              cudnn->text, p->gpus[j]->name, cc / 10, cc % 10);
        }
    }
    return false;
}

const struct cudnn *cudnn_choice(const struct problem *p, const struct build *build, bool *newest)
{
    const struct matrix *matrix = p->ask->matrix;
    const struct cudnn *best = NULL, *last = NULL;
    for (size_t i = 0; i < matrix->cudnns.count; i++) {
        const struct cudnn *row = ROW(struct cudnn, matrix->cudnns, i);
        bool covers = true;
        if (!spec_matches(&row->cuda, &build->cuda) ||
            !spec_overlaps(&row->cudnn, &build->cudnn_window))
            continue;
        for (size_t j = 0; j < p->gpu_count; j++)
            covers &= !lacks_kernels(row, p->gpus[j]->cc);
        if (!last ||
            version_compare(&row->cudnn.clauses[0].version, &last->cudnn.clauses[0].version) > 0)
            last = row;
        if (covers && (!best || version_compare(&row->cudnn.clauses[0].version,
                                                &best->cudnn.clauses[0].version) > 0))
            best = row;
    }
    *newest = best == last;
    return best;
}

/* ------------------------------------------------------------------ drivers */

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
