/* Suggests requests: for each demand, the smallest change that suffices alone. */
#include "resolver/explain/refuse.h"

#include "base/arena.h"
#include "base/budget.h"
#include "data/data.h"
#include "resolver/explain/trials.h"
#include "resolver/search/search.h"

#include <stdlib.h>
#include <string.h>

#define RUNGS_MAX 256
#define OTHERS_MAX 3 /* alternative frameworks */

/* ------------------------------------------------------------------ one word for another */

/* Values in ascending order; the closest on either side of the demand are wanted. */
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
    return try_change(n, &changed, change_text(n, choice, value));
}

/* Tries upwards from `above` and downwards from below `below`, each way to the first success. */
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

/* Tries the closest values outside a SPEC, or around its version where no value is inside. */
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

static bool is_first_of_variant(const struct framework *framework, size_t index)
{
    const char *variant = ROW(struct build, framework->builds, index)->variant;
    size_t at = 0;
    while (!str_equal(ROW(struct build, framework->builds, at)->variant, variant))
        at++;
    return at == index;
}

/* Tries each variant once, from the newest CUDA down, those without CUDA last. */
static void try_variants(const struct trials *n)
{
    const struct framework *framework = n->ask->framework;
    const struct build **builds =
        arena_array(n->arena, framework->builds.count + 1, sizeof *builds);
    size_t count = 0;
    for (size_t i = 0; i < framework->builds.count; i++) {
        const struct build *build = ROW(struct build, framework->builds, i);
        if (!is_first_of_variant(framework, i))
            continue;
        size_t at = count++;
        for (; at > 0 && version_compare(&builds[at - 1]->cuda, &build->cuda) < 0; at--)
            builds[at] = builds[at - 1];
        builds[at] = build;
    }
    for (size_t i = 0; i < count; i++)
        if (!str_equal(builds[i]->variant, n->ask->variant))
            try_value(n, CHOICE_VARIANT, builds[i]->variant);
}

