/* The team image that a child starts from: a part of its resolution. */
#include "child/team_image.h"

#include "base/arena.h"
#include "catalog/base_image.h"
#include "catalog/catalog.h"
#include "catalog/manifest.h"
#include "data/document.h"
#include "matrix/matrix.h"

#include <string.h>

struct data *team_image_drop(struct arena *arena, const struct data *resolution)
{
    if (!resolution)
        return NULL;
    struct data *out = data_map(arena);
    for (size_t i = 0; i < resolution->map.count; i++) {
        const struct data_member *member = &resolution->map.members[i];
        if (strcmp(member->name.ptr, TEAM_IMAGE) != 0)
            data_append(arena, out, member->name, member->value);
    }
    return out;
}

static int find(struct data **out, struct arena *arena, const struct team_image_input *input,
                const struct data *resolution, const char *registry, struct err *err)
{
    struct base_image *image;
    struct matrix *matrix;
    const char *tag, *framework = data_get_text(data_get(resolution, "framework"), "name");
    *out = NULL;
    if (data_get_text(input->request, "image")) /* the user names another base */
        return 0;
    if (base_image_serving(&image, arena, input->catalog, input->manifest, resolution, registry,
                           err) < 0)
        return -1;
    if (!image)
        return 0;
    if (matrix_load(&matrix, arena, input->catalog->files, input->overlay, framework, err) < 0)
        return -1;
    const struct data *stack = base_image_stack(arena, image, matrix, false, resolution);
    if (!stack || !base_image_takes_os(image, stack))
        return 0;
    if (base_image_tag(&tag, arena, image, stack, err) < 0)
        return -1;
    *out = data_of(arena, FIELD("image", image->name),
                   FIELD("repository", arena_printf(arena, "%s/%s", registry, image->name)),
                   FIELD("tag", tag));
    return 0;
}

int team_image_put(struct data **resolution, struct arena *arena,
                   const struct team_image_input *input, struct err *err)
{
    const char *registry = data_get_text(input->answers, "registry");
    struct data *image = NULL;
    if (!*resolution)
        return 0;
    *resolution = team_image_drop(arena, *resolution);
    if (registry && *registry && find(&image, arena, input, *resolution, registry, err) < 0)
        return -1;
    if (image)
        data_put(arena, *resolution, TEAM_IMAGE, image);
    return 0;
}

struct data *team_image_shown(struct arena *arena, const struct data *resolution)
{
    if (!resolution)
        return data_null(arena);
    const struct data *image = data_get(resolution, TEAM_IMAGE);
    struct data *out = team_image_drop(arena, resolution);
    data_put(arena, out, TEAM_IMAGE, image ? data_copy(arena, image) : data_null(arena));
    return out;
}
