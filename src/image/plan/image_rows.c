/* Rows: the images of a command, each with its stack and its name. */
#include "image/image_rows.h"

#include "base/arena.h"
#include "catalog/base_image.h"
#include "catalog/catalog_source.h"
#include "data/data.h"
#include "data/yaml.h"
#include "matrix/matrix.h"
#include "registry/reference.h"
#include "resolver/resolver.h"

#include <sys/utsname.h>

/* In the words of the resolver and of registries. */
static const char *const processors[][2] = {{"x86_64", "linux/amd64"}, {"aarch64", "linux/arm64"}};
static const size_t processor_count = sizeof(processors) / sizeof(*processors);

/* The matrix is read once for each framework. */
struct framework_rows {
    const char *framework;
    struct matrix *matrix;
};

struct gathering {
    struct arena *arena;
    const struct image_selection *selection;
    struct framework_rows *matrices;
    size_t matrix_count;
    struct image_row *rows;
    size_t count;
    struct data **refusal;
    struct err *err;
};

static int matrix_for(struct matrix **out, struct gathering *g, const char *framework)
{
    for (size_t i = 0; i < g->matrix_count; i++)
        if (str_equal(g->matrices[i].framework, framework)) {
            *out = g->matrices[i].matrix;
            return 0;
        }
    if (matrix_load(out, g->arena, g->selection->catalog->files, g->selection->overlay, framework,
                    g->err) < 0)
        return -1;
    arena_push(g->arena, g->matrices, g->matrix_count) = (struct framework_rows){framework, *out};
    return 0;
}

static const char *image_part(const struct data *resolution, const char *name)
{
    return data_get_text(data_get(resolution, "image"), name);
}

static int resolve(const struct data **out, struct gathering *g, const struct base_image *image,
                   const struct stack_request *request)
{
    ARENA_SCRATCH(searched); /* many times what is found, and a plan has hundreds of rows */
    struct matrix *matrix;
    struct data *resolution;
    if (matrix_for(&matrix, g, request_framework(request, g->arena)) < 0)
        return -1;
    if (matrix_resolve(&resolution, g->refusal, &searched, matrix, request, g->err) < 0) {
        *g->refusal = *g->refusal ? data_copy(g->arena, *g->refusal) : NULL;
        return -1;
    }
    resolution = data_copy(g->arena, resolution);
    bool named = request_text(request, CHOICE_IMAGE) != NULL;
    *out = base_image_stack(g->arena, image, matrix, named, resolution);
    if (*out)
        return 0;
    (void)err_set(g->err, TG_UNSOLVABLE, "unsatisfiable", "%s:%s has no image of the flavour '%s'",
                  image_part(resolution, "repository"), image_part(resolution, "tag"),
                  image->flavour);
    return err_hint(g->err, "--image REPO:TAG names another base");
}

/* Compares everything that changes the files of a row, and so the meaning of its name. */
static bool is_alike(const struct data *a, const struct data *b)
{
    static const char *const parts[] = {"framework",  "python",       "cuda",      "cudnn", "image",
                                        "companions", "requirements", "index_url", "env"};
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        if (!data_equal(data_get(a, parts[i]), data_get(b, parts[i])))
            return false;
    return str_equal(data_get_text(data_get(a, "driver"), "minimum"),
                     data_get_text(data_get(b, "driver"), "minimum"));
}

static const char *named(struct gathering *g, const struct base_image *image, const char *tag)
{
    const char *registry = g->selection->registry;
    return arena_printf(g->arena, "%s%s%s:%s", registry ? registry : "", registry ? "/" : "",
                        image->name, tag);
}

static bool is_called(const struct image_row *row, const char *name)
{
    return str_equal(row->name, name) || words_have(&row->aliases, name);
}

/* A name means only one row, whether the row's own name or one from the plan. */
static int check_name(struct gathering *g, const struct image_row *row, const char *name,
                      const struct yaml_node *node)
{
    for (size_t i = 0; i < g->count; i++)
        if (&g->rows[i] != row && is_called(&g->rows[i], name))
            return yaml_error(g->err, node, "'%s' would be two different images", name);
    return 0;
}

static int add_alias(struct gathering *g, struct image_row *row, const char *tag,
                     const struct yaml_node *node)
{
    const char *alias = named(g, row->image, tag);
    if (is_called(row, alias))
        return 0;
    words_add(&row->aliases, g->arena, alias);
    return check_name(g, row, alias, node);
}

static bool is_wanted(const struct image_selection *selection, const struct image_row *row)
{
    ARENA_SCRATCH(scratch);
    const char *name = arena_printf(&scratch, "%s:%s", row->image->name, row->tag);
    return !selection->only.count || words_have(&selection->only, name);
}

