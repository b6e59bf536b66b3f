/* The demands of a request, looked up in a matrix. */
#include "resolver/search/demands.h"

#include "base/arena.h"
#include "base/shell.h"
#include "matrix/matrix.h"
#include "registry/reference.h"
#include "resolver/rules/gpu_name.h"

#include <string.h>

#define TOLD_MAX 16         /* words that are listed where none is near */
#define NO_DRIVER 100       /* every branch since 2008 has a higher number, and no CUDA has */
#define LAST_RELEASE 999999 /* greater than the second number of any driver */
#define VARIANTS_MAX 256

static const char *const arches[] = {"x86_64", "aarch64"};
static const char *const runtimes[] = {"legacy", "cdi"};

struct compiler {
    struct demands *ask;
    struct arena *arena;
    const struct stack_request *request;
    struct err *err;
};

uint64_t ask_all(const struct demands *ask)
{
    return ask->demand_count == DEMANDS_MAX ? UINT64_MAX : ((uint64_t)1 << ask->demand_count) - 1;
}

static void add_demand(const struct compiler *c, int choice, size_t index, const char *text)
{
    struct demands *ask = c->ask;
    if (ask->at[choice] < 0)
        ask->at[choice] = (int)ask->demand_count;
    ask->demands[ask->demand_count++] = (struct demand){choice, index, text};
}

static int unknown_word(const struct compiler *c, const char *code, const char *what,
                        const char *word, const char *const *names, size_t count)
{
    if (is_elsewhere(c->err, code, word))
        return -1;
    const char *near = str_nearest(word, names, count);
    err_set(c->err, TG_USAGE, code, "unknown %s '%s'", what, word);
    if (near)
        return err_hint(c->err, "did you mean '%s'?", near);
    if (count > TOLD_MAX)
        return err_hint(c->err, "such as '%s'", names[0]);
    return count ? err_hint(c->err, "known: %s", str_join(c->arena, names, count, ", ")) : -1;
}

/* ------------------------------------------------------------------ names and SPECs */

static int compile_framework(const struct compiler *c)
{
    struct demands *ask = c->ask;
    const char *said = request_text(c->request, CHOICE_FRAMEWORK);
    if (!said || !*said) {
        err_set(c->err, TG_USAGE, "missing-framework", "no framework was named");
        return err_hint(c->err, "such as --framework pytorch");
    }
    const char *name = package_name(c->arena, said);
    const char *spec = said + strlen(name);
    ask->framework = framework_of(ask->matrix, name);
    if (!ask->framework) {
        const char **names;
        size_t count = matrix_frameworks(&names, c->arena, ask->matrix->files);
        return unknown_word(c, "unknown-framework", "framework", name, names, count);
    }
    if (spec_parse(&ask->specs[CHOICE_FRAMEWORK], c->arena, spec, "--framework", c->err))
        return -1;
    if (ask->specs[CHOICE_FRAMEWORK].count)
        add_demand(c, CHOICE_FRAMEWORK, 0, arena_printf(c->arena, "framework %s", said));
    ask->named = ask->framework;
    if (!ask->named->on)
        return 0;
    ask->at[CHOICE_FRAMEWORK] = -1; /* the SPEC belongs to the named package */
    ask->framework = framework_of(ask->matrix, ask->named->on);
    return 0;
}

static int compile_spec(const struct compiler *c, enum stack_choice choice)
{
    const char *said = request_text(c->request, choice), *name = stack_options[choice].name;
    struct spec *spec = &c->ask->specs[choice];
    if (!said)
        return 0;
    if (spec_parse(spec, c->arena, said, arena_printf(c->arena, "--%s", name), c->err))
        return -1;
    if (spec->count)
        add_demand(c, choice, 0, arena_printf(c->arena, "%s %s", name, said));
    return 0;
}

/* ------------------------------------------------------------------ variant */

static size_t add_variants(const char **names, size_t count, const struct framework *framework)
{
    for (size_t i = 0; i < framework->builds.count && count < VARIANTS_MAX; i++)
        if (!str_is_among(ROW(struct build, framework->builds, i)->variant, names, count))
            names[count++] = ROW(struct build, framework->builds, i)->variant;
    return count;
}

