/* The documents of `template list` and `template show`. */
#pragma once

#include "base/err.h"

struct arena;
struct catalog;
struct data;
struct making;
struct manifest;

/* Name, version and place of a catalog: a map. */
struct data *show_catalog(struct arena *arena, const struct catalog *catalog);
/* All types, each a map of its description for users, and its layers. */
TG_CHECKED int show_types(struct data **out, struct arena *arena, const struct catalog *catalog,
                          struct err *err);
/* Everything in a type's manifests, and each path that can be rendered. */
TG_CHECKED int show_type(struct data **out, struct arena *arena, const struct catalog *catalog,
                         const struct manifest *manifest, struct err *err);
/* The same with the answers of a render, and its paths alone. */
TG_CHECKED int show_render(struct data **out, const struct making *m, struct err *err);
