/* What would fit: for each demand, the smallest change that alone suffices. */
#include "resolver/nearest.h"

#include "base/arena.h"
#include "base/data.h"
#include "resolver/nearest_sets.h"
#include "resolver/trials.h"

#include <stdlib.h>
#include <string.h>

#define RUNGS_MAX 256

/* One change. */
static bool try_request(const struct trials *n, const struct stack_request *changed,
                        enum stack_choice choice, const char *value)
{
    struct data *list = data_list(n->arena);
    data_push(n->arena, list, change_text(n->arena, choice, value));
    return try_changed(n, changed, list);
}

/* ------------------------------------------------------------------ one word for another */

/* Values of which the closest on either side of the demand are wanted, in ascending order. */
struct rung {
    struct version version;
    const char *value;
};

struct ladder {
    struct rung rungs[RUNGS_MAX];
    size_t count;
};

static void add_rung(struct ladder *ladder, const struct version *version, const char *value)
{
    size_t at = ladder->count;
    for (size_t i = 0; i < ladder->count; i++)
        if (version_compare(&ladder->rungs[i].version, version) == 0)
            return;
    if (at == RUNGS_MAX)
        return;
    for (; at > 0 && version_compare(&ladder->rungs[at - 1].version, version) > 0; at--)
        ladder->rungs[at] = ladder->rungs[at - 1];
    ladder->rungs[at] = (struct rung){*version, value};
    ladder->count++;
}

static bool try_value(const struct trials *n, enum stack_choice choice, const char *value)
{
    struct stack_request changed = *n->request;
    request_say(&changed, n->arena, choice, value);
    return try_request(n, &changed, choice, value);
}

/* Tries upwards from `above` and downwards from below `below`; the first that works each way. */
static void try_both_ways(const struct trials *n, const struct ladder *ladder, size_t above,
                          size_t below, enum stack_choice choice)
{
    for (size_t i = above; i < ladder->count; i++)
        if (try_value(n, choice, ladder->rungs[i].value))
            break;
    for (size_t i = below; i-- > 0;)
        if (try_value(n, choice, ladder->rungs[i].value))
            break;
}

/* The closest values outside a SPEC, or around the version that it names where none is inside. */
static void try_around_spec(const struct trials *n, const struct ladder *ladder,
                            const struct spec *spec, enum stack_choice choice)
{
    size_t first = ladder->count, last = 0, above = 0;
    for (size_t i = 0; i < ladder->count; i++) {
        if (spec_matches(spec, &ladder->rungs[i].version)) {
            first = i < first ? i : first;
            last = i + 1;
        }
        if (version_compare(&ladder->rungs[i].version, &spec->clauses[0].version) <= 0)
            above = i + 1;
    }
    if (first == ladder->count)
        first = last = above;
    try_both_ways(n, ladder, last, first, choice);
}

/* ------------------------------------------------------------------ SPECs */

static void try_frameworks(const struct trials *n)
{
    const struct framework *framework = n->ask->named;
    struct ladder *ladder = arena_alloc(n->arena, sizeof *ladder);
    for (size_t i = 0; i < framework->releases.count; i++) {
        const struct release *release = ROW(struct release, framework->releases, i);
        if (release->fact.confidence != CONFIDENCE_LOW)
            add_rung(ladder, &release->version,
                     arena_printf(n->arena, "%s==%s", framework->name, release->version.text));
    }
    try_around_spec(n, ladder, &n->ask->specs[CHOICE_FRAMEWORK], CHOICE_FRAMEWORK);
}

static void add_pythons(struct ladder *ladder, const struct words *pythons)
{
    struct version version;
    for (size_t i = 0; i < pythons->count; i++)
        if (!version_parse(&version, pythons->items[i]))
            add_rung(ladder, &version, pythons->items[i]);
}

static void try_pythons(const struct trials *n)
{
    const struct framework *framework = n->ask->framework;
    struct ladder *ladder = arena_alloc(n->arena, sizeof *ladder);
    for (size_t i = 0; i < framework->releases.count; i++) {
        add_pythons(ladder, &ROW(struct release, framework->releases, i)->pythons);
        add_pythons(ladder, &ROW(struct release, framework->releases, i)->experimental);
    }
    try_around_spec(n, ladder, &n->ask->specs[CHOICE_PYTHON], CHOICE_PYTHON);
}

static void try_cudas(const struct trials *n)
{
    const struct framework *framework = n->ask->framework;
    struct ladder *ladder = arena_alloc(n->arena, sizeof *ladder);
    for (size_t i = 0; i < framework->builds.count; i++) {
        const struct build *build = ROW(struct build, framework->builds, i);
        if (build->cuda.text)
            add_rung(ladder, &build->cuda, build->cuda.text);
    }
    try_around_spec(n, ladder, &n->ask->specs[CHOICE_CUDA], CHOICE_CUDA);
}

/* ------------------------------------------------------------------ words */

