/* Opens the catalog that a command is to work with. */
#ifndef TMPLGEN_OPEN_CATALOG_H
#define TMPLGEN_OPEN_CATALOG_H

#include "base/err.h"

#include <stdbool.h>

struct run;

/* Reads run->config, once in a run. */
TG_CHECKED int cmd_config(struct run *run, struct err *err);
/*
 * Opens run->catalog: --catalog SRC[@REF], else that of the configuration, else the one built in. A
 * remote one that is new to the user: exit 3, "untrusted-source", unless --trust is given. Its
 * warnings are told.
 */
TG_CHECKED int cmd_open_catalog(struct run *run, struct err *err);
/* The same for a command that tells the catalog's warnings in a report. */
TG_CHECKED int cmd_open_untold(struct run *run, struct err *err);

/*
 * What the configuration lists and --trust allow, and how catalogs on servers are reached: for
 * commands that open what a record names. Whether it `asks_servers`: else what is in the cache
 * counts, and nobody is asked.
 */
TG_CHECKED int cmd_trust(struct run *run, bool asks_servers, struct err *err);

/* Only what --catalog names, split, not opened; both NULL where it is not given. Trust as above. */
TG_CHECKED int cmd_named_catalog(const char **source, const char **ref, struct run *run,
                                 struct err *err);

#endif