/* Tries drivers around the host's, whether the user named that or the platform installs it. */
static void try_drivers(const struct trials *n)
{
    const struct matrix *matrix = n->ask->matrix;
    const struct asked_driver *host =
        n->ask->at[CHOICE_DRIVER] >= 0 ? &n->ask->driver : &n->ask->platform_driver;
    struct ladder *ladder = arena_alloc(n->arena, sizeof *ladder);
    size_t from = 0;
    if (!host->said)
        return;
    for (size_t i = 0; i < matrix->branches.count; i++) {
        const struct branch *branch = ROW(struct branch, matrix->branches, i);
        struct version version = {.release = {(uint64_t)branch->number}, .count = 1};
        if (branch->fact.confidence != CONFIDENCE_LOW)
            add_rung(ladder, &version, arena_printf(n->arena, "%lld", (long long)branch->number));
    }
    while (from < ladder->count &&
           ladder->rungs[from].version.release[0] < host->version.release[0])
        from++;
    try_both_ways(n, ladder, from, from, CHOICE_DRIVER);
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

static void try_runtimes(const struct trials *n)
{
    try_value(n, CHOICE_RUNTIME, n->ask->cdi ? "legacy" : "cdi");
}

/* ------------------------------------------------------------------ images */

/* A tag split by its form, whether or not the lists have it. */
struct tag_parts {
    struct version cuda;
    const char *flavour, *os;
};

/* Splits CUDA-FLAVOUR-DISTRIBUTION; the flavour's cuDNN word becomes plain `cudnn`. */
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

/* The distance between two CUDA versions: one minor outweighs all patches. */
static uint64_t distance(const struct version *a, const struct version *b)
{
    uint64_t x = a->release[0] * 10000 + a->release[1] * 100 + a->release[2];
    uint64_t y = b->release[0] * 10000 + b->release[1] * 100 + b->release[2];
    return x > y ? x - y : y - x;
}

/* The closest listed tag of that flavour and distribution, further away than `beyond`. */
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
    struct candidate candidate;
    uint64_t rest = ask_all(n->ask) & ~((uint64_t)1 << n->ask->at[CHOICE_IMAGE]);
    if (!search_best(&candidate, n->ask, rest)) /* there are many tags, and none would help */
        return;
    if (!asked->curated || !type_takes(n->ask, asked->distribution) ||
        !split_tag(&wanted, n->arena, asked->tag))
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

/* ------------------------------------------------------------------ packages and GPUs */

static bool try_without(const struct trials *n, enum stack_choice choice, size_t index)
{
    struct stack_request changed = *n->request;
    const char *text = n->request->said[choice].items[index];
    request_take_back(&changed, n->arena, choice, text);
    return try_change(n, &changed, drop_text(n->arena, choice, text));
}

static struct stack_request with_other(const struct trials *n, size_t index, const char *text)
{
    struct stack_request changed = *n->request;
    const struct words *said = &n->request->said[CHOICE_WITH];
    request_say(&changed, n->arena, CHOICE_WITH, NULL);
    for (size_t i = 0; i < said->count; i++)
        request_add(&changed, n->arena, CHOICE_WITH, i == index ? text : said->items[i]);
    return changed;
}

/* Tries the package in the version that goes with the rest; in any, where the rows name none. */
static bool try_package(const struct trials *n, size_t index)
{
    const struct asked_package *package = &n->ask->with[index];
    const char *spec = package_spec(package->said); /* after PACKAGE[EXTRAS] */
    const char *text = arena_memdup(n->arena, package->said, (size_t)(spec - package->said));
    struct stack_request changed = with_other(n, index, text);
    const struct data *resolution;
    if (!package->spec.count || !(resolution = resolve_changed(n, &changed)))
        return false;
    const char *version = data_get_text(data_get(resolution, "companions"), package->name);
    if (version) {
        const char *exact = arena_printf(n->arena, "%s==%s", text, version);
        struct stack_request pinned = with_other(n, index, exact);
        if (try_change(n, &pinned, change_text(n, CHOICE_WITH, exact)))
            return true;
    }
    return try_change(n, &changed, change_text(n, CHOICE_WITH, text));
}

static void try_packages(const struct trials *n)
{
    for (size_t i = 0; i < n->ask->with_count; i++)
        if (!try_package(n, i))
            try_without(n, CHOICE_WITH, i);
}

/* True where an earlier text names it already. */
static bool is_again(const struct words *said, size_t index)
{
    return str_is_among(said->items[index], said->items, index);
}

/* A user will not exchange the only GPU for a stack; but one of several may be used elsewhere. */
static void try_gpus(const struct trials *n)
{
    const struct words *said = &n->request->said[CHOICE_GPU];
    size_t kinds = 0;
    for (size_t i = 0; i < said->count; i++)
        kinds += !is_again(said, i);
    for (size_t i = 0; kinds > 1 && i < said->count; i++)
        if (!is_again(said, i))
            try_without(n, CHOICE_GPU, i);
}

/* ------------------------------------------------------------------ another framework */

/* How many hosts a framework fits: each variant has another CUDA. */
static size_t count_variants(const struct framework *framework)
{
    size_t count = 0;
    for (size_t i = 0; i < framework->builds.count; i++)
        count += is_first_of_variant(framework, i);
    return count;
}

/* The frameworks that could replace it, those with the most variants first. */
static const struct framework **other_frameworks(const struct trials *n)
{
    const struct words *takes = &n->request->need.frameworks;
    const struct framework **others =
        arena_array(n->arena, n->matrix->framework_count + 1, sizeof(*others));
    size_t count = 0;
    for (size_t i = 0; i < n->matrix->framework_count; i++) {
        const struct framework *framework = &n->matrix->frameworks[i];
        size_t at = count, variants = count_variants(framework);
        if (str_equal(framework->name, n->ask->framework->name) || !framework->packages.count ||
            (takes->count && !words_have(takes, framework->name)))
            continue;
        for (; at > 0 && count_variants(others[at - 1]) < variants; at--)
            others[at] = others[at - 1];
        others[at] = framework;
        count++;
    }
    return others;
}

static void try_other_frameworks(const struct trials *n)
{
    ERR_SCRATCH(ignored);
    struct trials all = *n;
    if (matrix_whole(&all.matrix, n->matrix, &ignored))
        return;
    const struct framework **others = other_frameworks(&all);
    for (size_t i = 0; others[i] && n->list->list.count < OTHERS_MAX; i++)
        try_value(&all, CHOICE_FRAMEWORK, others[i]->name);
}

/* ------------------------------------------------------------------ all of them */

/*
 * From the smallest change to the largest: an image or a distribution is one line of a Dockerfile,
 * a build or a Python affects tested code, a framework release affects the code itself, and a
 * driver needs an administrator. GPU, processor and platform are fixed: the user has them, and
 * another request would answer another question. A mere preference may be dropped where no other
 * value works.
 */
static const struct {
    enum stack_choice choice;
    void (*try)(const struct trials *n);
    bool preference;
} changes[] = {
    {CHOICE_IMAGE, try_images, true},     {CHOICE_OS, try_systems, true},
    {CHOICE_VARIANT, try_variants, true}, {CHOICE_CUDA, try_cudas, true},
    {CHOICE_PYTHON, try_pythons, true},   {CHOICE_FRAMEWORK, try_frameworks, false},
    {CHOICE_WITH, try_packages, false},   {CHOICE_RUNTIME, try_runtimes, false},
    {CHOICE_DRIVER, try_drivers, false},  {CHOICE_GPU, try_gpus, false},
};

static bool is_worth_trying(const struct demands *ask, enum stack_choice choice)
{
    return ask->at[choice] >= 0 || choice == CHOICE_RUNTIME /* has a default */ ||
           choice == CHOICE_DRIVER /* the platform has one */ ||
           (choice == CHOICE_FRAMEWORK && ask->specs[choice].count) /* of a package on another */;
}

struct data *nearest_data(struct arena *arena, const struct demands *ask)
{
    const struct trials n = {arena,           ask, &ask->request, ask->matrix, budget_taken(),
                             data_list(arena)};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        size_t before = n.list->list.count;
        if (!is_worth_trying(ask, changes[i].choice))
            continue;
        changes[i].try(&n);
        if (changes[i].preference && n.list->list.count == before)
            try_without(&n, changes[i].choice, 0);
    }
    if (!n.list->list.count)
        try_sets_of_changes(&n);
    if (!n.list->list.count)
        try_other_frameworks(&n);
    return n.list;
}
