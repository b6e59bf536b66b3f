/* The team image that a child starts from: a part of its resolution. */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct catalog;
struct data;
struct manifest;

#define TEAM_IMAGE "team_image"

struct team_image_input {
    const struct catalog *catalog;
    struct span overlay; /* of the matrix */
    const struct manifest *manifest;
    const struct data *answers, *request; /* maps; `request` as docs/json.md has it */
};

/*
 * Sets the `team_image` of `resolution` by the catalog and the answer `registry`: a map {image,
 * repository, tag}. Removes it where there is none, or where the request names a base itself. NULL
 * stays NULL.
 */
TG_CHECKED int team_image_put(struct data **resolution, struct arena *arena,
                              const struct team_image_input *input, struct err *err);
/* The resolution as the matrix made it: without a team image. */
struct data *team_image_drop(struct arena *arena, const struct data *resolution);
/* For documents: adds a null where `team_image` is missing. Returns a null for NULL. */
struct data *team_image_shown(struct arena *arena, const struct data *resolution);
