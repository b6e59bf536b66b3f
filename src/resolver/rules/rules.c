/* The hard rules: why a candidate is unusable. */
#include "resolver/rules/rules.h"

#include "base/arena.h"
#include "base/budget.h"
#include "resolver/rules/gpu_coverage.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ releases and builds */

const char *doubt_of(const struct release *release)
{
    return release->fact.note     ? release->fact.note
           : release->build_count ? release->builds[0]->fact.note
                                  : NULL;
}

bool object_to_release(struct objection *out, const struct framework *row,
                       const struct release *release, const struct spec *asked)
{
    size_t count = row->releases.count, met = 0;
    bool wordless = !out || !out->arena; /* most objections are: no rows are counted for them */
    for (size_t i = 0; !wordless && i < count && budget_try_steps(1); i++)
        met += spec_matches(asked, &ROW(struct release, row->releases, i)->version);
    if (wordless || met || !count)
        return object(out, "framework", &release->fact, "%s %s is not %s", row->name,
                      release->version.text, asked->text);
    return object(out, "framework", &release->fact, "no row of %s is %s: they are of %s to %s",
                  row->name, asked->text,
                  ROW(struct release, row->releases, count - 1)->version.text,
                  ROW(struct release, row->releases, 0)->version.text);
}

static bool rule_release(const struct problem *p, const struct candidate *c, struct objection *out)
{
    const struct release *release = c->release;
    const struct spec *asked = asked_spec(p, CHOICE_FRAMEWORK);
    const char *about = doubt_of(release);
    if (asked && !spec_matches(asked, &release->version))
        return object_to_release(out, p->ask->framework, release, asked);
    if (!asked && version_is_prerelease(&release->version))
        return object(out, "framework", &release->fact, "%s %s is a pre-release, not named",
                      p->ask->framework->name, release->version.text);
    if (release->fact.confidence == CONFIDENCE_LOW && !(asked && spec_is_exact(asked)))
        return object(out, "framework", &release->fact,
                      "little is known of %s %s%s%s%s: it is taken only where it is named exactly",
                      p->ask->framework->name, release->version.text, about ? " (" : "",
                      about ? about : "", about ? ")" : "");
    return false;
}

/*
 * A CPU build fits every request, and would silently answer one that fails for another reason: it
 * is taken only on request.
 */
static bool rule_variant(const struct problem *p, const struct candidate *c, struct objection *out)
{
    const struct build *build = c->build;
    const char *word = is_active(p, CHOICE_VARIANT) ? p->ask->variant : NULL;
    const struct spec *release = asked_spec(p, CHOICE_FRAMEWORK);
    if (!word && !build->cuda.text)
        return object(out, "variant", &build->fact, "a CPU build is taken only by --variant cpu");
    if (word && str_equal(word, "pypi") && !str_equal(build->variant, "pypi")) {
        if (!str_equal(c->release->pypi, build->variant))
            return object(out, "variant", &c->release->fact, "plain PyPI gives %s, not %s",
                          c->release->pypi ? c->release->pypi : "none of these builds",
                          build->variant);
    } else if (word && !str_equal(word, build->variant)) {
        return object(out, "variant", &build->fact, "%s is not %s", build->variant, word);
    }
    if (build->fact.confidence == CONFIDENCE_LOW && !(word && release && spec_is_exact(release)) &&
        c->release->fact.confidence != CONFIDENCE_LOW)
        return object(out, "variant", &build->fact,
                      "little is known of %s of %s: it is taken only when both are named exactly",
                      build->variant, c->release->version.text);
    return false;
}

static bool rule_cuda(const struct problem *p, const struct candidate *c, struct objection *out)
{
    const struct build *build = c->build;
    const struct spec *asked = asked_spec(p, CHOICE_CUDA);
    if (!asked || build->images.count)
        return false; /* where the image decides, rule_image_cuda checks it */
    if (!build->cuda.text)
        return object(out, "cuda", &build->fact, "a CPU build has no CUDA");
    if (!spec_matches(asked, &build->cuda))
        return object(out, "cuda", &build->fact, "%s is built for CUDA %s, not %s", build->variant,
                      build->cuda.text, asked->text);
    return false;
}