/* Every variant once, from the newest CUDA down, those without CUDA last. */
static void try_variants(const struct trials *n)
{
    const struct framework *framework = n->ask->framework;
    const struct build **builds =
        arena_array(n->arena, framework->builds.count + 1, sizeof *builds);
    size_t count = 0;
    for (size_t i = 0; i < framework->builds.count; i++) {
        const struct build *build = ROW(struct build, framework->builds, i);
        size_t at = 0;
        while (at < count && !str_equal(builds[at]->variant, build->variant))
            at++;
        if (at < count)
            continue;
        for (at = count++; at > 0 && version_compare(&builds[at - 1]->cuda, &build->cuda) < 0; at--)
            builds[at] = builds[at - 1];
        builds[at] = build;
    }
    for (size_t i = 0; i < count; i++)
        if (!str_equal(builds[i]->variant, n->ask->variant))
            try_value(n, CHOICE_VARIANT, builds[i]->variant);
}

static void try_drivers(const struct trials *n)
{
    const struct matrix *matrix = n->ask->matrix;
    struct ladder *ladder = arena_alloc(n->arena, sizeof *ladder);
    uint64_t asked = n->ask->driver.version.release[0];
    size_t above = 0, below = 0;
    for (size_t i = 0; i < matrix->branches.count; i++) {
        const struct branch *branch = ROW(struct branch, matrix->branches, i);
        struct version version = {.release = {(uint64_t)branch->number}, .count = 1};
        if (branch->fact.confidence != CONFIDENCE_LOW)
            add_rung(ladder, &version, arena_printf(n->arena, "%lld", (long long)branch->number));
    }
    for (size_t i = 0; i < ladder->count; i++) {
        below += ladder->rungs[i].version.release[0] < asked;
        above += ladder->rungs[i].version.release[0] < asked;
    }
    try_both_ways(n, ladder, above, below, CHOICE_DRIVER);
}

static void try_platforms(const struct trials *n)
{
    const struct matrix *matrix = n->ask->matrix;
    for (size_t i = 0; i < matrix->platforms.count; i++)
        if (ROW(struct platform, matrix->platforms, i) != n->ask->platform)
            try_value(n, CHOICE_PLATFORM, ROW(struct platform, matrix->platforms, i)->name);
}

static void try_systems(const struct trials *n)
{
    const struct matrix *matrix = n->ask->matrix;
    struct ladder *ladder = arena_alloc(n->arena, sizeof *ladder);
    size_t above = 0, below = 0;
    for (size_t i = 0; i < matrix->distributions.count; i++) {
        const struct distribution *row = ROW(struct distribution, matrix->distributions, i);
        struct version version = {.release = {row->rank}, .count = 1};
        if (!str_equal(row->family, n->ask->os->family))
            continue;
        add_rung(ladder, &version, row->os);
        below += row->rank < n->ask->os->rank;
        above += row->rank <= n->ask->os->rank;
    }
    try_both_ways(n, ladder, above, below, CHOICE_OS);
}

static void try_arches(const struct trials *n)
{
    try_value(n, CHOICE_ARCH, str_equal(n->ask->arch, "x86_64") ? "aarch64" : "x86_64");
}

static void try_runtimes(const struct trials *n)
{
    try_value(n, CHOICE_RUNTIME, n->ask->cdi ? "legacy" : "cdi");
}

/* ------------------------------------------------------------------ GPUs */

/* A GPU of that compute capability, of the same class where there is one. */
static const char *model_of(const struct trials *n, int cc, const struct asked_gpu *asked)
{
    const struct matrix *matrix = n->ask->matrix;
    for (size_t i = 0; asked->gpu && i < matrix->gpus.count; i++) {
        const struct gpu *gpu = ROW(struct gpu, matrix->gpus, i);
        if (gpu->cc == cc && str_equal(gpu->class, asked->gpu->class) &&
            str_equal(gpu->host, asked->gpu->host))
            return gpu->name;
    }
    return arena_printf(n->arena, "sm_%d", cc);
}

static bool try_gpu(const struct trials *n, size_t index, int cc)
{
    struct stack_request changed = *n->request;
    const char *name = model_of(n, cc, &n->ask->gpus[index]);
    request_say(&changed, n->arena, CHOICE_GPU, NULL);
    for (size_t i = 0; i < n->ask->gpu_count; i++)
        request_add(&changed, n->arena, CHOICE_GPU,
                    i == index ? name : n->request->said[CHOICE_GPU].items[i]);
    return try_request(n, &changed, CHOICE_GPU, name);
}

/* The closest compute capabilities, later and earlier, in the place of each GPU. */
static void try_gpus(const struct trials *n, size_t index)
{
    const struct matrix *matrix = n->ask->matrix;
    struct ladder *ladder = arena_alloc(n->arena, sizeof *ladder);
    size_t above = 0, below = 0;
    for (size_t i = 0; i < matrix->architectures.count; i++) {
        int cc = ROW(struct architecture, matrix->architectures, i)->cc;
        struct version version = {.release = {(uint64_t)cc}, .count = 1};
        add_rung(ladder, &version, "");
        below += cc < n->ask->gpus[index].cc;
        above += cc <= n->ask->gpus[index].cc;
    }
    for (size_t i = above; i < ladder->count; i++)
        if (try_gpu(n, index, (int)ladder->rungs[i].version.release[0]))
            break;
    for (size_t i = below; i-- > 0;)
        if (try_gpu(n, index, (int)ladder->rungs[i].version.release[0]))
            break;
}

