/* `image list`, `image render`: the base images of a catalog or a plan, and their build contexts.
 */
#include "base/str.h"
#include "catalog/base_image.h"
#include "cmd/cmd.h"
#include "cmd/image/image_session.h"
#include "cmd/matrix/matrix_session.h"
#include "data/data.h"
#include "image/build.h"
#include "image/build_context.h"

#include <string.h>

/* ------------------------------------------------------------------ image list */

static struct data *base_data(struct image_session *s, const struct image_row *row)
{
    struct arena *arena = &s->run->arena;
    const struct data *image = data_get(row->resolution, "image");
    struct data *map = data_map(arena);
    data_put_text(arena, map, "repository", data_get_text(image, "repository"));
    data_put_text(arena, map, "tag", data_get_text(image, "tag"));
    data_put_text(arena, map, "digest", lock_digest(&s->lock, row->base));
    data_put_text(arena, map, "state", data_get_text(image, "state"));
    return map;
}

static struct data *layer_data(struct arena *arena, const struct layer_size *layer)
{
    struct data *map = data_map(arena), *shared = data_list(arena);
    for (const struct image_row **row = layer->shared; *row; row++)
        data_push(arena, shared, data_str(arena, (*row)->name));
    data_put(arena, map, "bytes", data_int(arena, layer->bytes));
    data_put_text(arena, map, "digest", layer->digest);
    data_put(arena, map, "shared", shared);
    return map;
}

static struct data *size_data(struct arena *arena, const struct image_size *size)
{
    struct data *map = data_map(arena), *layers = data_list(arena);
    if (!size || !size->known)
        return data_null(arena);
    for (size_t i = 0; i < size->layer_count; i++)
        data_push(arena, layers, layer_data(arena, &size->layers[i]));
    data_put(arena, map, "bytes", data_int(arena, size->bytes));
    data_put(arena, map, "layers", layers);
    return map;
}

