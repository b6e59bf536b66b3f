/* Reads the nodes of a manifest and checks them against its schema. */
#pragma once

#include "base/err.h"

#include <stddef.h>

struct arena;
struct yaml_node;

struct reader {
    struct arena *arena;
    struct err *err;
};

/* A template or an expression in a manifest, with its place for messages. */
struct manifest_text {
    const char *text; /* NULL: absent */
    const struct yaml_node *node;
};

/* All of these fail with exit 2 at the node. For a NULL node, `*out` is left alone. */

/* The index of the word in `names`; an error suggests the nearest one. */
TG_CHECKED int reader_word(size_t *out, const struct reader *reader, const struct yaml_node *node,
                           const char *what, const char *const *names, size_t count);
TG_CHECKED int reader_want_list(const struct reader *reader, const struct yaml_node *node,
                                const char *what);
TG_CHECKED int reader_want_map(const struct reader *reader, const struct yaml_node *node,
                               const char *what);
/* A mandatory text. */
TG_CHECKED int reader_required(const char **out, const struct reader *reader,
                               const struct yaml_node *map, const char *key);
TG_CHECKED int reader_text(struct manifest_text *out, const struct reader *reader,
                           const struct yaml_node *map, const char *key);
/* Reads a list of mappings with `read`, `size` bytes for each; if absent, the list is empty. */
TG_CHECKED int reader_list(void **out, size_t *count, size_t size, const struct reader *reader,
                           const struct yaml_node *node, const char *what,
                           int (*read)(void *, const struct reader *, const struct yaml_node *));
/* The same of the member `key` of a mapping, into `items` and `count`. */
#define READER_LIST(items, count, reader, map, key, read)                                          \
    reader_list((void **)&(items), &(count), sizeof(*(items)), reader, yaml_get(map, key), key,    \
                read)
