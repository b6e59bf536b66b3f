/* Checks that the files of a matrix are consistent, each in itself and with the others. */
#include "resolver/resolver.h"

#include "base/arena.h"
#include "data/yaml.h"
#include "resolver/search/demands.h"
#include "resolver/search/search.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct inspection {
    struct arena *arena;
    const struct matrix *matrix;
    struct span tags;
    void (*report)(void *context, const struct err *finding);
    void *context;
    size_t count;
};

__attribute__((format(printf, 3, 4))) static void
find(struct inspection *c, const struct yaml_node *node, const char *format, ...)
{
    ERR_SCRATCH(err);
    va_list args;
    va_start(args, format);
    yaml_error(&err, node, "%s", arena_vprintf(c->arena, format, args));
    va_end(args);
    c->report(c->context, &err);
    c->count++;
}

/* The node of a row's field, else of the row. */
static const struct yaml_node *node_of(const struct fact *fact, const char *field)
{
    const struct yaml_node *node = yaml_get(fact->node, field);
    return node ? node : fact->node;
}

static const struct branch *branch_of(const struct inspection *c, int64_t number)
{
    for (size_t i = 0; i < c->matrix->branches.count; i++)
        if (ROW(struct branch, c->matrix->branches, i)->number == number)
            return ROW(struct branch, c->matrix->branches, i);
    return NULL;
}

static void check_branches(struct inspection *c, const struct fact *fact, const char *field,
                           const struct yaml_node *node, const struct words *branches)
{
    for (size_t i = 0; i < branches->count; i++)
        if (!branch_of(c, atoll(branches->items[i])))
            find(c, node ? node : node_of(fact, field), "no driver branch %s in drivers.yml",
                 branches->items[i]);
}

static void check_branch(struct inspection *c, const struct fact *fact, const char *field,
                         int64_t number)
{
    if (number && !branch_of(c, number))
        find(c, node_of(fact, field), "no driver branch %lld in drivers.yml", (long long)number);
}

static void check_has_toolkit(struct inspection *c, const struct fact *fact,
                              const struct version *cuda)
{
    if (!toolkit_of(c->matrix, cuda))
        find(c, node_of(fact, "cuda"), "no toolkit %s in cuda.yml", cuda->text);
}

/* ------------------------------------------------------------------ cuda.yml, drivers.yml */

/* A toolkit's driver must belong to the branch that brings its CUDA. */
static void check_own_branch(struct inspection *c, const struct toolkit *row)
{
    const struct branch *branch = branch_of(c, (int64_t)row->driver.release[0]);
    if (branch && !same_minor(&branch->cuda, &row->cuda))
        find(c, node_of(&row->fact, "driver"),
             "driver %s of toolkit %s is of branch %lld, which "
             "brings CUDA %s",
             row->driver.text, row->cuda.text, (long long)branch->number, branch->cuda.text);
}

static void check_toolkits(struct inspection *c)
{
    const struct toolkit *before = NULL;
    for (size_t i = 0; i < c->matrix->toolkits.count; i++) {
        const struct toolkit *row = ROW(struct toolkit, c->matrix->toolkits, i);
        const struct minor_floor *floor = floor_of(c->matrix, &row->cuda);
        if (before && version_compare(&row->cuda, &before->cuda) <= 0)
            find(c, row->fact.node, "toolkit %s stands behind %s: the older one first",
                 row->cuda.text, before->cuda.text);
        if (floor && row->driver.release[0] < floor->driver.release[0])
            find(c, node_of(&row->fact, "driver"),
                 "driver %s of toolkit %s is below the floor %s of its major", row->driver.text,
                 row->cuda.text, floor->driver.text);
        check_own_branch(c, row);
        before = row;
    }
}

