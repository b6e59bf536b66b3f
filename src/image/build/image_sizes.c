/* The sizes of images, and their common layers, as an engine reports them. */
#include "image/build.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "image/build/engine.h"
#include "image/image_rows.h"
#include "io/process.h"

#define LAYERS_MAX 1000 /* engines themselves stop at 127 */

#define WORDS_BYTES ((size_t)128 * 1024)

/* An engine's answer for one image. */
struct words_heard {
    bool unknown; /* it has no image of that name */
    struct buf *last;
};

static void hear(void *context, const char *line)
{
    struct words_heard *heard = context;
    heard->unknown |= builder_output_is_unknown(line);
    buf_truncate(heard->last, 0);
    builder_output_line(heard->last, line);
}

static void take_layers(struct image_size *out, struct arena *arena,
                        const struct engine_image *image)
{
    size_t count = image->layer_count <= LAYERS_MAX ? image->layer_count : 0;
    *out = (struct image_size){.known = true, .bytes = count ? 0 : image->bytes};
    out->layers = arena_array(arena, count + 1, sizeof(*out->layers));
    out->layer_count = count;
    for (size_t i = 0; i < count; i++) {
        out->layers[i].bytes = image->layers[i].bytes;
        out->layers[i].digest = image->layers[i].digest;
        out->bytes += image->layers[i].bytes;
    }
}

static int describe(struct image_size *out, struct arena *arena, const struct engine *engine,
                    const char *name, struct err *err)
{
    BUF_SCRATCH(last, WORDS_BYTES);
    struct words_heard heard = {.last = &last};
    const struct process_watch watch = {.line = hear, .context = &heard};
    struct engine_image image;
    ERR_SCRATCH(failed);
    const struct engine_job job = {engine, arena, &watch, &failed};
    if (engine->describe(&image, &job, name) == 0)
        take_layers(out, arena, &image);
    else if (str_equal(failed.code, "interrupted"))
        return err_set(err, failed.exit, failed.code, "%s", failed.message);
    else if (!heard.unknown)
        return err_set(err, failed.exit, failed.code, "%s: %s%s%s", name, failed.message,
                       last.len ? ": " : "", buf_text(&last));
    return 0;
}

static bool has_layer(const struct image_size *size, const char *digest)
{
    for (size_t i = 0; i < size->layer_count; i++)
        if (size->layers[i].digest && str_equal(size->layers[i].digest, digest))
            return true;
    return false;
}

/* Finds the other rows that have the layer. */
static void compare(struct layer_size *layer, struct arena *arena, const struct image_size *sizes,
                    size_t own, const struct image_row *rows, size_t count)
{
    size_t found = 0;
    layer->shared = arena_array(arena, count + 1, sizeof(*layer->shared));
    for (size_t i = 0; layer->digest && i < count; i++) {
        if (i == own || !has_layer(&sizes[i], layer->digest))
            continue;
        layer->shared[found++] = &rows[i];
        layer->counted |= i < own;
    }
}

int image_sizes(struct image_size **out, struct arena *arena, const struct engine *engine,
                const struct image_row *rows, size_t count, struct err *err)
{
    *out = arena_array(arena, count + 1, sizeof(**out));
    for (size_t i = 0; i < count; i++)
        if (describe(&(*out)[i], arena, engine, rows[i].name, err) < 0)
            return -1;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < (*out)[i].layer_count; j++)
            compare(&(*out)[i].layers[j], arena, *out, i, rows, count);
    return 0;
}