static bool rule_arch(const struct problem *p, const struct candidate *c, struct objection *out)
{
    for (size_t i = 0; i < p->gpu_count; i++)
        if (p->gpus[i]->gpu && p->gpus[i]->gpu->host && !str_equal(p->gpus[i]->gpu->host, p->arch))
            return object(out, "arch", &p->gpus[i]->gpu->fact, "%s comes with %s hosts only",
                          p->gpus[i]->name, p->gpus[i]->gpu->host);
    if (build_has_processor(c->build, p->arch))
        return false;
    return object(out, "arch", &c->build->fact, "there is no %s wheel of %s %s for %s",
                  c->build->variant, p->ask->framework->name, c->release->version.text, p->arch);
}

/* ------------------------------------------------------------------ GPUs */

/* True where the GPU is too old for the platform, or is not offered there. */
static bool platform_lacks(const struct platform *platform, const struct asked_gpu *gpu,
                           struct objection *out)
{
    if (gpu->cc < platform->cc_min)
        return object(out, "platform", &platform->fact,
                      "%s has compute capability %d.%d, and %s wants %d.%d or newer", gpu->name,
                      gpu->cc / 10, gpu->cc % 10, platform->title, platform->cc_min / 10,
                      platform->cc_min % 10);
    if (str_equal(platform->gpus, "any") || !gpu->gpu || pair_value(&gpu->gpu->on, platform->name))
        return false;
    return object(out, "platform", &gpu->gpu->fact, "%s is not offered on %s", gpu->name,
                  platform->title);
}

static bool rule_platform(const struct problem *p, const struct candidate *c, struct objection *out)
{
    const struct platform *platform = p->ask->platform;
    if (!is_active(p, CHOICE_PLATFORM))
        return false;
    if (platform->processors.count && !words_have(&platform->processors, p->arch))
        return object(out, "platform", &platform->fact, "%s has no %s processors", platform->title,
                      p->arch);
    if (str_equal(platform->gpus, "named") && !p->gpu_count && c->build->cuda.text)
        return object(out, "platform", &platform->fact, "which of them must be said by --gpu: %s",
                      platform->fact.note);
    for (size_t i = 0; i < p->gpu_count; i++)
        if (platform_lacks(platform, p->gpus[i], out))
            return true;
    return false;
}

/*
 * A driver branch drops whole architectures (580 is the last for Maxwell, Pascal and Volta, 470 for
 * Kepler: their release notes). Every later driver meets every minimum, but does not drive them.
 */
static bool rule_dropped(const struct problem *p, const struct candidate *c, struct objection *out)
{
    const struct asked_driver *driver = p->host.driver;
    (void)c;
    for (size_t i = 0; driver && i < p->gpu_count; i++) {
        const struct architecture *architecture = p->gpus[i]->architecture;
        if (architecture->last_branch &&
            driver->version.release[0] > (uint64_t)architecture->last_branch)
            return object(out, "driver-dropped-gpu", &architecture->fact,
                          "branch %lld is the last driver for %s (%s), and %s is newer",
                          (long long)architecture->last_branch, p->gpus[i]->name,
                          architecture->name, driver->said);
    }
    return false;
}

/*
 * A driver older than a GPU does not find it, whatever the wheel holds. The first CUDA with kernels
 * for an architecture came with the first driver for it.
 */
static bool rule_driver_knows_gpu(const struct problem *p, const struct candidate *c,
                                  struct objection *out)
{
    const struct asked_driver *driver = p->host.driver;
    (void)c;
    for (size_t i = 0; driver && i < p->gpu_count; i++) {
        const struct architecture *architecture = p->gpus[i]->architecture;
        if (architecture->first_cuda.text && !branch_drives(driver->branch, 0, architecture))
            return object(out, p->host.by_platform ? "platform" : "driver", &architecture->fact,
                          "%s (%s) needs a driver of CUDA %s or newer, and %s brings %s",
                          p->gpus[i]->name, architecture->name, architecture->first_cuda.text,
                          driver->said,
                          driver->branch ? driver->branch->cuda.text : "an older one");
    }
    if (!driver && p->gpu_count && !p->branch_count)
        return object(out, "driver-dropped-gpu", &p->gpus[0]->architecture->fact,
                      "no driver branch drives all of these GPUs");
    return false;
}

static const char *list_cubins(struct objection *out, const struct build *build, const char *arch)
{
    const struct ccs *cubins = cubins_of(build, arch);
    const char *list = "";
    for (size_t i = 0; out && out->arena && i < cubins->count; i++)
        list = arena_printf(out->arena, "%s%s%d.%d", list, i ? " " : "", cubins->items[i] / 10,
                            cubins->items[i] % 10);
    return list;
}