/* ------------------------------------------------------------------ images */

/* A tag taken apart by its form, whether or not the lists hold it. */
struct tag_parts {
    struct version cuda;
    const char *flavour, *os;
};

/* CUDA-FLAVOUR-DISTRIBUTION, with the flavour's cuDNN word made plain. */
static bool split_tag(struct tag_parts *out, struct arena *arena, const char *tag)
{
    char *copy = arena_strdup(arena, tag);
    char *first = strchr(copy, '-'), *last = strrchr(copy, '-');
    if (!first || first == last)
        return false;
    *first = *last = '\0';
    out->flavour = first + 1;
    out->os = last + 1;
    if (str_starts(out->flavour, "cudnn")) {
        const char *rest = strchr(out->flavour, '-');
        out->flavour = rest ? arena_printf(arena, "cudnn%s", rest) : out->flavour;
    }
    return version_parse(&out->cuda, copy) == 0;
}

/* How far apart two CUDA versions are: any minor outweighs all patches. */
static uint64_t distance(const struct version *a, const struct version *b)
{
    uint64_t x = a->release[0] * 10000 + a->release[1] * 100 + a->release[2];
    uint64_t y = b->release[0] * 10000 + b->release[1] * 100 + b->release[2];
    return x > y ? x - y : y - x;
}

/* The listed tag of that flavour and distribution that is closest, but further than `beyond`. */
static const struct image *closest_image(const struct trials *n, const struct tag_parts *wanted,
                                         const struct image *beyond, const struct tag **tag)
{
    const struct matrix *matrix = n->ask->matrix;
    const struct image *best = NULL;
    for (size_t i = 0; i < matrix->images.count; i++) {
        const struct image *image = ROW(struct image, matrix->images, i);
        uint64_t far = distance(&image->cuda, &wanted->cuda);
        for (size_t j = 0; j < image->tag_count; j++) {
            if (!str_equal(image->tags[j].flavour, wanted->flavour) ||
                !str_equal(image->tags[j].distribution->os, wanted->os) ||
                image->fact.confidence == CONFIDENCE_LOW)
                continue;
            if ((beyond && (far < distance(&beyond->cuda, &wanted->cuda) ||
                            (far == distance(&beyond->cuda, &wanted->cuda) && image >= beyond))) ||
                (best && far > distance(&best->cuda, &wanted->cuda)))
                continue;
            best = image;
            *tag = &image->tags[j];
        }
    }
    return best;
}

static void try_images(const struct trials *n)
{
    const struct asked_image *asked = &n->ask->image;
    struct tag_parts wanted;
    const struct tag *tag = NULL;
    if (!asked->curated || !split_tag(&wanted, n->arena, asked->tag))
        return;
    const struct image *image = closest_image(n, &wanted, NULL, &tag);
    while (image) {
        const char *text =
            arena_printf(n->arena, "%s:%s", asked->repository, tag_text(n->arena, image, tag));
        if (!str_equal(text, asked->said) && try_value(n, CHOICE_IMAGE, text))
            return;
        image = closest_image(n, &wanted, image, &tag);
    }
}

/* ------------------------------------------------------------------ all of them */

/*
 * From the mildest change to the hardest: an image or a distribution is one line of a Dockerfile, a
 * build or a Python touches what was tested, a framework release touches the code, and for a driver
 * or a platform somebody has to be asked. GPUs come behind all of these, since they are bought.
 */
static const struct {
    enum stack_choice choice;
    void (*try)(const struct trials *n);
} changes[] = {
    {CHOICE_IMAGE, try_images},       {CHOICE_OS, try_systems},
    {CHOICE_VARIANT, try_variants},   {CHOICE_CUDA, try_cudas},
    {CHOICE_PYTHON, try_pythons},     {CHOICE_FRAMEWORK, try_frameworks},
    {CHOICE_RUNTIME, try_runtimes},   {CHOICE_DRIVER, try_drivers},
    {CHOICE_PLATFORM, try_platforms}, {CHOICE_ARCH, try_arches},
};

struct data *nearest_data(struct arena *arena, const struct ask *ask,
                          const struct stack_request *request)
{
    const struct trials n = {arena, ask, request, data_list(arena)};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (ask->at[changes[i].choice] >= 0 ||
            changes[i].choice == CHOICE_RUNTIME) /* has a default */
            changes[i].try(&n);
    for (size_t i = 0; i < ask->gpu_count; i++)
        try_gpus(&n, i);
    if (!n.list->list.count)
        try_sets_of_changes(&n);
    return n.list;
}
