/* Base images of a catalog: the contents of base-images/NAME/image.yml, and the tags of rows. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "catalog/manifest.h"
#include "resolver/request.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct matrix;

struct base_image_row {
    struct stack_request request; /* with the image's framework */
    const struct yaml_node *node; /* the node of the row, for messages */
};

struct base_image {
    const char *name;
    const char *description;
    const char *framework; /* the matrix's name of it, or "none" */
    const char *flavour;   /* flavour of nvidia/cuda's tags, such as "devel"; NULL: the one that the
                              row needs */
    const char *tag;       /* a template; NULL: the default of base_image_tag */
    const char *program;   /* path in the build context for the running program, or NULL */
    int64_t budget;        /* largest uncompressed size in MB (10^6 bytes); 0: none */
    struct base_image_row *rows; /* built by default */
    size_t row_count;
    struct words types, frameworks; /* of the children that may use it */
    struct words distributions;     /* that it can be built on: "ubuntu"; empty: any */
    struct words *contents;         /* commands that must succeed in it */
    size_t content_count;
    struct manifest files;
};

/* Folders of base-images/ that hold an image.yml, sorted. */
size_t base_image_names(const char ***names, struct arena *arena, const struct fileset *files);
/*
 * Reads and checks base-images/NAME/image.yml, in the arena. Exit 2: "unknown-image" with the
 * nearest name, or "invalid".
 */
TG_CHECKED int base_image_load(struct base_image **out, struct arena *arena,
                               const struct catalog *catalog, const char *name, struct err *err);

/* Sets the image's framework in a request; exit 2, at `node`, if the request has another one. */
TG_CHECKED int base_image_request(struct stack_request *request, struct arena *arena,
                                  const struct base_image *image, const struct yaml_node *node,
                                  struct err *err);

/* The distribution of a resolution's image ("ubuntu24.04"), from its tag or its name. */
const char *base_image_os(struct arena *arena, const struct data *resolution);
/*
 * Whether the image supports the distribution in the CUDA tag of the resolution. True for other
 * bases, whose distribution is unknown.
 */
bool base_image_takes_os(const struct base_image *image, const struct data *resolution);
/*
 * The tag of a row: FRAMEWORK_VERSION-VARIANT-pyXY-OS. With the framework `none` it is
 * CUDA-FLAVOUR-pyXY-OS, as in CUDA's own image, or cpu-pyXY-OS. If image.yml has a `tag`, it is
 * what that renders to. Exit 2 if the result is not a valid tag.
 */
TG_CHECKED int base_image_tag(const char **out, struct arena *arena, const struct base_image *image,
                              const struct data *resolution, struct err *err);
/*
 * The stack to build the image with: `resolution`, or a copy on CUDA's image of the same version
 * and distribution with the image's own flavour, or else the smallest sufficient one. Start gate
 * and state do not change with the flavour; image.yml is responsible for the libraries. If the user
 * chose the base (`named`), it is kept. NULL: the matrix knows no image of that flavour.
 */
const struct data *base_image_stack(struct arena *arena, const struct base_image *image,
                                    const struct matrix *matrix, bool named,
                                    const struct data *resolution);
/*
 * The image to build a child of this type and stack on, for images in `registry` (HOST/PATH). NULL
 * if `registry` is NULL or empty, if there is no stack, or if no image fits.
 */
TG_CHECKED int base_image_serving(struct base_image **out, struct arena *arena,
                                  const struct catalog *catalog, const struct manifest *manifest,
                                  const struct data *resolution, const char *registry,
                                  struct err *err);
