/* What is new in a version, in its authors' words: the changelog, and notes of migrations. */
#ifndef TMPLGEN_RELEASE_NOTES_H
#define TMPLGEN_RELEASE_NOTES_H

#include "base/err.h"

struct arena;
struct catalog;
struct catalog_origin;
struct data;
struct migrated;

/*
 * The list {version, from, text}. First the notes of applied migrations (`version` is null), then
 * the sections of the catalog's changelog that are newer than `made`, from which the child was
 * made, newest first; then those of the catalogs that it extends, which have `catalog`, a name,
 * too. Texts are masked and have no markup of headings. A line says where a limit cuts them.
 */
TG_CHECKED int notes_collect(struct data **out, struct arena *arena, const struct catalog *catalog,
                             const struct migrated *migrated, const struct catalog_origin *made,
                             struct err *err);

#endif
