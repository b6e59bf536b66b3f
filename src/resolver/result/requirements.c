/* What to install, in which steps and from where. */
#include "resolver/search/chosen_set.h"

#include "base/arena.h"
#include "data/document.h"
#include "resolver/search/members.h"

#include <stdlib.h>
#include <string.h>

/* Installed from an index of its own, from pip's, compiled. */
struct installation {
    const struct chosen_set *s;
    const char *index_url; /* NULL: only pip's own */
    struct data *all, *index, *build;
};

static void push(struct installation *steps, struct data *step, const char *text)
{
    struct arena *arena = steps->s->arena;
    struct words words = words_read(arena, text ? text : "");
    for (size_t i = 0; i < words.count; i++) {
        data_push(arena, steps->all, data_str(arena, words.items[i]));
        if (step)
            data_push(arena, step, data_str(arena, words.items[i]));
    }
}

/* The index of its own that a member's wheels are on; NULL: there is none. */
static const char *index_url(const struct chosen_set *s)
{
    const struct package_pick own = {s->candidate->release, s->candidate->build};
    const char *url = index_of(s->arena, s->problem, s->ask->framework, &own);
    for (size_t i = 0; !url && i < s->ask->members.count; i++)
        if (chosen_has(s, i))
            url = index_of(s->arena, s->problem, s->ask->members.items[i].row, &s->picks[i]);
    return url;
}

/* The additional page that a member's wheels are on; NULL: there is none. */
static const char *find_links(const struct chosen_set *s)
{
    const char *url = s->candidate->build->find_links;
    for (size_t i = 0; !url && i < s->ask->members.count; i++)
        if (chosen_has(s, i))
            url = s->picks[i].build->find_links;
    return url;
}

/* ------------------------------------------------------------------ members */

/* "[deepspeed]" where the user asked for that extra, or "". */
static const char *extras_of(const struct chosen_set *s, const struct framework *row)
{
    for (size_t i = 0; i < s->ask->with_count; i++) {
        const struct asked_package *package = &s->ask->with[i];
        const char *extras = package->said + strlen(package->name);
        if (package->row == row && *extras == '[')
            return arena_memdup(s->arena, extras, (size_t)(package_spec(package->said) - extras));
    }
    return "";
}

/* The requirement that installs it: `torch=={version}`, filled in. */
static const char *requirement_of(const struct chosen_set *s, const struct framework *row,
                                  const struct package_pick *pick)
{
    const char *text = pick->build->requirements ? pick->build->requirements : row->requirements;
    const char *extras = extras_of(s, row);
    size_t name = strcspn(text, "[=<>~! ");
    if (*extras && text[name] != '[')
        text = arena_printf(s->arena, "%.*s%s%s", (int)name, text, extras, text + name);
    return fill_text(s->arena, text, pick->release, pick->build);
}

/* True where its wheels are on the index of the framework that it lives on. */
static bool is_on_index(const struct installation *steps, size_t at)
{
    const struct chosen_set *s = steps->s;
    const struct framework *row = s->ask->members.items[at].row;
    if (!row->on)
        return index_of(s->arena, s->problem, row, &s->picks[at]) != NULL;
    for (size_t i = 0; row->index && i < s->ask->members.count; i++)
        if (str_equal(s->ask->members.items[i].row->name, row->on))
            return index_of(s->arena, s->problem, s->ask->members.items[i].row, &s->picks[i]) !=
                   NULL;
    return false;
}

static void push_member(struct installation *steps, size_t at)
{
    const struct chosen_set *s = steps->s;
    const struct framework *row = s->ask->members.items[at].row;
    struct data *step = is_on_index(steps, at) ? steps->index : NULL;
    if (str_equal(row->supply, "build"))
        step = steps->build;
    push(steps, step, requirement_of(s, row, &s->picks[at]));
    if (!row->on)
        push(steps, NULL, s->picks[at].release->requires); /* what its wheel does not declare */
}

static void push_framework(struct installation *steps, const char *cudnn_bound)
{
    const struct candidate *c = steps->s->candidate;
    const struct package_pick pick = {c->release, c->build};
    const struct framework *row = steps->s->ask->framework;
    bool has_index = index_of(steps->s->arena, steps->s->problem, row, &pick) != NULL;
    push(steps, has_index ? steps->index : NULL, requirement_of(steps->s, row, &pick));
    push(steps, NULL, c->release->requires);
    if (cudnn_bound && c->build->cudnn_package)
        push(steps, NULL,
             arena_printf(steps->s->arena, "%s<%s", c->build->cudnn_package, cudnn_bound));
}

/* ------------------------------------------------------------------ packages without a row */

static int by_text(const void *a, const void *b)
{
    return strcmp((*(const struct asked_package *const *)a)->said,
                  (*(const struct asked_package *const *)b)->said);
}

/* As the user gave it, or pinned to the companion that the framework's release names. */
static void push_unknown(struct installation *steps, const struct asked_package *package)
{
    const struct chosen_set *s = steps->s;
    const char *companion = pair_value(&s->candidate->release->companions, package->name);
    const char *text = package->said, *spec = package_spec(text);
    if (companion)
        text = arena_printf(s->arena, "%s==%s", package->name, companion);
    else if (*spec >= '0' && *spec <= '9')
        text = arena_printf(s->arena, "%.*s==%s.*", (int)(spec - text), text, spec);
    push(steps, companion && steps->index_url ? steps->index : NULL, text);
}

