/* A type that builds on another one: what both manifests say, as one. */
#ifndef TMPLGEN_CATALOG_MANIFEST_EXTENDS_H
#define TMPLGEN_CATALOG_MANIFEST_EXTENDS_H

#include "base/err.h"

struct arena;
struct catalog;
struct manifest;
struct yaml_node;

/*
 * `root` is the mapping of the type's template.yml; where that has `extends`, it becomes one of
 * what both say: lists one after the other, questions of one name joined, of anything else what the
 * type itself says. A type that extends one of its own name goes on with that of the catalogs
 * below; another one is looked for as any type is, and lends its files: `inherited`, whose
 * `files` the caller reads. Fills `kind` and `documents`, too. Exit 2 with the place: no such type,
 * circles, limits.
 */
TG_CHECKED int manifest_extend(const struct yaml_node **root, struct manifest *manifest,
                               struct arena *arena, const struct catalog *catalog, struct err *err);

/*
 * Once it is read: whose versions each migration speaks of, whose files each rule, and the defaults
 * that catalog.yml gives.
 */
void manifest_extended(struct manifest *manifest, struct arena *arena,
                       const struct catalog *catalog);

#endif
