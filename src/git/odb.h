/* Reads a repository's objects with libgit2 in a separate process. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct git_odb;
struct git_oid;

/*
 * Opens the object folder `objects` (".git/objects") and its alternates for reading. libgit2 1.5
 * hangs or crashes on damaged objects and packs: a forked worker runs it, with limits on time and
 * on memory (by base/account.h). If the worker dies, the caller gets an error. Nothing can be
 * written. Free with git_odb_free(). The worker lives as long as this process, and serves later
 * openings of the same folder.
 */
TG_CHECKED int odb_open(struct git_odb **out, const char *objects, struct err *err);

/*
 * Prefetches objects: their kinds and sizes, and the bytes of small ones, in a few round trips
 * instead of one each. Errors show up only when an object is read. No effect on an object database
 * that odb_open did not open.
 */
void odb_look_ahead(struct git_odb *odb, const struct git_oid *ids, size_t count);
/*
 * Finds out which ids exist in the object folder, in a few round trips. None, if the worker dies of
 * it, or odb_open did not open the object database.
 */
void odb_find(bool *there, struct git_odb *odb, const struct git_oid *ids, size_t count);

/* Ends the workers; the process goes on. No object database may be open. */
void odb_forget(void);
