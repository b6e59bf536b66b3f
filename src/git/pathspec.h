/* Paths as git's commands take them. */
#ifndef TMPLGEN_PATHSPEC_H
#define TMPLGEN_PATHSPEC_H

struct arena;

/* What means this path alone to git: a pathspec may be a glob, or begin with magic words. */
const char *pathspec_literal(struct arena *arena, const char *path);

#endif
