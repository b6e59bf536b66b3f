/* Makes a plan: from base, child and new render to the outcome for each path. */
#pragma once

#include "base/err.h"

struct arena;
struct plan;
struct plan_input;
struct store;

/*
 * Reads only the store, and puts new content there. Errors: a path to restore that is not deleted
 * or not in the template (exit 2, "not-restorable"); an unreadable object.
 */
TG_CHECKED int plan_make(struct plan *out, struct arena *arena, struct store *store,
                         const struct plan_input *input, struct err *err);