/* Forward rows form one table: a branch with one package has the newer packages, too. */
static void check_forward(struct inspection *c, size_t i)
{
    const struct forward *row = ROW(struct forward, c->matrix->forwards, i);
    for (size_t j = 0; j < row->branches.count; j++) {
        const char *number = row->branches.items[j];
        const struct branch *branch = branch_of(c, atoll(number));
        if (branch && version_compare(&branch->cuda, &row->cuda) >= 0)
            find(c, node_of(&row->fact, "branches"), "branch %s brings CUDA %s without %s", number,
                 branch->cuda.text, row->package);
        for (size_t k = 0; k < c->matrix->forwards.count; k++) {
            const struct forward *other = ROW(struct forward, c->matrix->forwards, k);
            if (version_compare(&other->cuda, &row->cuda) <= 0 ||
                words_have(&other->branches, number))
                continue;
            find(c, node_of(&row->fact, "branches"), "branch %s takes %s, but not the newer %s",
                 number, row->package, other->package);
            break;
        }
    }
}

static void check_drivers(struct inspection *c)
{
    const struct branch *before = NULL;
    for (size_t i = 0; i < c->matrix->branches.count; i++) {
        const struct branch *row = ROW(struct branch, c->matrix->branches, i);
        if (before &&
            (row->number <= before->number || version_compare(&row->cuda, &before->cuda) <= 0))
            find(c, row->fact.node, "branch %lld stands behind %lld: older branches and CUDA first",
                 (long long)row->number, (long long)before->number);
        if (row->fact.confidence != CONFIDENCE_LOW)
            check_has_toolkit(c, &row->fact, &row->cuda);
        before = row;
    }
    for (size_t i = 0; i < c->matrix->forwards.count; i++) {
        const struct forward *row = ROW(struct forward, c->matrix->forwards, i);
        check_has_toolkit(c, &row->fact, &row->cuda);
        check_branches(c, &row->fact, "branches", NULL, &row->branches);
        check_forward(c, i);
    }
}

/* ------------------------------------------------------------------ gpus.yml, platforms.yml */

static void check_architectures(struct inspection *c)
{
    for (size_t i = 0; i < c->matrix->architectures.count; i++) {
        const struct architecture *row = ROW(struct architecture, c->matrix->architectures, i);
        struct problem problem;
        struct demands ask = {.matrix = c->matrix, .gpu_count = 1, .demand_count = 1};
        ask.gpus[0] = (struct asked_gpu){"", row->cc, NULL, row};
        ask.demands[0] = (struct demand){CHOICE_GPU, 0, ""};
        for (size_t j = 0; j < CHOICE_COUNT; j++)
            ask.at[j] = -1;
        problem_init(&problem, &ask, 1);
        if (!problem.branch_count)
            find(c, row->fact.node, "no driver branch drives compute capability %s",
                 cc_text(c->arena, row->cc));
        check_branch(c, &row->fact, "last_branch", row->last_branch);
    }
}

/* Checks profiles such as 1g.5gb:7, under memory sizes that the row has. */
static void check_mig(struct inspection *c, const struct gpu *gpu)
{
    for (size_t i = 0; i < gpu->mig.count; i++) {
        const struct pair *pair = &gpu->mig.items[i];
        if (!words_have(&gpu->memory, pair->name))
            find(c, pair->place->key, "%s has no memory size %s", gpu->name, pair->name);
        const char *p = pair->value;
        do {
            int used = 0;
            unsigned slices, memory, count;
            if (sscanf(p, "%ug.%ugb:%u%n", &slices, &memory, &count, &used) != 3 ||
                (p[used] && p[used] != ' ')) {
                find(c, pair->place->value, "MIG profiles are written 1g.5gb:7");
                break;
            }
            p += used + (p[used] == ' ');
        } while (*p);
    }
}

