/* The image tags of a matrix against a registry. */
#ifndef TMPLGEN_VERIFY_IMAGES_H
#define TMPLGEN_VERIFY_IMAGES_H

#include "base/err.h"

#include <stddef.h>

struct arena;
struct buf;
struct data;
struct matrix;
struct registry;

/*
 * Looks for every tag at `where`, HOST[/PREFIX], below which the repository stands. `*rows` is a
 * list of {image, state, found, digest, differs, why}; `found` is null where the registry could not
 * be asked. A tag of an image at its end of life may be gone; any other is a difference.
 */
TG_CHECKED int matrix_verify_images(struct data **rows, struct arena *arena,
                                    const struct matrix *matrix, struct registry *registry,
                                    const char *where, struct err *err);
/* {there, gone, differs, failed}. */
struct data *matrix_images_counts(struct arena *arena, const struct data *rows);
int matrix_images_table(struct buf *out, const struct data *rows);

#endif
