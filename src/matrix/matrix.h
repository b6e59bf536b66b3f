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
 * Reads matrices/ of a catalog. `overlay` is the text of a child's .tmplgen-matrix.yml, or an empty
 * span. Reads only what a resolution of `framework` (a name) needs; NULL reads everything. An
 * unknown framework is exit 2, code "unknown-framework", with the nearest names. The matrix lives
 * in `arena`; `files` must outlive it.
 */
TG_CHECKED int matrix_load(struct matrix **out, struct arena *arena, const struct fileset *files,
                           struct span overlay, const char *framework, struct err *err);

/*
 * The same with the places of rows in their files. matrix_load takes the rows of the built-in
 * catalog from tables made by the build, which lack places.
 */
TG_CHECKED int matrix_load_placed(struct matrix **out, struct arena *arena,
                                  const struct fileset *files, struct span overlay,
                                  const char *framework, struct err *err);

/*
 * Reads everything, with places, to report on the rows of `name`: a framework, a package on one, or
 * NULL. An unknown name as above.
 */
TG_CHECKED int matrix_load_around(struct matrix **out, struct arena *arena,
                                  const struct fileset *files, struct span overlay,
                                  const char *name, struct err *err);

/* The frameworks of a catalog, by the names of its files matrices/frameworks/NAME.yml. */
size_t matrix_frameworks(const char ***names, struct arena *arena, const struct fileset *files);

/* "matrices/packages/NAME.yml" for a package that was read, else "matrices/frameworks/NAME.yml". */
const char *matrix_file_of(struct arena *arena, const struct matrix *matrix, const char *name);

/* The packages built on frameworks: the names in matrices/packages/NAME.yml. */
size_t matrix_package_names(const char ***names, struct arena *arena, const struct fileset *files);

/*
 * The tag of CUDA's image with the same version and distribution but another flavour (base,
 * runtime, devel, cudnn-runtime, cudnn-devel), in the arena. NULL if the matrix does not know
 * `repository:tag`, or no such tag with that flavour.
 */
const char *matrix_flavour_tag(struct arena *arena, const struct matrix *matrix,
                               const char *repository, const char *tag, const char *flavour);

/*
 * The state of a CUDA image's tag: "supported", "superseded" or "eol" (observed tags count as
 * supported); NULL if the matrix does not know it.
 */
const char *matrix_tag_state(struct arena *arena, const struct matrix *matrix,
                             const char *repository, const char *tag);

/*
 * The packages that identify a project of the framework: "torch" for pytorch. Empty for a framework
 * whose only package may be used by any project.
 */
TG_CHECKED int matrix_packages(struct words *out, struct arena *arena, const struct fileset *files,
                               const char *framework, struct err *err);

/* Topics that can be listed besides frameworks: "gpus", "drivers", "images", "platforms". */
extern const char *const matrix_topics[];
extern const size_t matrix_topic_count;

/*
 * The rows of `topic`: a framework's name, one of matrix_topics, or NULL for the frameworks
 * themselves. Returns a map with one list, named like the topic ("releases" for a framework).
 */
struct data *matrix_list_data(struct arena *arena, const struct matrix *matrix, const char *topic);
/* The same as a table with headings. Lines have at most 100 columns where the rows allow it. */
int matrix_list_table(struct buf *out, const struct data *list);