/* A word of another framework is accepted, too: then the answer is a refusal. */
static int compile_variant(const struct compiler *c)
{
    const char *word = request_text(c->request, CHOICE_VARIANT);
    if (!word)
        return 0;
    const char **names = arena_array(c->arena, VARIANTS_MAX, sizeof *names);
    size_t count = add_variants(names, 0, c->ask->framework);
    if (!str_is_among(word, names, count) && !str_equal(word, "cpu") && !str_equal(word, "pypi")) {
        const struct matrix *all;
        const char **others = arena_array(c->arena, VARIANTS_MAX, sizeof *others);
        size_t other_count = 0;
        if (matrix_whole(&all, c->ask->matrix, c->err))
            return -1;
        for (size_t i = 0; i < all->framework_count; i++)
            other_count = add_variants(others, other_count, &all->frameworks[i]);
        if (!str_is_among(word, others, other_count))
            return unknown_word(c, "unknown-variant", "variant", word, names, count);
    }
    c->ask->variant = word;
    add_demand(c, CHOICE_VARIANT, 0, arena_printf(c->arena, "variant %s", word));
    return 0;
}

/* ------------------------------------------------------------------ driver and platform */

/* The branch's row, else that of the last branch before it. */
static const struct branch *branch_at(const struct matrix *matrix, uint64_t number)
{
    const struct branch *best = NULL;
    for (size_t i = 0; i < matrix->branches.count; i++) {
        const struct branch *row = ROW(struct branch, matrix->branches, i);
        if ((uint64_t)row->number <= number && (!best || row->number > best->number))
            best = row;
    }
    return best;
}

static int driver_find(struct asked_driver *out, struct arena *arena, const struct matrix *matrix,
                       const char *text, struct err *err)
{
    *out = (struct asked_driver){.said = arena_strdup(arena, text)};
    if (version_parse(&out->version, out->said) || text[strspn(text, "0123456789.")]) {
        err_set(err, TG_USAGE, "invalid-driver", "'%s' is no driver version", text);
        return err_hint(err, "such as 535.183.01, or a branch such as 535");
    }
    if (out->version.release[0] < NO_DRIVER) {
        err_set(err, TG_USAGE, "invalid-driver", "'%s' is no driver version", text);
        return err_hint(err,
                        "%s asks for that CUDA; nvidia-smi prints the driver's version beside it",
                        shell_command(arena, "--cuda %s", out->said));
    }
    if (out->version.count == 1) {
        out->version.release[1] = LAST_RELEASE;
        out->version.count = 2;
    }
    out->branch = branch_at(matrix, out->version.release[0]);
    out->listed = out->branch && (uint64_t)out->branch->number == out->version.release[0];
    return 0;
}

static int compile_driver(const struct compiler *c)
{
    const char *said = request_text(c->request, CHOICE_DRIVER);
    if (!said)
        return 0;
    if (driver_find(&c->ask->driver, c->arena, c->ask->matrix, said, c->err))
        return -1;
    add_demand(c, CHOICE_DRIVER, 0, arena_printf(c->arena, "driver %s", said));
    return 0;
}

static int compile_platform(const struct compiler *c)
{
    const struct matrix *matrix = c->ask->matrix;
    const char *said = request_text(c->request, CHOICE_PLATFORM);
    if (!said)
        return 0;
    c->ask->platform = platform_of(matrix, said);
    if (!c->ask->platform) {
        const char **names = arena_array(c->arena, matrix->platforms.count + 1, sizeof *names);
        for (size_t i = 0; i < matrix->platforms.count; i++)
            names[matrix->platforms.count - 1 - i] =
                ROW(struct platform, matrix->platforms, i)->name;
        return unknown_word(c, "unknown-platform", "platform", said, names,
                            matrix->platforms.count);
    }
    add_demand(c, CHOICE_PLATFORM, 0, arena_printf(c->arena, "platform %s", said));
    if (!c->ask->platform->driver)
        return 0;
    const struct words *latest = &c->ask->platform->latest;
    for (size_t i = 0; i < latest->count && i < LATEST_MAX; i++)
        if (driver_find(&c->ask->platform_latest[c->ask->latest_count++], c->arena, matrix,
                        latest->items[i], c->err))
            return -1;
    return driver_find(&c->ask->platform_driver, c->arena, matrix,
                       arena_printf(c->arena, "%lld", (long long)c->ask->platform->driver), c->err);
}

