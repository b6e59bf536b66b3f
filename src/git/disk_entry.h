/* What lies on disk at a path of the work tree, never through a link. */
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
    DISK_BLOCKED, /* a part of the way is a link or no folder */
};

/* Content by the hash of the bytes as they lie there, which need not be those of the object. */
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
 * Opens the folder that `path` lies in, below the folder `top`; `*name` is the last part. Links are
 * not followed. Missing folders are made with DISK_MAKE, and outlive a power cut with
 * DISK_MAKE_DURABLY. Returns 0; or 1 with `*fd` -1 where the folder is missing, 2 where something
 * else is in the way; -1 on failure.
 */
enum disk_missing { DISK_FIND, DISK_MAKE, DISK_MAKE_DURABLY };
TG_CHECKED int disk_parent(int *fd, const char **name, int top, const char *path,
                           enum disk_missing missing, struct err *err);

/* `info` may be NULL; it is filled for a file. `content`, where not NULL, gets a file's bytes. */
TG_CHECKED int disk_look(struct disk_entry *out, struct stat *info, struct buf *content, int top,
                         const char *path, struct err *err);

/* Whether anything has that name, a link that leads nowhere, too. Not to know is a failure. */
TG_CHECKED int disk_exists(bool *out, int folder, const char *path, struct err *err);

/* Whether names that differ by case are one below `top`, which has a `.git`. */
bool disk_ignores_case(int top);

/* What lies at `path` in words: "a folder". */
const char *disk_kind_name(enum disk_kind kind);

/*
 * Makes or replaces `name` in `folder`. Until it is whole its mode is 0200; on a file system where
 * modes do not change, its name ends in DISK_DRAFT. Not durable yet.
 */
#define DISK_HALF_WRITTEN ((mode_t)0200)
#define DISK_DRAFT ".draft"
TG_CHECKED int disk_write(int folder, const char *name, struct span bytes, mode_t mode,
                          struct err *err);
/*
 * Gives a file a second name, so that going back to it takes no space; a copy, made durable, where
 * there are no hard links, or no more of this file. What has that name already stays. 1 where there
 * is no such file.
 */
TG_CHECKED int disk_keep(int folder, const char *name, int to, const char *kept, struct err *err);
TG_CHECKED int disk_sync(int folder, const char *name, struct err *err);
TG_CHECKED int disk_sync_folder(int fd, const char *what, struct err *err);
/* 1 for a folder that holds nothing but folders, at any depth; else 0. -1 with errno. */
TG_CHECKED int disk_is_hollow(int folder, const char *name);
/* Removes such a folder. -1 with errno where it is none. */
int disk_remove_empty(int folder, const char *name);
