/* Can the migrations of a template be applied, and do they make sense? */
#ifndef TMPLGEN_MIGRATIONS_H
#define TMPLGEN_MIGRATIONS_H

#include "base/err.h"

struct arena;
struct manifest;

/*
 * Of a version that a child goes to, or is made from: each `from` is a SPEC, each path of
 * `rename_files` passes the one door (io/path). Exit 2, at the place. What a child was made from
 * is not asked: nothing of its migrations is applied again.
 */
TG_CHECKED int migrations_check(struct arena *arena, const struct manifest *manifest,
                                struct err *err);
/*
 * What only its author can mend, and what a version that is released may have: `new` and `adopt`
 * ask. No name becomes itself, no two become one, and what an answer is renamed to is a question,
 * or renamed on or dropped by a later migration. That a question of an old name is there again, or
 * still is, is right: names can be swapped, come back, and an answer that is dropped be asked anew.
 */
TG_CHECKED int migrations_check_names(struct arena *arena, const struct manifest *manifest,
                                      struct err *err);

#endif
