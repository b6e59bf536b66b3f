/* Loads the files of matrices/ and joins their rows. */
#include "base/account.h"
#include "base/arena.h"
#include "base/shell.h"
#include "data/fileset.h"
#include "data/yaml.h"
#include "matrix/facts.h"
#include "matrix/matrix.h"
#include "matrix/read/fields.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FRAMEWORKS_MAX 64
#define DEFAULT_FAMILY "ubuntu" /* of images, unless --os or --image say otherwise */

struct loader {
    struct matrix *matrix;
    struct arena *arena;
    struct err *err;
    bool placed;                     /* rows need places */
    const struct yaml_node *overlay; /* the root of the overlay, or NULL */
    struct added_rows added;
};

/* A file of the matrix, with its key and name in overlays and added rows. */
struct matrix_file {
    const struct document *document;
    const char *path, *key, *name; /* `name`: NULL if the kind has only one file */
};

/* The part of the overlay for `name`, or NULL. */
static const struct yaml_node *overlay_of(const struct loader *loader, const char *name)
{
    return loader->overlay ? yaml_get(loader->overlay, name) : NULL;
}

static int read_file(void *out, const struct matrix_file *source, struct row_reader *reader,
                     const struct loader *loader)
{
    struct yaml_doc *doc;
    if (fileset_document(&doc, loader->arena, loader->matrix->files, source->path, loader->err))
        return -1;
    if (!doc->root)
        return err_set(loader->err, TG_USAGE, "invalid", "'%s' is empty", source->path);
    const struct yaml_node *root = doc->root;
    if (added_join(&root, loader->arena, &loader->added, source->document, source->key,
                   source->name, loader->err) ||
        document_read(out, source->document, reader, root, loader->err))
        return -1;
    *reader = (struct row_reader){.arena = loader->arena, .curated = root, .overlay = true};
    return 0;
}

static int load_document(void *out, const struct matrix_file *source,
                         const struct yaml_node *overlay, const struct loader *loader)
{
    struct row_reader reader = {.arena = loader->arena};
    /* Rows from other files may refer to rows of this one, which must then be read as YAML. */
    bool alone = !overlay && !added_has(&loader->added, source->key, source->name);
    long index = fileset_find(loader->matrix->files, source->path);
    struct span rows = loader->placed || !alone || index < 0
                           ? span_of("", 0)
                           : loader->matrix->files->entries[index].rows;
    if (rows.len ? rows_unpack(out, source->document, loader->arena, rows, loader->err)
                 : read_file(out, source, &reader, loader))
        return -1;
    if (!overlay)
        return 0;
    return tables_read(&reader, loader->overlay, loader->err) ||
                   document_read(out, source->document, &reader, overlay, loader->err)
               ? -1
               : 0;
}

/* One entry of `tags`: FLAVOURS: DISTRIBUTIONS. */
static int read_tags_entry(struct image *image, const struct loader *loader,
                           const struct pair *entry)
{
    const struct yaml_node *key = entry->place ? entry->place->key : NULL;
    const struct yaml_node *value = entry->place ? entry->place->value : NULL;
    const char *text = entry->value;
    if (yaml_text(&text, value, "tags", loader->err))
        return -1;
    const struct words names = words_read(loader->arena, entry->name);
    const struct words systems = words_read(loader->arena, text);
    for (size_t i = 0; i < names.count; i++) {
        const char *const *flavour = image_flavours;
        while (*flavour && strcmp(*flavour, names.items[i]) != 0)
            flavour++;
        if (!*flavour)
            return yaml_error(loader->err, key, "'%s' is no flavour", names.items[i]);
        for (size_t j = 0; j < systems.count; j++) {
            const struct distribution *os = distribution_of(loader->matrix, systems.items[j]);
            if (!os)
                return yaml_error(loader->err, value, "'%s' is no distribution", systems.items[j]);
            arena_push(loader->arena, image->tags, image->tag_count) = (struct tag){*flavour, os};
        }
    }
    return 0;
}

/* The spelling of "cudnn" in tags of that version; NULL if no row has it. */
static const char *word_of(const struct matrix *matrix, const struct version *cuda)
{
    for (size_t i = 0; i < matrix->cudnn_words.count; i++) {
        const struct cudnn_word *row = ROW(struct cudnn_word, matrix->cudnn_words, i);
        if (spec_matches(&row->cuda, cuda))
            return row->word;
    }
    return NULL;
}

static int finish_image(struct image *image, const struct loader *loader)
{
    const struct pairs *tags = &image->tag_words;
    for (size_t i = 0; i < tags->count; i++)
        if (read_tags_entry(image, loader, &tags->items[i]))
            return -1;
    image->cudnn_word = word_of(loader->matrix, &image->cuda);
    return 0;
}

