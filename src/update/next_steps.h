/* The next steps after an update, for words and documents: commands that exist and work. */
#pragma once

#include <stdbool.h>

struct arena;
struct data;
struct plan;

/* Makes the list `next` of an `update` document, {run, what}, from its other members. */
struct data *next_steps(struct arena *arena, const struct data *document);

/* True where --refresh left the branch alone: the update would make the same branch. */
bool next_stayed(const struct data *document);

/* Makes the list `next` after --dry-run. */
struct data *next_foreseen(struct arena *arena);

/* The command that takes a resolved path out of conflict, in the child's folder. */
const char *next_resolving(struct arena *arena, const struct plan *plan, const char *path);

/* The command that shows `path` of the render with that tree id, which must have a base ref. */
const char *next_seeing(struct arena *arena, const char *tree, const char *path);
