/* Reads one file of a zip archive in pieces from the archive's end, as for wheels. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

struct arena;

/* So many last bytes of an archive hold its end record, unless its comment is long. */
#define ZIP_TAIL_BYTES ((size_t)8192)

/* A range of an archive's bytes. */
struct zip_range {
    uint64_t offset, len;
};

/* Finds the directory by the archive's last bytes. -1: no zip, or one of over 4 GiB. */
TG_CHECKED int zip_directory(struct zip_range *out, struct span tail);
/*
 * Finds the file whose path ends in `ending`, by the directory: a range with the file and its
 * header. -1: there is none, or the directory is damaged.
 */
TG_CHECKED int zip_find(struct zip_range *out, struct span directory, const char *ending);
/* Unpacks the file of that range; at most `max` bytes, in the arena. -1: damaged, or too long. */
TG_CHECKED int zip_unpack(struct span *out, struct arena *arena, struct span range, size_t max);
