/* What a manifest is put together from: types that build on each other, questions of its own and of
 * layers. */
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
        size_t depth; /* how many catalogs below the one at hand it is from */
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
size_t manifest_depth(const struct extended_type *extended, const struct catalog *catalog,
                      const struct yaml_node *node);
/*
 * The default that a catalog.yml gives the question `name`, which `said` speaks of: its own
 * default, else itself. NULL where none does, or what `said` says is nearer.
 */
const struct yaml_node *manifest_default(const struct extended_type *extended,
                                         const struct catalog *catalog, const char *name,
                                         const struct yaml_node *said);

struct questions {
    struct question *items;
    size_t count;
    struct intern names;      /* each with the number of its question */
    struct refusal *refusals; /* those of layers */
    size_t refusal_count;
};

/*
 * All questions of the manifest `root`, in their order: the type's own, with those of a layer where
 * it says `- layer: NAME`, else behind its own, layer by layer. `name` is always an answer: where
 * the type does not ask for it, it is asked first. A question of the type takes the place of those
 * of that name in layers; two layers may have one if they ask the same.
 */
TG_CHECKED int questions_join(struct questions *out, const struct reader *reader,
                              const struct fileset *files, const struct layer_use *uses,
                              size_t use_count, const struct yaml_node *root);