static int add_row(struct gathering *g, const struct image_row *row, const struct words *tags,
                   const struct yaml_node *node)
{
    struct image_row *into = NULL;
    for (size_t i = 0; !into && i < g->count; i++)
        if (str_equal(g->rows[i].name, row->name))
            into = &g->rows[i];
    if (into && (!is_alike(into->resolution, row->resolution) ||
                 !str_equal(request_processor(&into->request), request_processor(&row->request)))) {
        (void)yaml_error(g->err, node, "two rows that differ would both be '%s'", row->name);
        return err_hint(g->err, "leave one of them out, or let them differ in version, build or "
                                "distribution");
    }
    if (!into) {
        into = &arena_push(g->arena, g->rows, g->count);
        *into = *row;
    }
    for (size_t i = 0; tags && i < tags->count; i++)
        if (add_alias(g, into, tags->items[i], node) < 0)
            return -1;
    return check_name(g, into, into->name, node);
}

/* Lock files and registries use repository and tag; the digest is the lock file's. */
static int name_base(struct image_row *row, struct gathering *g)
{
    struct image_reference reference;
    const char *repository = image_part(row->resolution, "repository");
    const char *digest = image_part(row->resolution, "digest");
    row->base = arena_printf(g->arena, "%s:%s", repository, image_part(row->resolution, "tag"));
    if (image_reference_parse(&reference, g->arena, row->base, g->err) < 0)
        return err_wrap(g->err, "image '%s'", row->image->name);
    if (!digest)
        return 0;
    (void)err_set(g->err, TG_USAGE, "invalid-image", "the base '%s' is named with its digest",
                  row->base);
    return err_hint(g->err, "name its tag: the lock file keeps the digest (tmplgen image lock)");
}

/* Gives an error without a place the row's place; NULL: the row has none. */
static int at_row(struct gathering *g, const struct yaml_node *node)
{
    return node && !g->err->where.file ? yaml_at(g->err, node) : -1;
}

static int gather(struct gathering *g, const struct base_image *image,
                  const struct stack_request *request, const struct words *tags,
                  const struct yaml_node *node)
{
    struct image_row row = {.image = image, .request = *request};
    if (base_image_request(&row.request, g->arena, image, node, g->err) < 0)
        return -1;
    if (resolve(&row.resolution, g, image, &row.request) < 0) {
        (void)at_row(g, node);
        if (str_equal(g->err->code, "invalid-image"))
            err_hide_source(g->err);
        return err_wrap(g->err, "image '%s'", image->name);
    }
    if (!base_image_takes_os(image, row.resolution)) {
        (void)yaml_error(g->err, node, "the image '%s' cannot be built on %s", image->name,
                         base_image_os(g->arena, row.resolution));
        return err_hint(
            g->err, "its Dockerfile is for: %s",
            str_join(g->arena, image->distributions.items, image->distributions.count, ", "));
    }
    if (base_image_tag(&row.tag, g->arena, image, row.resolution, g->err) < 0)
        return at_row(g, node);
    if (name_base(&row, g) < 0)
        return node ? yaml_at(g->err, node) : -1;
    row.name = named(g, image, row.tag);
    return is_wanted(g->selection, &row) ? add_row(g, &row, tags, node) : 0;
}

static bool is_named(const struct image_selection *selection, const char *image)
{
    return !selection->images.count || words_have(&selection->images, image);
}

static int gather_plan(struct gathering *g, const struct image_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_entry *entry = &plan->entries[i];
        struct base_image *image;
        if (!is_named(g->selection, entry->image))
            continue;
        if (base_image_load(&image, g->arena, g->selection->catalog, entry->image, g->err) < 0)
            return at_row(g, yaml_get(entry->node, "image"));
        bool own = !entry->asks && image->row_count;
        if (gather(g, image, own ? &image->rows[0].request : &entry->request, &entry->tags,
                   entry->node) < 0)
            return -1;
    }
    return 0;
}

/* Gathers the rows of one image: the requested ones, or its own. */
static int gather_image(struct gathering *g, const char *name)
{
    struct base_image *image;
    if (base_image_load(&image, g->arena, g->selection->catalog, name, g->err) < 0)
        return -1;
    if (g->selection->request)
        return gather(g, image, g->selection->request, NULL, NULL);
    for (size_t i = 0; i < image->row_count; i++)
        if (gather(g, image, &image->rows[i].request, NULL, image->rows[i].node) < 0)
            return -1;
    return 0;
}