static void check_gpus(struct inspection *c)
{
    for (size_t i = 0; i < c->matrix->gpus.count; i++) {
        const struct gpu *gpu = ROW(struct gpu, c->matrix->gpus, i);
        if (!architecture_of(c->matrix, gpu->cc))
            find(c, node_of(&gpu->fact, "cc"), "no architecture of compute capability %s",
                 cc_text(c->arena, gpu->cc));
        for (size_t j = 0; j < gpu->on.count; j++)
            if (!platform_of(c->matrix, gpu->on.items[j].name))
                find(c, gpu->on.items[j].place->key, "no platform '%s' in platforms.yml",
                     gpu->on.items[j].name);
        check_mig(c, gpu);
    }
}

static void check_platforms(struct inspection *c)
{
    for (size_t i = 0; i < c->matrix->platforms.count; i++) {
        const struct platform *row = ROW(struct platform, c->matrix->platforms, i);
        check_branch(c, &row->fact, "driver", row->driver);
        check_branches(c, &row->fact, "latest", NULL, &row->latest);
    }
}

/* ------------------------------------------------------------------ images.yml */

static const struct image *image_of(const struct inspection *c, const char *cuda)
{
    for (size_t i = 0; i < c->matrix->images.count; i++)
        if (str_equal(ROW(struct image, c->matrix->images, i)->cuda.text, cuda))
            return ROW(struct image, c->matrix->images, i);
    return NULL;
}

static void check_state(struct inspection *c, const struct image *image)
{
    const struct image *newer = image->superseded_by ? image_of(c, image->superseded_by) : NULL;
    if (image->superseded_by && !newer)
        find(c, node_of(&image->fact, "superseded_by"), "no image of CUDA %s",
             image->superseded_by);
    if (newer && (version_compare(&newer->cuda, &image->cuda) <= 0 ||
                  !same_minor(&newer->cuda, &image->cuda)))
        find(c, node_of(&image->fact, "superseded_by"), "%s is no newer patch of %s",
             newer->cuda.text, image->cuda.text);
    if (str_equal(image->state, "superseded") && !image->superseded_by)
        find(c, node_of(&image->fact, "state"), "superseded by what?");
    if (str_equal(image->state, "supported") && image->superseded_by)
        find(c, node_of(&image->fact, "state"), "superseded by %s, yet 'supported'",
             image->superseded_by);
}

static void check_gate(struct inspection *c, const struct image *image)
{
    const struct yaml_node *node = node_of(&image->fact, "gate");
    if (!image->gate.cuda.text) {
        if (!str_equal(image->state, "observed"))
            find(c, image->fact.node, "an image of the lists has a gate");
        return;
    }
    if (!same_minor(&image->gate.cuda, &image->cuda))
        find(c, node, "the gate asks for CUDA %s, the image is of %s", image->gate.cuda.text,
             image->cuda.text);
    check_branches(c, &image->fact, "gate", yaml_get(node, "branches"), &image->gate.branches);
}

static bool has_line(struct span lines, const char *line)
{
    while (lines.len)
        if (span_equal(span_cut_line(&lines), span_from(line)))
            return true;
    return false;
}

static void check_tag(struct inspection *c, const struct image *image, const struct tag *tag)
{
    const struct distribution *os = tag->distribution;
    const char *text = tag_text(c->arena, image, tag);
    if (!has_images_of(os, &image->cuda))
        find(c, node_of(&image->fact, "tags"), "%s: %s has images from CUDA %s%s%s only", text,
             os->os, os->first.text ? os->first.text : "the first", os->last.text ? " to " : "",
             os->last.text ? os->last.text : "");
    if (c->tags.len && !has_line(c->tags, text))
        find(c, node_of(&image->fact, "tags"), "%s is not in the tag list", text);
    for (const struct tag *other = image->tags; other < tag; other++)
        if (other->flavour == tag->flavour && other->distribution == os)
            find(c, node_of(&image->fact, "tags"), "%s stands twice", text);
}

