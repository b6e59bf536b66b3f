/* One file out of a zip archive that is read in pieces from its end, as wheels are. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

struct arena;

/* The last bytes of an archive that surely hold its end record, unless its comment is long. */
#define ZIP_TAIL_BYTES ((size_t)8192)

/* Bytes of an archive: where, and how many. */
struct zip_range {
    uint64_t offset, len;
};

/* Where the directory is, by the archive's last bytes. -1: no zip, or one of over 4 GiB. */
TG_CHECKED int zip_directory(struct zip_range *out, struct span tail);
/*
 * Where the file whose path ends in `ending` begins, by the directory: a range that holds it with
 * its header. -1: there is none, or the directory is damaged.
 */
TG_CHECKED int zip_find(struct zip_range *out, struct span directory, const char *ending);
/* The file, by that range; at most `max` bytes, in the arena. -1: damaged, or too long. */
TG_CHECKED int zip_unpack(struct span *out, struct arena *arena, struct span range, size_t max);
