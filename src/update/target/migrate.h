/* Carries answers from the recorded version of a template to another. */
#ifndef TMPLGEN_MIGRATE_H
#define TMPLGEN_MIGRATE_H

#include "base/err.h"
#include "base/str.h"

#include <stddef.h>

struct arena;
struct catalog_origin;
struct provenance;
struct data;
struct given_list;
struct manifest;

/* What migrations, and the new version's questions, did to answers and files. */
struct migrated {
    struct {
        const char **added, **dropped, **renamed_from, **renamed_to;
        size_t added_count, dropped_count, renamed_count;
    } answers;
    const char **rename_old, **rename_new; /* of files */
    size_t rename_count;
    struct words notes; /* of the applied migrations, for people */
};

/*
 * Applies every migration of the target's manifest that matches the recorded version of its
 * catalog, in order. `given` gets the answers of `sets`, and behind them the recorded answers under
 * their new names, without those dropped. Fills in the renames of answers and files.
 */
TG_CHECKED int migrate_apply(struct migrated *out, struct given_list *given, struct arena *arena,
                             const struct manifest *manifest, const struct provenance *provenance,
                             const struct given_list *sets, struct err *err);
/* Lists the files that migrations rename which match `from` and, unless it is NULL, not `to`. */
TG_CHECKED int migrate_renames(struct migrated *out, struct arena *arena,
                               const struct manifest *manifest, const struct catalog_origin *from,
                               const struct catalog_origin *to, struct err *err);
/* Fills in which answers came and went, once `kept` is known. */
void migrate_compare(struct migrated *out, struct arena *arena, const struct provenance *provenance,
                     const struct data *kept);

#endif
