/* What of a stack is there on a machine without a GPU. */
#include "resolver/result/on_cpu.h"

#include "resolver/search/members.h"

static const struct build *first_without_cuda(const struct build *const *builds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!builds[i]->cuda.text)
            return builds[i];
    return NULL;
}

/* Whether some release has a build for CPUs: then wheels with CUDA serve there, too. */
static bool knows_cpus(const struct framework *row)
{
    for (size_t i = 0; i < row->builds.count; i++)
        if (!ROW(struct build, row->builds, i)->cuda.text)
            return true;
    return false;
}

/* Of a framework: its build for CPUs, else the one with CUDA where that starts without. */
static const struct build *build_on_cpu(const struct framework *row,
                                        const struct package_pick *pick)
{
    const struct build *build =
        first_without_cuda(pick->release->builds, pick->release->build_count);
    if (build || !pick->build->cuda.text)
        return build ? build : pick->build;
    return knows_cpus(row) ? pick->build : NULL;
}

/* Whether a package is for the build of its framework there; not what only nvcc compiles. */
static bool package_on_cpu(const struct on_cpu *out, const struct member *member,
                           const struct package_pick *pick)
{
    const struct members *members = &out->chosen.ask->members;
    if (str_equal(member->row->supply, "build") || pick->build->cuda.text)
        return false;
    for (size_t i = 0; i < members->count; i++) {
        const struct package_pick *ground = &out->chosen.picks[i];
        if (str_equal(members->items[i].row->name, member->row->on))
            return ground->release &&
                   (!pick->release->variants.count ||
                    words_have(&pick->release->variants, ground->build->variant));
    }
    return true;
}

bool chosen_on_cpu(struct on_cpu *out, const struct chosen_set *s)
{
    const struct members *members = &s->ask->members;
    const struct package_pick own = {s->candidate->release, s->candidate->build};
    *out = (struct on_cpu){.chosen = *s, .problem = *s->problem, .candidate = *s->candidate};
    out->chosen.problem = &out->problem;
    out->chosen.candidate = &out->candidate;
    if (is_active(s->problem, CHOICE_VARIANT))
        out->problem.active &= ~((uint64_t)1 << s->ask->at[CHOICE_VARIANT]);
    out->candidate.build = build_on_cpu(s->ask->framework, &own);
    for (size_t i = 0; i < members->count; i++) { /* frameworks first */
        const struct framework *row = members->items[i].row;
        struct package_pick *pick = &out->chosen.picks[i];
        if (!pick->release)
            continue;
        if (!row->on)
            pick->build = build_on_cpu(row, pick);
        if (row->on ? !package_on_cpu(out, &members->items[i], pick) : !pick->build)
            pick->release = NULL;
    }
    return out->candidate.build != NULL;
}