/* The Jetson board of that compute capability, which has wheels of its own. */
static const struct gpu *jetson_of(const struct problem *p, int cc)
{
    const struct rows *gpus = &p->ask->matrix->gpus;
    for (size_t i = 0; i < gpus->count; i++) {
        const struct gpu *gpu = ROW(struct gpu, *gpus, i);
        if (gpu->cc == cc && gpu->fact.note && str_equal(gpu->class, "jetson"))
            return gpu;
    }
    return NULL;
}

/*
 * The rule that others leave out: a V100 on driver 580 meets every minimum of a wheel for CUDA 13,
 * which has no kernel for it, so that the first operation fails with error 209.
 */
static bool rule_coverage(const struct problem *p, const struct candidate *c, struct objection *out)
{
    const struct build *build = c->build;
    for (size_t i = 0; i < p->gpu_count; i++) {
        int cc = p->gpus[i]->cc;
        if (!build->cuda.text)
            return object(out, "gpu-arch", &build->fact, "a CPU build runs on no GPU");
        if (covering_cubin(build, p->arch, cc) || covers_unseen(p, build, cc))
            continue;
        const struct gpu *jetson = jetson_of(p, cc);
        if (jetson)
            return object(out, "gpu-arch", &jetson->fact, "%s has compute capability %d.%d: %s",
                          p->gpus[i]->name, cc / 10, cc % 10, jetson->fact.note);
        if (!covering_ptx(build, p->arch, cc))
            return object(out, "gpu-arch", &build->fact,
                          "%s has compute capability %d.%d, and %s of %s %s holds %s%s",
                          p->gpus[i]->name, cc / 10, cc % 10, build->variant,
                          p->ask->framework->name, c->release->version.text,
                          *list_cubins(out, build, p->arch) ? "kernels for " : "none for it",
                          list_cubins(out, build, p->arch));
        if (!compiles_ptx(p, build))
            return object(out, "gpu-arch", &build->fact,
                          "%s would run %s only by compiling its PTX, and the driver is older than "
                          "CUDA %s",
                          p->gpus[i]->name, build->variant, build->cuda.text);
    }
    return false;
}

/* ------------------------------------------------------------------ cuDNN */

/* With a GPU older than cuDNN's kernels, a framework starts, and its first convolution fails. */
static bool rule_cudnn(const struct problem *p, const struct candidate *c, struct objection *out)
{
    const struct build *build = c->build;
    bool newest;
    if (!build->cudnn || str_equal(supply_of(p->ask->framework, build), "image"))
        return false;
    if (!build->cudnn_window.count)
        return cudnn_lacks(p, &build->cudnn_version, &build->cuda, out);
    if (!p->gpu_count || cudnn_choice(p, build, &newest) || newest)
        return false;
    return object(out, "cudnn", &build->fact, "no cuDNN %s has kernels for all of these GPUs",
                  build->cudnn);
}

/* ------------------------------------------------------------------ drivers */

static bool rule_driver(const struct problem *p, const struct candidate *c, struct objection *out)
{
    const struct asked_driver *driver = p->host.driver;
    const struct build *build = c->build;
    const struct fact *fact;
    if (!driver || !build->cuda.text ||
        driver_reliance(p, build, &build->cuda, &driver->version, driver->branch) != RELIES_NOT)
        return false;
    const struct version *floor = driver_floor(p->ask->matrix, build, &fact);
    const char *least = floor ? floor->text : "another driver";
    if (p->host.by_platform)
        return object(out, "platform", &p->ask->platform->fact,
                      "%s installs driver branch %s, and CUDA %s needs %s or newer",
                      p->ask->platform->title, driver->said, build->cuda.text, least);
    const struct forward *forward = driver->listed ? forward_of(p, build, driver->branch) : NULL;
    if (forward && p->gpu_count && !p->all_datacenter)
        return object(out, "compat-hardware", &forward->fact,
                      "CUDA %s needs driver %s or newer; %s would bridge that on data-center GPUs "
                      "only, each named",
                      build->cuda.text, least, forward->package);
    return object(out, "driver", fact, "CUDA %s needs driver %s or newer%s", build->cuda.text,
                  least, forward ? " (older ones only on data-center GPUs that are named)" : "");
}

/* ------------------------------------------------------------------ Python */

static bool has_wheel_for(const struct release *release, const struct spec *asked)
{
    for (size_t i = 0; i < release->pythons.count; i++)
        if (spec_matches(asked, &release->python_versions[i]))
            return true;
    return false;
}