static int load_shared(const struct loader *loader)
{
    struct matrix *matrix = loader->matrix;
    for (size_t i = 0; i < shared_file_count; i++) {
        const struct matrix_file source = {&shared_files[i].document, shared_files[i].path,
                                           shared_files[i].name, NULL};
        if (load_document(matrix, &source, overlay_of(loader, shared_files[i].name), loader))
            return -1;
    }
    for (size_t i = 0; i < matrix->distributions.count; i++) {
        struct distribution *row = (struct distribution *)matrix->distributions.items + i;
        row->rank = i;
        row->is_default = str_equal(row->family, DEFAULT_FAMILY);
    }
    for (size_t i = 0; i < matrix->images.count; i++)
        if (finish_image((struct image *)matrix->images.items + i, loader))
            return -1;
    return 0;
}

static int by_release(const void *a, const void *b)
{
    return version_compare(&((const struct release *)b)->version,
                           &((const struct release *)a)->version);
}

/* The default build first, then by descending CUDA, CPU builds last. */
static int build_order(const struct release *release, const struct build *a, const struct build *b)
{
    bool a_default = str_equal(a->variant, release->default_variant);
    bool b_default = str_equal(b->variant, release->default_variant);
    if (a_default != b_default)
        return a_default ? -1 : 1;
    if (!a->cuda.text || !b->cuda.text)
        return !a->cuda.text - !b->cuda.text;
    int order = version_compare(&b->cuda, &a->cuda);
    return order ? order : strcmp(a->variant, b->variant);
}

static void insert_build(struct release *release, const struct build *build)
{
    size_t at = release->build_count++;
    for (; at > 0 && build_order(release, build, release->builds[at - 1]) < 0; at--)
        release->builds[at] = release->builds[at - 1];
    release->builds[at] = build;
}

/* The place of the build of that variant, or NULL. */
static const struct build **find_build(const struct release *release, const char *variant)
{
    for (size_t i = 0; i < release->build_count; i++)
        if (str_equal(release->builds[i]->variant, variant))
            return &release->builds[i];
    return NULL;
}

/* Joins builds to their releases; an overlay's build takes the place of the curated one. */
static int join_builds(const struct framework *framework, const struct loader *loader)
{
    for (size_t i = 0; i < framework->releases.count; i++) {
        struct release *release = (struct release *)framework->releases.items + i;
        release->builds =
            arena_array(loader->arena, framework->builds.count + 1, sizeof *release->builds);
        for (size_t j = 0; j < framework->builds.count; j++) {
            const struct build *build = ROW(struct build, framework->builds, j);
            bool all = build->releases.count == 1 && str_equal(build->releases.items[0], "all");
            if (!all && !words_have(&build->releases, release->version.text))
                continue;
            const struct build **same = find_build(release, build->variant);
            if (same && (!build->fact.overlaid || (*same)->fact.overlaid))
                return yaml_error(loader->err, build->fact.node, "a second build %s of %s",
                                  build->variant, release->version.text);
            if (same)
                *same = build;
            else
                insert_build(release, build);
        }
    }
    return 0;
}

/* A cuDNN is a version, or a SPEC. */
static int finish_build(struct build *build, const struct framework *framework,
                        const struct loader *loader)
{
    ERR_SCRATCH(err);
    const struct version *cuda = &build->cuda;
    bool wheel = str_equal(supply_of(framework, build), "wheel");
    if (framework->libraries && wheel && cuda->text && !build->libraries.count &&
        spec_parse(&build->libraries, loader->arena,
                   arena_printf(loader->arena, "==%llu.%llu.*",
                                (unsigned long long)cuda->release[0],
                                (unsigned long long)cuda->release[1]),
                   "libraries", loader->err))
        return -1;
    if (!build->cudnn || !version_parse(&build->cudnn_version, build->cudnn))
        return 0;
    build->cudnn_version.text = NULL;
    if (spec_parse(&build->cudnn_window, loader->arena, build->cudnn, "cudnn", &err))
        return yaml_error(loader->err, yaml_get(build->fact.node, "cudnn"),
                          "cudnn: '%s' is no version or SPEC", build->cudnn);
    return 0;
}

/* Parses the Pythons as versions. An invalid one becomes 0, which `matrix check` reports. */
static void parse_pythons(struct release *release, struct arena *arena)
{
    size_t stable = release->pythons.count, count = stable + release->experimental.count;
    release->python_versions = arena_array(arena, count + 1, sizeof *release->python_versions);
    for (size_t i = 0; i < count; i++) {
        const char *text =
            i < stable ? release->pythons.items[i] : release->experimental.items[i - stable];
        if (version_parse(&release->python_versions[i], text))
            release->python_versions[i] = (struct version){.text = text, .count = 1};
    }
}

