/* The entry of one file in a git tree: its mode and the id of its content. */
#pragma once

#include <stdbool.h>
#include <string.h>

/* The same bytes as libgit2's git_oid, without its header. */
struct oid {
    unsigned char id[20];
};

enum leaf_mode {
    LEAF_ABSENT = 0,
    LEAF_FILE = 0100644,
    LEAF_EXECUTABLE = 0100755,
    LEAF_LINK = 0120000,
    LEAF_SUBMODULE = 0160000,
};

struct tree_entry {
    unsigned mode; /* an enum leaf_mode */
    struct oid id; /* zero where absent */
};

/* Of a git_oid, or of the 20 bytes of an id. */
static inline struct oid oid_from(const void *bytes)
{
    struct oid out;
    memcpy(out.id, bytes, sizeof(out.id));
    return out;
}

static inline bool oid_equal(const struct oid *a, const struct oid *b)
{
    return memcmp(a->id, b->id, sizeof(a->id)) == 0;
}

static inline bool oid_is_zero(const struct oid *id)
{
    static const struct oid zero;
    return oid_equal(id, &zero);
}

static inline bool tree_entry_equal(const struct tree_entry *a, const struct tree_entry *b)
{
    return a->mode == b->mode && oid_equal(&a->id, &b->id);
}

static inline bool tree_entry_is_file(const struct tree_entry *leaf)
{
    return leaf->mode == LEAF_FILE || leaf->mode == LEAF_EXECUTABLE;
}
