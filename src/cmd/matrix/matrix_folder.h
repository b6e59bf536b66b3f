/* The folder of a catalog whose matrix is written to. */
#ifndef TMPLGEN_MATRIX_FOLDER_H
#define TMPLGEN_MATRIX_FOLDER_H

#include "base/err.h"

struct session;

/*
 * The folder that --catalog names; the built-in catalog and repositories are never written. Exit 2,
 * with the command `like` as the hint, where it is none.
 */
TG_CHECKED int matrix_folder(const char **out, struct session *s, const char *what,
                             const char *like);
/* Writes beside first. */
TG_CHECKED int matrix_replace_file(const char *path, const char *text, struct err *err);

#endif
