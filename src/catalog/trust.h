/* Which catalogs are new to the user, and who must have signed those that are not. */
#ifndef TMPLGEN_TRUST_H
#define TMPLGEN_TRUST_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What is said here holds for the rest of the process. A project's record may name a catalog in the
 * same work tree, which whoever made the project made, too: `folder` is that work tree.
 */
void trust_nothing_below(const char *folder);
/*
 * The user named that source, or listed it: exact, or all that begin with it where it ends in '*'.
 * "*" is all.
 */
void trust_source(const char *source);
/* The same, and what is taken from there must be signed by one of them ("*": anybody known). */
void trust_signers(const char *source, const char *const *signers, size_t count);
/* They, or none where nothing has to be signed. */
struct words trust_signers_of(const char *source);
bool trust_wants_signature(const char *source);

/* Asks a person about a source that is new; a yes is remembered in the file `memory` (NULL: not).
 */
struct trust_asker {
    int (*ask)(bool *yes, void *context, const char *source, struct err *err);
    void *context;
    const char *memory;
    bool looks; /* no server is asked: what is in the cache was trusted when it came */
};
/* NULL: nobody is asked, and what is new is refused. What `memory` holds is trusted. */
TG_CHECKED int trust_ask(const struct trust_asker *asker, struct err *err);

/*
 * Exit 3, "untrusted-source", where `source` is on a server or lies in such a folder, and is not
 * trusted; errors of an address.
 */
TG_CHECKED int trust_check(const char *source, struct err *err);

#endif
