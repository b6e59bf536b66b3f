/* `image list`, `image render`, `image bake`: the base images of a catalog or a plan, and their
 * build contexts. */
#include "base/str.h"
#include "catalog/base_image.h"
#include "cmd/cmd.h"
#include "cmd/image/image_session.h"
#include "cmd/matrix/matrix_session.h"
#include "data/document.h"
#include "image/build.h"
#include "image/build_context.h"

#include <string.h>

/* ------------------------------------------------------------------ image list */

static struct data *base_data(struct image_session *s, const struct image_row *row)
{
    struct arena *arena = &s->run->arena;
    const struct data *image = data_get(row->resolution, "image");
    return data_of(arena, FIELD("repository", data_get_text(image, "repository")),
                   FIELD("tag", data_get_text(image, "tag")),
                   FIELD("digest", lock_digest(&s->lock, row->base)),
                   FIELD("state", data_get_text(image, "state")));
}

static struct data *layer_data(struct arena *arena, const struct layer_size *layer)
{
    struct data *shared = data_list(arena);
    for (const struct image_row **row = layer->shared; *row; row++)
        data_push(arena, shared, data_str(arena, (*row)->name));
    return data_of(arena, FIELD("bytes", layer->bytes), FIELD("digest", layer->digest),
                   FIELD("shared", shared));
}

static struct data *size_data(struct arena *arena, const struct image_size *size)
{
    struct data *layers = data_list(arena);
    if (!size || !size->known)
        return data_null(arena);
    for (size_t i = 0; i < size->layer_count; i++)
        data_push(arena, layers, layer_data(arena, &size->layers[i]));
    return data_of(arena, FIELD("bytes", size->bytes), FIELD("layers", layers));
}

static struct data *row_data(struct image_session *s, const struct image_row *row,
                             const struct image_size *size)
{
    struct arena *arena = &s->run->arena;
    return data_of(arena, FIELD("tag", row->tag),
                   FIELD("request", stack_request_data(arena, &row->request)),
                   FIELD("resolution", data_copy(arena, row->resolution)),
                   FIELD("base", base_data(s, row)), FIELD("name", row->name),
                   FIELD("aliases", data_texts(arena, row->aliases.items, row->aliases.count)),
                   FIELD("size", size_data(arena, size)));
}

static void print_row(struct image_session *s, const struct image_row *row, int width)
{
    const char *state = data_shown(data_get(row->resolution, "image"), "state");
    cmd_print(s->run, "  %-*s  on %s, %s, %s\n", width, cmd_masked(s->run, row->tag),
              cmd_masked(s->run, row->base), cmd_masked(s->run, state),
              lock_digest(&s->lock, row->base) ? "locked" : "not locked");
}

static const char *shown_bytes(struct arena *arena, int64_t bytes)
{
    return bytes >= 1000000 ? arena_printf(arena, "%.1f MB", (double)bytes / 1e6)
                            : arena_printf(arena, "%.1f kB", (double)bytes / 1e3);
}

static void print_size(struct image_session *s, const struct image_size *size)
{
    struct arena *arena = &s->run->arena;
    if (!size->known) {
        cmd_print(s->run, "  %12s\n", "not built");
        return;
    }
    for (size_t i = 0; i < size->layer_count; i++) {
        const struct layer_size *layer = &size->layers[i];
        cmd_print(s->run, "  %12s", shown_bytes(arena, layer->bytes));
        for (const struct image_row **row = layer->shared; *row; row++)
            cmd_print(s->run, "%s%s:%s", row == layer->shared ? "  shared with " : ", ",
                      (*row)->image->name, (*row)->tag);
        cmd_print(s->run, "\n");
    }
    cmd_print(s->run, "  %12s  in all\n", shown_bytes(arena, size->bytes));
}

/* The size of all images together, for a node that keeps them all. */
static void print_together(struct image_session *s, const struct image_size *sizes)
{
    int64_t bytes = 0;
    size_t known = 0;
    for (size_t i = 0; i < s->count; i++) {
        known += sizes[i].known;
        bytes += sizes[i].layer_count ? 0 : sizes[i].bytes;
        for (size_t j = 0; j < sizes[i].layer_count; j++)
            bytes += sizes[i].layers[j].counted ? 0 : sizes[i].layers[j].bytes;
    }
    if (known > 1)
        cmd_print(s->run, "%zu images: %s, layers that they share counted once\n", known,
                  shown_bytes(&s->run->arena, bytes));
}

