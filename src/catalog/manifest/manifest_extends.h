/* Types that build on each other: what their manifests say, as one. */
#ifndef TMPLGEN_MANIFEST_EXTENDS_H
#define TMPLGEN_MANIFEST_EXTENDS_H

#include "base/err.h"

#include <stddef.h>

struct arena;
struct catalog;
struct yaml_doc;
struct yaml_node;

/* A type, and those that it extends. */
struct extended_type {
    const char *kind; /* the last of them: what layers know the type as */
    struct lent_files {
        const char *type;
        const struct yaml_node *root; /* of its manifest */
    } * lent;                         /* by those of another name; the last of them first */
    size_t lent_count;
    struct extended_document {
        const struct yaml_doc *doc;
        size_t level; /* how many catalogs below the one at hand it is from */
    } * documents;
    size_t document_count;
};

/*
 * `root` is the mapping of the type's template.yml; where that has `extends`, it becomes one of
 * what all say: lists one after the other, questions of one name joined, of anything else what is
 * said nearest. A type that extends one of its own name goes on with that of the catalogs below;
 * another one is looked for as any type is, and lends its files: what is said of those stays with
 * it. Exit 2 with the place: no such type, circles, limits.
 */
TG_CHECKED int manifest_extend(struct extended_type *out, const struct yaml_node **root,
                               struct arena *arena, const struct catalog *catalog, const char *type,
                               struct err *err);

/* How many catalogs below this one the file is from in which a node of a manifest stands. */
size_t manifest_level(const struct extended_type *extended, const struct catalog *catalog,
                      const struct yaml_node *node);
/*
 * The default that a catalog.yml gives the question `name`, which `said` speaks of: its own
 * default, else itself. NULL where none does, or what `said` says is nearer.
 */
const struct yaml_node *manifest_default(const struct extended_type *extended,
                                         const struct catalog *catalog, const char *name,
                                         const struct yaml_node *said);

#endif
