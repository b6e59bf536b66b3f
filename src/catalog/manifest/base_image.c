/* Base images of a catalog: the contents of base-images/NAME/image.yml, and the tags of rows. */
#include "catalog/base_image.h"

#include "base/account.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "catalog/catalog_source.h"
#include "data/document.h"
#include "data/fileset.h"
#include "data/yaml.h"
#include "io/path.h"
#include "matrix/matrix.h"
#include "registry/reference.h"
#include "tmplgen.h"

#include <string.h>

#define FOLDER "base-images/"
#define MANIFEST "/image.yml"
#define DOCKERFILE "/Dockerfile.j2"

/* ------------------------------------------------------------------ image.yml */

/* The folder of a manifest, or an empty span for other files. */
static struct span name_of(const char *path)
{
    if (!str_starts(path, FOLDER) || !str_ends(path, MANIFEST))
        return span_of("", 0);
    const char *name = path + strlen(FOLDER);
    size_t len = strlen(name) - strlen(MANIFEST);
    return span_of(name, memchr(name, '/', len) ? 0 : len);
}

size_t base_image_names(const char ***names, struct arena *arena, const struct fileset *files)
{
    size_t count = 0;
    *names = arena_array(arena, files->count + 1, sizeof(**names));
    for (size_t i = fileset_lower_bound(files, FOLDER); i < files->count; i++) {
        struct span name = name_of(files->entries[i].path);
        if (!str_starts(files->entries[i].path, FOLDER))
            break;
        if (name.len)
            (*names)[count++] = arena_memdup(arena, name.ptr, name.len);
    }
    return count;
}

static int read_rows(struct base_image *out, struct arena *arena, const struct yaml_node *node,
                     struct err *err)
{
    if (!node)
        return 0;
    if (node->kind != YAML_LIST)
        return yaml_error(err, node, "'rows' must be a list of requests");
    if (node->list.count > LIMIT_IMAGE_ROWS)
        return yaml_over_limit(err, node, node->list.count, "rows", LIMIT_IMAGE_ROWS);
    out->rows = arena_array(arena, node->list.count + 1, sizeof(*out->rows));
    for (size_t i = 0; i < node->list.count; i++) {
        struct base_image_row *row = &out->rows[out->row_count++];
        row->node = node->list.items[i];
        if (stack_request_read(&row->request, arena, row->node, err) < 0 ||
            base_image_request(&row->request, arena, out, row->node, err) < 0)
            return -1;
    }
    return 0;
}

int base_image_request(struct stack_request *request, struct arena *arena,
                       const struct base_image *image, const struct yaml_node *node,
                       struct err *err)
{
    const char *said = request_text(request, CHOICE_FRAMEWORK);
    if (!said)
        request_say(request, arena, CHOICE_FRAMEWORK, image->framework);
    const char *name = request_framework(request, arena);
    if (str_equal(name, image->framework))
        return 0;
    return yaml_error(err, node, "the image '%s' is one of the framework '%s', not of '%s'",
                      image->name, image->framework, name);
}

static int read_serves(struct base_image *out, struct arena *arena, const struct yaml_node *node,
                       struct err *err)
{
    static const char *const keys[] = {"types", "frameworks", NULL};
    if (!node)
        return 0;
    if (yaml_check_keys(node, keys, err) < 0 ||
        yaml_texts(&out->types, arena, yaml_get(node, "types"), "types", err) < 0)
        return -1;
    return yaml_texts(&out->frameworks, arena, yaml_get(node, "frameworks"), "frameworks", err);
}

static int read_contents(struct base_image *out, struct arena *arena, const struct yaml_node *node,
                         struct err *err)
{
    if (!node)
        return 0;
    if (node->kind != YAML_LIST)
        return yaml_error(err, node, "'contents' must be a list of commands");
    out->contents = arena_array(arena, node->list.count + 1, sizeof(*out->contents));
    for (size_t i = 0; i < node->list.count; i++) {
        struct words *command = &out->contents[out->content_count++];
        const struct yaml_node *item = node->list.items[i];
        if (yaml_texts(command, arena, item, "a command", err) < 0)
            return -1;
        if (!command->count)
            return yaml_error(err, item, "a command is a list of a program and its arguments");
    }
    return 0;
}

/* Checks that nvidia/cuda has tags with this flavour. */
static int check_flavour(const struct base_image *image, const struct yaml_node *node,
                         struct err *err)
{
    static const char *const flavours[] = {"base", "runtime", "devel", "cudnn-runtime",
                                           "cudnn-devel"};
    size_t count = sizeof(flavours) / sizeof(*flavours);
    for (size_t i = 0; i < count; i++)
        if (!image->flavour || str_equal(image->flavour, flavours[i]))
            return 0;
    const char *near = str_nearest(image->flavour, flavours, count);
    (void)yaml_error(err, node, "'%s' is no flavour", image->flavour);
    return err_hint(err, "did you mean '%s'?", near ? near : flavours[0]);
}

