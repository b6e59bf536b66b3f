/* A row that is held against a package index, and what is found out. */
#pragma once

#include "package_index/evidence/evidence.h"

struct arena;
struct build;
struct data;
struct framework;
struct matrix;
struct release;

/* One build of one release, against what the index says of it: in the arena or the matrix. */
struct verification {
    struct arena *arena;
    const struct matrix *matrix;
    const struct framework *framework;
    const struct release *release;
    const struct build *build;
    const char *requirement; /* what it is installed by; NULL: another index has it */
    struct evidence evidence;
    struct data *proved, *differences; /* lists, as in verify.h */
};

/* The index proves that part of the row. */
void verification_prove(const struct verification *c, const char *what);
/* It says something else; the row may explain that (`differs`). The evidence is for people. */
void verification_differ(const struct verification *c, const char *what, const char *row,
                         const char *index, const char *evidence, ...)
    __attribute__((format(printf, 5, 6)));
/* "torch 2.8.0", in the arena. */
const char *verification_named(const struct verification *c);

/*
 * Pythons, processors, glibc, CUDA, cuDNN and NCCL, and whether what is installed is the whole of
 * it. Needs evidence of a release that is there and has a wheel; asks for no more.
 */
void verify_wheels(const struct verification *c);

/*
 * Each companion is there and, where it says something of the release, agrees. INDEX_UNKNOWN: one
 * is not known yet, and is wanted now; else INDEX_FAILED: one could not be asked for; else
 * INDEX_THERE.
 */
enum index_state verify_companions(const struct verification *c, struct package_index *index);
/*
 * `requires` and `pins` of the row against the release's metadata; where that is silent, against
 * what the other package's releases require. `*wanted` counts what is not known yet, as in
 * verify.h.
 */
void verify_requires(const struct verification *c, struct package_index *index, size_t *wanted);