/* `*out` is NULL unless sizes were requested: no engine runs then. */
static int find_sizes(struct image_size **out, struct image_session *s)
{
    const struct engine *engine;
    *out = NULL;
    if (!opt_given(&s->run->options, "sizes"))
        return 0;
    if (engine_choose(&engine, opt_value(&s->run->options, "engine"), s->err) < 0)
        return -1;
    return image_sizes(out, &s->run->arena, engine, s->rows, s->count, s->err);
}

/* Rows of one image are adjacent, in the order of its first row. */
static int image_list_run(struct run *run, struct err *err)
{
    struct image_session session, *s = &session;
    if (image_open(s, run, IMAGE_USES_BASES, err) < 0)
        return -1;
    struct arena *arena = &run->arena;
    struct data *images = data_list(arena);
    struct image_size *sizes;
    int width = 0;
    if (find_sizes(&sizes, s) < 0)
        return -1;
    for (size_t i = 0; i < s->count; i++)
        width = (int)strlen(s->rows[i].tag) > width ? (int)strlen(s->rows[i].tag) : width;
    for (size_t i = 0; i < s->count; i++) {
        const struct base_image *image = s->rows[i].image;
        struct data *rows = data_list(arena);
        bool told = false;
        for (size_t j = 0; j < i; j++)
            told |= str_equal(s->rows[j].image->name, image->name);
        if (told)
            continue;
        cmd_print(run, "%s: %s\n", cmd_masked(run, image->name),
                  cmd_masked(run, image->description));
        for (size_t j = i; j < s->count; j++)
            if (str_equal(s->rows[j].image->name, image->name)) {
                data_push(arena, rows, row_data(s, &s->rows[j], sizes ? &sizes[j] : NULL));
                print_row(s, &s->rows[j], width);
                if (sizes)
                    print_size(s, &sizes[j]);
            }
        data_push(arena, images,
                  data_of(arena, FIELD("name", image->name),
                          FIELD("description", image->description), FIELD("rows", rows)));
    }
    if (sizes)
        print_together(s, sizes);
    cmd_tell(run, FIELD("images", images));
    return TG_OK;
}

static const struct option list_options[] = {
    {"sizes", NULL, "the layers of each row that an engine has, the base's first", false},
    {"engine", "docker|buildah|podman",
     "who is asked (default: TMPLGEN_ENGINE, else the first that is there)", false},
    {NULL, NULL, NULL, false},
};

const struct command image_list_command = {
    .name = "image list",
    .usage = "[NAME...] [--plan FILE] [choices]",
    .summary = "Show base images: their rows, tags, and the images they begin with.",
    .details =
        "The rows are those of the plan, images.yml where there is one, else each image's "
        "own; options of the stack make one row of one image. Nothing is fetched, and no engine is "
        "run without --sizes.",
    .options = OPTIONS({"Sizes", list_options}, IMAGE_ROWS, {"Catalog", matrix_source_options}),
    .max_arguments = IMAGE_NAMES_MAX,
    .run = image_list_run};

/* ------------------------------------------------------------------ image render */

static int image_render_run(struct run *run, struct err *err)
{
    struct image_session session, *s = &session;
    if (image_open(s, run, IMAGE_USES_BASES, err) < 0)
        return -1;
    struct arena *arena = &run->arena;
    struct data *rendered = data_list(arena);
    const char **paths, *output = opt_value(&run->options, "output");
    const struct image_contexts what = {run->catalog, s->rows, s->count,
                                        &s->lock,     output,  image_marks(s)};
    if (!output || !*output)
        return err_set(err, TG_USAGE, "usage", "--output is missing");
    if (image_contexts_check(&paths, arena, &what, err) < 0 ||
        image_contexts_write(arena, &what, err) < 0)
        return -1;
    for (size_t i = 0; i < s->count; i++) {
        struct data *map =
            data_of(arena, FIELD("image", s->rows[i].image->name), FIELD("tag", s->rows[i].tag),
                    FIELD("path", paths[i]), FIELD("base", s->rows[i].base));
        data_push(arena, rendered, map);
        cmd_print(run, "%s\n", paths[i]);
    }
    cmd_tell(run, FIELD("rendered", rendered));
    return TG_OK;
}