/* ------------------------------------------------------------------ host words */

static int compile_os(const struct compiler *c)
{
    const struct matrix *matrix = c->ask->matrix;
    const char *said = request_text(c->request, CHOICE_OS);
    if (!said)
        return 0;
    c->ask->os = distribution_of(matrix, said);
    if (!c->ask->os) {
        const char **names = arena_array(c->arena, matrix->distributions.count + 1, sizeof *names);
        for (size_t i = 0; i < matrix->distributions.count; i++)
            names[i] = ROW(struct distribution, matrix->distributions, i)->os;
        return unknown_word(c, "unknown-os", "distribution", said, names,
                            matrix->distributions.count);
    }
    add_demand(c, CHOICE_OS, 0, arena_printf(c->arena, "os %s", said));
    return 0;
}

static int compile_host(const struct compiler *c)
{
    const char *arch = request_processor(c->request);
    const char *runtime = request_text(c->request, CHOICE_RUNTIME);
    c->ask->arch = arches[0];
    if (arch) {
        if (!str_is_among(arch, arches, 2))
            return unknown_word(c, "unknown-arch", "processor", arch, arches, 2);
        c->ask->arch = arch;
        add_demand(c, CHOICE_ARCH, 0, arena_printf(c->arena, "arch %s", arch));
    }
    if (runtime) {
        if (!str_is_among(runtime, runtimes, 2))
            return unknown_word(c, "unknown-runtime", "runtime", runtime, runtimes, 2);
        c->ask->cdi = str_equal(runtime, "cdi");
        add_demand(c, CHOICE_RUNTIME, 0, arena_printf(c->arena, "runtime %s", runtime));
    }
    return compile_os(c);
}

static int compile_gpus(const struct compiler *c)
{
    const struct words *said = &c->request->said[CHOICE_GPU];
    if (said->count > GPUS_MAX)
        return err_set(c->err, TG_USAGE, "too-many-gpus", "more than %d GPUs were named", GPUS_MAX);
    for (size_t i = 0; i < said->count; i++) {
        struct asked_gpu *gpu = &c->ask->gpus[c->ask->gpu_count];
        if (gpu_find(gpu, c->arena, c->ask->matrix, said->items[i], c->err))
            return -1;
        add_demand(c, CHOICE_GPU, c->ask->gpu_count++, arena_printf(c->arena, "gpu %s", gpu->name));
    }
    return 0;
}

/* ------------------------------------------------------------------ image */

/* Splits REPO:TAG[@DIGEST]. */
static int split_image(struct asked_image *image, const struct compiler *c)
{
    char *rest = arena_strdup(c->arena, image->said);
    char *digest = strchr(rest, '@');
    if (digest) {
        *digest++ = '\0';
        image->digest = digest;
    }
    char *slash = strrchr(rest, '/'), *colon = strrchr(rest, ':');
    bool tagged = colon && colon > rest && colon[1] && (!slash || colon > slash);
    if (!tagged || strpbrk(rest, " \t\n\"'$") || (digest && !str_starts(digest, "sha256:"))) {
        if (image_refuse_user(image->said, "invalid-image", c->err) < 0)
            return -1;
        err_set(c->err, TG_USAGE, "invalid-image", "'%s' is no image", image->said);
        return err_hint(c->err, "REPO:TAG, such as nvidia/cuda:12.6.3-base-ubuntu24.04");
    }
    *colon = '\0';
    image->repository = rest;
    image->tag = colon + 1;
    return 0;
}

static const char *without_registry(const char *repository)
{
    static const char *const hub[] = {"docker.io/", "index.docker.io/", "registry-1.docker.io/"};
    for (size_t i = 0; i < sizeof hub / sizeof *hub; i++)
        if (str_starts(repository, hub[i]))
            return repository + strlen(hub[i]);
    return repository;
}

