/* Answers on their way from the recorded version of a template to another. */
#ifndef TMPLGEN_UPDATE_MIGRATE_H
#define TMPLGEN_UPDATE_MIGRATE_H

#include "base/err.h"

struct arena;
struct provenance;
struct data;
struct given_list;
struct target;

/*
 * Applies every migration of the target's manifest that matches the recorded version, in order: the
 * recorded answers under their new names, less those dropped, go to `given`, after what `sets`
 * says. Fills the renames of answers and files in `target`.
 */
TG_CHECKED int migrate_apply(struct target *target, struct given_list *given, struct arena *arena,
                             const struct provenance *provenance, const struct given_list *sets,
                             struct err *err);
/* Fills in which answers came and went, once `kept` is known. */
void migrate_compare(struct target *target, struct arena *arena,
                     const struct provenance *provenance, const struct data *kept);

#endif
