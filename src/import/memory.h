/* Files in memory as a set, sorted, to be read as a catalog. */
#ifndef TMPLGEN_IMPORT_MEMORY_H
#define TMPLGEN_IMPORT_MEMORY_H

#include <stddef.h>

struct arena;
struct draft_file;
struct fileset;

/* The files must outlive it. Paths are all different. */
const struct fileset *memory_set(struct arena *arena, const struct draft_file *files, size_t count);

#endif