static void find_tag(struct asked_image *image, const struct compiler *c)
{
    const struct matrix *matrix = c->ask->matrix;
    for (size_t i = 0; i < matrix->images.count; i++) {
        const struct image *row = ROW(struct image, matrix->images, i);
        if (!str_starts(image->tag, row->cuda.text))
            continue;
        for (size_t j = 0; j < row->tag_count; j++) {
            if (!str_equal(image->tag, tag_text(c->arena, row, &row->tags[j])))
                continue;
            image->image = row;
            image->row_tag = &row->tags[j];
            image->distribution = row->tags[j].distribution;
        }
    }
}

/*
 * A tag without a row, of an image that is known only by sightings. It may exist unseen, where the
 * distribution has images of that CUDA.
 */
static void find_unseen(struct asked_image *image, const struct compiler *c, struct tag *tag)
{
    const struct matrix *matrix = c->ask->matrix;
    for (size_t i = 0; i < matrix->images.count; i++) {
        const struct image *row = ROW(struct image, matrix->images, i);
        if (!str_equal(row->state, "observed") || !str_starts(image->tag, row->cuda.text))
            continue;
        for (size_t j = 0; j < matrix->distributions.count; j++) {
            tag->distribution = ROW(struct distribution, matrix->distributions, j);
            if (!has_images_of(tag->distribution, &row->cuda))
                continue;
            for (const char *const *flavour = image_flavours; *flavour; flavour++) {
                tag->flavour = *flavour;
                if (!str_equal(image->tag, tag_text(c->arena, row, tag)))
                    continue;
                image->image = row;
                image->row_tag = tag;
                image->distribution = tag->distribution;
                image->unseen = true;
                return;
            }
        }
    }
}

/* `huggingface/transformers-*` stands for every name with that start. */
static void find_stock(struct asked_image *image, const struct matrix *matrix, const char *name)
{
    for (size_t i = 0; i < matrix->stocked.count && !image->stock; i++) {
        const char *pattern = ROW(struct stocked, matrix->stocked, i)->repository;
        size_t len = strcspn(pattern, "*");
        if (pattern[len] ? strncmp(pattern, name, len) == 0 : str_equal(pattern, name))
            image->stock = ROW(struct stocked, matrix->stocked, i);
    }
}

/* For an image that the lists lack, guesses the distribution from its name. */
static void guess_distribution(struct asked_image *image, const struct compiler *c)
{
    const struct matrix *matrix = c->ask->matrix;
    for (size_t i = 0; i < matrix->plain.count; i++) {
        const struct plain_image *plain = ROW(struct plain_image, matrix->plain, i);
        const char *name = without_registry(image->repository);
        if (str_starts(name, "library/"))
            name += strlen("library/");
        if (str_equal(name, plain->repository) && str_equal(image->tag, plain->tag))
            image->distribution = distribution_of(matrix, plain->os);
    }
    for (size_t i = 0; !image->distribution && i < matrix->distributions.count; i++)
        if (strstr(image->tag, ROW(struct distribution, matrix->distributions, i)->os))
            image->distribution = ROW(struct distribution, matrix->distributions, i);
}

static int compile_image(const struct compiler *c)
{
    struct asked_image *image = &c->ask->image;
    image->said = request_text(c->request, CHOICE_IMAGE);
    if (!image->said)
        return 0;
    if (split_image(image, c))
        return -1;
    const char *name = without_registry(image->repository);
    image->curated = holds_cuda_tags(c->ask->matrix, name);
    if (image->curated)
        find_tag(image, c);
    if (image->curated && !image->image)
        find_unseen(image, c, arena_alloc(c->arena, sizeof *image->row_tag));
    find_stock(image, c->ask->matrix, name);
    if (!image->distribution)
        guess_distribution(image, c);
    add_demand(c, CHOICE_IMAGE, 0, arena_printf(c->arena, "image %s", image->said));
    return 0;
}

/* ------------------------------------------------------------------ packages */

