/* Parts of a manifest: types that extend each other, questions of the type and of layers. */
#pragma once

#include "base/err.h"
#include "base/intern.h"

#include <stddef.h>

struct catalog;
struct fileset;
struct layer_use;
struct question;
struct reader;
struct refusal;
struct yaml_doc;
struct yaml_node;

/* A type and the types that it extends. */
struct extended_type {
    const char *kind; /* the last one, which names the type for layers */
    struct lent_files {
        const char *type;
        const struct yaml_node *root; /* of its manifest */
    } * lent;                         /* file sets of types with other names; the last one first */
    size_t lent_count;
    struct extended_document {
        const struct yaml_doc *doc;
        size_t depth; /* levels below the current catalog */
    } * documents;
    size_t document_count;
};

/*
 * Merges a type's template.yml (the mapping `root`) with those that it `extends`: lists are
 * concatenated, questions of the same name merged; for anything else the nearest value wins.
 * `extends` with the type's own name means that type in the catalogs below. With another name, it
 * is looked up as usual and lends its files, for which its own file rules apply. Exit 2 with the
 * place: no such type, a circle, limits.
 */
TG_CHECKED int manifest_extend(struct extended_type *out, const struct yaml_node **root,
                               struct arena *arena, const struct catalog *catalog, const char *type,
                               struct err *err);

/* How many levels below this catalog the file of a manifest's node is. */
size_t manifest_depth(const struct extended_type *extended, const struct catalog *catalog,
                      const struct yaml_node *node);
/*
 * The default for question `name` from `defaults` of the nearest catalog.yml, or NULL. `said` is
 * the question's own default, else the question: catalogs below its file are not considered.
 */
const struct yaml_node *manifest_default(const struct extended_type *extended,
                                         const struct catalog *catalog, const char *name,
                                         const struct yaml_node *said);

struct questions {
    struct question *items;
    size_t count;
    struct intern names;      /* from a name to its index */
    struct refusal *refusals; /* those of layers */
    size_t refusal_count;
};

/*
 * Collects all questions of the manifest `root`, in order: the type's own; those of a layer at `-
 * layer: NAME`, else behind the type's own, layer by layer. `name` is always included, first if the
 * type does not ask for it. A question of the type replaces those of layers with the same name; two
 * layers may share a name if their questions are equal.
 */
TG_CHECKED int questions_join(struct questions *out, const struct reader *reader,
                              const struct fileset *files, const struct layer_use *uses,
                              size_t use_count, const struct yaml_node *root);