static void push_unknowns(struct installation *steps)
{
    const struct demands *ask = steps->s->ask;
    const struct asked_package *unknown[WITH_MAX];
    size_t count = 0;
    for (size_t i = 0; i < ask->with_count; i++)
        if (!ask->with[i].row)
            unknown[count++] = &ask->with[i];
    qsort(unknown, count, sizeof(*unknown), by_text);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || by_text(&unknown[i - 1], &unknown[i]) != 0)
            push_unknown(steps, unknown[i]);
}

/* ------------------------------------------------------------------ the stage that compiles */

static const struct tag *devel_tag(const struct image *image, const struct distribution *os)
{
    for (size_t i = 0; i < image->tag_count; i++)
        if (str_equal(image->tags[i].flavour, "devel") && image->tags[i].distribution == os)
            return &image->tags[i];
    return NULL;
}

/* The rank of an image for compiling for a CUDA; 0: the image has another CUDA. */
static int rank_image(const struct image *image, const struct version *cuda)
{
    if (image->cuda.release[0] != cuda->release[0] || image->fact.confidence == CONFIDENCE_LOW)
        return 0;
    return 1 + 2 * same_minor(&image->cuda, cuda) + !str_equal(image->state, "eol");
}

static struct data *build_image(const struct chosen_set *s)
{
    const struct candidate *c = s->candidate;
    const struct image *best = NULL;
    const struct version *cuda = &c->build->cuda;
    for (size_t i = 0; cuda->text && i < s->ask->matrix->images.count; i++) {
        const struct image *image = ROW(struct image, s->ask->matrix->images, i);
        if (rank_image(image, cuda) && devel_tag(image, c->distribution) &&
            (!best || rank_image(image, cuda) >= rank_image(best, cuda))) /* later rows are newer */
            best = image;
    }
    if (!best)
        return data_null(s->arena);
    return data_of(s->arena, FIELD("repository", s->ask->matrix->repository),
                   FIELD("tag", tag_text(s->arena, best, devel_tag(best, c->distribution))));
}

/* ------------------------------------------------------------------ on a machine without a GPU */

struct on_cpu {
    struct chosen_set chosen;
    struct problem problem; /* the request, with other builds */
    struct candidate candidate;
};

/* True where some release has a build for CPUs: then wheels with CUDA work there, too. */
static bool knows_cpus(const struct framework *row)
{
    for (size_t i = 0; i < row->builds.count; i++)
        if (!ROW(struct build, row->builds, i)->cuda.text)
            return true;
    return false;
}

/* A framework's build for CPUs, else the one with CUDA where that starts without a GPU. */
static const struct build *build_on_cpu(const struct framework *row,
                                        const struct package_pick *pick)
{
    for (size_t i = 0; i < pick->release->build_count; i++)
        if (!pick->release->builds[i]->cuda.text)
            return pick->release->builds[i];
    return !pick->build->cuda.text || knows_cpus(row) ? pick->build : NULL;
}

/* True where a package goes with its framework's build there; false for what only nvcc compiles. */
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

/*
 * Finds the builds for CPUs of the same releases, without packages for GPUs alone; the new picks
 * point into `out`. False: the framework itself is for GPUs alone.
 */
static bool chosen_on_cpu(struct on_cpu *out, const struct chosen_set *s)
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

/* ------------------------------------------------------------------ the lists */

static struct installation collect(const struct chosen_set *s, const char *cudnn_bound)
{
    struct arena *arena = s->arena;
    struct installation steps = {s, index_url(s), data_list(arena), data_list(arena),
                                 data_list(arena)};
    push_framework(&steps, cudnn_bound);
    for (size_t i = 0; i < s->ask->members.count; i++)
        if (chosen_has(s, i))
            push_member(&steps, i);
    push_unknowns(&steps);
    return steps;
}

static void put_steps(struct data *map, const struct installation *steps)
{
    struct arena *arena = steps->s->arena;
    data_add(arena, map, FIELD("requirements", steps->all), FIELD("index_url", steps->index_url),
             FIELD("index_requirements", steps->index));
}

static struct data *cpu_part(const struct chosen_set *s)
{
    struct on_cpu cpu;
    if (!chosen_on_cpu(&cpu, s))
        return data_null(s->arena);
    struct data *map = data_map(s->arena);
    struct installation steps = collect(&cpu.chosen, NULL);
    put_steps(map, &steps);
    return map;
}

void put_requirements(struct data *map, const struct chosen_set *s, const char *cudnn_bound)
{
    struct installation steps = collect(s, cudnn_bound);
    put_steps(map, &steps);
    data_add(s->arena, map, FIELD("find_links", find_links(s)),
             FIELD("build_requirements", steps.build),
             FIELD("build_image", steps.build->list.count ? build_image(s) : data_null(s->arena)),
             FIELD("cpu", cpu_part(s)));
}
