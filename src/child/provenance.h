/* The provenance of a child: the record as it was made, and as it is wanted now. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "child/record.h"
#include "git/tree_entry.h"

#include <stdbool.h>

struct repo;

struct provenance {
    struct record made;     /* what the child was made from: genuine */
    struct record wanted;   /* the record in HEAD: edits by hand count as --set */
    bool edited;            /* the record in HEAD differs from what tmplgen wrote */
    struct span overlay;    /* .tmplgen-matrix.yml in HEAD, or empty */
    bool overlay_changed;   /* since `made` was written */
    struct tree_entry leaf; /* of the record in HEAD */
    struct tree_entry overlay_leaf;
};

/*
 * Reads the record from HEAD. Refused (3): there is none ("no-record"), or no committed version of
 * it and of the overlay is as tmplgen wrote it ("edited-record").
 */
TG_CHECKED int provenance_read(struct provenance *out, const struct repo *repo, struct err *err);
/* The path, from the top, of a record or overlay that differs on disk; NULL: neither does. */
TG_CHECKED int provenance_find_dirty(const char **path, const struct repo *repo,
                                     const struct provenance *provenance, struct err *err);
/* A warning where the command goes on all the same. */
#define PROVENANCE_DIRTY "'%s' has changes that are not committed: they do not count"
/* Refused (3, "dirty") where the record or the overlay differs on disk. */
TG_CHECKED int provenance_check_disk(const struct repo *repo, const struct provenance *provenance,
                                     struct err *err);

/* Reads this child's record in a commit; `found` is false where the commit has none. */
TG_CHECKED int provenance_at(struct record *out, bool *found, const struct repo *repo,
                             const struct oid *commit, struct err *err);
