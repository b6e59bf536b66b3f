/* Base images of a catalog: what base-images/NAME/image.yml says of each, and how rows are tagged.
 */
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
    const struct yaml_node *node; /* where it stands */
};

struct base_image {
    const char *name;
    const char *description;
    const char *framework; /* of the matrix; "none" */
    const char *flavour;   /* of nvidia/cuda's tags, such as "devel"; NULL: what the row needs */
    const char *tag;       /* a template, or NULL: by base_image_tag's rule */
    const char *program;   /* where in the context the running program is put, or NULL */
    int64_t budget;        /* largest uncompressed size in MB (10^6 bytes); 0: none */
    struct base_image_row *rows; /* that are built when nobody says otherwise */
    size_t row_count;
    struct words types, frameworks; /* of the children that build on it */
    struct words distributions;     /* that it can be built on: "ubuntu"; none: any */
    struct words *contents;         /* commands that must succeed in it */
    size_t content_count;
    struct manifest files;
};

/* Folders of base-images/ that hold an image.yml, sorted. */
size_t base_image_names(const char ***names, struct arena *arena, const struct fileset *files);
/*
 * Reads and checks base-images/NAME/image.yml, in the arena. Exit 2: "unknown-image" with the
 * nearest name; "invalid".
 */
TG_CHECKED int base_image_load(struct base_image **out, struct arena *arena,
                               const struct catalog *catalog, const char *name, struct err *err);

/* Gives a request the image's framework; exit 2, at `node`, where it names another one. */
TG_CHECKED int base_image_request(struct stack_request *request, struct arena *arena,
                                  const struct base_image *image, const struct yaml_node *node,
                                  struct err *err);

/* "ubuntu24.04": the distribution of a resolution's image, as its tag or its name has it. */
const char *base_image_os(struct arena *arena, const struct data *resolution);
/*
 * Whether the image can be built on what CUDA's tag of the resolution says; of other bases nobody
 * knows, and they are taken.
 */
bool base_image_takes_os(const struct base_image *image, const struct data *resolution);
/*
 * The tag of a row: FRAMEWORK_VERSION-VARIANT-pyXY-OS; with the framework `none`
 * CUDA-FLAVOUR-pyXY-OS as CUDA's own image has it, or cpu-pyXY-OS; or what `tag` of image.yml
 * renders to. Exit 2 where that is no tag.
 */
TG_CHECKED int base_image_tag(const char **out, struct arena *arena, const struct base_image *image,
                              const struct data *resolution, struct err *err);
/*
 * The stack that the image is built with: `resolution`, or a copy on CUDA's image of the same
 * version and distribution with the image's own flavour, or the least that does. Version and
 * distribution stay, and with them start gate and state; whether its libraries are enough is what
 * image.yml has decided. Left as it is where the user named a base (`named`). NULL: the matrix
 * knows no image of that flavour.
 */
const struct data *base_image_stack(struct arena *arena, const struct base_image *image,
                                    const struct matrix *matrix, bool named,
                                    const struct data *resolution);
/*
 * The image on which a child of that type and stack builds, where its images come from `registry`
 * (HOST/PATH). NULL where `registry` is NULL or empty, where there is no stack, or where no image
 * serves it.
 */
TG_CHECKED int base_image_serving(struct base_image **out, struct arena *arena,
                                  const struct catalog *catalog, const struct manifest *manifest,
                                  const struct data *resolution, const char *registry,
                                  struct err *err);
