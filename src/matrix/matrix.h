/* The compatibility matrix, read from a catalog. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stddef.h>

struct arena;
struct buf;
struct data;
struct fileset;
struct matrix;

/*
 * Reads matrices/ of a catalog; `overlay` is the text of a child's .tmplgen-matrix.yml, or an empty
 * span. Only what a resolution of `framework` (a name) needs is read; NULL reads everything. An
 * unknown framework: exit 2, code "unknown-framework", with the nearest names. The files outlive
 * the matrix, which lives in `arena`.
 */
TG_CHECKED int matrix_load(struct matrix **out, struct arena *arena, const struct fileset *files,
                           struct span overlay, const char *framework, struct err *err);

/*
 * The same for who tells where a row stands in its file. matrix_load takes the rows of the built-in
 * catalog from tables that the build made, which do not say.
 */
TG_CHECKED int matrix_load_placed(struct matrix **out, struct arena *arena,
                                  const struct fileset *files, struct span overlay,
                                  const char *framework, struct err *err);

/*
 * Everything, placed, for who tells of the rows of `name`: a framework, a package that lives on
 * one, or NULL. An unknown name as above.
 */
TG_CHECKED int matrix_load_around(struct matrix **out, struct arena *arena,
                                  const struct fileset *files, struct span overlay,
                                  const char *name, struct err *err);

/* The frameworks of a catalog, by the names of its files matrices/frameworks/NAME.yml. */
size_t matrix_frameworks(const char ***names, struct arena *arena, const struct fileset *files);

/* "matrices/packages/NAME.yml" of a package that was read, else "matrices/frameworks/NAME.yml". */
const char *matrix_file_of(struct arena *arena, const struct matrix *matrix, const char *name);

/* The packages that live on one of them, by the names of its files matrices/packages/NAME.yml. */
size_t matrix_package_names(const char ***names, struct arena *arena, const struct fileset *files);

/*
 * The tag of CUDA's image of the same version and distribution with another flavour (base, runtime,
 * devel, cudnn-runtime, cudnn-devel), in the arena. NULL where `repository:tag` is none that the
 * matrix knows, or where it knows none of that flavour.
 */
const char *matrix_flavour_tag(struct arena *arena, const struct matrix *matrix,
                               const char *repository, const char *tag, const char *flavour);

/*
 * "supported", "superseded" or "eol": what the matrix says of a tag of CUDA's image; NULL of one
 * that it does not know.
 */
const char *matrix_tag_state(struct arena *arena, const struct matrix *matrix,
                             const char *repository, const char *tag);

/*
 * The packages that a project of the framework names: "torch" of pytorch. None of one whose only
 * package any project may have, so that it tells nothing.
 */
TG_CHECKED int matrix_packages(struct words *out, struct arena *arena, const struct fileset *files,
                               const char *framework, struct err *err);

/* What can be listed beside the frameworks: "gpus", "drivers", "images", "platforms". */
extern const char *const matrix_topics[];
extern const size_t matrix_topic_count;

/*
 * The rows of `topic`: a framework's name, one of matrix_topics, or NULL for the frameworks
 * themselves. A map of one list, called like the topic ("releases" for a framework).
 */
struct data *matrix_list_data(struct arena *arena, const struct matrix *matrix, const char *topic);
/* The same as a table with a line of headings; its lines are at most 100 wide where rows allow. */
int matrix_list_table(struct buf *out, const struct data *list);