static const struct option output_options[] = {
    {"output", "DIR", "make DIR/NAME/TAG with the Dockerfile of each row", false},
    {NULL, NULL, NULL, false},
};

const struct command image_render_command = {
    .name = "image render",
    .usage = "[NAME...] --output DIR [--plan FILE] [choices]",
    .summary = "Write the Dockerfile of each row, and what it copies.",
    .details =
        "A folder that was rendered before and that nobody changed since is replaced; one "
        "that holds anything else is refused. Base images are named by digest where the lock "
        "file has them.",
    .options =
        OPTIONS({"Output folder", output_options}, IMAGE_ROWS, {"Catalog", matrix_source_options}),
    .max_arguments = IMAGE_NAMES_MAX,
    .run = image_render_run};

/* ------------------------------------------------------------------ image bake */

#define CONTEXTS "images"

/* The platforms of the row that its base image has, too, if the lock file knows them. */
static int platforms_of(const struct data **out, struct image_session *s,
                        const struct image_row *row)
{
    struct data *all, *kept = data_list(&s->run->arena);
    const struct data *base = data_get(data_get(s->lock.images, row->base), "platforms");
    if (image_row_platforms(&all, &s->run->arena, &s->selection, row, s->err) < 0)
        return -1;
    for (size_t i = 0; i < all->list.count; i++)
        if (!base || !base->map.count || data_get(base, data_text(all->list.items[i])))
            data_push(&s->run->arena, kept, all->list.items[i]);
    *out = kept;
    if (kept->list.count)
        return 0;
    return err_set(s->err, TG_USAGE, "no-platform",
                   "%s: its base '%s' is for none of its platforms", row->name, row->base);
}

static int image_bake_run(struct run *run, struct err *err)
{
    struct image_session session, *s = &session;
    if (image_open(s, run, IMAGE_USES_BASES, err) < 0)
        return -1;
    const char *output = opt_value(&run->options, "output");
    const char *contexts = opt_value(&run->options, "contexts"), **paths;
    struct bake_row *rows = arena_array(&run->arena, s->count + 1, sizeof(*rows));
    struct image_contexts what = {
        run->catalog,  s->rows, s->count, &s->lock, contexts && *contexts ? contexts : CONTEXTS,
        image_marks(s)};
    struct data *targets, *document;
    if (!output || !*output)
        return err_set(err, TG_USAGE, "usage", "--output is missing");
    if (image_contexts_check(&paths, &run->arena, &what, err) < 0)
        return str_equal(err->code, "target-not-empty") /* of --contexts: --output is a file here */
                   ? err_hint(err, "remove it, or name another folder: --contexts DIR")
                   : -1;
    for (size_t i = 0; i < s->count; i++) {
        rows[i] = (struct bake_row){.row = &s->rows[i], .context = paths[i]};
        if (platforms_of(&rows[i].platforms, s, &s->rows[i]) < 0)
            return -1;
    }
    document = bake_document(&targets, &run->arena, rows, s->count, s->selection.registry);
    if (bake_write(&run->arena, output, document, &what, err) < 0)
        return -1;
    if (!s->selection.registry)
        cmd_warn(run, "without a registry the targets have no cache: --registry HOST/PATH");
    cmd_print(run, "%s: %zu targets, their contexts in %s\n", output, s->count, what.output);
    cmd_tell(run, FIELD("targets", targets), FIELD("output", output));
    return TG_OK;
}

static const struct option bake_options[] = {
    {"output", "FILE", "the bake file, such as docker-bake.json", false},
    {"contexts", "DIR", "the folder of the Dockerfiles, as of image render (default: images)",
     false},
    {NULL, NULL, NULL, false},
};

const struct command image_bake_command = {
    .name = "image bake",
    .usage = "[NAME...] --output FILE [--contexts DIR]",
    .summary = "Write a bake file for BuildKit, a target for each row, and their Dockerfiles.",
    .details = "Then: docker buildx bake -f FILE [IMAGE...]. A row is built for amd64 and arm64 "
               "where it has the same wheels for both. docs/images.md shows a whole matrix on the "
               "kubernetes driver.",
    .options = OPTIONS({"Files", bake_options}, IMAGE_ROWS, {"Catalog", matrix_source_options}),
    .max_arguments = IMAGE_NAMES_MAX,
    .run = image_bake_run};
