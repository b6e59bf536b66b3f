/* Shared by the `template` commands: the catalog that its authors work on, and patches for
 * people, which are masked, coloured on a terminal, and limited. */
#pragma once

#include "author/differences.h"
#include "base/err.h"
#include "base/option.h"

#include <stddef.h>

struct buf;
struct run;

/* --catalog and --trust, for tables of options, with their own help. */
extern const struct option author_options[];
/* The same for cmd_open_checked. */
extern const struct option checked_options[];

/*
 * Opens run->catalog: --catalog SRC[@REF]; else the current folder, if it has a catalog.yml; else
 * the catalog of cmd_open_catalog. A folder without @REF is read as it is on disk, committed or
 * not: then `*folder` (which may be NULL) is its absolute path, else NULL.
 */
TG_CHECKED int cmd_open_authored(const char **folder, struct run *run, struct err *err);
/*
 * The same for a command that approves a catalog, and so reads only one that the user named. No
 * catalog.yml here, and no --catalog: exit 2, "unknown-catalog".
 */
TG_CHECKED int cmd_open_checked(const char **folder, struct run *run, struct err *err);

/* A limited view of patches: shows so many lines in all, and counts the rest. */
struct patch_view {
    struct buf *out;
    size_t room;   /* lines left */
    size_t hidden; /* lines that there was no room for */
};

/* Shows one file's change, and before it its cases, where `where` names one. */
void patch_view_put(struct patch_view *view, const struct difference *difference);
