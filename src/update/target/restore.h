/* Which files of a child `--restore` means. */
#ifndef TMPLGEN_RESTORE_H
#define TMPLGEN_RESTORE_H

#include "base/err.h"

#include <stddef.h>

struct plan_input;
struct child;

/*
 * The paths in the child of the names that the user `said`. A name is seen from the working folder
 * where the child or a template has such a file, else from the child's folder. Exit 2,
 * "not-restorable", where HEAD has the file, and only the disk lacks it.
 */
TG_CHECKED int restore_find(const char *const **out, const struct child *child,
                            const struct plan_input *input, const char *const *said, size_t count,
                            struct err *err);

#endif
