/* The record of a child as an update takes it: what it was made from, and what is wanted now. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "child/record.h"
#include "git/tree_entry.h"

#include <stdbool.h>

struct repo;

struct provenance {
    struct record made;     /* what the child was made from: genuine */
    struct record wanted;   /* the record as it stands: edits by hand count as --set */
    bool edited;            /* the record in HEAD is not as tmplgen wrote it */
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
/* The record's or the overlay's path from the top, if it differs on disk; else NULL. */
TG_CHECKED int provenance_find_dirty(const char **path, const struct repo *repo,
                                     const struct provenance *provenance, struct err *err);
/* A warning for those who go on all the same. */
#define PROVENANCE_DIRTY "'%s' has changes that are not committed: they do not count"
/* Refused (3, "dirty") where one of them does. */
TG_CHECKED int provenance_check_disk(const struct repo *repo, const struct provenance *provenance,
                                     struct err *err);

/* The record that a commit has for this child; `found` is false where there is none. */
TG_CHECKED int provenance_at(struct record *out, bool *found, const struct repo *repo,
                             const struct oid *commit, struct err *err);
