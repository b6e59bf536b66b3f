/* The catalog that a command of `template` is about. */
#ifndef TMPLGEN_CMD_TEMPLATE_CATALOG_H
#define TMPLGEN_CMD_TEMPLATE_CATALOG_H

#include "base/err.h"
#include "base/option.h"

struct catalog;
struct config;
struct run;

/* --catalog, --trust. */
extern const struct option template_catalog_options[];
/*
 * What --catalog names, else the catalog in this folder, as it lies there; else that of the
 * configuration, else the one built in. Trust as elsewhere (cmd/source.h).
 */
TG_CHECKED int template_catalog(struct catalog **out, struct run *run, const struct config *config,
                                struct err *err);

#endif
