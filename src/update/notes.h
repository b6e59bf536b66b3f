/* What a new version brings, in its authors' words: the changelog, and notes of migrations. */
#ifndef TMPLGEN_UPDATE_NOTES_H
#define TMPLGEN_UPDATE_NOTES_H

#include "base/err.h"

struct arena;
struct data;
struct fileset;
struct migrated;

/*
 * The list {version, from, text}: notes of migrations that were applied (`version` is null), then
 * the sections of the catalog's changelog behind version `after` up to `until`, newest first. Texts
 * are masked, without markup of headings, cut to limits: a line says so.
 */
TG_CHECKED int notes_collect(struct data **out, struct arena *arena, const struct fileset *catalog,
                             const struct migrated *migrated, const char *after, const char *until,
                             struct err *err);

#endif
