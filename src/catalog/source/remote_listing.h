/* What a server says it has: `git ls-remote`, kept in the cache until it is asked again. */
#ifndef TMPLGEN_REMOTE_LISTING_H
#define TMPLGEN_REMOTE_LISTING_H

#include "base/err.h"
#include "base/span.h"

#include <stddef.h>

struct arena;
struct catalog_revision;

struct ref_listing {
    struct catalog_revision *items; /* tags and branches */
    size_t count;
    const char *head_branch; /* that HEAD names, or NULL */
    const char *head_commit; /* NULL: the repository is empty */
};

/*
 * The lines of `git ls-remote --symref`; refs that are neither tags nor branches, or no names for
 * git, are passed over. Exit 1 "answer" for what is no such text, 2 "limit", 3 "repository-form"
 * where objects go by SHA-256.
 */
TG_CHECKED int listing_parse(struct ref_listing *out, struct arena *arena, struct span text,
                             struct err *err);

#endif
