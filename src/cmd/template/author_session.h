/* What `template` commands share: the catalog that its authors work on, and patches for people:
 * masked, in colour on a terminal, and not without end. */
#pragma once

#include "author/differences.h"
#include "base/err.h"
#include "base/option.h"

#include <stddef.h>

struct buf;
struct run;

/* --catalog and --trust, for tables of options; what --catalog says in help. */
extern const struct option author_options[];
/* The same for cmd_open_checked. */
extern const struct option checked_options[];

/*
 * Opens run->catalog: --catalog SRC[@REF]; else the folder that we are in, where it has a
 * catalog.yml; else what cmd_open_catalog takes. A folder without @REF is taken as it lies there,
 * whatever is committed: then `*folder` (which may be NULL) is its absolute path, else NULL.
 */
TG_CHECKED int cmd_open_authored(const char **folder, struct run *run, struct err *err);
/*
 * The same for a command that says that a catalog is good: it looks at none that nobody has named.
 * No catalog.yml here, and no --catalog: exit 2, "unknown-catalog".
 */
TG_CHECKED int cmd_open_checked(const char **folder, struct run *run, struct err *err);

/* So many lines of patches are shown in all, and what is left out is counted. */
struct patch_view {
    struct buf *out;
    size_t room;   /* lines left */
    size_t hidden; /* lines that there was no room for */
};

/* One file's change; the cases that it is seen in come before it, where `where` names one. */
void patch_view_put(struct patch_view *view, const struct difference *difference);
