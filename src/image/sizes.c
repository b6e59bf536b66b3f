/* How large images are, and what they have in common, as an engine has them. */
#include "image/sizes.h"

#include "base/arena.h"
#include "base/process.h"
#include "base/str.h"
#include "image/engine.h"
#include "image/rows.h"

#define LAYERS_MAX 1000 /* engines themselves stop at 127 */

static void hear_nothing(void *context, const char *line)
{
    (void)context;
    (void)line;
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

static bool has_layer(const struct image_size *size, const char *digest)
{
    for (size_t i = 0; i < size->layer_count; i++)
        if (size->layers[i].digest && str_equal(size->layers[i].digest, digest))
            return true;
    return false;
}

/* Which of the other rows have the layer. */
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
    static const struct process_watch watch = {.line = hear_nothing};
    *out = arena_array(arena, count + 1, sizeof(**out));
    for (size_t i = 0; i < count; i++) {
        struct engine_image image;
        ERR_SCRATCH(absent);
        const struct engine_job job = {arena, &watch, &absent};
        if (engine->describe(&image, &job, rows[i].name) == 0)
            take_layers(&(*out)[i], arena, &image);
        else if (str_equal(absent.code, "interrupted"))
            return err_set(err, absent.exit, absent.code, "%s", absent.message);
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < (*out)[i].layer_count; j++)
            compare(&(*out)[i].layers[j], arena, *out, i, rows, count);
    return 0;
}
