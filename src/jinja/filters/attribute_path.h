/* The parameter `attribute` of filters: "a.b.0", for sort also "a,b". */
#pragma once

#include "base/err.h"
#include "jinja/functions/function.h"

/* Names and numbers to look up one after the other; an empty path is the item itself. */
struct attribute_path {
    struct value *parts;
    size_t count;
    struct value fallback; /* for undefined values on the way; V_MISSING: none */
};

struct attribute_paths {
    struct attribute_path *paths;
    size_t count;
};

/* Parses a text or a number; none is the empty path. */
TG_CHECKED int attribute_path_parse(struct attribute_path *out, struct vm *vm,
                                    const struct value *value);
/* Argument `i`; a missing one is the empty path. */
TG_CHECKED int attribute_path_read(struct attribute_path *out, struct vm *vm,
                                   const struct arguments *arguments, size_t i);
TG_CHECKED int attribute_paths_read(struct attribute_paths *out, struct vm *vm,
                                    const struct arguments *arguments, size_t i);
/* Looks the path up in `item`; `lower` converts a text to lower case. */
TG_CHECKED int attribute_path_get(struct value *out, struct vm *vm,
                                  const struct attribute_path *path, const struct value *item,
                                  bool lower);
/* A sort key: one value, or a list with one value for each path. */
TG_CHECKED int attribute_paths_key(struct value *out, struct vm *vm,
                                   const struct attribute_paths *paths, const struct value *item,
                                   bool lower);
