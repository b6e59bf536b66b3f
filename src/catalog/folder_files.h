/* The files of a folder on disk as a set, read without following links. */
#ifndef TMPLGEN_FOLDER_FILES_H
#define TMPLGEN_FOLDER_FILES_H

#include "base/err.h"

#include <stdbool.h>

struct arena;
struct fileset;

/*
 * Those that `counts` takes, by their path below the folder; of a folder it is asked with a '/'
 * behind it. Links and special files among them are refused (exit 2). The set reads from the folder
 * until catalog_folder_files_free; `path` must live as long.
 */
TG_CHECKED int catalog_folder_files(const struct fileset **out, struct arena *arena,
                                    const char *path, bool (*counts)(const char *path),
                                    struct err *err);
void catalog_folder_files_free(const struct fileset *files);

#endif
