/* A file that a command writes at its end: seen to be possible at its start, there whole or not. */
#pragma once

#include "base/err.h"
#include "base/span.h"

struct arena;

struct output {
    const char *path; /* absolute, through no link; NULL: not open */
    const char
        *draft; /* beside it, takes its place; NULL: written into, as pipes and devices are */
    int fd;
};

/*
 * Fails where it could not be written (exit 1, "io"). Nothing of `path` is touched yet. Drafts that
 * killed runs have left beside it are removed.
 */
TG_CHECKED int output_open(struct output *out, struct arena *arena, const char *path,
                           struct err *err);
/* Writes all of it. Closed afterwards in any case. */
TG_CHECKED int output_write(struct output *output, struct span bytes, struct err *err);
/* Gives it up where it is open. */
void output_close(struct output *output);
