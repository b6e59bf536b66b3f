/* `status` and `diff`: compare a child on disk with its base. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct arena;
struct data;

/*
 * Makes the document of `status` (docs/json.md). Takes no lock and writes nothing. It warns of a
 * base that cannot be proven, and of a catalog that cannot be read; with `fetch` the latter is an
 * error, that of `update --check`.
 */
TG_CHECKED int status_document(struct data **document, struct arena *arena, const char *path,
                               bool fetch, struct err *err);
/* Makes the document of `diff`: base and patch. The base must be proven (exit 3). */
TG_CHECKED int diff_document(struct data **document, struct arena *arena, const char *path,
                             struct err *err);
