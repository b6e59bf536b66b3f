/* The next steps after an update: commands that exist and work, for words and documents. */
#pragma once

#include <stdbool.h>

struct arena;
struct data;
struct plan;

/* Makes the list `next` of a document of `update`, {run, what}, from its other members. */
struct data *next_steps(struct arena *arena, const struct data *document);

/* True where --refresh left the branch: it would make it as it is. */
bool next_stayed(const struct data *document);

/* The same after --dry-run. */
struct data *next_foreseen(struct arena *arena);

/* The command that takes a resolved path out of conflict, in the child's folder. */
const char *next_resolving(struct arena *arena, const struct plan *plan, const char *path);

/* The command that shows `path` of the render with that tree id, which has a base ref. */
const char *next_seeing(struct arena *arena, const char *tree, const char *path);