static int read_image(struct base_image *out, struct arena *arena, const struct yaml_node *root,
                      struct err *err)
{
    static const char *const keys[] = {"description", "framework",     "flavour",    "tag",
                                       "program",     "rows",          "serves",     "budget",
                                       "contents",    "layers",        "delimiters", "overrides",
                                       "files",       "distributions", NULL};
    const struct yaml_node *budget = yaml_get(root, "budget");
    if (yaml_check_keys(root, keys, err) < 0 ||
        yaml_text(&out->description, yaml_get(root, "description"), "description", err) < 0 ||
        yaml_text(&out->framework, yaml_get(root, "framework"), "framework", err) < 0 ||
        yaml_text(&out->flavour, yaml_get(root, "flavour"), "flavour", err) < 0 ||
        yaml_text(&out->tag, yaml_get(root, "tag"), "tag", err) < 0 ||
        yaml_text(&out->program, yaml_get(root, "program"), "program", err) < 0 ||
        yaml_int(&out->budget, budget, "budget", err) < 0)
        return -1;
    if (!out->description || !out->framework)
        return yaml_error(err, root, "'%s' is missing",
                          out->description ? "framework" : "description");
    if (budget && out->budget <= 0)
        return yaml_error(err, budget, "'budget' is a number of MB");
    if (out->program && path_check(out->program, err) < 0)
        return yaml_at(err, yaml_get(root, "program"));
    if (check_flavour(out, yaml_get(root, "flavour"), err) < 0 ||
        read_rows(out, arena, yaml_get(root, "rows"), err) < 0 ||
        read_serves(out, arena, yaml_get(root, "serves"), err) < 0 ||
        yaml_texts(&out->distributions, arena, yaml_get(root, "distributions"), "distributions",
                   err) < 0 ||
        read_contents(out, arena, yaml_get(root, "contents"), err) < 0)
        return -1;
    return manifest_read_files(&out->files, arena, out->name, root, err);
}

static int unknown_image(struct err *err, struct arena *arena, const struct catalog *catalog,
                         const char *name)
{
    const char **names;
    size_t count = base_image_names(&names, arena, catalog->files);
    const char *near = str_nearest(name, names, count);
    const char *all = str_join(arena, names, count, ", ");
    (void)err_set(err, TG_USAGE, "unknown-image", "the catalog '%s' has no base image '%s'",
                  catalog->name, name);
    if (near)
        return err_hint(err, "did you mean '%s'? There is: %s", near, all);
    return count ? err_hint(err, "there is: %s", all)
                 : err_hint(err, "the catalog has no base images at all");
}

int base_image_load(struct base_image **out, struct arena *arena, const struct catalog *catalog,
                    const char *name, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    struct yaml_doc *doc;
    struct base_image *image = arena_alloc(arena, sizeof(*image));
    const char *path = arena_printf(arena, FOLDER "%s" MANIFEST, name);
    if (strchr(name, '/') || fileset_find(catalog->files, path) < 0)
        return unknown_image(err, arena, catalog, name);
    if (fileset_document(&doc, arena, catalog->files, path, err) < 0)
        return -1;
    if (!doc->root) {
        (void)err_set(err, TG_USAGE, "invalid", "the file is empty");
        return err_at(err, doc->name, doc->source.ptr, doc->source.len, 0);
    }
    if (!image_name_is_valid(name)) {
        (void)yaml_error(err, doc->root, "'%s' cannot be the name of an image", name);
        return err_hint(err, "name the folder by lower-case letters and digits, with '.', '_' or "
                             "'-' between them");
    }
    *image = (struct base_image){.name = arena_strdup(arena, name)};
    if (read_image(image, arena, doc->root, err) < 0)
        return -1;
    image->files.beside = arena_printf(arena, FOLDER "%s" DOCKERFILE, name);
    *out = image;
    return 0;
}

/* ------------------------------------------------------------------ tags */

static const char *resolved(const struct data *resolution, const char *part, const char *name)
{
    return data_text(data_get(data_get(resolution, part), name));
}

/* The part behind the last '-' ("ubuntu24.04") of a tag with a CUDA flavour; or NULL. */
static const char *cuda_tag_os(const char *tag)
{
    const char *last = strrchr(tag, '-');
    bool cuda = strstr(tag, "-base-") || strstr(tag, "runtime-") || strstr(tag, "devel-");
    return last && cuda ? last + 1 : NULL;
}

bool base_image_takes_os(const struct base_image *image, const struct data *resolution)
{
    const char *tag = resolved(resolution, "image", "tag");
    const char *os = tag ? cuda_tag_os(tag) : NULL;
    for (size_t i = 0; os && i < image->distributions.count; i++)
        if (str_starts(os, image->distributions.items[i]))
            return true;
    return !os || !image->distributions.count;
}