/* A folder with a struct framework in each file. */
struct shelf {
    const char *folder, *overlay; /* `overlay`: the key of its rows in one */
    const struct document *document;
};

static const struct shelf framework_shelf = {FRAMEWORKS_FOLDER, "frameworks", &framework_document};
static const struct shelf package_shelf = {PACKAGES_FOLDER, "packages", &package_document};

/* A package without builds has a wheel for every build of its framework. */
static void add_any_build(struct framework *framework, struct arena *arena)
{
    static const char *all[] = {"all"}, *both[] = {"x86_64", "aarch64"};
    struct build *build = arena_alloc(arena, sizeof *build);
    *build = (struct build){.fact = {.source = "", .as_of = ""},
                            .releases = {all, 1},
                            .variant = "any",
                            .processors = {both, 2}};
    framework->builds = (struct rows){build, 1, 1};
}

static int finish_framework(struct framework *framework, const struct loader *loader)
{
    if (framework->on && !framework->builds.count)
        add_any_build(framework, loader->arena);
    for (size_t i = 0; i < framework->builds.count; i++)
        if (finish_build((struct build *)framework->builds.items + i, framework, loader))
            return -1;
    for (size_t i = 0; i < framework->releases.count; i++)
        parse_pythons((struct release *)framework->releases.items + i, loader->arena);
    if (framework->releases.count)
        qsort(framework->releases.items, framework->releases.count, sizeof(struct release),
              by_release);
    return join_builds(framework, loader);
}

static void set_defaults(struct framework *framework, struct arena *arena)
{
    if (!framework->library_path)
        framework->library_path = "keep";
    if (!framework->supply)
        framework->supply = "wheel";
    if (!framework->requirements)
        framework->requirements = arena_printf(arena, "%s=={version}", framework->name);
}

static int load_framework(struct framework *framework, const struct shelf *shelf, const char *name,
                          const struct loader *loader)
{
    const char *path = arena_printf(loader->arena, "%s%s.yml", shelf->folder, name);
    const struct matrix_file source = {shelf->document, path, shelf->overlay, name};
    const struct yaml_node *overlays = overlay_of(loader, shelf->overlay);
    if (overlays && overlays->kind != YAML_MAP)
        return yaml_error(loader->err, overlays, "'%s' must be a mapping", shelf->overlay);
    *framework = (struct framework){0};
    if (load_document(framework, &source, yaml_get(overlays, name), loader))
        return -1;
    if (!str_equal(framework->name, name))
        return err_set(loader->err, TG_USAGE, "invalid", "'%s' is of %.*s '%s'", path,
                       (int)strlen(shelf->overlay) - 1, shelf->overlay, framework->name);
    set_defaults(framework, loader->arena);
    framework->by_companions = framework->on && !framework->releases.count;
    return finish_framework(framework, loader);
}

static size_t names_on(const char ***names, struct arena *arena, const struct fileset *files,
                       const struct shelf *shelf)
{
    size_t count = 0;
    *names = arena_array(arena, FRAMEWORKS_MAX, sizeof **names);
    for (size_t i = fileset_lower_bound(files, shelf->folder);
         i < files->count && str_starts(files->entries[i].path, shelf->folder); i++) {
        const char *name = files->entries[i].path + strlen(shelf->folder);
        size_t len = strlen(name);
        if (count < FRAMEWORKS_MAX && str_ends(name, ".yml") && !strchr(name, '/'))
            (*names)[count++] = arena_memdup(arena, name, len - strlen(".yml"));
    }
    return count;
}

size_t matrix_frameworks(const char ***names, struct arena *arena, const struct fileset *files)
{
    return names_on(names, arena, files, &framework_shelf);
}

size_t matrix_package_names(const char ***names, struct arena *arena, const struct fileset *files)
{
    return names_on(names, arena, files, &package_shelf);
}

const char *matrix_file_of(struct arena *arena, const struct matrix *matrix, const char *name)
{
    bool package = false;
    for (size_t i = 0; i < matrix->package_count; i++)
        package |= str_equal(matrix->packages[i].name, name);
    return arena_printf(arena, "%s%s.yml", package ? PACKAGES_FOLDER : FRAMEWORKS_FOLDER, name);
}