/* NAME[EXTRAS][SPEC]. */
static int compile_package(const struct compiler *c, struct asked_package *package,
                           const char *said)
{
    package->said = said;
    package->name = package_name(c->arena, said);
    if (!*package->name)
        return err_set(c->err, TG_USAGE, "invalid-package", "'%s' names no package", said);
    return spec_parse(&package->spec, c->arena, package_spec(said), "--with", c->err);
}

/* ------------------------------------------------------------------ members */

/* The SPEC that a demand has for it; NULL: the demand is about another. */
static const struct spec *spec_for(const struct demands *ask, const struct demand *demand,
                                   const struct framework *row)
{
    if (demand->choice == CHOICE_FRAMEWORK && row == ask->named)
        return &ask->specs[CHOICE_FRAMEWORK];
    if (demand->choice == CHOICE_WITH && row == ask->with[demand->index].row)
        return &ask->with[demand->index].spec;
    return NULL;
}

/* The same host, GPUs and driver, without the demands on the main framework itself. */
static const struct demands *ask_of(const struct compiler *c, const struct framework *row)
{
    static const enum stack_choice own[] = {CHOICE_FRAMEWORK, CHOICE_PYTHON, CHOICE_CUDA,
                                            CHOICE_VARIANT, CHOICE_WITH};
    struct demands *ask = arena_alloc(c->arena, sizeof *ask);
    *ask = *c->ask;
    ask->framework = ask->named = row;
    ask->with_count = ask->members.count = 0;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        ask->at[own[i]] = -1;
    for (size_t i = 0; i < c->ask->demand_count && ask->at[CHOICE_FRAMEWORK] < 0; i++) {
        const struct spec *spec = spec_for(c->ask, &c->ask->demands[i], row);
        if (!spec || !spec->count)
            continue;
        ask->at[CHOICE_FRAMEWORK] = (int)i;
        ask->specs[CHOICE_FRAMEWORK] = *spec;
    }
    return ask;
}

static void finish_member(const struct compiler *c, struct member *member)
{
    struct demands *ask = c->ask;
    for (size_t i = 0; i < ask->demand_count; i++)
        if (ask->demands[i].choice == CHOICE_WITH &&
            ask->with[ask->demands[i].index].row == member->row)
            member->demands |= (uint64_t)1 << i;
    member->always = member->row == ask->framework || member->row == ask->named;
    member->ask = member->row == ask->framework ? ask : ask_of(c, member->row);
    for (size_t i = 0; i < ask->members.count; i++)
        if (member->row->on && str_equal(ask->members.items[i].row->name, member->row->on))
            member->brings |= (uint64_t)1 << i;
}

/* `all` is the matrix with the rows of packages. */
static int compile_members(const struct compiler *c, const struct matrix *all)
{
    struct demands *ask = c->ask;
    const struct framework *rows[WITH_MAX + 2] = {ask->framework, ask->named};
    size_t count = 2;
    for (size_t i = 0; i < ask->with_count; i++)
        if (ask->with[i].row)
            rows[count++] = ask->with[i].row;
    if (!ask->with_count && ask->named == ask->framework)
        return 0; /* the framework is alone */
    if (members_gather(&ask->members, c->arena, all, rows, count, c->err))
        return -1;
    for (size_t i = 0; i < ask->members.count; i++)
        finish_member(c, &ask->members.items[i]);
    return 0;
}

/* A framework that consists of the package under another name: NumPy of `none`. */
static const struct framework *consists_of(const struct compiler *c, const struct matrix *all,
                                           const char *name)
{
    for (size_t i = 0; i < all->framework_count; i++) {
        const struct framework *row = &all->frameworks[i];
        if (row->requirements && same_package(package_name(c->arena, row->requirements), name))
            return row;
    }
    return NULL;
}

/*
 * A name that differs from a known one by a slip is the usual way to install what somebody else put
 * under that name: it would go into the requirements of the image.
 */
