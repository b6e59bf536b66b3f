/* What a fork of the built-in catalog has besides it: CI, and how to work on it. */
#ifndef TMPLGEN_FORK_FILES_H
#define TMPLGEN_FORK_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct fork_file {
    const char *path;
    const char *text; /* CHECKOUT stands for the action that checks out, as the catalog pins it */
    bool executable;
};

#define FORK_CHECKOUT "CHECKOUT"

extern const struct fork_file fork_files[];
extern const size_t fork_file_count;

#endif
