/* A catalog that builds on another: what catalog.yml says of that, and the files of both as one. */
#ifndef TMPLGEN_COMPOSE_H
#define TMPLGEN_COMPOSE_H

#include "base/err.h"

#include <stddef.h>

struct arena;
struct catalog;
struct yaml_node;

/* `extends` of catalog.yml. */
struct extension {
    const char *source;           /* NULL: there is none */
    const char *ref;              /* NULL: the newest */
    const struct yaml_node *node; /* for messages */
};

TG_CHECKED int extension_read(struct extension *out, const struct yaml_node *yml, struct err *err);

/*
 * Of a catalog that is read and whose `extends` is open: `files` become those of both, sorted, each
 * path once, `own` what they were. The other catalog's catalog.yml and CHANGELOG.md stay its own.
 * Exit 2 at the place in catalog.yml: a path that both have and that `overrides` does not declare
 * (but for the template.yml of a type that extends the same type), and an override that replaces
 * nothing; "limit" where both together have too many files.
 */
TG_CHECKED int compose(struct catalog *catalog, struct arena *arena, struct err *err);

/* How many catalogs below this one a file is from: 0 where it is the catalog's own. */
size_t compose_level(const struct catalog *catalog, const char *path);

#endif
