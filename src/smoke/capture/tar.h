/* Tar archives of captured machines: written whole or not at all, read with distrust. */
#pragma once

#include <stddef.h>

enum {
    TAR_NAME_MAX = 1023,       /* bytes of a name or a link's target */
    TAR_ENTRIES_MAX = 20000,   /* of one archive */
    TAR_BYTES_MAX = 256 << 20, /* that one archive holds */
    TAR_REGIONS_MAX = 512,     /* of one file */
    TAR_ERROR_MAX = 2 * TAR_NAME_MAX + 256
};

/* All bytes of an archive: heads, lists of regions and padding besides. */
#define TAR_STREAM_MAX ((unsigned long long)TAR_BYTES_MAX + (64 << 20))
#define TAR_FILE_MAX (4ULL << 30) /* size of one file, holes counted */

/* A part of a file that is kept; the rest reads as zeros. */
struct tar_region {
    unsigned long long at, size;
};

/* What is wrong, for people. Functions that take one set it when they fail, and return -1. */
typedef char tar_error[TAR_ERROR_MAX];

/* An archive in the making: FILE.XXXXXX beside FILE, until it is finished. */
struct tar {
    const char *path;
    char *error; /* the tar_error that tar_create was given: all set it */
    char *temporary;
    int fd;
    void *packed; /* zlib's; it packs where the name ends in .gz or .tgz */
};

int tar_create(struct tar *t, const char *path, tar_error error);
int tar_folder(struct tar *t, const char *name);
int tar_link(struct tar *t, const char *name, const char *target);
/* A file of these bytes. */
int tar_bytes(struct tar *t, const char *name, unsigned mode, const char *bytes, size_t size);
/*
 * A file of that size with the regions read from `fd`; they lie in order, apart from each other,
 * on multiples of 512, and only the last one's end need not.
 */
int tar_regions(struct tar *t, const char *name, unsigned mode, int fd, unsigned long long size,
                const struct tar_region *regions, size_t n);
/* Makes it durable, and puts it in its place. */
int tar_finish(struct tar *t);
/* Leaves nothing behind; after tar_finish nothing happens. */
void tar_abandon(struct tar *t);

/*
 * Unpacks into an empty folder, from a gzip file as well. Only files, folders and links; refused:
 * names that are absolute, go up, hold control bytes or come twice, entries behind a link, anything
 * past the limits.
 */
int tar_unpack(const char *path, int folder, tar_error error);
