/* The team's base image that a child starts from: a part of its resolution. */
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
 * `resolution` with its `team_image` as the catalog and the answer `registry` have it: a map
 * {image, repository, tag}, and nothing of that name where there is none, or where the request
 * names a base itself. NULL stays NULL.
 */
TG_CHECKED int team_image_put(struct data **resolution, struct arena *arena,
                              const struct team_image_input *input, struct err *err);
/* The resolution that the matrix made: without a team's image. */
struct data *team_image_drop(struct arena *arena, const struct data *resolution);
/* For documents: `team_image` is always there, and may be null. A null for NULL. */
struct data *team_image_shown(struct arena *arena, const struct data *resolution);
