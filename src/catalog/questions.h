/* The questions of a type: its own, and those of the layers that it may take. */
#ifndef TMPLGEN_CATALOG_QUESTIONS_H
#define TMPLGEN_CATALOG_QUESTIONS_H

#include "base/err.h"

struct fileset;
struct manifest;
struct reader;
struct yaml_node;

/*
 * Fills the manifest's questions, in their order: the type's own, with those of a layer where
 * `questions` says `- layer: NAME`, else behind its own, layer by layer. `name` is always an answer:
 * where the type does not ask for it, it is asked first. A question of the type takes the place of
 * those of that name in layers; two layers may have one if they ask the same.
 */
TG_CHECKED int questions_join(struct manifest *manifest, const struct reader *reader,
                              const struct fileset *files, const struct yaml_node *root);

#endif
