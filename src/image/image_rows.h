/* Rows: the images of a command, each with its stack and its name. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "resolver/request.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct base_image;
struct catalog;
struct data;
struct image_plan;
struct yaml_node;

struct image_row {
    const struct base_image *image;
    struct stack_request request;
    const struct data *resolution;
    const char *tag;
    const char *base;     /* REPO:TAG of its base image, as lock files name it */
    const char *name;     /* [REGISTRY/]IMAGE:TAG, as it is built and pushed */
    struct words aliases; /* further names: the plan's `tags` */
};

struct image_selection {
    const struct catalog *catalog;
    struct span overlay;                 /* of the matrix */
    struct words images;                 /* names; none: all */
    struct words only;                   /* IMAGE:TAG; none: all */
    const struct stack_request *request; /* the only row of the only image, or NULL */
    const struct image_plan *plan;       /* the rows are the plan's; NULL: each image's own */
    const char *registry;                /* HOST/PATH before each name, or NULL */
};

/*
 * Resolves all rows; equal results of two requests are one row. Exit 4: no stack meets a request,
 * at its place in the plan, with `*refusal` as matrix_resolve has it. Exit 2: an unknown image, or
 * two different rows of one name.
 */
TG_CHECKED int image_rows(struct image_row **out, size_t *count, struct data **refusal,
                          struct arena *arena, const struct image_selection *selection,
                          struct err *err);

/* The platforms that a row can be built for: "linux/amd64", "linux/arm64"; a list. */
TG_CHECKED int image_row_platforms(struct data **out, struct arena *arena,
                                   const struct image_selection *selection,
                                   const struct image_row *row, struct err *err);

/* This machine's platform: "linux/arm64". `*arch` is the requests' word for it; NULL: none. */
const char *image_this_platform(struct arena *arena, const char **arch);

/* ------------------------------------------------------------------ plans */

struct plan_entry {
    const char *image;
    bool asks; /* it has a request; else it means the image's first own row */
    struct stack_request request;
    struct words tags; /* additional tags */
    const struct yaml_node *node;
};

struct image_plan {
    const char *registry; /* HOST/PATH; or NULL */
    struct plan_entry *entries;
    size_t count;
};

/* Reads a plan, strictly. Exit 2 with file:line:column; 1 where it cannot be read. */
TG_CHECKED int plan_load(struct image_plan **out, struct arena *arena, const char *path,
                         struct err *err);
/* Checks that `text` is HOST[:PORT][/PATH]... as in names of images. */
TG_CHECKED int plan_check_registry(const char *text, struct err *err);
