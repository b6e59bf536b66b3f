/* Trust in catalogs: which are new to the user, whose signature is required, and who has signed: as
 * verified by git, never as claimed by the catalog. */
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
 * Catalogs in the work tree `folder` need trust: a project's record may name one there, and the
 * project's author has written it. Holds for the rest of the process.
 */
void trust_nothing_below(const char *folder);
/*
 * Trusts a source that the user named or listed. A final '*' matches all that begin with the text
 * before it; "*" matches everything.
 */
void trust_source(const char *source);
/* The same, and requires a signature by one of `signers` ("*": any known signer). */
void trust_signers(const char *source, const char *const *signers, size_t count);
/* The required signers; empty if no signature is required. */
struct words trust_signers_of(const char *source);
bool trust_wants_signature(const char *source);

/* Asks the user about a new source; stores a yes in the file `memory` (NULL: not). */
struct trust_asker {
    int (*ask)(bool *yes, void *context, const char *source, struct err *err);
    void *context;
    const char *memory;
    bool looks; /* only the cache is read, whose content was trusted when it was fetched */
};
/* If `ask` is NULL, new sources are refused. Sources in `memory` are trusted. */
TG_CHECKED int trust_ask(const struct trust_asker *asker, struct err *err);

/*
 * Exit 3, "untrusted-source", if `source` is not trusted and is on a server, or in a folder of
 * trust_nothing_below. Also fails for an invalid address.
 */
TG_CHECKED int trust_check(const char *source, struct err *err);

/*
 * Sets the ssh allowed-signers file (ssh-keygen(1)); NULL: the one of git's settings. The text is
 * not copied, and must live until the end of the run.
 */
void signature_allow(const char *path);

/* Verifies `commit` by the tag that the user named, else by any of its tags. */
struct signature_wanted {
    const struct catalog_revision *tag; /* NULL: no tag named */
    const struct catalog_revision *revisions;
    size_t count;
    const char *commit;
    const char *source;
};

/*
 * Sets `signer` and `signature` of `out`. Copies only the object into an empty repository, and
 * verifies it there with `git verify-tag` or `verify-commit`, with the user's keyring, settings and
 * allowed signers. Exit 3, "signature", if the signature is not one that the user requires.
 */
TG_CHECKED int signature_check(struct catalog_origin *out, struct arena *arena,
                               struct git_repository *repository,
                               const struct signature_wanted *wanted, struct err *err);

/* {state, signer} for documents, or null if not verified. */
struct data *signature_data(struct arena *arena, const struct catalog_origin *origin);
/* Such a document in words ("the catalog is signed by alice@example.org"); or NULL. */
const char *signature_words(struct arena *arena, const struct data *signature);