static int gather_images(struct gathering *g)
{
    const char **names;
    size_t count = base_image_names(&names, g->arena, g->selection->catalog->files);
    for (size_t i = 0; i < count; i++)
        if (is_named(g->selection, names[i]) && gather_image(g, names[i]) < 0)
            return -1;
    return 0;
}

/* A name that matches nothing is a mistake, not an empty answer. */
static int check_named(struct gathering *g)
{
    const struct image_selection *selection = g->selection;
    struct base_image *image;
    for (size_t i = 0; i < selection->images.count; i++) {
        const char *name = selection->images.items[i];
        bool found = false;
        for (size_t j = 0; j < g->count; j++)
            found |= str_equal(g->rows[j].image->name, name);
        if (found)
            continue;
        if (base_image_load(&image, g->arena, selection->catalog, name, g->err) < 0)
            return -1;
        if (selection->only.count)
            continue;
        return err_set(g->err, TG_USAGE, "unknown-row", "%s has no row of the image '%s'",
                       selection->plan ? "the plan" : "the catalog", name);
    }
    for (size_t i = 0; i < selection->only.count; i++) {
        const char *only = selection->only.items[i];
        bool found = false;
        for (size_t j = 0; j < g->count; j++)
            found |= str_equal(
                only, arena_printf(g->arena, "%s:%s", g->rows[j].image->name, g->rows[j].tag));
        if (!found) {
            (void)err_set(g->err, TG_USAGE, "unknown-row", "no row is '%s'",
                          image_shown(g->arena, only));
            return err_hint(g->err, "`tmplgen image list` shows the rows");
        }
    }
    return 0;
}

int image_rows(struct image_row **out, size_t *count, struct data **refusal, struct arena *arena,
               const struct image_selection *selection, struct err *err)
{
    struct gathering g = {.arena = arena, .selection = selection, .refusal = refusal, .err = err};
    *refusal = NULL;
    if (selection->request && selection->images.count != 1) {
        (void)err_set(err, TG_USAGE, "usage", "options of the stack are for one image");
        return err_hint(err, "such as tmplgen image list pytorch --gpu T4; a plan names several");
    }
    bool planned = selection->plan && !selection->request;
    if ((planned ? gather_plan(&g, selection->plan) : gather_images(&g)) < 0 || check_named(&g) < 0)
        return -1;
    *out = g.rows;
    *count = g.count;
    return 0;
}

/* The other processor has its own wheels: the resolver decides whether they make the same row. */
static int has_processor(bool *out, struct gathering *g, const struct image_row *row,
                         const char *arch)
{
    struct stack_request request = row->request;
    const struct data *resolution;
    ERR_SCRATCH(refused);
    struct gathering inner = *g;
    inner.err = &refused;
    request_say(&request, g->arena, CHOICE_ARCH, arch);
    *out = false;
    if (resolve(&resolution, &inner, row->image, &request) < 0)
        return refused.exit == TG_UNSOLVABLE
                   ? 0
                   : err_set(g->err, refused.exit, refused.code, "%s", refused.message);
    g->matrices = inner.matrices;
    g->matrix_count = inner.matrix_count;
    *out = is_alike(resolution, row->resolution);
    return 0;
}

static bool is_this_machine(const char *arch)
{
    struct utsname machine;
    return uname(&machine) < 0 || str_equal(machine.machine, arch);
}

const char *image_this_platform(struct arena *arena, const char **arch)
{
    struct utsname machine;
    *arch = NULL;
    if (uname(&machine) < 0)
        return "an unknown platform";
    for (size_t i = 0; i < processor_count; i++)
        if (str_equal(machine.machine, processors[i][0])) {
            *arch = processors[i][0];
            return processors[i][1];
        }
    return arena_printf(arena, "linux/%s", machine.machine);
}

int image_row_platforms(struct data **out, struct arena *arena,
                        const struct image_selection *selection, const struct image_row *row,
                        struct err *err)
{
    struct data *refusal = NULL;
    struct gathering g = {.arena = arena, .selection = selection, .refusal = &refusal, .err = err};
    const char *own = request_processor(&row->request);
    *out = data_list(arena);
    for (size_t i = 0; i < processor_count; i++) {
        const char *arch = processors[i][0];
        bool there = str_equal(own, arch);
        if (!there && !own && has_processor(&there, &g, row, arch) < 0)
            return -1;
        /* an image with the running program is only for this machine's processor */
        if (there && (!row->image->program || is_this_machine(arch)))
            data_push(arena, *out, data_str(arena, processors[i][1]));
    }
    return 0;
}
