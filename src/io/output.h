/* A file that a command writes at its end, all or nothing; checked at the command's start. */
#pragma once

#include "base/err.h"
#include "base/span.h"

struct arena;

struct output {
    const char *path; /* absolute, through no link; NULL: not open */
    const char
        *draft; /* written beside `path`, then renamed; NULL: writes directly (pipes, devices) */
    int fd;
};

/*
 * Fails if the file could not be written (exit 1, "io"). Does not touch `path` yet. Removes drafts
 * that killed runs left beside it.
 */
TG_CHECKED int output_open(struct output *out, struct arena *arena, const char *path,
                           struct err *err);
/* Writes all of `bytes`. Closes `output` in any case. */
TG_CHECKED int output_write(struct output *output, struct span bytes, struct err *err);
/* Closes `output` and discards its draft; no effect if it is not open. */
void output_close(struct output *output);
