/* Renders a record with a catalog that has its version. */
#pragma once

#include "base/err.h"

struct arena;
struct plan_list;
struct record;
struct render;

/*
 * Renders the record's answers and resolution with the catalog of `source` at `ref`, both as
 * catalog_open takes them. At the recorded revision, the catalogs that it extends have their
 * recorded revisions, too. The render has its bytes in the arena. `alike`: see struct render_input.
 */
TG_CHECKED int base_render(struct render *out, struct arena *arena, const struct record *record,
                           const char *source, const char *ref, const struct render *alike,
                           struct err *err);
/* Lists a render for the planner. */
void base_list_render(struct plan_list *out, struct arena *arena, const struct render *render);
