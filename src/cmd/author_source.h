/* Opens the catalog that its authors work on. */
#ifndef TMPLGEN_CMD_AUTHOR_SOURCE_H
#define TMPLGEN_CMD_AUTHOR_SOURCE_H

#include "base/err.h"
#include "base/option.h"

struct catalog;
struct config;
struct run;

/* --catalog and --trust, for tables of options; what --catalog says in help. */
extern const struct option author_options[];

/*
 * --catalog SRC[@REF]; else the folder that we are in, where it has a catalog.yml; else what
 * cmd_open_catalog takes. A folder without @REF is taken as it lies there, whatever is committed:
 * then `*folder` (which may be NULL) is its absolute path, else NULL.
 */
TG_CHECKED int cmd_open_authored(struct catalog **out, const char **folder, struct run *run,
                                 const struct config *config, struct err *err);

#endif
