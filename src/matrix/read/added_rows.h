/* Rows that a catalog adds to files which are another catalog's. */
#ifndef TMPLGEN_ADDED_ROWS_H
#define TMPLGEN_ADDED_ROWS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct document;
struct fileset;
struct yaml_node;

/* The files matrices/rows/NAME.yml, each in the shape of a child's .tmplgen-matrix.yml. */
struct added_rows {
    const struct yaml_node **roots;
    size_t count;
};

/* The keys that such a file may have, and an overlay; NULL-terminated. */
extern const char *const overlay_keys[];

TG_CHECKED int added_read(struct added_rows *out, struct arena *arena, const struct fileset *files,
                          struct err *err);
/* Whether any adds to the file of that `key` ("drivers", "frameworks") and `name` (of it, or NULL).
 */
bool added_has(const struct added_rows *added, const char *key, const char *name);
/*
 * `root` is what that file says; it becomes one that says all of it. Rows keep their places. Exit 2
 * on anything but lists of rows that the document has, and on a source or text of a name that is
 * taken.
 */
TG_CHECKED int added_join(const struct yaml_node **root, struct arena *arena,
                          const struct added_rows *added, const struct document *document,
                          const char *key, const char *name, struct err *err);

#endif
