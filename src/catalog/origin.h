/* Origins of catalogs that extend each other: a chain that begins with the catalog itself. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct catalog_origin;
struct data;

/* Whether both have the same commits; false if either has none. */
bool origin_is_same_commit(const struct catalog_origin *a, const struct catalog_origin *b);
/* Whether sources, refs, commits and versions are all equal. */
bool origin_is_equal(const struct catalog_origin *a, const struct catalog_origin *b);
/*
 * Compares versions: less than, equal to or greater than 0. The catalogs' own versions decide; if
 * they are equal, those of the extended catalogs. An invalid version decides nothing.
 */
int origin_compare(const struct catalog_origin *a, const struct catalog_origin *b);
/* Whether both mean the same place; a local one may be a path or file://PATH. */
bool origin_is_same_source(const char *a, const char *b);
/*
 * The entry of the chain `recorded` that matches a catalog `depth` levels down with this source:
 * the one with the same source, else the one at that depth; or NULL.
 */
const struct catalog_origin *origin_like(const struct catalog_origin *recorded, const char *source,
                                         size_t depth);

/* "1.4.0"; with an extended catalog "1.4.0 on 0.3.0". */
const char *origin_words(struct arena *arena, const struct catalog_origin *origin);
/* The same for a document with a version (or NULL) and `extends` (or NULL), as below. */
const char *origin_words_of(struct arena *arena, const char *version, const struct data *extends);
/* {version, commit} and, if there is one, `extends` in the same form; null for NULL. */
struct data *origin_data(struct arena *arena, const struct catalog_origin *origin);
/* The form for the record: {source, ref, commit, version} and `extends` in the same form. */
struct data *origin_record(struct arena *arena, const struct catalog_origin *origin);
