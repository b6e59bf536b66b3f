/* Patterns as .gitignore has them, as globs. */
#ifndef TMPLGEN_IMPORT_IGNORE_H
#define TMPLGEN_IMPORT_IGNORE_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

enum { IGNORE_GLOBS = 2 };

/*
 * The globs, on paths of files, that match what the pattern does: itself, and all below it. NULL in
 * the first: a comment, or nothing. False where it takes files back in (`!`).
 */
bool ignore_globs(const char *globs[IGNORE_GLOBS], struct arena *arena, const char *pattern);

#endif
