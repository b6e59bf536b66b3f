/* A candidate, the problem that it must solve, and the objection where it does not. */
#include "resolver/search/problem.h"

#include "base/arena.h"

#include <stdarg.h>

bool is_active(const struct problem *problem, int demand)
{
    int at = problem->ask->at[demand];
    return at >= 0 && problem->active >> at & 1;
}

const struct spec *asked_spec(const struct problem *p, int demand)
{
    return is_active(p, demand) ? &p->ask->specs[demand] : NULL;
}

bool object(struct objection *out, const char *reason, const struct fact *fact, const char *format,
            ...)
{
    if (!out)
        return true;
    out->reason = reason;
    out->source = fact ? fact->source : NULL;
    if (!out->arena)
        return true;
    va_list args;
    va_start(args, format);
    out->because = arena_vprintf(out->arena, format, args);
    va_end(args);
    return true;
}

bool branch_drives(const struct branch *branch, uint64_t number,
                   const struct architecture *architecture)
{
    if (architecture->last_branch && number > (uint64_t)architecture->last_branch)
        return false;
    if (!architecture->first_cuda.text)
        return true;
    return branch && version_compare_parts(&branch->cuda, &architecture->first_cuda, 2) >= 0;
}

static bool drives_all(const struct problem *problem, const struct branch *branch)
{
    for (size_t i = 0; i < problem->gpu_count; i++)
        if (!branch_drives(branch, (uint64_t)branch->number, problem->gpus[i]->architecture))
            return false;
    return true;
}

static void find_branches(struct problem *problem)
{
    const struct matrix *matrix = problem->ask->matrix;
    for (size_t i = 0; i < matrix->branches.count && problem->branch_count < 64; i++) {
        const struct branch *branch = ROW(struct branch, matrix->branches, i);
        if (drives_all(problem, branch))
            problem->branches[problem->branch_count++] = branch;
    }
}

/* The driver that the platform installs; for newer GPUs its first later one that drives them. */
static const struct asked_driver *driver_of_platform(const struct problem *problem)
{
    const struct demands *ask = problem->ask;
    const struct asked_driver *usual = &ask->platform_driver;
    if (!usual->said || (usual->branch && drives_all(problem, usual->branch)))
        return usual->said ? usual : NULL;
    for (size_t i = 0; i < ask->latest_count; i++)
        if (ask->platform_latest[i].branch && drives_all(problem, ask->platform_latest[i].branch))
            return &ask->platform_latest[i];
    return usual;
}

/* The requested processor, else that of the platform or a GPU, else the usual one. */
static const char *processor_of(const struct problem *problem)
{
    const struct demands *ask = problem->ask;
    if (is_active(problem, CHOICE_ARCH))
        return ask->arch;
    if (is_active(problem, CHOICE_PLATFORM) && ask->platform->processors.count)
        return ask->platform->processors.items[0];
    for (size_t i = 0; i < problem->gpu_count; i++)
        if (problem->gpus[i]->gpu && problem->gpus[i]->gpu->host)
            return problem->gpus[i]->gpu->host;
    return "x86_64";
}

void problem_init(struct problem *out, const struct demands *ask, uint64_t active)
{
    *out = (struct problem){.ask = ask, .active = active};
    out->allow_forward = out->allow_eol = true;
    if (is_active(out, CHOICE_RUNTIME))
        out->cdi = ask->cdi;
    for (size_t i = 0; i < ask->demand_count; i++)
        if (ask->demands[i].choice == CHOICE_GPU && active >> i & 1)
            out->gpus[out->gpu_count++] = &ask->gpus[ask->demands[i].index];
    out->all_datacenter = out->gpu_count > 0;
    for (size_t i = 0; i < out->gpu_count; i++)
        if (!out->gpus[i]->gpu || !str_equal(out->gpus[i]->gpu->class, "datacenter"))
            out->all_datacenter = false;
    if (is_active(out, CHOICE_DRIVER))
        out->host = (struct host_driver){&ask->driver, false};
    else if (is_active(out, CHOICE_PLATFORM) && driver_of_platform(out))
        out->host = (struct host_driver){driver_of_platform(out), true};
    out->arch = processor_of(out);
    if (!out->host.driver)
        find_branches(out);
}

/* ------------------------------------------------------------------ candidates */

const struct version *candidate_cuda(const struct candidate *c)
{
    return c->build->images.count && c->image ? &c->image->cuda : &c->build->cuda;
}

const char *image_text(struct arena *arena, const struct demands *ask, const struct candidate *c)
{
    if (c->named)
        return ask->image.said;
    if (c->plain)
        return arena_printf(arena, "%s:%s", c->plain->repository, c->plain->tag);
    if (!c->image)
        return "no image";
    return arena_printf(arena, "%s:%s", ask->matrix->repository, tag_text(arena, c->image, c->tag));
}