static bool rule_python(const struct problem *p, const struct candidate *c, struct objection *out)
{
    static const int demands[] = {CHOICE_PYTHON, TYPE_PYTHON};
    for (size_t i = 0; i < sizeof demands / sizeof *demands; i++) {
        const struct spec *asked = asked_spec(p, demands[i]);
        if (!asked || spec_matches(asked, c->python_version))
            continue;
        if (has_wheel_for(c->release, asked)) /* then another demand needs this Python */
            return object(out, "python", &c->release->fact, "Python %s is not %s", c->python,
                          asked->text);
        const struct words *words = &c->release->pythons;
        bool told = out && out->arena;
        return object(
            out, "python", &c->release->fact, "%s %s has wheels for Python %s, none is %s",
            p->ask->framework->name, c->release->version.text,
            told ? str_join(out->arena, words->items, words->count, ", ") : "", asked->text);
    }
    return false;
}

/* ------------------------------------------------------------------ images */

/* The smallest usable flavour: each is some gigabytes larger than the one before it. */
int flavour_rank(const char *supply, bool wants_cudnn, const char *flavour)
{
    static const char *const order[] = {"base", "runtime", "cudnn-runtime", "devel", "cudnn-devel"};
    bool has_cudnn = str_starts(flavour, "cudnn");
    bool has_devel = str_ends(flavour, "devel");
    if (str_equal(supply, "image") && (str_equal(flavour, "base") || (wants_cudnn && !has_cudnn)))
        return -1;
    if (str_equal(supply, "build") && (!has_devel || (wants_cudnn && !has_cudnn)))
        return -1;
    for (int i = 0; i < (int)(sizeof order / sizeof *order); i++)
        if (str_equal(order[i], flavour))
            return i;
    return -1;
}

/* The row that the tag lists rest on: the newest row in them. */
static const struct fact *listed_fact(const struct matrix *matrix)
{
    for (size_t i = matrix->images.count; i-- > 0;)
        if (!str_equal(ROW(struct image, matrix->images, i)->state, "observed"))
            return &ROW(struct image, matrix->images, i)->fact;
    return NULL;
}

/* An image of an unknown distribution is accepted: the user named it, and knows. */
static bool rule_type_image(const struct problem *p, const struct candidate *c,
                            struct objection *out)
{
    if (!is_active(p, TYPE_OS) || type_takes(p->ask, c->distribution))
        return false;
    const struct words *families = &p->ask->request.need.distributions;
    return object(out, "image", &c->distribution->fact,
                  "%s is not %s, which the files of the type are for", c->distribution->os,
                  out && out->arena ? str_join(out->arena, families->items, families->count, " or ")
                                    : "");
}

/* Checks an image that the user named. */
static bool rule_named_image(const struct problem *p, const struct candidate *c,
                             struct objection *out)
{
    const struct asked_image *image = &p->ask->image;
    (void)c;
    if (image->curated && !image->image)
        return object(out, "image", listed_fact(p->ask->matrix), "%s has no tag %s",
                      p->ask->matrix->repository, image->tag);
    if (is_active(p, CHOICE_OS) && image->distribution && image->distribution != p->ask->os)
        return object(out, "image", image->image ? &image->image->fact : NULL,
                      "%s is of %s, not %s", image->said, image->distribution->os, p->ask->os->os);
    return false;
}

static bool rule_listed_image(const struct problem *p, const struct candidate *c,
                              struct objection *out)
{
    const struct fact *fact = c->image ? &c->image->fact : &c->plain->fact;
    const struct distribution *os = c->distribution;
    bool any = is_active(p, TYPE_OS) && p->ask->os_elsewhere;
    if (is_active(p, CHOICE_OS) ? os != p->ask->os : !os->is_default && !any)
        return object(out, "image", fact, "%s is not %s", os->os,
                      is_active(p, CHOICE_OS) ? p->ask->os->os : "an Ubuntu");
    if (fact->confidence == CONFIDENCE_LOW)
        return object(out, "image", fact,
                      "little is known of this image: it is taken only by "
                      "--image");
    if (!c->image || !str_equal(c->image->state, "eol"))
        return false;
    if (p->met)
        p->met->eol = true;
    const char *tag = out && out->arena ? tag_text(out->arena, c->image, c->tag) : "";
    return !p->allow_eol && object(out, "image", fact, "%s is at its end of life", tag);
}

