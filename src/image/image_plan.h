/* A plan: which rows of which base images a team builds, and where they go. */
#ifndef TMPLGEN_IMAGE_PLAN_H
#define TMPLGEN_IMAGE_PLAN_H

#include "base/err.h"
#include "base/str.h"
#include "resolver/request.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct yaml_node;

struct plan_entry {
    const char *image;
    bool asks; /* it has a request; else it means the image's first own row */
    struct stack_request request;
    struct words tags; /* that it gets besides its own */
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
/* Whether `text` is HOST[:PORT][/PATH]... as images are named. */
TG_CHECKED int plan_check_registry(const char *text, struct err *err);

#endif
