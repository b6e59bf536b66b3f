/* Does every question of a template make a difference? */
#ifndef TMPLGEN_QUESTION_USE_H
#define TMPLGEN_QUESTION_USE_H

#include "base/err.h"

struct arena;
struct catalog;
struct manifest;

#define UNUSED_QUESTION "unused-question" /* the code of the error */

/*
 * A question that no template, file name, `when`, default, layer or `next` of the type reads is an
 * error: exit 2, at the question. `name` is exempt: it names the child.
 */
TG_CHECKED int manifest_check_use(struct arena *arena, const struct catalog *catalog,
                                  const struct manifest *manifest, struct err *err);

#endif
