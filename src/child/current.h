/* The record of a child as an update takes it: what it was made from, and what is wanted now. */
#ifndef TMPLGEN_CHILD_CURRENT_H
#define TMPLGEN_CHILD_CURRENT_H

#include "base/err.h"
#include "base/str.h"
#include "child/leaf.h"
#include "child/record.h"

#include <stdbool.h>

struct repo;

struct current {
    struct record base;   /* what the child was made from: genuine */
    struct record wanted; /* the record as it stands: edits by hand count as --set */
    bool edited;
    struct span overlay;  /* .tmplgen-matrix.yml in HEAD, or empty */
    bool overlay_changed; /* since the record was written */
    struct leaf leaf;     /* of the record in HEAD */
};

/*
 * Reads the record from HEAD. Refused (3): there is none ("no-record"), or it was edited by hand
 * and no committed version of it is genuine ("edited-record").
 */
TG_CHECKED int current_read(struct current *out, const struct repo *repo, struct err *err);
/* Refused (3, "dirty") where the record on disk is another. */
TG_CHECKED int current_check_disk(const struct repo *repo, const struct current *current,
                                  struct err *err);

/* The record that a commit has for this child; `found` is false where there is none. */
TG_CHECKED int current_at(struct record *out, bool *found, const struct repo *repo,
                          const struct oid *commit, struct err *err);

#endif
