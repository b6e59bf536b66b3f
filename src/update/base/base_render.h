/* What a record renders to, by a catalog that has its version. */
#ifndef TMPLGEN_BASE_RENDER_H
#define TMPLGEN_BASE_RENDER_H

#include "base/err.h"

struct arena;
struct plan_list;
struct record;
struct render;

/*
 * The record's answers and resolution in the catalog of `source` at `ref`, as catalog_open takes
 * both; where that is the recorded revision, with the recorded ones of what it extends. The catalog
 * is closed on return: bytes are kept. `alike`: see struct render_input.
 */
TG_CHECKED int base_render(struct render *out, struct arena *arena, const struct record *record,
                           const char *source, const char *ref, const struct render *alike,
                           struct err *err);
/* A render as a list for the planner. */
void base_list_render(struct plan_list *out, struct arena *arena, const struct render *render);

#endif
