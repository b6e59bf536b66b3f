/* One consistent set in the making. */
#include "resolver/search/candidate.h"

#include "base/arena.h"

const struct version *candidate_cuda(const struct candidate *c)
{
    return c->build->images.count && c->image ? &c->image->cuda : &c->build->cuda;
}

const char *image_text(struct arena *arena, const struct demands *ask, const struct candidate *c)
{
    if (c->named)
        return ask->image.said;
    if (c->plain)
        return arena_printf(arena, "%s:%s", c->plain->repository, c->plain->tag);
    if (!c->image)
        return "no image";
    return arena_printf(arena, "%s:%s", ask->matrix->repository, tag_text(arena, c->image, c->tag));
}
