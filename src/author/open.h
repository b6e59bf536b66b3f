/* A catalog as its author has it before him. */
#ifndef TMPLGEN_AUTHOR_OPEN_H
#define TMPLGEN_AUTHOR_OPEN_H

#include "base/err.h"

struct arena;
struct catalog;

/*
 * As catalog_open; a folder without `ref` is taken as it lies there, whatever its repository has
 * released or committed.
 */
TG_CHECKED int author_open(struct catalog **out, struct arena *arena, const char *source,
                           const char *ref, struct err *err);

#endif
