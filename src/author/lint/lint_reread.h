/* A manifest that is wrong in several places: each is told of, and it is read without them. */
#ifndef TMPLGEN_LINT_REREAD_H
#define TMPLGEN_LINT_REREAD_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct arena;
struct fileset;

struct rereading {
    const char *path; /* of the manifest */
    /* Reads it out of `files`, which hold it in place of the one that is there. */
    int (*load)(void *context, struct arena *arena, const struct fileset *files, struct err *err);
    /* Told of each thing that is wrong; the last one may be of a text that cannot be read at all.
     */
    void (*broken)(void *context, const struct err *err);
    void *context;
    struct span *text; /* becomes what was read in the end; or NULL */
};

/*
 * Loads `rereading->path` until nothing is wrong: the entry of a list, or the member of the
 * document, that is to blame is taken out each time. `*loaded`: the last attempt, with the arena,
 * worked. `*damaged`: something was taken out. Fails where `files` cannot be read, and at limits.
 */
TG_CHECKED int reread(bool *loaded, bool *damaged, struct arena *arena, const struct fileset *files,
                      const struct rereading *rereading, struct err *err);

#endif
