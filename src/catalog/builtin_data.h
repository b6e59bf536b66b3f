/* What tools/catalog_pack.c generates: the built-in catalog, and its released versions. */
#pragma once

#include <stdbool.h>

/*
 * All text and content, one after the other; the tables say where in it a thing lies. Numbers need
 * no relocation when the program starts, pointers would.
 */
extern const char builtin_bytes[];

struct builtin_part {
    unsigned int at, size; /* size 0: there is none */
};

/* What a file holds, each content once. */
struct builtin_blob {
    unsigned char id[20]; /* git's */
    struct builtin_part data;
    struct builtin_part
        deflated;             /* a zlib stream of the data, for files that are copied as they are */
    struct builtin_part rows; /* of a matrix of the newest catalog: what rows_unpack takes */
};

extern const struct builtin_blob builtin_blobs[];

struct builtin_file {
    unsigned int path; /* in builtin_bytes, with a NUL */
    unsigned int blob;
    bool executable;
};

extern const struct builtin_file builtin_files[];

struct builtin_version {
    const char *version;       /* "0.1.0" */
    const char *commit;        /* 40 hex digits */
    long long time;            /* of the commit, in seconds */
    unsigned int first, count; /* its files, sorted by path */
};

/*
 * The releases, oldest first; behind them, where something has changed since the newest, what the
 * binary was built with: a commit on top of it that is the same wherever it is built.
 */
extern const struct builtin_version builtin_versions[];
extern const unsigned long builtin_release_count;
/* Which of them the binary was built with. */
extern const unsigned long builtin_head;
