/* The entry at a path of the work tree, read without following links. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <sys/stat.h>

struct buf;

enum disk_kind {
    DISK_ABSENT,
    DISK_FILE,
    DISK_FOLDER,
    DISK_LINK,
    DISK_SPECIAL, /* a device, socket or pipe: never opened */
    DISK_BLOCKED, /* a parent is a link, or not a folder */
};

/* `raw` hashes the bytes on disk, which may differ from those of the object. */
struct disk_entry {
    enum disk_kind kind;
    bool executable;
    struct oid raw;
};

static inline bool disk_equal(const struct disk_entry *a, const struct disk_entry *b)
{
    return a->kind == b->kind && (a->kind != DISK_FILE ||
                                  (a->executable == b->executable && oid_equal(&a->raw, &b->raw)));
}

/*
 * Opens the folder of `path` below the folder `top`; `*name` is the last part. Does not follow
 * links. DISK_MAKE creates missing folders; DISK_MAKE_DURABLY also syncs them. Returns 0; 1 with
 * `*fd` -1 if the folder is missing; 2 if something else is in the way; -1 on failure.
 */
enum disk_missing { DISK_FIND, DISK_MAKE, DISK_MAKE_DURABLY };
TG_CHECKED int disk_parent(int *fd, const char **name, int top, const char *path,
                           enum disk_missing missing, struct err *err);

/* Reads the entry. For a file also fills `info` and `content` with its bytes; each may be NULL. */
TG_CHECKED int disk_look(struct disk_entry *out, struct stat *info, struct buf *content, int top,
                         const char *path, struct err *err);

/* Whether the name exists, even as a dangling link. Fails if that cannot be found out. */
TG_CHECKED int disk_exists(bool *out, int folder, const char *path, struct err *err);

/* Whether the file system below `top`, which has a `.git`, ignores case in names. */
bool disk_ignores_case(int top);

/* The kind in words: "a folder". */
const char *disk_kind_name(enum disk_kind kind);

/*
 * Creates or replaces `name` in `folder`; not durable yet. An incomplete file has mode 0200, or on
 * file systems with fixed modes, a name that ends in DISK_DRAFT.
 */
#define DISK_HALF_WRITTEN ((mode_t)0200)
#define DISK_DRAFT ".draft"
TG_CHECKED int disk_write(int folder, const char *name, struct span bytes, mode_t mode,
                          struct err *err);
/*
 * Gives a file a second name, so that restoring it needs no space. Without hard links (or with no
 * more for this file), makes a durable copy. An existing `kept` is left alone. Returns 1 if there
 * is no such file.
 */
TG_CHECKED int disk_keep(int folder, const char *name, int to, const char *kept, struct err *err);
TG_CHECKED int disk_sync(int folder, const char *name, struct err *err);
TG_CHECKED int disk_sync_folder(int fd, const char *what, struct err *err);
/* 1 for a folder that holds nothing but folders, at any depth; else 0. -1 with errno. */
TG_CHECKED int disk_is_hollow(int folder, const char *name);
/* Removes such a folder; -1 with errno if it is not one. */
int disk_remove_empty(int folder, const char *name);
