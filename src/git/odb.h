/* A repository's objects, read by libgit2 in a process of their own. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct git_odb;
struct git_oid;

/*
 * Opens the object database in the folder `objects` (".git/objects") and its alternates for
 * reading. libgit2 1.5 hangs or crashes on damaged objects and packs: it reads them in a forked
 * worker with limits on its time and memory (by whose they are: base/account.h), and what ends the
 * worker is an error here. Nothing
 * can be written through it. Free with git_odb_free(); the worker
 * lasts as long as this process, and serves each later opening of the same folder.
 */
TG_CHECKED int odb_open(struct git_odb **out, const char *objects, struct err *err);

/*
 * Objects that will be asked for: their kinds and sizes, and the bytes of the small ones, are
 * fetched in a few turns of the worker rather than one each. Whatever is wrong with one is left to
 * be found when it is asked for. Of an object database from elsewhere: nothing happens.
 */
void odb_look_ahead(struct git_odb *odb, const struct git_oid *ids, size_t count);
/*
 * Which of them the folder of objects has, found in a few turns. Where the worker ends over it, and
 * of an object database from elsewhere: none.
 */
void odb_find(bool *there, struct git_odb *odb, const struct git_oid *ids, size_t count);

/* Ends the workers, for a process that goes on; no object database may be open. */
void odb_forget(void);