/* The framework that pip calls `name`, else the nearest name; or NULL. */
static const char *meant_framework(const struct loader *loader, const char *name,
                                   const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ERR_SCRATCH(ignored);
        struct words pip;
        if (matrix_packages(&pip, loader->arena, loader->matrix->files, names[i], &ignored) == 0 &&
            words_have(&pip, name))
            return names[i];
    }
    return str_nearest(name, names, count);
}

/* Words that people say for a stack of ours, with the request that means it. */
static const struct {
    const char *said, *request;
} manners[] = {
    {"flax", "--framework jax --with flax"},
    {"huggingface", "--framework transformers"},
    {"keras", "--framework tensorflow --with keras"},
    {"onnx", "--framework onnxruntime --with onnx"},
    {"scikit-learn", "--framework none --with scikit-learn"},
    {"sklearn", "--framework none --with scikit-learn"},
    {"tf", "--framework tensorflow"},
};

static const char *in_our_words(const char *name)
{
    for (size_t i = 0; i < sizeof(manners) / sizeof(*manners); i++)
        if (strcasecmp(manners[i].said, name) == 0)
            return manners[i].request;
    return NULL;
}

static int unknown_framework(const struct loader *loader, const char *name)
{
    const char **names;
    const struct fileset *files = loader->matrix->files;
    size_t count = matrix_package_names(&names, loader->arena, files);
    struct framework package;
    bool is_package = str_is_among(name, names, count);
    if (is_package && load_framework(&package, &package_shelf, name, loader))
        return -1;
    count = matrix_frameworks(&names, loader->arena, files);
    const char *near = meant_framework(loader, name, names, count);
    err_set(loader->err, TG_USAGE, "unknown-framework", "unknown framework '%s'", name);
    if (is_package)
        return err_hint(loader->err, "it is a package: %s",
                        shell_command(loader->arena, "--framework %s --with %s", package.on, name));
    if (in_our_words(name))
        return err_hint(loader->err, "did you mean %s?", in_our_words(name));
    if (near)
        return err_hint(loader->err, "did you mean '%s'?", near);
    return err_hint(loader->err, "known frameworks: %s",
                    str_join(loader->arena, names, count, ", "));
}

/* Loads the framework of the package that was loaded last. */
static int load_ground(const struct loader *loader)
{
    struct matrix *matrix = loader->matrix;
    const char *on = matrix->frameworks[0].on;
    if (!on)
        return 0;
    if (load_framework(&matrix->frameworks[1], &framework_shelf, on, loader))
        return -1;
    matrix->framework_count++;
    return 0;
}

static int load_frameworks(const char *only, const struct loader *loader)
{
    struct matrix *matrix = loader->matrix;
    const char **names;
    size_t count = matrix_frameworks(&names, loader->arena, matrix->files);
    matrix->frameworks = arena_array(loader->arena, count + 2, sizeof *matrix->frameworks);
    for (size_t i = 0; i < count; i++) {
        if (only && !str_equal(only, names[i]))
            continue;
        if (load_framework(&matrix->frameworks[matrix->framework_count], &framework_shelf, names[i],
                           loader))
            return -1;
        matrix->framework_count++;
    }
    if (only && !matrix->framework_count)
        return unknown_framework(loader, only);
    return only ? load_ground(loader) : 0;
}

/* ------------------------------------------------------------------ packages */

/*
 * Takes the releases of a package without own ones from its framework's rows. Choosing one also
 * uses the row that names it, which has its confidence and its Pythons.
 */
static int take_companions(struct framework *package, const struct framework *ground,
                           const struct loader *loader)
{
    struct release *rows = arena_array(loader->arena, ground->releases.count + 1, sizeof *rows);
    package->releases = (struct rows){rows, 0, ground->releases.count + 1};
    for (size_t i = 0; i < ground->releases.count; i++) {
        const struct release *release = ROW(struct release, ground->releases, i);
        const char *version = pair_value(&release->companions, package->name);
        struct release *row = &rows[package->releases.count];
        *row = (struct release){.fact = release->fact, .pythons = release->pythons};
        row->fact.note = NULL;
        row->fact.confidence = CONFIDENCE_HIGH;
        if (!version || release_named(package, version) || version_parse(&row->version, version))
            continue;
        package->releases.count++;
    }
    return finish_framework(package, loader);
}

static int load_packages(const struct loader *loader)
{
    struct matrix *matrix = loader->matrix;
    const char **names;
    size_t count = names_on(&names, loader->arena, matrix->files, &package_shelf);
    matrix->packages = arena_array(loader->arena, count + 1, sizeof *matrix->packages);
    for (size_t i = 0; i < count; i++) {
        struct framework *package = &matrix->packages[matrix->package_count++];
        if (load_framework(package, &package_shelf, names[i], loader))
            return -1;
        const struct framework *ground = framework_of(matrix, package->on);
        if (!ground || ground->on)
            return err_set(loader->err, TG_USAGE, "invalid", "package '%s': no framework '%s'",
                           package->name, package->on);
        if (package->by_companions && take_companions(package, ground, loader))
            return -1;
    }
    return 0;
}

