/* The attributes of a path, read from .gitattributes files as git reads them. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct arena;

/* Attributes that change a file's bytes between disk and object. */
enum attribute {
    ATTRIBUTE_TEXT,
    ATTRIBUTE_CRLF,
    ATTRIBUTE_EOL,
    ATTRIBUTE_IDENT,
    ATTRIBUTE_FILTER,
    ATTRIBUTE_ENCODING, /* working-tree-encoding */
    ATTRIBUTES
};

enum attribute_state { ATTRIBUTE_UNSPECIFIED, ATTRIBUTE_SET, ATTRIBUTE_UNSET, ATTRIBUTE_VALUE };

struct attribute_value {
    enum attribute_state state;
    const char *value; /* only with ATTRIBUTE_VALUE */
};

/*
 * Reads an attributes file. `path` is relative to the work tree ("a/.gitattributes"); sets `found`
 * to false if the file does not exist.
 */
struct attribute_reader {
    int (*read)(struct span *out, bool *found, void *context, const char *path, struct err *err);
    void *context;
};

/* Caches what was read, in the arena. */
struct attributes;

/*
 * `outside` has the files from outside the tree (the system's, the user's), lowest precedence
 * first. `info` is $GIT_DIR/info/attributes, which has the highest. Empty spans: none.
 */
struct attributes *attributes_new(struct arena *arena, const struct attribute_reader *reader,
                                  const struct span *outside, size_t outside_count,
                                  struct span info, bool ignore_case);

/* The attributes of the file at `path`, relative to the work tree. */
TG_CHECKED int attributes_get(struct attribute_value out[ATTRIBUTES], struct attributes *attributes,
                              const char *path, struct err *err);
