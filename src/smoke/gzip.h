/* The bytes of a file; of a gzip file, by what it begins with, those that it holds. */
#ifndef TMPLGEN_SMOKE_GZIP_H
#define TMPLGEN_SMOKE_GZIP_H

#include <stddef.h>
#include <sys/types.h>

struct gzip;

/* NULL: errno tells why. */
struct gzip *gzip_open(const char *path);
/* Up to `size` bytes; 0 at the end, which a gzip file has proven by its sum; -1: see gzip_wrong. */
ssize_t gzip_read(struct gzip *g, void *out, size_t size);
/* What is wrong with it, as the rest of a sentence: "is a damaged gzip file". */
const char *gzip_wrong(const struct gzip *g);
void gzip_close(struct gzip *g);

#endif
