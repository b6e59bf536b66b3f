/* What .gitattributes files say of a path, as git reads them. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct arena;

/* Those that change a file's bytes on their way between disk and object. */
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
 * Gives the content of an attributes file. `path` is relative to the work tree
 * ("a/.gitattributes"); `found` is false where there is none.
 */
struct attribute_reader {
    int (*read)(struct span *out, bool *found, void *context, const char *path, struct err *err);
    void *context;
};

/* Keeps what was read, in the arena. */
struct attributes;

/*
 * `outside` are the texts of files outside of the tree, weakest first (the system's, the user's);
 * `info` is that of $GIT_DIR/info/attributes, which wins over all. Empty spans: none.
 */
struct attributes *attributes_new(struct arena *arena, const struct attribute_reader *reader,
                                  const struct span *outside, size_t outside_count,
                                  struct span info, bool ignore_case);

/* What holds for the file at `path`, relative to the work tree. */
TG_CHECKED int attributes_get(struct attribute_value out[ATTRIBUTES], struct attributes *attributes,
                              const char *path, struct err *err);