const char *base_image_os(struct arena *arena, const struct data *resolution)
{
    const char *tag = resolved(resolution, "image", "tag");
    const char *repository = resolved(resolution, "image", "repository");
    const char *os = tag ? cuda_tag_os(tag) : NULL;
    if (os || !repository)
        return os ? os : "";
    const char *slash = strrchr(repository, '/');
    return arena_printf(arena, "%s%s", slash ? slash + 1 : repository, tag ? tag : "");
}

static const char *tag_by_rule(struct arena *arena, const struct base_image *image,
                               const struct data *resolution)
{
    const char *python = data_shown(resolution, "python"), *os = base_image_os(arena, resolution);
    const char *dot = strchr(python, '.');
    const char *tag = resolved(resolution, "image", "tag"), *head;
    const char *version = resolved(resolution, "framework", "version");
    const char *variant = resolved(resolution, "cuda", "variant");
    if (!str_equal(image->framework, "none"))
        head = arena_printf(arena, "%s-%s", version, variant ? variant : "cpu");
    else if (tag && cuda_tag_os(tag))
        head = arena_memdup(arena, tag, (size_t)(strrchr(tag, '-') - tag));
    else
        head = variant ? variant : "cpu";
    return dot ? arena_printf(arena, "%s-py%.*s%s-%s", head, (int)(dot - python), python, dot + 1,
                              os)
               : arena_printf(arena, "%s-%s", head, os);
}

int base_image_tag(const char **out, struct arena *arena, const struct base_image *image,
                   const struct data *resolution, struct err *err)
{
    BUF_SCRATCH(text, 4096);
    if (!image->tag) {
        *out = tag_by_rule(arena, image, resolution);
    } else {
        struct data *context = data_map(arena);
        struct template_source source = {.name = image->name, .text = span_from(image->tag)};
        data_add(arena, context, FIELD("resolution", data_copy(arena, resolution)),
                 FIELD("version", TMPLGEN_VERSION));
        if (template_render(&text, &source, context, NULL, err) < 0)
            return err_wrap(err, "'tag' of the image '%s'", image->name);
        *out = arena_strdup(arena, buf_text(&text));
    }
    if (image_tag_is_valid(*out))
        return 0;
    return err_set(err, TG_USAGE, "invalid-tag", "the tag of the image '%s' would be '%s'",
                   image->name, *out);
}

/*
 * The smallest flavour: no compiler, and no CUDA libraries if wheels bring them. The resolver
 * chooses a larger one where it has not seen this one in use. NULL: the resolver's choice.
 */
static const char *least_flavour(const struct data *resolution, const char *tag)
{
    const char *supply = resolved(resolution, "cuda", "supply");
    if (str_equal(supply, "wheel"))
        return "base";
    if (!str_equal(supply, "image") || !strstr(tag, "-devel-"))
        return NULL;
    return strstr(tag, "cudnn") ? "cudnn-runtime" : "runtime";
}

const struct data *base_image_stack(struct arena *arena, const struct base_image *image,
                                    const struct matrix *matrix, bool named,
                                    const struct data *resolution)
{
    const char *repository = resolved(resolution, "image", "repository");
    const char *tag = resolved(resolution, "image", "tag");
    if (named || !repository || !tag || !resolved(resolution, "cuda", "version"))
        return resolution;
    const char *flavour = image->flavour ? image->flavour : least_flavour(resolution, tag);
    if (!flavour)
        return resolution;
    const char *wanted = matrix_flavour_tag(arena, matrix, repository, tag, flavour);
    if (!wanted)
        return image->flavour ? NULL : resolution;
    struct data *copy = data_copy(arena, resolution);
    data_put_text(arena, data_get(copy, "image"), "tag", wanted);
    return copy;
}

/* ------------------------------------------------------------------ children */

/* An image for a type also serves the types that extend it. */
static bool serves_type(const struct base_image *image, const struct manifest *manifest)
{
    const struct words *types = &image->types;
    bool serves = str_is_among(manifest->type, types->items, types->count);
    for (size_t i = 0; !serves && i < manifest->inherited_count; i++)
        serves = str_is_among(manifest->inherited[i].name, types->items, types->count);
    return serves;
}

int base_image_serving(struct base_image **out, struct arena *arena, const struct catalog *catalog,
                       const struct manifest *manifest, const struct data *resolution,
                       const char *registry, struct err *err)
{
    const char **names, *framework = resolved(resolution, "framework", "name");
    size_t count = base_image_names(&names, arena, catalog->files);
    *out = NULL;
    if (!registry || !*registry || !framework)
        return 0;
    for (size_t i = 0; i < count; i++) {
        struct base_image *image = NULL;
        if (base_image_load(&image, arena, catalog, names[i], err) < 0)
            return -1;
        if (!serves_type(image, manifest) ||
            !str_is_among(framework, image->frameworks.items, image->frameworks.count))
            continue;
        *out = image;
        return 0;
    }
    return 0;
}
