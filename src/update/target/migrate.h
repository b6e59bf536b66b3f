/* Answers on their way from the recorded version of a template to another. */
#ifndef TMPLGEN_MIGRATE_H
#define TMPLGEN_MIGRATE_H

#include "base/err.h"

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
    const char **notes; /* what the applied migrations tell people */
    size_t note_count;
};

/*
 * Applies every migration of the target's manifest that matches the recorded version (of the
 * catalog that the migration is of), in order: the recorded answers under their new names, less
 * those dropped, go to `given`, after what `sets` says. Fills the renames of answers and files.
 */
TG_CHECKED int migrate_apply(struct migrated *out, struct given_list *given, struct arena *arena,
                             const struct manifest *manifest, const struct provenance *provenance,
                             const struct given_list *sets, struct err *err);
/*
 * The files that migrations rename between two versions: those that match `from` and, unless it is
 * NULL, not `to`.
 */
TG_CHECKED int migrate_renames(struct migrated *out, struct arena *arena,
                               const struct manifest *manifest, const struct catalog_origin *from,
                               const struct catalog_origin *to, struct err *err);
/* Fills in which answers came and went, once `kept` is known. */
void migrate_compare(struct migrated *out, struct arena *arena, const struct provenance *provenance,
                     const struct data *kept);

#endif
