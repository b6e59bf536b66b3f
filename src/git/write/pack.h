/* Writing git objects as one pack with its index. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

enum pack_kind { PACK_COMMIT = 1, PACK_TREE = 2, PACK_BLOB = 3 }; /* numbers of the pack format */

struct pack_object {
    enum pack_kind kind;
    unsigned char id[20];
    struct span bytes;
    struct span deflated; /* the bytes as a zlib stream; empty if unknown */
};

#define PACK_NAME_SIZE 46 /* "pack-", 40 hexadecimal digits, NUL */

/*
 * Writes pack-ID.pack and pack-ID.idx into `folder` (gitformat-pack, version 2 of both). Writes the
 * index last: git ignores a pack without one. With `durable`, syncs the files and the folder;
 * otherwise the caller does. Objects must be distinct, and are written whole, without deltas, and
 * compressed for speed: libgit2's writer searches for deltas and compresses hard, which takes most
 * of the time of a small update, and git repacks anyway. Less than 2 GiB in all.
 */
TG_CHECKED int pack_write(char name[PACK_NAME_SIZE], const char *folder,
                          const struct pack_object *objects, size_t count, bool durable,
                          struct err *err);
