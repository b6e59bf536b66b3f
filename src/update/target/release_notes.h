/* What a new version brings, in its authors' words: the changelog, and notes of migrations. */
#ifndef TMPLGEN_RELEASE_NOTES_H
#define TMPLGEN_RELEASE_NOTES_H

#include "base/err.h"

struct arena;
struct catalog;
struct catalog_origin;
struct data;
struct migrated;

/*
 * The list {version, from, text}: notes of migrations that were applied (`version` is null), then
 * the sections of the catalog's changelog behind the version of `made`, what the child was made
 * from, newest first; behind them those of what it extends, which have `catalog`, a name, too.
 * Texts are masked, without markup of headings, cut to limits: a line says so.
 */
TG_CHECKED int notes_collect(struct data **out, struct arena *arena, const struct catalog *catalog,
                             const struct migrated *migrated, const struct catalog_origin *made,
                             struct err *err);

#endif