static void check_cudnn(struct inspection *c, const struct image *image)
{
    bool has = false;
    for (size_t i = 0; i < image->tag_count; i++)
        has |= str_starts(image->tags[i].flavour, "cudnn");
    if (has && !image->cudnn_word)
        find(c, node_of(&image->fact, "tags"), "how tags of CUDA %s write 'cudnn' is not said",
             image->cuda.text);
    if (has && !image->cudnn && !str_equal(image->state, "observed"))
        find(c, image->fact.node, "the image has cuDNN flavours, but of which version?");
    if (!has && image->cudnn)
        find(c, node_of(&image->fact, "cudnn"), "cuDNN %s, but no flavour has it", image->cudnn);
}

static void check_images(struct inspection *c)
{
    for (size_t i = 0; i < c->matrix->images.count; i++) {
        const struct image *image = ROW(struct image, c->matrix->images, i);
        bool has_toolkit = false;
        for (size_t j = 0; j < c->matrix->toolkits.count && !has_toolkit; j++)
            has_toolkit = version_compare(&ROW(struct toolkit, c->matrix->toolkits, j)->cuda,
                                          &image->cuda) == 0;
        if (!has_toolkit)
            find(c, node_of(&image->fact, "cuda"), "no toolkit %s in cuda.yml", image->cuda.text);
        check_state(c, image);
        check_gate(c, image);
        check_cudnn(c, image);
        for (size_t j = 0; j < image->tag_count; j++)
            check_tag(c, image, &image->tags[j]);
    }
    for (size_t i = 0; i < c->matrix->plain.count; i++) {
        const struct plain_image *plain = ROW(struct plain_image, c->matrix->plain, i);
        if (!distribution_of(c->matrix, plain->os))
            find(c, node_of(&plain->fact, "os"), "no distribution '%s'", plain->os);
    }
}

/* ------------------------------------------------------------------ frameworks */

static void check_words_are_versions(struct inspection *c, const struct yaml_node *node,
                                     const struct words *words)
{
    struct version version;
    for (size_t i = 0; i < words->count; i++)
        if (version_parse(&version, words->items[i]))
            find(c, node, "'%s' is no version", words->items[i]);
}

/* Checks the build that a field of the release names; NULL: it names none. */
static void check_variant(struct inspection *c, const struct release *release, const char *field,
                          const char *variant)
{
    for (size_t i = 0; variant && i < release->build_count; i++)
        if (str_equal(release->builds[i]->variant, variant))
            return;
    if (variant)
        find(c, node_of(&release->fact, field), "%s has no build %s", release->version.text,
             variant);
}

static void check_release(struct inspection *c, const struct release *release)
{
    struct version version;
    check_variant(c, release, "default", release->default_variant);
    check_variant(c, release, "pypi", release->pypi);
    check_words_are_versions(c, node_of(&release->fact, "pythons"), &release->pythons);
    check_words_are_versions(c, node_of(&release->fact, "experimental"), &release->experimental);
    for (size_t i = 0; i < release->experimental.count; i++)
        if (words_have(&release->pythons, release->experimental.items[i]))
            find(c, node_of(&release->fact, "experimental"), "Python %s is stable as well",
                 release->experimental.items[i]);
    for (size_t i = 0; i < release->companions.count; i++)
        if (version_parse(&version, release->companions.items[i].value))
            find(c, release->companions.items[i].place->value,
                 "a companion is a name and a version");
}

/* True where the name fits: cu126 is CUDA 12.6; cuda12 is CUDA 12. */
static bool variant_says(const char *variant, const struct version *cuda)
{
    char digits[32];
    if (str_starts(variant, "cuda") && isdigit((unsigned char)variant[4])) {
        (void)snprintf(digits, sizeof digits, "cuda%llu", (unsigned long long)cuda->release[0]);
        return str_equal(digits, variant);
    }
    if (!str_starts(variant, "cu") || !isdigit((unsigned char)variant[2]))
        return true;
    (void)snprintf(digits, sizeof digits, "cu%llu%llu", (unsigned long long)cuda->release[0],
                   (unsigned long long)cuda->release[1]);
    return str_equal(digits, variant);
}

