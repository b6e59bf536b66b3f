/* The questions of a type: its own, and those of the layers that it may take. */
#ifndef TMPLGEN_QUESTIONS_H
#define TMPLGEN_QUESTIONS_H

#include "base/err.h"
#include "base/intern.h"

#include <stddef.h>

struct fileset;
struct layer_use;
struct question;
struct reader;
struct refusal;
struct yaml_node;

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

#endif