static bool rule_image(const struct problem *p, const struct candidate *c, struct objection *out)
{
    if (c->named)
        return rule_named_image(p, c, out);
    if (!c->image && !c->plain)
        return object(out, "image", &c->build->fact,
                      c->build->cuda.text ? "the lists hold no image of CUDA %s%s%s"
                                          : "the lists hold no plain image%s%s%s",
                      c->build->cuda.text ? c->build->cuda.text : "",
                      is_active(p, CHOICE_OS) ? " for " : "",
                      is_active(p, CHOICE_OS) ? p->ask->os->os : "");
    return rule_listed_image(p, c, out);
}

/* Where the stack uses the image's libraries, the image's CUDA is the one that counts. */
static bool rule_image_cuda(const struct problem *p, const struct candidate *c,
                            struct objection *out)
{
    const struct build *build = c->build;
    const struct spec *asked = asked_spec(p, CHOICE_CUDA);
    if (!build->images.count || !c->image)
        return false;
    if (!spec_matches(&build->images, &c->image->cuda))
        return object(out, "cuda", &build->fact, "%s wants CUDA %s, the image is of %s",
                      build->variant, build->images.text, c->image->cuda.text);
    if (asked && !spec_matches(asked, &c->image->cuda))
        return object(out, "cuda", &c->image->fact, "the image is of CUDA %s, not %s",
                      c->image->cuda.text, asked->text);
    for (size_t i = 0; i < p->gpu_count; i++)
        if (covered_by_bounds(build, p->gpus[i]->cc) &&
            !toolkit_makes(p->ask->matrix, &c->image->cuda, p->gpus[i]->cc))
            return object(out, "gpu-arch", &c->image->fact, "CUDA %s does not know %s",
                          c->image->cuda.text, p->gpus[i]->name);
    return false;
}

static bool rule_image_cudnn(const struct problem *p, const struct candidate *c,
                             struct objection *out)
{
    const char *cudnn = cudnn_of(p->ask->matrix, c->image);
    struct version have;
    const struct version *want = &c->build->cudnn_version;
    if (!cudnn || version_parse(&have, cudnn) || have.release[0] != want->release[0] ||
        version_compare_parts(&have, want, 2) < 0)
        return object(out, "cudnn", &c->image->fact,
                      "the image brings cuDNN %s, the build wants %s",
                      cudnn ? cudnn : "of an unknown version", c->build->cudnn);
    return cudnn_lacks(p, &have, &c->image->cuda, out);
}

/* Where the image must supply the libraries, it must have the right ones. */
static bool rule_supply(const struct problem *p, const struct candidate *c, struct objection *out)
{
    const char *supply = supply_of(p->ask->framework, c->build);
    if (c->plain && c->build->cuda.text && !str_equal(supply, "wheel"))
        return object(out, "image", &c->plain->fact,
                      "the CUDA libraries must come with the image, and %s:%s has none",
                      c->plain->repository, c->plain->tag);
    if (!c->image || !c->build->cuda.text)
        return false;
    if (flavour_rank(supply, c->build->cudnn != NULL, c->tag->flavour) < 0)
        return object(out, "image", &c->image->fact,
                      "the CUDA libraries must come with the image, and '%s' has not all of them",
                      c->tag->flavour);
    if (!str_equal(supply, "image"))
        return false;
    if (!image_fits(c->build, &c->image->cuda))
        return object(out, "cuda", &c->image->fact, "the image brings CUDA %s, the build wants %s",
                      c->image->cuda.text, c->build->cuda.text);
    return c->build->cudnn && rule_image_cudnn(p, c, out);
}

/* Wheels for a newer manylinux do not install on an older glibc. */
static bool rule_glibc(const struct problem *p, const struct candidate *c, struct objection *out)
{
    const struct version *own = &c->build->glibc_aarch64;
    const struct version *want =
        own->text && str_equal(p->arch, "aarch64") ? own : &c->release->glibc;
    const struct distribution *os = c->distribution;
    if (!want->text || !os || !os->glibc.text || version_compare(&os->glibc, want) >= 0)
        return false;
    return object(out, "image", &c->release->fact, "the wheels want glibc %s, %s has %s",
                  want->text, os->os, os->glibc.text);
}

static bool gate_lists(const struct gate *gate, uint64_t number)
{
    for (size_t i = 0; i < gate->branches.count; i++)
        if (strtoull(gate->branches.items[i], NULL, 10) == number)
            return true;
    return false;
}

static bool shuts_geforce_out(const struct problem *p, const struct gate *gate)
{
    for (size_t i = 0; !gate->geforce && i < p->gpu_count; i++)
        if (p->gpus[i]->gpu && str_equal(p->gpus[i]->gpu->class, "geforce"))
            return true;
    return false;
}