static void check_cubins(struct inspection *c, const struct build *build, const char *field,
                         const struct ccs *cubins)
{
    const struct ccs *can = capabilities_of(c->matrix, &build->cuda);
    for (size_t i = 0; can && i < cubins->count; i++)
        if (!has_cc(can, cubins->items[i]))
            find(c, node_of(&build->fact, field), "CUDA %s makes no cubins for %s",
                 build->cuda.text, cc_text(c->arena, cubins->items[i]));
}

static void check_build(struct inspection *c, const struct framework *framework,
                        const struct build *build)
{
    bool all = build->releases.count == 1 && str_equal(build->releases.items[0], "all");
    for (size_t i = 0; !all && i < build->releases.count; i++)
        if (!release_named(framework, build->releases.items[i]))
            find(c, node_of(&build->fact, "releases"), "no release %s", build->releases.items[i]);
    if (!build->cuda.text)
        return;
    check_has_toolkit(c, &build->fact, &build->cuda);
    if (!variant_says(build->variant, &build->cuda))
        find(c, node_of(&build->fact, "variant"), "%s is not CUDA %s", build->variant,
             build->cuda.text);
    if (build->cudnn_window.count && str_equal(supply_of(framework, build), "image"))
        find(c, node_of(&build->fact, "cudnn"), "an image has one cuDNN: name its lowest version");
    check_cubins(c, build, "x86_64", &build->x86_64);
    check_cubins(c, build, "aarch64", &build->aarch64);
}

/* True where something meets the request, on an image that needs no list. */
static bool is_met(struct candidate *out, const struct inspection *c, struct stack_request *request)
{
    ERR_SCRATCH(ignored);
    struct demands *ask = arena_alloc(c->arena, sizeof *ask);
    request_say(request, c->arena, CHOICE_IMAGE, "example/image:any");
    return ask_compile(ask, c->arena, c->matrix, request, &ignored) == 0 &&
           search_best(out, ask, ask_all(ask));
}

/* True where some request gets this build by its names. */
static bool is_within_reach(const struct inspection *c, const struct framework *framework,
                            const struct release *release, const struct build *build)
{
    struct candidate candidate;
    struct stack_request request = {0};
    request_say(&request, c->arena, CHOICE_FRAMEWORK,
                arena_printf(c->arena, "%s==%s", framework->name, release->version.text));
    request_say(&request, c->arena, CHOICE_VARIANT, build->variant);
    request_say(&request, c->arena, CHOICE_ARCH,
                build_has_processor(build, "x86_64") ? "x86_64" : "aarch64");
    return is_met(&candidate, c, &request) && candidate.build == build;
}

/* True where some request gets this release of a package on a framework. */
static bool is_reached_by(const struct inspection *c, const char *framework,
                          const struct framework *package, const struct release *release)
{
    struct candidate candidate;
    struct stack_request request = {0};
    request_say(&request, c->arena, CHOICE_FRAMEWORK, framework);
    request_add(&request, c->arena, CHOICE_WITH,
                arena_printf(c->arena, "%s==%s", package->name, release->version.text));
    return is_met(&candidate, c, &request);
}

/* True where its requirements exclude this release of the framework that it lives on. */
static bool requires_another(const struct inspection *c, const struct framework *ground,
                             const struct release *on, const struct release *release)
{
    ERR_SCRATCH(ignored);
    struct spec spec;
    struct words words = words_read(c->arena, release->requires ? release->requires : "");
    for (size_t i = 0; i < words.count; i++)
        if (is_called(ground, package_name(c->arena, words.items[i])) &&
            spec_parse(&spec, c->arena, package_spec(words.items[i]), "requires", &ignored) == 0 &&
            !spec_matches(&spec, &on->version))
            return true;
    return false;
}

/*
 * Names the framework's releases one by one, since those of low confidence can only be named. Skips
 * the releases that the package does not accept.
 */
