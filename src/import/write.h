/* A new folder of files: all of it, or nothing. */
#ifndef TMPLGEN_IMPORT_WRITE_H
#define TMPLGEN_IMPORT_WRITE_H

#include "base/err.h"

#include <stddef.h>

struct arena;
struct draft_file;

/* Exit 3, "target-not-empty", where `path` is anything but an empty folder, or nothing. */
TG_CHECKED int write_check(const char *path, struct err *err);
/*
 * Writes the files in a folder beside `path` and gives it that name. Their paths must be safe
 * (base/path.h).
 */
TG_CHECKED int write_folder(struct arena *arena, const char *path, const struct draft_file *files,
                            size_t count, struct err *err);

#endif
