/* Which catalogs on this machine are new to the user: those that came with a project. */
#ifndef TMPLGEN_CATALOG_TRUST_H
#define TMPLGEN_CATALOG_TRUST_H

#include "base/err.h"

/*
 * What is said here holds for the rest of the process. A project's record may name a catalog in the
 * same work tree, which whoever made the project made, too: `folder` is that work tree.
 */
void trust_nothing_below(const char *folder);
/* The user named that source, or listed it: exact, or all that begin with it where it ends in '*'.
 */
void trust_source(const char *source);

/* Exit 3, "untrusted-source", where `source` lies in such a folder and is not trusted. */
TG_CHECKED int trust_check(const char *source, struct err *err);

#endif