static int parse_overlay(struct loader *loader, struct span overlay)
{
    struct yaml_doc *doc;
    if (!overlay.len)
        return 0;
    if (yaml_parse(&doc, loader->arena, ".tmplgen-matrix.yml", overlay, loader->err))
        return -1;
    if (!doc->root)
        return 0;
    if (yaml_check_keys(doc->root, overlay_keys, loader->err))
        return -1;
    loader->overlay = doc->root;
    loader->matrix->overlaid = true;
    return 0;
}

/* Looks up what builds need of cuda.yml, once. */
static void join_toolkits(const struct matrix *matrix, const struct framework *frameworks,
                          size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct rows *builds = &frameworks[i].builds;
        for (size_t j = 0; j < builds->count; j++) {
            struct build *build = (struct build *)builds->items + j;
            build->toolkit = build->cuda.text ? toolkit_of(matrix, &build->cuda) : NULL;
            build->floor = build->cuda.text ? floor_of(matrix, &build->cuda) : NULL;
        }
    }
}

static int load(struct matrix **out, struct arena *arena, const struct fileset *files,
                struct span overlay, const char *framework, bool placed, struct err *err)
{
    struct matrix *matrix = arena_alloc(arena, sizeof *matrix);
    struct loader loader = {.matrix = matrix, .arena = arena, .err = err, .placed = placed};
    matrix->files = files;
    matrix->overlay = overlay;
    matrix->whole = arena_alloc(arena, sizeof *matrix->whole);
    *matrix->whole = (struct whole){arena, placed, framework ? NULL : matrix};
    if (added_read(&loader.added, arena, files, err) || parse_overlay(&loader, overlay) ||
        load_frameworks(framework, &loader) || (!framework && load_packages(&loader)) ||
        load_shared(&loader))
        return -1;
    join_toolkits(matrix, matrix->frameworks, matrix->framework_count);
    join_toolkits(matrix, matrix->packages, matrix->package_count);
    *out = matrix;
    return 0;
}

int matrix_load(struct matrix **out, struct arena *arena, const struct fileset *files,
                struct span overlay, const char *framework, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    if (load(out, arena, files, overlay, framework, false, err) == 0)
        return 0;
    err_release(err); /* reads it again, to get the place of the error */
    return load(out, arena, files, overlay, framework, true, err);
}

int matrix_load_placed(struct matrix **out, struct arena *arena, const struct fileset *files,
                       struct span overlay, const char *framework, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    return load(out, arena, files, overlay, framework, true, err);
}

int matrix_load_around(struct matrix **out, struct arena *arena, const struct fileset *files,
                       struct span overlay, const char *name, struct err *err)
{
    const char **frameworks, **packages;
    size_t framework_count = matrix_frameworks(&frameworks, arena, files);
    size_t package_count = matrix_package_names(&packages, arena, files);
    bool known = name && (str_is_among(name, frameworks, framework_count) ||
                          str_is_among(name, packages, package_count));
    return matrix_load_placed(out, arena, files, overlay, known ? NULL : name, err);
}

int matrix_whole(const struct matrix **out, const struct matrix *matrix, struct err *err)
{
    struct whole *whole = matrix->whole;
    struct matrix *made;
    if (!whole->matrix) {
        if (load(&made, whole->arena, matrix->files, matrix->overlay, NULL, whole->placed, err))
            return -1;
        whole->matrix = made;
    }
    *out = whole->matrix;
    return 0;
}

int matrix_packages(struct words *out, struct arena *arena, const struct fileset *files,
                    const char *framework, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    struct matrix *matrix;
    *out = (struct words){0};
    if (matrix_load(&matrix, arena, files, span_of("", 0), framework, err) < 0)
        return -1;
    const struct framework *found = &matrix->frameworks[0];
    if (found->packages.count == 0)
        return 0;
    out->items = arena_array(arena, found->packages.count + 1, sizeof(*out->items));
    for (size_t i = 0; i < found->packages.count; i++)
        out->items[out->count++] = arena_strdup(arena, found->packages.items[i]);
    const char *own = found->requirements;
    if (own)
        out->items[out->count++] = arena_memdup(arena, own, strcspn(own, "[=<>~! {"));
    return 0;
}
