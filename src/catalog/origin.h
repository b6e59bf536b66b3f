/* Revisions of catalogs that build on each other: a chain of origins, the catalog's own first. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct catalog_origin;
struct data;

/* Whether both are the same commits; never of what has none. */
bool origin_is_same_commit(const struct catalog_origin *a, const struct catalog_origin *b);
/* Whether both say the same: sources, refs, commits and versions. */
bool origin_is_equal(const struct catalog_origin *a, const struct catalog_origin *b);
/*
 * By versions, less than, equal to, greater than 0: those of the catalogs themselves decide, where
 * they are equal those of what they extend. A version that is none decides nothing.
 */
int origin_compare(const struct catalog_origin *a, const struct catalog_origin *b);
/* Whether both name the same place, which on this machine may be a path or file://PATH. */
bool origin_is_same_source(const char *a, const char *b);
/*
 * What `recorded` says of the catalog that `depth` steps below another one has that source: the
 * origin of the same source, else the one on the same depth; or NULL.
 */
const struct catalog_origin *origin_like(const struct catalog_origin *recorded, const char *source,
                                         size_t depth);

/* "1.4.0", with what it extends "1.4.0 on 0.3.0". */
const char *origin_words(struct arena *arena, const struct catalog_origin *origin);
/* The same of what a document says: a version (or NULL) and `extends` (or NULL), as below. */
const char *origin_words_of(struct arena *arena, const char *version, const struct data *extends);
/* {version, commit}, with `extends` likewise where there is one; null of NULL. */
struct data *origin_data(struct arena *arena, const struct catalog_origin *origin);
/* As the record has it: {source, ref, commit, version}, with `extends` likewise. */
struct data *origin_record(struct arena *arena, const struct catalog_origin *origin);
