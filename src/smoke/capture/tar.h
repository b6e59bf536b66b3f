/* Tar archives of captured machines: written whole or not at all, read with distrust. */
#pragma once

#include <stddef.h>

enum {
    TAR_NAME_MAX = 1023,       /* bytes of a name or a link's target */
    TAR_ENTRIES_MAX = 20000,   /* of one archive */
    TAR_BYTES_MAX = 256 << 20, /* content of one archive */
    TAR_REGIONS_MAX = 512,     /* of one file */
    TAR_ERROR_MAX = 2 * TAR_NAME_MAX + 256
};

/* The whole archive: with headers, lists of regions and padding. */
#define TAR_STREAM_MAX ((unsigned long long)TAR_BYTES_MAX + (64 << 20))
#define TAR_FILE_MAX (4ULL << 30) /* size of one file, including holes */

/* A part of a file with content; the rest reads as zeros. */
struct tar_region {
    unsigned long long at, size;
};

/* An error text. Functions that take one set it if they fail, and return -1. */
typedef char tar_error[TAR_ERROR_MAX];

/* An archive being written, as FILE.XXXXXX until it is finished. */
struct tar {
    const char *path;
    char *error; /* the tar_error given to tar_create; all functions set it */
    char *temporary;
    int fd;
    void *packed; /* for zlib: compresses if the name ends in .gz or .tgz */
};

int tar_create(struct tar *t, const char *path, tar_error error);
int tar_folder(struct tar *t, const char *name);
int tar_link(struct tar *t, const char *name, const char *target);
/* Adds a file with these bytes. */
int tar_bytes(struct tar *t, const char *name, unsigned mode, const char *bytes, size_t size);
/*
 * Adds a file of that size, with regions read from `fd`. Regions are in order, with gaps between
 * them, and start and end at multiples of 512; only the last one's end may differ.
 */
int tar_regions(struct tar *t, const char *name, unsigned mode, int fd, unsigned long long size,
                const struct tar_region *regions, size_t n);
/* Syncs the archive and renames it into place. */
int tar_finish(struct tar *t);
/* Removes the unfinished archive; no effect after tar_finish. */
void tar_abandon(struct tar *t);

/*
 * Unpacks into an empty folder, also from gzip. Allows only files, folders and links. Refuses names
 * that are absolute, contain "..", control bytes or duplicates, entries behind a link, and anything
 * over the limits.
 */
int tar_unpack(const char *path, int folder, tar_error error);