static struct data *row_data(struct image_session *s, const struct image_row *row,
                             const struct image_size *size)
{
    struct arena *arena = &s->run->arena;
    struct data *map = data_map(arena);
    data_put_text(arena, map, "tag", row->tag);
    data_put(arena, map, "request", stack_request_data(arena, &row->request));
    data_put(arena, map, "resolution", data_copy(arena, row->resolution));
    data_put(arena, map, "base", base_data(s, row));
    data_put_text(arena, map, "name", row->name);
    data_put(arena, map, "aliases", data_texts(arena, row->aliases.items, row->aliases.count));
    data_put(arena, map, "size", size_data(arena, size));
    return map;
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

/* What a node keeps that has all of them. */
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

/* `*out` is NULL unless they were asked for: no engine is run then. */
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

/* Rows of one image follow each other, in the order of its first. */
static int list(struct image_session *s)
{
    struct arena *arena = &s->run->arena;
    struct data *images = data_list(arena);
    struct image_size *sizes;
    int width = 0;
    if (find_sizes(&sizes, s) < 0)
        return -1;
    for (size_t i = 0; i < s->count; i++)
        width = (int)strlen(s->rows[i].tag) > width ? (int)strlen(s->rows[i].tag) : width;
    for (size_t i = 0; i < s->count; i++) {
        const struct base_image *image = s->rows[i].image;
        struct data *map = data_map(arena), *rows = data_list(arena);
        bool told = false;
        for (size_t j = 0; j < i; j++)
            told |= str_equal(s->rows[j].image->name, image->name);
        if (told)
            continue;
        cmd_print(s->run, "%s: %s\n", cmd_masked(s->run, image->name),
                  cmd_masked(s->run, image->description));
        for (size_t j = i; j < s->count; j++)
            if (str_equal(s->rows[j].image->name, image->name)) {
                data_push(arena, rows, row_data(s, &s->rows[j], sizes ? &sizes[j] : NULL));
                print_row(s, &s->rows[j], width);
                if (sizes)
                    print_size(s, &sizes[j]);
            }
        data_put_text(arena, map, "name", image->name);
        data_put_text(arena, map, "description", image->description);
        data_put(arena, map, "rows", rows);
        data_push(arena, images, map);
    }
    if (sizes)
        print_together(s, sizes);
    data_put(arena, s->run->document, "images", images);
    return TG_OK;
}

static int image_list_run(struct run *run, struct err *err)
{
    static const struct image_work work = {.act = list, .uses_bases = true};
    return image_in_session(run, &work, err);
}

static const struct option list_options[] = {
    {"sizes", NULL, "the layers of each row that an engine has, the base's first", false},
    {"engine", "docker|buildah|podman",
     "who is asked (default: TMPLGEN_ENGINE, else the first that is there)", false},
    {NULL, NULL, NULL, false},
};

static const struct option_group list_groups[] = {
    {"Sizes", list_options},
    {"Rows", image_row_options},
    {"Stack, for one row of one image", stack_options},
    {"How", image_lock_options},
    {"Catalog", matrix_source_options},
    {"Output", common_options},
    {NULL, NULL},
};

const struct command image_list_command = {
    .name = "image list",
    .schema = "image-list",
    .usage = "[NAME...] [--plan FILE] [choices]",
    .summary = "Show base images: their rows, tags, and the images they begin with.",
    .details =
        "The rows are those of the plan, images.yml where there is one, else each image's "
        "own; options of the stack make one row of one image. Nothing is fetched, and no engine is "
        "run without --sizes.",
    .options = list_groups,
    .max_arguments = IMAGE_NAMES_MAX,
    .run = image_list_run};

/* ------------------------------------------------------------------ image render */

static int render_rows(struct image_session *s)
{
    struct arena *arena = &s->run->arena;
    struct data *rendered = data_list(arena);
    const char **paths, *output = opt_value(&s->run->options, "output");
    const struct image_contexts what = {s->in->catalog, s->rows, s->count,
                                        &s->lock,       output,  image_marks(s)};
    if (!output || !*output)
        return err_set(s->err, TG_USAGE, "usage", "--output is missing");
    if (image_contexts_check(&paths, arena, &what, s->err) < 0 ||
        image_contexts_write(arena, &what, s->err) < 0)
        return -1;
    for (size_t i = 0; i < s->count; i++) {
        struct data *map = data_map(arena);
        data_put_text(arena, map, "image", s->rows[i].image->name);
        data_put_text(arena, map, "tag", s->rows[i].tag);
        data_put_text(arena, map, "path", paths[i]);
        data_put_text(arena, map, "base", s->rows[i].base);
        data_push(arena, rendered, map);
        cmd_print(s->run, "%s\n", paths[i]);
    }
    data_put(arena, s->run->document, "rendered", rendered);
    return TG_OK;
}

static int image_render_run(struct run *run, struct err *err)
{
    static const struct image_work work = {.act = render_rows, .uses_bases = true};
    return image_in_session(run, &work, err);
}

static const struct option output_options[] = {
    {"output", "DIR", "make DIR/NAME/TAG with the Dockerfile of each row", false},
    {NULL, NULL, NULL, false},
};

static const struct option_group render_groups[] = {
    {"Output folder", output_options},
    {"Rows", image_row_options},
    {"Stack, for one row of one image", stack_options},
    {"How", image_lock_options},
    {"Catalog", matrix_source_options},
    {"Output", common_options},
    {NULL, NULL},
};

const struct command image_render_command = {
    .name = "image render",
    .schema = "image-render",
    .usage = "[NAME...] --output DIR [--plan FILE] [choices]",
    .summary = "Write the Dockerfile of each row, and what it copies.",
    .details =
        "A folder that was rendered before and that nobody changed since is replaced; one "
        "that holds anything else is refused. Base images are named by digest where the lock "
        "file has them.",
    .options = render_groups,
    .max_arguments = IMAGE_NAMES_MAX,
    .run = image_render_run};
