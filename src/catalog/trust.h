/* Which catalogs are new to the user, who must have signed those that are not, and who has: as git
 * itself verifies it, and nothing that the catalog says. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct catalog_origin;
struct catalog_revision;
struct data;
struct git_repository;

/*
 * Holds for the rest of the process. A project's record may name a catalog in the work tree
 * `folder`, which has the same author as the project.
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

/*
 * The file of ssh keys and whom they belong to (ssh-keygen(1)); NULL: the one of git's settings.
 * The text is kept as it is, until the end of the run.
 */
void signature_allow(const char *path);

/* What is to be verified: `commit`, by the tag that it was asked for by, else by any of its tags.
 */
struct signature_wanted {
    const struct catalog_revision *tag; /* NULL: none was named */
    const struct catalog_revision *revisions;
    size_t count;
    const char *commit;
    const char *source;
};

/*
 * Sets `signer` and `signature` of `out`. The object alone is copied into an empty repository and
 * verified there by `git verify-tag` or `verify-commit`, with the user's keyring, settings and
 * allowed signers. Exit 3, "signature", where the user requires another signature than there is.
 */
TG_CHECKED int signature_check(struct catalog_origin *out, struct arena *arena,
                               struct git_repository *repository,
                               const struct signature_wanted *wanted, struct err *err);

/* {state, signer} for documents, or null where nobody looked. */
struct data *signature_data(struct arena *arena, const struct catalog_origin *origin);
/* What such a document says, as in "the catalog is signed by alice@example.org"; or NULL. */
const char *signature_words(struct arena *arena, const struct data *signature);
