/* What is to be done after an update: commands that exist and work, for words and documents. */
#ifndef TMPLGEN_NEXT_STEPS_H
#define TMPLGEN_NEXT_STEPS_H

#include <stdbool.h>

struct arena;
struct data;
struct plan;

/* The list `next` of a document of `update`: {run, what}. Goes by its other members. */
struct data *next_steps(struct arena *arena, const struct data *document);

/* True where --refresh has found the branch as it would make it, and left it. */
bool next_stayed(const struct data *document);

/* The same after --dry-run. */
struct data *next_foreseen(struct arena *arena);

/* The command that takes a path out of conflict, once it is well; in the child's folder. */
const char *next_resolving(struct arena *arena, const struct plan *plan, const char *path);

/* The command that shows `path` as the render of that tree id has it, once it has a base ref. */
const char *next_seeing(struct arena *arena, const char *tree, const char *path);

#endif