static int check_spelling(const struct compiler *c, const struct matrix *all, const char *name)
{
    const char **names, *known = NULL;
    size_t count = matrix_package_names(&names, c->arena, all->files);
    for (size_t i = 0; !known && i < count; i++)
        known = str_is_one_slip(name, names[i]) ? names[i] : NULL;
    for (size_t i = 0; !known && i < all->framework_count; i++) {
        const char *pip = all->frameworks[i].requirements;
        pip = pip ? package_name(c->arena, pip) : all->frameworks[i].name;
        known = str_is_one_slip(name, pip) ? pip : NULL;
    }
    if (!known)
        return 0;
    (void)err_set(c->err, TG_USAGE, "unknown-package", "no row knows the package '%s'", name);
    return err_hint(c->err, "did you mean '%s'? --unchecked takes '%s'", known, name);
}

static int compile_with(const struct compiler *c)
{
    const struct words *said = &c->request->said[CHOICE_WITH];
    const struct matrix *all = c->ask->matrix;
    if (said->count > WITH_MAX)
        return err_set(c->err, TG_USAGE, "too-many-packages", "more than %d packages were named",
                       WITH_MAX);
    if (said->count && matrix_whole(&all, c->ask->matrix, c->err))
        return -1;
    for (size_t i = 0; i < said->count; i++) {
        struct asked_package *package = &c->ask->with[c->ask->with_count];
        if (compile_package(c, package, said->items[i]))
            return -1;
        add_demand(c, CHOICE_WITH, c->ask->with_count++,
                   arena_printf(c->arena, "with %s", said->items[i]));
        package->row = is_called(c->ask->framework, package->name) ? c->ask->framework
                       : is_called(c->ask->named, package->name)   ? c->ask->named
                                                                   : package_of(all, package->name);
        package->like = package->row ? NULL : consists_of(c, all, package->name);
        if (!package->row && !package->like && words_have(&c->request->spelled, said->items[i]) &&
            check_spelling(c, all, package->name))
            return -1;
    }
    return compile_members(c, all);
}

/* ------------------------------------------------------------------ the type */

bool type_takes(const struct demands *ask, const struct distribution *distribution)
{
    const struct words *families = &ask->request.need.distributions;
    return !families->count || !distribution || words_have(families, distribution->family);
}

/* A Dockerfile's steps use one package manager. */
static void compile_need_of_os(const struct compiler *c)
{
    const struct stack_need *need = &c->request->need;
    const struct rows *rows = &c->ask->matrix->distributions;
    if (!need->distributions.count)
        return;
    c->ask->os_elsewhere = true;
    for (size_t i = 0; i < rows->count; i++)
        if (ROW(struct distribution, *rows, i)->is_default &&
            type_takes(c->ask, ROW(struct distribution, *rows, i)))
            c->ask->os_elsewhere = false;
    add_demand(c, TYPE_OS, 0,
               arena_printf(c->arena, "type %s needs %s", need->type,
                            str_join(c->arena, need->distributions.items, need->distributions.count,
                                     " or ")));
}

/* The files of a type may need a newer Python than the framework does. */
static int compile_need(const struct compiler *c)
{
    const struct stack_need *need = &c->request->need;
    compile_need_of_os(c);
    if (!need->python)
        return 0;
    if (spec_parse(&c->ask->specs[TYPE_PYTHON], c->arena, need->python, "python", c->err))
        return -1;
    add_demand(c, TYPE_PYTHON, 0,
               arena_printf(c->arena, "type %s needs Python %s", need->type, need->python));
    return 0;
}

int ask_compile(struct demands *out, struct arena *arena, const struct matrix *matrix,
                const struct stack_request *request, struct err *err)
{
    const struct compiler c = {out, arena, request, err};
    *out = (struct demands){.matrix = matrix, .request = *request};
    for (size_t i = 0; i < DEMAND_KINDS; i++)
        out->at[i] = -1;
    if (compile_framework(&c) || compile_spec(&c, CHOICE_PYTHON) || compile_spec(&c, CHOICE_CUDA) ||
        compile_variant(&c) || compile_driver(&c) || compile_platform(&c) || compile_host(&c) ||
        compile_image(&c) || compile_gpus(&c) || compile_with(&c) || compile_need(&c))
        return -1;
    return 0;
}