/*
 * NVIDIA_REQUIRE_CUDA, as the container runtime checks it before it starts an image: the driver
 * must bring the image's CUDA, or be of a branch that the image lists. Many images list their
 * branches for brands other than GeForce only. The build itself does not matter: a wheel that runs
 * by minor-version compatibility still does not start in an image that is too new.
 */
static bool gate_lets(const struct problem *p, const struct gate *gate, uint64_t number,
                      const struct branch *branch)
{
    if (branch && version_compare_parts(&branch->cuda, &gate->cuda, 2) >= 0)
        return true;
    return !shuts_geforce_out(p, gate) && gate_lists(gate, number);
}

/* True where some driver runs the build, drives the GPUs and passes the gate (NULL: no gate). */
static bool some_driver(const struct problem *p, const struct build *build, const struct gate *gate)
{
    bool wants_native = false;
    for (size_t i = 0; i < p->gpu_count; i++)
        if (!covering_cubin(build, p->arch, p->gpus[i]->cc) &&
            !covered_by_bounds(build, p->gpus[i]->cc))
            wants_native = true;
    for (size_t i = p->branch_count; i-- > 0;) { /* the newest can do most */
        const struct branch *branch = p->branches[i];
        struct version last = {.release = {(uint64_t)branch->number, LAST_RELEASE}, .count = 2};
        enum reliance how = driver_reliance(p, build, &build->cuda, &last, branch);
        if ((how == RELIES_NATIVE || (how == RELIES_MINOR && !wants_native)) &&
            (!gate || gate_lets(p, gate, (uint64_t)branch->number, branch)))
            return true;
    }
    return false;
}

static bool rule_any_driver(const struct problem *p, const struct candidate *c,
                            struct objection *out)
{
    const struct build *build = c->build;
    if (p->host.driver || !build->cuda.text || some_driver(p, build, NULL))
        return false;
    if (!p->gpu_count)
        return object(out, "driver", &build->fact, "no known driver runs CUDA %s",
                      build->cuda.text);
    return object(out, "driver-dropped-gpu", &p->gpus[0]->architecture->fact,
                  "no driver both runs CUDA %s and drives %s", build->cuda.text, p->gpus[0]->name);
}

static bool rule_gate(const struct problem *p, const struct candidate *c, struct objection *out)
{
    const struct gate *gate = c->image ? gate_of(p->ask->matrix, c->image) : NULL;
    const struct asked_driver *driver = p->host.driver;
    if (!gate || p->cdi || !c->build->cuda.text)
        return false;
    if (driver ? gate_lets(p, gate, driver->version.release[0], driver->branch)
               : some_driver(p, c->build, gate))
        return false;
    const char *tag = out && out->arena ? tag_text(out->arena, c->image, c->tag) : "";
    if (!driver)
        return object(out, "gate", &c->image->fact, "no driver of these GPUs may start %s", tag);
    bool listed = gate_lists(gate, driver->version.release[0]);
    return object(out, "gate", &c->image->fact,
                  "%s starts on drivers of CUDA %s or newer%s; driver %s may not start it%s", tag,
                  gate->cuda.text, gate->branches.count ? " and on listed branches" : "",
                  driver->said, listed ? " with a GeForce card" : "");
}

/* ------------------------------------------------------------------ the table */

static const struct {
    enum tier tier;
    bool (*objects)(const struct problem *, const struct candidate *, struct objection *);
} rules[] = {
    {TIER_RELEASE, rule_release},
    {TIER_BUILD, rule_variant},
    {TIER_BUILD, rule_cuda},
    {TIER_BUILD, rule_arch},
    {TIER_BUILD, rule_platform},
    {TIER_BUILD, rule_dropped},
    {TIER_BUILD, rule_driver_knows_gpu},
    {TIER_BUILD, rule_coverage},
    {TIER_BUILD, rule_cudnn},
    {TIER_BUILD, rule_driver},
    {TIER_BUILD, rule_any_driver},
    {TIER_PYTHON, rule_python},
    {TIER_IMAGE, rule_image},
    {TIER_IMAGE, rule_type_image},
    {TIER_IMAGE, rule_image_cuda},
    {TIER_IMAGE, rule_supply},
    {TIER_IMAGE, rule_glibc},
    {TIER_IMAGE, rule_gate},
};

bool rules_object(const struct problem *problem, const struct candidate *candidate, enum tier tier,
                  struct objection *out)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].tier == tier && rules[i].objects(problem, candidate, out))
            return true;
    return false;
}
