/* Who signed a revision of a catalog: as git itself verifies it, and nothing that the catalog says.
 */
#ifndef TMPLGEN_SIGNATURE_H
#define TMPLGEN_SIGNATURE_H

#include "base/err.h"

#include <stddef.h>

struct arena;
struct catalog_origin;
struct catalog_revision;
struct data;
struct git_repository;

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

#endif