static bool is_release_within_reach(const struct inspection *c, const struct framework *package,
                                    const struct release *release)
{
    const struct framework *ground = framework_of(c->matrix, package->on);
    bool reached = false;
    for (size_t i = 0; !reached && i < ground->releases.count; i++) {
        const struct release *on = ROW(struct release, ground->releases, i);
        const char *name = arena_printf(c->arena, "%s==%s", ground->name, on->version.text);
        reached =
            !requires_another(c, ground, on, release) && is_reached_by(c, name, package, release);
    }
    return reached;
}

static void check_requires(struct inspection *c, const struct release *release)
{
    ERR_SCRATCH(ignored);
    struct spec spec;
    struct words words = words_read(c->arena, release->requires ? release->requires : "");
    for (size_t i = 0; i < words.count; i++)
        if (!*package_name(c->arena, words.items[i]) ||
            spec_parse(&spec, c->arena, package_spec(words.items[i]), "requires", &ignored))
            find(c, node_of(&release->fact, "requires"), "'%s' is no requirement", words.items[i]);
}

static bool has_any_variant(const struct framework *framework, const char *variant)
{
    for (size_t i = 0; i < framework->builds.count; i++)
        if (str_equal(ROW(struct build, framework->builds, i)->variant, variant))
            return true;
    return false;
}

/* Checks a package on a framework: a file of packages/, or a framework that says so. */
static void check_package(struct inspection *c, const struct framework *package)
{
    const struct framework *ground = framework_of(c->matrix, package->on);
    if (!ground || ground->on) {
        find(c, NULL, "%s is on '%s', which is no framework of its own", package->name,
             package->on);
        return;
    }
    for (size_t i = 0; i < package->builds.count; i++)
        check_build(c, package, ROW(struct build, package->builds, i));
    for (size_t i = 0; !package->by_companions && i < package->releases.count; i++) {
        const struct release *release = ROW(struct release, package->releases, i);
        check_release(c, release);
        check_requires(c, release);
        for (size_t j = 0; j < release->variants.count; j++)
            if (!has_any_variant(ground, release->variants.items[j]))
                find(c, node_of(&release->fact, "variants"), "%s has no build %s", ground->name,
                     release->variants.items[j]);
        if (!is_release_within_reach(c, package, release))
            find(c, release->fact.node, "%s %s is out of reach of every request", package->name,
                 release->version.text);
    }
}

static void check_framework(struct inspection *c, const struct framework *framework)
{
    if (framework->on) {
        check_package(c, framework);
        return;
    }
    for (size_t i = 0; i < framework->builds.count; i++)
        check_build(c, framework, ROW(struct build, framework->builds, i));
    for (size_t i = 0; i < framework->releases.count; i++) {
        const struct release *release = ROW(struct release, framework->releases, i);
        check_release(c, release);
        check_requires(c, release);
        if (!release->build_count)
            find(c, release->fact.node, "%s is out of reach: it has no build",
                 release->version.text);
        for (size_t j = 0; j < release->build_count; j++)
            if (!is_within_reach(c, framework, release, release->builds[j]))
                find(c, release->builds[j]->fact.node, "%s of %s is out of reach of every request",
                     release->builds[j]->variant, release->version.text);
    }
}

size_t matrix_check(struct arena *arena, const struct matrix *matrix, struct span tags,
                    void (*report)(void *context, const struct err *finding), void *context)
{
    struct inspection c = {arena, matrix, tags, report, context, 0};
    check_toolkits(&c);
    check_drivers(&c);
    check_architectures(&c);
    check_gpus(&c);
    check_platforms(&c);
    check_images(&c);
    for (size_t i = 0; i < matrix->framework_count; i++)
        check_framework(&c, &matrix->frameworks[i]);
    for (size_t i = 0; i < matrix->package_count; i++)
        check_package(&c, &matrix->packages[i]);
    return c.count;
}
